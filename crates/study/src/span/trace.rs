//! Records of flows that figures of spans are read from.

use airpath_base::{FlowId, NodeId, Time};
use airpath_net::{AppEvent, Event, Leg, Packet, PathModel, Probe, TcpEvent};
use airpath_wire::Ecn;

/// An arrival of a packet with data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub at: u64,
    pub bytes: u32,
    /// Times in nanoseconds.
    pub queued: u64,
    pub delay: u64,
    pub marked: bool,
}

/// Events of a flow, each with its time in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub arrivals: Vec<Arrival>,
    pub delivered: Vec<(u64, u64)>,
    pub dropped: Vec<u64>,
    pub windows: Vec<(u64, u64)>,
    pub rtts: Vec<(u64, u64)>,
    pub expiries: Vec<u64>,
    pub recoveries: Vec<u64>,
    /// Models of the path by BBR.
    pub models: Vec<(u64, PathModel)>,
    /// Targets in bit/s.
    pub targets: Vec<(u64, f64)>,
}

/// A probe that records flows.
#[derive(Default)]
pub(crate) struct SpanTrace(Vec<Record>);

impl SpanTrace {
    pub(super) fn record(&self, n: usize) -> Option<&Record> {
        self.0.get(n)
    }

    fn flow(&mut self, flow: FlowId) -> &mut Record {
        let n = flow.index();
        if self.0.len() <= n {
            self.0.resize_with(n + 1, Record::default);
        }
        &mut self.0[n]
    }

    /// Adds an arrival at a time in nanoseconds: bytes, time in queues and delay.
    pub(super) fn push(&mut self, flow: FlowId, at: u64, arrival: (u32, u64, u64), marked: bool) {
        let (bytes, queued, delay) = arrival;
        self.flow(flow).arrivals.push(Arrival { at, bytes, queued, delay, marked });
    }

    /// Adds a drop at a time in nanoseconds.
    pub(super) fn drop_at(&mut self, flow: FlowId, at: u64) {
        self.flow(flow).dropped.push(at);
    }

    /// Brings arrivals into the order of their times.
    pub(super) fn sort(&mut self) {
        self.0.iter_mut().for_each(|record| record.arrivals.sort_by_key(|arrival| arrival.at));
    }

    fn arrived(&mut self, now: Time, packet: &Packet) {
        self.flow(packet.flow).arrivals.push(Arrival {
            at: now.as_nanos(),
            bytes: packet.size,
            queued: packet.stages.queued().as_nanos(),
            delay: packet.stages.total().as_nanos(),
            marked: packet.ecn == Ecn::Ce,
        });
    }
}

impl Probe for SpanTrace {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        let at = now.as_nanos();
        match event {
            Event::Consumed(packet) if packet.leg == Leg::Data => self.arrived(now, packet),
            Event::Dropped { packet, .. } if packet.leg == Leg::Data => {
                self.flow(packet.flow).dropped.push(at);
            }
            Event::App(flow, AppEvent::Delivered { bytes }) => {
                self.flow(*flow).delivered.push((at, *bytes));
            }
            Event::App(flow, AppEvent::Media(state)) => {
                self.flow(*flow).targets.push((at, state.target_bps as f64));
            }
            Event::Tcp(flow, TcpEvent::State { cwnd, .. }) => {
                self.flow(*flow).windows.push((at, *cwnd));
            }
            Event::Tcp(flow, TcpEvent::Model(model)) => self.flow(*flow).models.push((at, *model)),
            Event::Tcp(flow, TcpEvent::Rtt(rtt)) => {
                self.flow(*flow).rtts.push((at, rtt.as_nanos()))
            }
            Event::Tcp(flow, TcpEvent::Timeout { .. }) => self.flow(*flow).expiries.push(at),
            Event::Tcp(flow, TcpEvent::Recovery) => self.flow(*flow).recoveries.push(at),
            _ => {}
        }
    }
}
