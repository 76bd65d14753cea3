//! The scenario with other flows of one UE.

use std::path::{Path, PathBuf};

use airpath_scenario::{Scenario, toml};
use serde_json::{Map, Value, json};

use crate::{ExportError, Options};

/// A scenario whose UE has probes instead of its flows.
#[derive(Clone)]
pub(crate) struct Scene {
    keys: Map<String, Value>,
    /// Group of the UE.
    group: String,
    /// UEs of the group; the recorded one is its first.
    count: u64,
    /// Folder of the files that the scenario names.
    folder: PathBuf,
}

impl Scene {
    /// Leaves out the flows of the first UE of a group, and what is written to a folder.
    ///
    /// # Errors
    ///
    /// No such group, or one whose UEs arrive.
    pub fn of(scenario: &Scenario, options: Options<'_>) -> Result<Scene, ExportError> {
        let mut keys = scenario.to_json().as_object().cloned().unwrap_or_default();
        let names: Vec<String> = scenario.ue.iter().map(|group| group.name.clone()).collect();
        let group = options.ue.or(names.first().map(String::as_str)).unwrap_or_default().to_owned();
        for key in ["output", "sweep", "campaign"] {
            keys.remove(key);
        }
        tables(&mut keys, "bearer").for_each(let_filters_be_unused);
        let Some(own) = tables(&mut keys, "ue").find(|own| own["name"] == group) else {
            return Err(ExportError::NoUe { name: group, known: names.join(", ") });
        };
        if own.contains_key("arrivals") {
            return Err(ExportError::Arrives(group));
        }
        let count = own.get("count").and_then(Value::as_u64).unwrap_or(1);
        let folder = options.folder.map(Path::to_owned).unwrap_or_default();
        let mut scene = Scene { keys, group, count, folder };
        scene.leave_out_flows();
        Ok(scene)
    }

    /// Name of the UE.
    pub fn ue(&self) -> String {
        if self.count > 1 { format!("{}-0", self.group) } else { self.group.clone() }
    }

    /// A scene with these keys at the top.
    pub fn with(&self, key: &str, value: Value) -> Scene {
        let mut keys = self.keys.clone();
        keys.insert(key.to_owned(), value);
        Scene { keys, ..self.clone() }
    }

    /// Queues without a limit get one, so that a saturated one holds no more than 2000 packets.
    pub fn with_bounded_queues(mut self) -> Scene {
        for bearer in tables(&mut self.keys, "bearer") {
            for queue in ["queue", "uplink_queue"] {
                if let Some(limit) = bearer.get_mut(queue).and_then(|queue| queue.get_mut("limit"))
                    && limit == "unlimited"
                {
                    *limit = json!("2000 packets");
                }
            }
        }
        self
    }

    /// Queue of the UE's default bearer, if a wired link may have it.
    pub fn queue(&self) -> Option<Value> {
        let bearers = self.keys.get("bearer")?.as_array()?;
        let own = bearers.iter().find(|bearer| {
            let groups = bearer["ue"].as_array();
            let has = groups.is_none_or(|all| all.iter().any(|ue| ue == &self.group));
            let first = bearer["only"].as_str().is_none_or(|only| numbers(only).contains(&0));
            has && first && bearer["default"] == true
        })?;
        let queue = own.get("queue")?;
        (queue["kind"] == "drop-tail").then(|| queue.clone())
    }

    /// Reads the scenario with these flows, each without the UE's name.
    ///
    /// # Errors
    ///
    /// A fault of the scenario with these flows.
    pub fn scenario(&self, flows: Vec<Value>) -> Result<Scenario, ExportError> {
        let mut keys = self.keys.clone();
        let all = keys.entry("flow").or_insert_with(|| json!([]));
        for mut flow in flows {
            flow["ue"] = json!(self.group);
            if self.count > 1 {
                flow["only"] = json!("0");
            }
            if let Some(all) = all.as_array_mut() {
                all.push(flow);
            }
        }
        let files = |name: &str| {
            std::fs::read_to_string(self.folder.join(name)).map_err(|error| error.to_string())
        };
        // A duration as an option leaves flows that begin behind it as they are.
        let duration = keys.get("duration").map(|duration| format!("duration={duration}"));
        Ok(Scenario::parse_with("export", &toml(&keys), duration.as_slice(), &files)?)
    }
}

impl Scene {
    /// Leaves out the flows of the UE, and changes of flows that are left out for all of their UEs.
    fn leave_out_flows(&mut self) {
        let Some(Value::Array(flows)) = self.keys.remove("flow") else { return };
        let proxied = self.keys.get("path").is_some_and(|path| path["proxy"].is_object());
        let mut left_out = Vec::new();
        let mut kept = Vec::new();
        for mut flow in flows {
            let name = flow["name"].as_str().unwrap_or_default().to_owned();
            let mut groups =
                flow["ue"].as_array().cloned().unwrap_or_else(|| vec![flow["ue"].clone()]);
            let (before, beside, whole) = (groups.len(), kept.len(), flow.clone());
            groups.retain(|group| group != &self.group);
            if groups.len() < before {
                kept.extend(self.of_others(&flow));
            }
            if !groups.is_empty() {
                flow["ue"] = Value::Array(groups);
                kept.insert(beside, flow);
                if let Some(rest) = kept.get_mut(beside + 1) {
                    rest["name"] = json!(format!("{name} of the rest"));
                }
            }
            if kept.len() == beside {
                left_out.push(format!("flow.{name}."));
                if proxied {
                    // A proxy without a flow is a fault: the flow stays, and sends nothing.
                    let mut paused = whole;
                    (paused["ue"], paused["active"]) = (json!([self.group]), json!(false));
                    kept.push(paused);
                }
            }
        }
        self.keys.insert("flow".to_owned(), Value::Array(kept));
        self.leave_out_changes(&left_out);
    }

    /// A flow for the other UEs of the group, if they have it.
    fn of_others(&self, flow: &Value) -> Option<Value> {
        let all = || (0..self.count).collect();
        let mut numbers: Vec<u64> = flow["only"].as_str().map_or_else(all, numbers);
        numbers.retain(|number| *number != 0);
        let only: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let mut flow = flow.clone();
        flow["ue"] = json!([self.group]);
        flow["only"] = json!(only.join(","));
        (!only.is_empty()).then_some(flow)
    }

    fn leave_out_changes(&mut self, flows: &[String]) {
        for change in tables(&mut self.keys, "change") {
            for settings in change.values_mut().filter_map(Value::as_object_mut) {
                settings.retain(|key, _| !flows.iter().any(|flow| key.starts_with(flow.as_str())));
            }
        }
        if let Some(changes) = self.keys.get_mut("change").and_then(Value::as_array_mut) {
            changes.retain(|change| !change["set"].as_object().is_some_and(Map::is_empty));
        }
    }
}

/// Numbers of a list as `0-2,5`.
fn numbers(list: &str) -> Vec<u64> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse().unwrap_or(0);
        number(first)..=number(last)
    };
    list.split(',').flat_map(range).collect()
}

/// Tables of a list of the scenario.
fn tables<'a>(
    keys: &'a mut Map<String, Value>,
    list: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let list = keys.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Filters of a bearer, and of its QoS flows, may match no packet: flows that they were for are left out.
fn let_filters_be_unused(bearer: &mut Map<String, Value>) {
    for filter in tables(bearer, "filter") {
        filter.insert("may_be_unused".to_owned(), json!(true));
    }
    tables(bearer, "qos_flow").for_each(let_filters_be_unused);
}
