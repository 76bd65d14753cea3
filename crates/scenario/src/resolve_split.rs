//! Defaults of split bearers.

use airpath_base::Duration;

use crate::file::{Bearer, Carrier, Flow, PrimaryPath, RlcMode, Scenario};

/// The longest t-Reordering of PDCP (TS 38.331, 6.3.2).
const LONGEST_REORDERING: Duration = Duration::from_millis(3_000);

/// t-Reordering of PDCP over RLC that repairs nothing, as that of a bearer of NR.
const UNACKNOWLEDGED_REORDERING: Duration = Duration::from_millis(100);

/// With legs, bearers that can take both paths do so.
pub(crate) fn fill(scenario: &mut Scenario) {
    if !scenario.carrier.iter().any(Carrier::is_leg) {
        return;
    }
    let can = |bearer: &Bearer| {
        let may = bearer.rlc == Some(RlcMode::Am) || bearer.duplication.is_some();
        may && obstacle(scenario, bearer).is_none()
    };
    let usual: Vec<bool> = scenario.bearer.iter().map(can).collect();
    for (bearer, usual) in scenario.bearer.iter_mut().zip(usual) {
        if *bearer.split.get_or_insert(usual) {
            bearer.primary_path.get_or_insert(PrimaryPath::Leg);
            let reordering = match bearer.rlc {
                Some(RlcMode::Um) => UNACKNOWLEDGED_REORDERING,
                _ => LONGEST_REORDERING,
            };
            bearer.split_reordering.get_or_insert(reordering);
        }
    }
}

/// A part of the scenario with which a bearer takes one path.
pub(crate) fn obstacle(scenario: &Scenario, bearer: &Bearer) -> Option<String> {
    let members = scenario.members(&bearer.ue, bearer.only.as_ref());
    let by_default = scenario.cell.as_ref().is_some_and(|cell| cell.rrc.is_some());
    let mut groups = scenario.ues().map(|ue| ue.group);
    if groups.any(|group| group.rrc.is_some()) || by_default {
        return Some("is beside `rrc`: UEs with RRC states have no legs".to_owned());
    }
    let fills = |flow: &&Flow| {
        let own = flow.bearer.as_ref().map_or(bearer.default, |name| *name == bearer.name);
        let at = scenario.members(&flow.ue, flow.only.as_ref());
        flow.is_full_buffer() && own && at.iter().any(|ue| members.contains(ue))
    };
    let full = scenario.flow.iter().find(fills)?;
    Some(format!("has the full buffer \"{}\", whose data are no packets of PDCP", full.name))
}
