//! Groups of like UEs.

use serde_json::Value;

use crate::FlowSummary;

/// Groups of several like UEs by name, as the scenario has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UeGroups(Vec<String>);

impl UeGroups {
    /// Of a scenario as `summary.json` has it.
    pub fn of(scenario: &Value) -> UeGroups {
        let groups = scenario["ue"].as_array().into_iter().flatten();
        let arrive = |group: &Value| group.get("arrivals").is_some();
        let several = groups.filter(|group| group["count"].as_u64() > Some(1) || arrive(group));
        UeGroups(several.filter_map(|group| Some(group["name"].as_str()?.to_owned())).collect())
    }

    /// The group of a UE; itself, if it has none.
    pub fn name<'a>(&'a self, ue: &'a str) -> &'a str {
        let numbered = |tail: &str| !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit());
        let own = |group: &&String| {
            ue.strip_prefix(group.as_str())
                .and_then(|tail| tail.strip_prefix('-'))
                .is_some_and(numbered)
        };
        self.0.iter().find(own).map_or(ue, String::as_str)
    }

    /// A flow's name with the group's name instead of the UE's.
    pub fn flow(&self, flow: &FlowSummary) -> String {
        self.flow_of(&flow.name, flow.ue.as_deref())
    }

    /// The name of a flow with the group's name instead of the UE's, by both names.
    pub(crate) fn flow_of(&self, flow: &str, ue: Option<&str>) -> String {
        let Some(ue) = ue else { return flow.to_owned() };
        let (ue, group) = (format!(" {ue} "), format!(" {} ", self.name(ue)));
        format!(" {flow} ").replacen(&ue, &group, 1).trim().to_owned()
    }
}
