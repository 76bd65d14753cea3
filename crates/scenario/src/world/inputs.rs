//! Flows whose packets are the input that frames of others show.

use airpath_base::FlowId;

use super::FlowFacts;
use crate::file::{Flow, Scenario};

/// Finds the flows that others name as their input.
pub(super) fn name(scenario: &Scenario, flows: &mut [FlowFacts]) {
    let entry = |name: &str| scenario.flow.iter().position(|flow| flow.name == name);
    for n in 0..flows.len() {
        let own = scenario.flow.get(flows[n].entry);
        let own = own.filter(|flow| flow.direction == flows[n].direction);
        let Some(input) = own.and_then(Flow::input) else { continue };
        let (input, ue) = (entry(input), flows[n].ue);
        let own = |flow: &FlowFacts| Some(flow.entry) == input && flow.ue == ue;
        flows[n].input = flows.iter().position(own).map(|n| FlowId(n as u32));
    }
}
