//! Names in a timeline, by indices in lists.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rows::Rows;
use crate::Run;

/// Lists of names, and where each is.
pub struct Names {
    /// UEs, in the order of the run.
    pub ues: Vec<String>,
    /// Flows with packets: name, index of the UE, direction.
    pub flows: Vec<Value>,
    /// Causes of drops.
    pub drops: Vec<String>,
    places: BTreeMap<String, i64>,
    of_flows: BTreeMap<String, i64>,
}

impl Names {
    /// The names in these rows.
    pub fn of(run: &Run, rows: &Rows) -> Names {
        let flow_ues: BTreeMap<&str, &str> = run
            .summary
            .flows
            .iter()
            .filter_map(|flow| Some((flow.name.as_str(), flow.ue.as_deref()?)))
            .collect();
        let of_packets = rows.packets.iter().filter_map(|one| flow_ues.get(one.flow.as_str()));
        let seen: BTreeSet<&str> = rows
            .blocks
            .iter()
            .map(|block| block.ue.as_str())
            .chain(rows.queues.iter().map(|queue| queue.ue.as_str()))
            .chain(rows.control.iter().filter_map(|one| one.ue.as_deref()))
            .chain(of_packets.copied())
            .collect();
        let ues = run.summary.ues.iter().map(|ue| ue.name.clone());
        let ues: Vec<String> = ues.filter(|name| seen.contains(name.as_str())).collect();
        let places: BTreeMap<String, i64> = ues.iter().cloned().zip(0..).collect();
        let known: BTreeSet<&str> =
            rows.packets.iter().map(|packet| packet.flow.as_str()).collect();
        let own = run.summary.flows.iter().filter(|flow| known.contains(flow.name.as_str()));
        let (mut flows, mut of_flows) = (Vec::new(), BTreeMap::new());
        for (flow, place) in own.zip(0_i64..) {
            let ue = flow.ue.as_ref().and_then(|ue| places.get(ue)).copied().unwrap_or(0);
            let up = flow.direction.as_deref() == Some("up");
            flows.push(json!({"name": flow.name, "ue": ue, "direction": u8::from(up)}));
            of_flows.insert(flow.name.clone(), place);
        }
        let drops: BTreeSet<String> =
            rows.packets.iter().filter_map(|packet| packet.dropped.clone()).collect();
        Names { ues, flows, drops: drops.into_iter().collect(), places, of_flows }
    }

    pub fn ue(&self, name: &str) -> i64 {
        self.places.get(name).copied().unwrap_or(0)
    }

    pub fn flow(&self, name: &str) -> i64 {
        self.of_flows.get(name).copied().unwrap_or(0)
    }

    /// Fate of a packet: 0 if it arrived, else the index of the cause and 1.
    pub fn fate(&self, dropped: Option<&str>) -> i64 {
        let place = dropped.and_then(|cause| self.drops.iter().position(|known| known == cause));
        place.map_or(0, |place| place as i64 + 1)
    }
}
