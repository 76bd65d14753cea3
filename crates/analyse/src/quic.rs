//! QUIC over UDP, recognised by its long headers, and RTTs from its spin bit.
//!
//! A flow is QUIC once a long header of a known version was seen (RFC 9000, 17.2; RFC
//! 9369, 3.1). The spin bit (RFC 9000, 17.4) changes once in each round trip; a change in
//! one direction answers a change in the other, so the time between the two is the round
//! trip between the capture point and one end (RFC 9312, 3.8.1). An end may send noise in
//! its place: a direction in which more than a quarter of the packets change it does not
//! spin.

use airpath_base::Time;

use crate::sketch::{Sketch, Spread};

/// Bits of the first byte (RFC 9000, 17.2 and 17.3).
const LONG: u8 = 0x80;
const FIXED: u8 = 0x40;
const SPIN: u8 = 0x20;

/// Spin bits of both directions.
#[derive(Debug, Default)]
pub(crate) struct Spin {
    ends: [End; 2],
}

#[derive(Debug, Default)]
struct End {
    spin: Option<bool>,
    edge: Option<Time>,
    edges: u32,
    packets: u32,
    /// From an edge of this end's to the answer.
    rtt: Sketch,
}

/// Whether a datagram begins a QUIC connection.
pub(crate) fn is_quic(payload: &[u8]) -> bool {
    let [first, a, b, c, d, connection, ..] = *payload else { return false };
    let version = u32::from_be_bytes([a, b, c, d]);
    let known = matches!(version, 1 | 0x6b33_43cf) || version >> 8 == 0x00ff_0000;
    first & (LONG | FIXED) == LONG | FIXED && known && connection <= 20
}

impl Spin {
    /// A datagram of `side`'s. The bit means the same to both ends, but the server
    /// answers with the same value and the client with the other (RFC 9000, 17.4).
    pub(crate) fn datagram(&mut self, side: usize, at: Time, payload: &[u8]) {
        let Some(&first) = payload.first() else { return };
        if first & (LONG | FIXED) != FIXED {
            return;
        }
        let spin = first & SPIN != 0;
        let own = &mut self.ends[side];
        own.packets = own.packets.saturating_add(1);
        if own.spin.replace(spin).is_none_or(|before| before == spin) {
            return;
        }
        own.edges = own.edges.saturating_add(1);
        own.edge = Some(at);
        let peer = &mut self.ends[1 - side];
        if let Some(asked) = peer.edge.take() {
            peer.rtt.add(at.saturating_since(asked).as_nanos());
        }
    }

    /// RTTs of what `side` sends: from the capture point to the other end and back.
    pub(crate) fn spread(&self, side: usize) -> Option<Spread> {
        let spins = |end: &End| end.edges.saturating_mul(4) <= end.packets;
        let both = self.ends.iter().all(spins);
        self.ends[side].rtt.spread().filter(|_| both)
    }
}

#[cfg(test)]
#[path = "quic_tests.rs"]
mod tests;
