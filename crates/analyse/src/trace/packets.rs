//! The packets of a traced flow, one by one.

use airpath_wire::TcpRepr;

use super::tracer::Before;
use crate::decode::{Layer, Unit};
use crate::flow::Flow;
use crate::quic::{PacketKind, kinds};

/// Packets that are kept of a flow.
const MOST: usize = 1 << 20;

/// Packets of a flow in the order of the captures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packets {
    /// The first of them, at most 1,048,576.
    pub list: Vec<TracedPacket>,
    /// Number of further ones.
    pub left_out: u64,
}

/// A packet of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedPacket {
    /// Seconds since the flow's first packet.
    pub at_s: f64,
    /// Number of its frame in the captures, from 1.
    pub number: u64,
    /// True if the client sent it.
    pub up: bool,
    /// Bytes of the transport header.
    pub header_bytes: u32,
    /// Bytes behind that header.
    pub payload_bytes: u32,
    /// TCP's sequence number less the direction's first.
    pub seq: Option<u32>,
    /// True if it is a retransmission.
    pub again: bool,
    /// RTT in ms of the other direction's data, if its ACK gave one.
    pub rtt_ms: Option<f64>,
    /// Bytes of the other direction's data that are not acknowledged behind it.
    pub in_flight: Option<u32>,
    /// QUIC's packets in it: kind, and bytes as far as they were captured.
    pub quic: Vec<(PacketKind, u32)>,
}

impl Packets {
    /// A packet, behind which `flow` is as it is now.
    pub(super) fn add(&mut self, unit: &Unit<'_>, at_s: f64, before: &Before, flow: &Flow) {
        if self.list.len() >= MOST {
            self.left_out += 1;
            return;
        }
        let behind = Before::of(flow, unit.side);
        let (fwd, rev) = (&flow.halves[unit.side], &flow.halves[1 - unit.side]);
        let mut packet = TracedPacket {
            at_s,
            number: unit.number.into(),
            up: unit.side == flow.key.client(),
            header_bytes: 8,
            payload_bytes: 0,
            seq: None,
            again: behind.again > before.again,
            rtt_ms: behind.rtt_since(before),
            in_flight: rev.sent.is_some().then(|| rev.outstanding()),
            quic: Vec::new(),
        };
        match unit.transport {
            Layer::Udp { payload_len, payload } => {
                packet.payload_bytes = payload_len;
                if flow.udp.as_ref().is_some_and(|udp| udp.quic().is_some()) {
                    packet.quic = kinds(payload, payload_len);
                }
            }
            Layer::Tcp(seg) => {
                let TcpRepr { seq, payload_len, .. } = *seg;
                packet.payload_bytes = payload_len;
                packet.header_bytes = TcpRepr::HEADER + unit.options.len() as u32;
                if unit.options.is_empty() && seg.timestamps.is_some() {
                    packet.header_bytes += 12;
                }
                packet.seq = Some(seq.0.wrapping_sub(fwd.base));
            }
        }
        self.list.push(packet);
    }
}
