//! Full buffers: flows at bearers, without ends and packets.

use airpath_base::random::Seed;
use airpath_base::{BearerId, FlowId, UeId};
use airpath_ran::FullBuffer;

use super::bearers::Bearers;
use super::hosts::Cast;
use super::{FlowFacts, WorldError, traffic};
use crate::file::Flow;
use crate::resolve::UeRef;

/// Gives bearers their full buffers. Flows are counted as [`Traffic`](traffic::Traffic) counts
/// them.
pub(super) fn fill(cast: &Cast<'_>, bearers: &mut Bearers, seed: Seed) -> Result<(), WorldError> {
    let ues: Vec<UeRef<'_>> = cast.scenario.ues().collect();
    let mut id = 0;
    for flow in &cast.scenario.flow {
        for ue in cast.users(flow) {
            if flow.is_full_buffer() {
                let bearer = bearer(flow, ue, bearers);
                let bearer = bearer.ok_or_else(|| WorldError::new(&flow.name, "has no bearer"))?;
                let one = &ues[ue];
                let (start, stop) = (traffic::start(flow, one, seed), traffic::stop(flow, one));
                let full = FullBuffer { flow: FlowId(id), start, stop };
                let full_buffers = &mut bearers.configs[bearer.index()].full_buffers;
                full_buffers[flow.direction as usize] = Some(full);
            }
            id += 1;
        }
    }
    Ok(())
}

/// Facts of the full buffer of a UE, by its name and its number in the file.
pub(super) fn facts(
    flow: &Flow,
    (name, entry): (String, usize),
    ue: usize,
    (start, stop): traffic::Times,
    bearers: &Bearers,
) -> FlowFacts {
    FlowFacts {
        name,
        entry,
        kind: flow.kind.word(),
        application: Some(flow.application()),
        ue: UeId(ue as u32),
        direction: flow.direction,
        tuple: None,
        bearers: [bearer(flow, ue, bearers), None],
        start,
        stop,
        source: None,
        input: None,
        codec: None,
        no_pictures: false,
    }
}

/// The bearer that it names, or the default bearer.
fn bearer(flow: &Flow, ue: usize, bearers: &Bearers) -> Option<BearerId> {
    let own = &bearers.ues.get(ue)?.ids;
    match &flow.bearer {
        Some(name) => own.iter().find(|id| bearers.facts[id.index()].name == *name).copied(),
        None => own.first().copied(),
    }
}
