//! Fetching what packets need before it is needed.
//!
//! Among very many flows, each packet finds its flow's memory cold, and waits for one piece
//! after the other: the index, the flow, what hangs on it. The packets of a group are
//! independent, so each step is taken for all of them at once, and they wait together.

use crate::batch::{Batch, Entry};
use crate::flow::Flow;
use crate::host::Hosts;
use crate::shard::MOST_ENDED;
use crate::table::Table;
use crate::tcp::Half;

/// Packets in a group: what they need fits into the first cache.
pub(crate) const GROUP: usize = 16;
/// Flows that the packets of a group may end.
const MOST_DUE: usize = GROUP * MOST_ENDED;
/// Flows below which all of them are warm anyway.
const FEW: usize = 512;

/// Looks at all that the packets of a group will need.
#[inline]
pub(crate) fn warm(batch: &Batch, group: &[Entry], table: &Table, hosts: &Hosts) {
    let packets = group.iter().map(|entry| batch.touch(entry)).fold(0, |sum, one| sum ^ one);
    core::hint::black_box(packets);
    if table.len() < FEW {
        return;
    }
    let mut flows = [None; GROUP];
    for (flow, entry) in flows.iter_mut().zip(group) {
        *flow = table.guess(entry.hash);
    }
    touch(flows.iter().flatten().copied(), table, hosts);
    if let Some(last) = group.last() {
        let known = flows.iter().flatten().map(|n| table.peek(*n));
        let radios = known.map(|flow| hosts.touch_radio(flow, last.seen.at));
        core::hint::black_box(radios.fold(0, |sum, one| sum ^ one));
        touch(table.due(last.seen.now, MOST_DUE), table, hosts);
    }
}

/// Looks at these flows, and at all that hangs on them.
#[inline]
pub(crate) fn touch(numbers: impl Iterator<Item = u32> + Clone, table: &Table, hosts: &Hosts) {
    let flows = || numbers.clone().map(|n| table.peek(n));
    let touched = flows().map(Flow::touch).fold(0, |sum, one| sum ^ one);
    let first = flows().map(|flow| hosts.touch(flow)).fold(0, |sum, one| sum ^ one);
    let deeper = flows().flat_map(|flow| flow.halves.iter().map(Half::touch));
    let deeper = deeper.fold(0, |sum, one| sum ^ one);
    let lists = flows().flat_map(|flow| flow.halves.iter().map(Half::touch_lists));
    let lists = lists.fold(0, |sum, one| sum ^ one);
    // Nothing is done with it, but it must have been read.
    core::hint::black_box(touched ^ first ^ deeper ^ lists);
}
