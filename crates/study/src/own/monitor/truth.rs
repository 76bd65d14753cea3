//! Truth of the simulator on its TCP flows.

use std::collections::BTreeSet;

use airpath_base::{NodeId, Time};
use airpath_net::{Event, Leg, Packet, Payload, Probe, TcpEvent};
use airpath_wire::{SeqNumber, TcpRepr};

/// Truth on a TCP flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowTruth {
    /// Data packets at the receiver: instant, bytes of the packet, bytes of its payload.
    pub(crate) arrived: Vec<(Time, u32, u32)>,
    /// Loss recoveries that duplicate ACKs began.
    pub(crate) recoveries: u32,
    /// Instants at which the timer ran out within such a recovery, before its data was
    /// acknowledged. These are the slow starts that followed duplicate ACKs.
    pub(crate) slow_starts: Vec<Time>,
    /// Those of `slow_starts` whose missing data was under way, and not lost.
    pub(crate) needless: Vec<Time>,
    /// Number of all timeouts.
    pub(crate) timeouts: u32,
    /// One behind the highest sequence number sent.
    sent: SeqNumber,
    /// Sequence number whose acknowledgement ends the recovery.
    recovery: Option<SeqNumber>,
    /// Highest acknowledged sequence number.
    acked: SeqNumber,
    /// Data whose latest packet was dropped, by their beginnings.
    dropped: BTreeSet<u32>,
}

/// Listens to flows.
#[derive(Default)]
pub(crate) struct Truth(Vec<FlowTruth>);

impl Truth {
    /// Takes the truth on flow `n`; empty if no event of the flow was recorded.
    pub(crate) fn take(&mut self, n: usize) -> FlowTruth {
        self.0.get_mut(n).map(std::mem::take).unwrap_or_default()
    }

    fn flow(&mut self, n: usize) -> &mut FlowTruth {
        if self.0.len() <= n {
            self.0.resize_with(n + 1, FlowTruth::default);
        }
        &mut self.0[n]
    }

    fn sent(&mut self, packet: &Packet) {
        let Payload::Tcp(repr) = &packet.payload else { return };
        let flow = self.flow(packet.flow.index());
        let end = repr.seq.add(TcpRepr::from(repr).seq_len());
        if packet.leg == Leg::Data {
            flow.dropped.remove(&repr.seq.0);
        }
        if packet.leg == Leg::Data && (flow.sent == SeqNumber(0) || end.since(flow.sent) > 0) {
            flow.sent = end;
        }
    }

    fn came(&mut self, now: Time, packet: &Packet) {
        let Payload::Tcp(repr) = &packet.payload else { return };
        let flow = self.flow(packet.flow.index());
        if packet.leg == Leg::Data {
            flow.arrived.push((now, packet.size, repr.payload_len));
            return;
        }
        if flow.acked == SeqNumber(0) || repr.ack.since(flow.acked) > 0 {
            flow.acked = repr.ack;
        }
        if flow.recovery.is_some_and(|end| repr.ack.since(end) >= 0) {
            flow.recovery = None;
        }
    }

    fn lost(&mut self, packet: &Packet) {
        let Payload::Tcp(repr) = &packet.payload else { return };
        if packet.leg == Leg::Data {
            self.flow(packet.flow.index()).dropped.insert(repr.seq.0);
        }
    }

    fn tcp(&mut self, now: Time, n: usize, event: &TcpEvent) {
        let flow = self.flow(n);
        match event {
            TcpEvent::Recovery => {
                flow.recoveries += 1;
                flow.recovery = Some(flow.sent);
            }
            TcpEvent::Timeout { .. } => {
                flow.timeouts += 1;
                // Those that follow it belong to the same slow start.
                if flow.recovery.take().is_some() {
                    flow.slow_starts.push(now);
                    if !flow.dropped.contains(&flow.acked.0) {
                        flow.needless.push(now);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Probe for Truth {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        match event {
            Event::Originated(packet) => self.sent(packet),
            Event::Consumed(packet) => self.came(now, packet),
            Event::Dropped { packet, .. } => self.lost(packet),
            Event::Tcp(flow, event) => self.tcp(now, flow.index(), event),
            _ => {}
        }
    }
}
