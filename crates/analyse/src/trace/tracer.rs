//! Follows the flow that is to be traced.

use airpath_base::Time;
use airpath_wire::{TcpFlags, TcpRepr};

use super::{Packets, Range, Trace, Way};
use crate::decode::{Layer, Unit};
use crate::flow::Flow;
use crate::options::Traced;
use crate::tcp::{Counts, HalfConnection, mark};

/// Takes the packets of one flow.
#[derive(Debug)]
pub(crate) struct Tracer {
    of: Traced,
    trace: Trace,
    /// Of the two directions, the client's first.
    places: [Place; 2],
}

/// Last position of a direction: its sequence number, and its distance from the first byte. Bytes
/// are counted through, also when sequence numbers wrap.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    seq: u32,
    bytes: i64,
    known: bool,
}

/// State of a flow before a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Before {
    pub(super) again: u32,
    overtaken: u32,
    copies: u32,
    /// Round trips of the other direction's data, how many and their sum in nanoseconds.
    rtt: (u64, f64),
}

impl Before {
    /// Before a packet of this side's, or behind it.
    pub(crate) fn of(flow: &Flow, side: usize) -> Before {
        let none = Counts::default();
        let counts = flow.halves[side].counts.as_deref().unwrap_or(&none);
        let back = flow.halves[1 - side].sent.as_ref();
        Before {
            again: counts.fast + counts.timeout + counts.spurious,
            overtaken: counts.out_of_order,
            copies: counts.twice(),
            rtt: back.map_or((0, 0.0), |sent| (sent.rtt.samples(), sent.rtt.sum())),
        }
    }

    /// The round trip in ms that the packet between gave, if it gave one.
    pub(super) fn rtt_since(&self, before: &Before) -> Option<f64> {
        let one = self.rtt.0 == before.rtt.0 + 1;
        one.then(|| (self.rtt.1 - before.rtt.1) / 1e6)
    }
}

impl Tracer {
    /// A tracer that keeps packets one by one, or does not.
    pub(crate) fn new(of: Traced, packets: bool) -> Tracer {
        let packets = packets.then(Packets::default);
        let trace = Trace { packets, ..Trace::default() };
        Tracer { of, trace, places: [Place::default(); 2] }
    }

    /// True if this is the traced flow.
    pub(crate) fn wants(&self, flow: &Flow) -> bool {
        let Traced { client, server, tcp, start } = self.of;
        let ends = (flow.key.end(flow.key.client()), flow.key.server());
        flow.start == start && ends == (client, server) && flow.is_tcp() == tcp
    }

    /// Trace of the flow, after its end.
    pub(crate) fn take(&mut self) -> Trace {
        std::mem::take(&mut self.trace)
    }

    /// A packet, behind which `flow` is as it is now.
    pub(crate) fn packet(&mut self, unit: &Unit<'_>, before: Before, flow: &Flow) {
        let at = seconds(unit.at, flow.start);
        let way = usize::from(unit.side != flow.key.client());
        if let Some(packets) = &mut self.trace.packets {
            packets.add(unit, at, &before, flow);
        }
        match unit.transport {
            Layer::Udp { payload_len, .. } => self.datagram(at, way, payload_len),
            Layer::Tcp(seg) => {
                let halves = [&flow.halves[unit.side], &flow.halves[1 - unit.side]];
                let behind = Before::of(flow, unit.side);
                self.data(at, way, seg, halves[0], (before, behind));
                self.answer(at, 1 - way, seg, halves, (before, behind));
            }
        }
    }

    fn way(&mut self, way: usize) -> &mut Way {
        if way == 0 { &mut self.trace.up } else { &mut self.trace.down }
    }

    fn datagram(&mut self, at: f64, way: usize, len: u32) {
        let place = &mut self.places[way];
        place.bytes += i64::from(len);
        let bytes = place.bytes as f64;
        if len > 0 {
            self.way(way).sent.add(at, bytes);
        }
    }

    fn data(
        &mut self,
        at: f64,
        way: usize,
        seg: &TcpRepr,
        half: &HalfConnection,
        (before, behind): (Before, Before),
    ) {
        if seg.payload_len == 0 || behind.copies > before.copies {
            return;
        }
        let end = seg.seq.0.wrapping_add(seg.payload_len);
        let Some(end) = self.place(way, half, end) else { return };
        let way = self.way(way);
        let course = match () {
            () if behind.again > before.again => &mut way.again,
            () if behind.overtaken > before.overtaken => &mut way.overtaken,
            () => &mut way.sent,
        };
        course.add(at, end);
    }

    /// Takes a segment's acknowledgement of the data of the direction `way`, against which the
    /// segment goes; its sender is the first of `halves`.
    fn answer(
        &mut self,
        at: f64,
        way: usize,
        seg: &TcpRepr,
        [half, data]: [&HalfConnection; 2],
        (before, behind): (Before, Before),
    ) {
        let reset = seg.flags.contains(TcpFlags::RST);
        if reset || !seg.flags.contains(TcpFlags::ACK) {
            return;
        }
        let Some(sent) = &data.sent else { return };
        let acked = self.place(way, data, sent.una);
        let edge = half.edge(data).0.and_then(|edge| self.place(way, data, edge));
        if let Some(acked) = acked {
            self.way(way).acked.add(at, acked);
        }
        if let Some(edge) = edge {
            self.way(way).window.add(at, edge);
        }
        if let Some((left, right)) = seg.sack.as_slice().first() {
            let ends = (self.place(way, data, left.0), self.place(way, data, right.0));
            if let (Some(low), Some(high)) = ends {
                self.way(way).sacked.add(Range { at, low, high });
            }
        }
        if let Some(rtt) = behind.rtt_since(&before) {
            self.way(way).rtt_ms.add(at, rtt);
        }
    }

    /// Distance in bytes from the first byte to a sequence number; none before the first.
    fn place(&mut self, way: usize, half: &HalfConnection, seq: u32) -> Option<f64> {
        if !half.has(mark::NEXT) {
            return None;
        }
        let place = &mut self.places[way];
        if !place.known {
            let syn = u32::from(half.has(mark::SYN));
            *place = Place { seq: half.base.wrapping_add(syn), bytes: 0, known: true };
        }
        let step = seq.wrapping_sub(place.seq) as i32;
        *place = Place { seq, bytes: place.bytes + i64::from(step), known: true };
        (place.bytes >= 0).then_some(place.bytes as f64)
    }
}

fn seconds(at: Time, start: Time) -> f64 {
    at.saturating_since(start).as_secs_f64()
}
