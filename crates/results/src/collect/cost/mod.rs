//! Cost of changes of cells for each flow: gaps, losses, timeouts, congestion windows and late frames.
//!
//! A change begins when the UE receives the command, or when its radio link fails. It ends with its record: the
//! connection in the other cell, or the expiry of T311. A failure without a record is no change: the UE has come
//! back to its cell.
//!
//! - **Gap**: the longest time without a delivered packet of the flow that touches the change ([`flow`]).
//! - **Window**: from the begin of the change until a second after its end. It ends earlier where the next change or
//!   failure of the UE begins, so that nothing counts twice. A second is the least retransmission timeout of RFC 6298,
//!   2.4: a timer that was started before the change has run out by then.
//! - **Spurious timeout**: the sender would have got the acknowledgement without it ([`timeouts`]).
//!
//! A resume in another cell has a row for each flow, as it may lose packets. It counts in no sum.
//!
//! All of it is of runs with handovers only.

mod carried;
mod flow;
mod marks;
mod timeouts;

use airpath_base::{Duration, FlowId, NodeId, Time, UeId};
use airpath_net::{Event, Handover, HandoverCause, LinkChange, LinkFailure, RadioEvent};

use self::carried::Carried;
use self::flow::FlowState;
use self::marks::Marks;
use super::{Collector, movements};
use crate::{Delays, Inventory};

pub use self::flow::FlowCost;
pub use self::marks::PacketMark;

/// Time from the end of a change until its window ends: the least retransmission timeout (RFC 6298, 2.4).
const WINDOW: Duration = Duration::from_secs(1);

/// Cost of all changes of cells.
pub(super) struct Costs {
    flows: Vec<FlowState>,
    ues: Vec<UeState>,
    marks: Marks,
    /// End of the warm-up.
    from: Time,
}

/// A UE as the cost of its changes has it.
#[derive(Default)]
struct UeState {
    flows: Vec<FlowId>,
    /// True from the begin of a change until its record.
    open: bool,
    carried: Carried,
}

/// A change of a UE's cell, and its cost for a flow.
#[derive(Clone, Copy, Debug)]
pub struct HandoverFlow<'a> {
    /// The change.
    pub handover: &'a Handover,
    /// The flow.
    pub flow: FlowId,
    /// Its cost.
    pub cost: &'a FlowCost,
}

/// Cost of all changes of cells behind the warm-up for a flow.
#[derive(Clone, Debug)]
pub struct HandoverCounts {
    /// Changes that succeeded without a failure.
    pub handovers: u64,
    /// Changes with a failure.
    pub failures: u64,
    /// Gaps of changes at which the flow sent.
    pub gaps: Delays,
    /// Data packets dropped by these changes.
    pub lost: u64,
    /// Retransmission timeouts in the windows, and the spurious ones of these; none without TCP.
    pub timeouts: Option<[u64; 2]>,
    /// Frames that missed their deadline in the windows; none without frames.
    pub late_frames: Option<u64>,
}

impl HandoverCounts {
    /// Those of a flow. `failed` says by number of a record whether there was a failure; none of what does not count.
    fn of(state: &FlowState, failed: &[Option<bool>]) -> HandoverCounts {
        let mut all = HandoverCounts {
            handovers: 0,
            failures: 0,
            gaps: Delays::new(state.rows.len()),
            lost: 0,
            timeouts: state.tcp.then_some([0; 2]),
            late_frames: state.frames.then_some(0),
        };
        for row in state.rows.iter().filter(|row| !row.resumed) {
            let failed = row.handover.and_then(|number| failed.get(number).copied().flatten());
            let Some(failed) = failed else { continue };
            all.handovers += u64::from(!failed);
            all.failures += u64::from(failed);
            row.gap.into_iter().for_each(|(_, gap)| all.gaps.add(gap));
            all.lost += row.lost;
            let timeouts = all.timeouts.iter_mut().flatten().zip([row.timeouts, row.spurious]);
            timeouts.for_each(|(sum, n)| *sum += n);
            all.late_frames.iter_mut().for_each(|sum| *sum += row.late_frames);
        }
        all
    }
}

impl Costs {
    pub(super) fn new(inventory: &Inventory, from: Time) -> Costs {
        let mut ues: Vec<UeState> = Vec::new();
        ues.resize_with(inventory.ues.len(), UeState::default);
        for (n, info) in inventory.flows.iter().enumerate() {
            let ue = info.ue.and_then(|ue| ues.get_mut(ue.index()));
            ue.into_iter().for_each(|ue| ue.flows.push(FlowId(n as u32)));
        }
        let marks = Marks::new(ues.len());
        Costs { flows: inventory.flows.iter().map(FlowState::new).collect(), ues, marks, from }
    }

    /// Takes an event that all listeners get.
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        match event {
            Event::Originated(packet) => {
                let flow = self.flows.get_mut(packet.flow.index());
                flow.into_iter().for_each(|flow| flow.originated((now, node), packet));
            }
            Event::Consumed(packet) => self.consumed(now, packet),
            Event::Dropped { packet, cause, .. } => {
                let Some(flow) = self.flows.get_mut(packet.flow.index()) else { return };
                flow.dropped(now, packet, *cause);
                self.marks.ended(now, flow.ue, packet, Some(*cause));
            }
            Event::Tcp(flow, event) => {
                let flow = self.flows.get_mut(flow.index());
                flow.into_iter().for_each(|flow| flow.tcp((now, node), event));
            }
            Event::App(flow, event) => {
                let Some(flow) = self.flows.get_mut(flow.index()) else { return };
                let bytes = flow.app(now, event);
                let ue = flow.ue.and_then(|ue| self.ues.get_mut(ue.index()));
                ue.into_iter().for_each(|ue| ue.carried.bytes(bytes));
            }
            Event::Radio(RadioEvent::Link { ue, change: LinkChange::Failed(why) }) => {
                let goes_on = self.ues.get(ue.index()).is_some_and(|ue| ue.open);
                if !(goes_on && *why == LinkFailure::Handover) {
                    self.begin(now, *ue);
                }
            }
            _ => {}
        }
    }

    fn consumed(&mut self, now: Time, packet: &airpath_net::Packet) {
        let Some(flow) = self.flows.get_mut(packet.flow.index()) else { return };
        let ue = flow.ue.and_then(|ue| self.ues.get_mut(ue.index()));
        ue.into_iter().for_each(|ue| ue.carried.packet(now, packet));
        self.marks.ended(now, flow.ue, packet, None);
        let Some(row) = flow.consumed(now, packet) else { return };
        let (cost, ue) = (&flow.rows[row], flow.ue);
        if cost.end.is_some_and(|end| end >= self.from) && !cost.resumed {
            self.marks.propose(ue, cost);
        }
    }

    /// A change, or a failure of the link, begins.
    fn begin(&mut self, at: Time, ue: UeId) {
        let Some(ue) = self.ues.get_mut(ue.index()) else { return };
        for flow in &ue.flows {
            self.flows[flow.index()].begin(at);
        }
        ue.open = true;
    }

    /// A change has come to its end; `number` is that of its record.
    fn end(&mut self, now: Time, record: &Handover, number: usize) {
        let Some(ue) = self.ues.get(record.ue.index()) else { return };
        if record.cause == HandoverCause::Reselection || record.is_refused_preparation() {
            return; // of a UE without a connection, or no change
        }
        if !ue.open {
            self.begin(record.command_received.or(record.failed).unwrap_or(now), record.ue);
        }
        let ue = &mut self.ues[record.ue.index()];
        ue.open = false;
        for flow in &ue.flows {
            let resumed = record.cause == HandoverCause::Resume;
            self.flows[flow.index()].end(now, number, resumed);
        }
    }
}

impl Collector {
    /// Takes an event that changes no other result.
    pub(super) fn extra(&mut self, now: Time, event: &Event<'_>) {
        let carried = match (event, &mut self.costs) {
            (Event::Moved(position), Some(costs)) => {
                let ue = costs.ues.get_mut(position.ue.index());
                ue.map(|ue| ue.carried.take(now))
            }
            _ => None,
        };
        let number = self.movements.add(now, event, carried);
        let Some(costs) = &mut self.costs else { return };
        match event {
            Event::LeavesCell(ue) => costs.begin(now, *ue),
            Event::Handover(record) => costs.end(now, record, number),
            _ => {}
        }
    }

    /// Takes an event of a run with handovers, behind all counters.
    pub(super) fn cost(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        let Some(costs) = &mut self.costs else { return };
        costs.on(now, node, event);
        let flow = match event {
            Event::Consumed(packet) => packet.flow,
            Event::App(flow, _) => *flow,
            _ => return,
        };
        let media = self.flows.items.get_mut(flow.index()).and_then(|flow| flow.media.as_mut());
        let Some((media, state)) = media.zip(costs.flows.get_mut(flow.index())) else { return };
        media.missed.drain(..).for_each(|deadline| state.missed(deadline));
    }

    /// The run has ended: sums up the cost for each flow.
    pub(super) fn finish_costs(&mut self) {
        let Some(costs) = &mut self.costs else { return };
        for (state, counts) in costs.flows.iter_mut().zip(&mut self.flows.items) {
            let media = counts.media.iter_mut();
            media.flat_map(|media| media.missed.drain(..)).for_each(|at| state.missed(at));
            state.finish();
        }
        let mut failed = vec![None; self.movements.handovers.len()];
        for (number, record) in self.numbered_handovers() {
            failed[number] =
                (movements::end(record) >= self.from).then_some(record.failed.is_some());
        }
        let Some(costs) = &self.costs else { return };
        for (state, counts) in costs.flows.iter().zip(&mut self.flows.items) {
            counts.handovers = Some(Box::new(HandoverCounts::of(state, &failed)));
        }
    }

    /// Cost of each change of a cell for each flow of the UE, in the order of [`handovers`](Collector::handovers).
    pub fn handover_flows(&self) -> Vec<HandoverFlow<'_>> {
        let Some(costs) = &self.costs else { return Vec::new() };
        let mut rows = Vec::new();
        for (number, handover) in self.numbered_handovers() {
            let ue = costs.ues.get(handover.ue.index());
            for flow in ue.map_or(&[][..], |ue| &ue.flows) {
                let Some(cost) = costs.flows[flow.index()].row_of(number) else { continue };
                rows.push(HandoverFlow { handover, flow: *flow, cost });
            }
        }
        rows
    }

    /// The change of a cell behind the warm-up with the longest gap of a flow; none without a gap. Packets of its UE
    /// around it are in the order in which they ended.
    pub fn longest_gap(&self) -> Option<(&Handover, &[PacketMark])> {
        let (number, marks) = self.costs.as_ref()?.marks.longest()?;
        self.numbered_handovers().find(|(own, _)| *own == number).map(|(_, record)| (record, marks))
    }

    /// True if a flow has frames.
    pub(crate) fn has_frames(&self, flow: FlowId) -> bool {
        let costs = self.costs.as_ref().and_then(|costs| costs.flows.get(flow.index()));
        costs.is_some_and(|state| state.frames)
    }
}

#[cfg(test)]
mod tests;
