//! RTTs from QUIC's spin bit.
//!
//! The spin bit (RFC 9000, 17.4) changes once in each round trip. A change in one direction answers
//! a change in the other. The time between the two is therefore the round trip between the capture
//! point and one end (RFC 9312, 3.8.1). An end may send noise instead: a direction in which more
//! than a quarter of the packets change the bit does not spin.

use airpath_base::Time;

use super::packet::{FIXED, LONG};
use crate::over_time::{OverTime, RttWindow};
use crate::sketch::{Sketch, Spread};

/// The bit (RFC 9000, 17.3.1).
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
    over_time: Option<OverTime>,
}

impl Spin {
    /// A datagram of `side`'s. The bit means the same to both ends, but the server
    /// answers with the same value and the client with the other (RFC 9000, 17.4). Gives a round trip from the
    /// capture point to this end and back, in nanoseconds.
    pub(crate) fn datagram(&mut self, side: usize, at: Time, payload: &[u8]) -> Option<u64> {
        let first = *payload.first()?;
        if first & (LONG | FIXED) != FIXED {
            return None;
        }
        let spin = first & SPIN != 0;
        let own = &mut self.ends[side];
        own.packets = own.packets.saturating_add(1);
        if own.spin.replace(spin).is_none_or(|before| before == spin) {
            return None;
        }
        own.edges = own.edges.saturating_add(1);
        own.edge = Some(at);
        let peer = &mut self.ends[1 - side];
        let sent = peer.edge.take()?;
        let rtt = at.saturating_since(sent).as_nanos();
        peer.rtt.add(rtt);
        peer.over_time.get_or_insert_with(|| OverTime::new(sent)).add(at, rtt);
        Some(rtt).filter(|_| self.spins())
    }

    /// RTTs of what `side` sends: from the capture point to the other end and back.
    pub(crate) fn spread(&self, side: usize) -> Option<Spread> {
        self.ends[side].rtt.spread().filter(|_| self.spins())
    }

    /// RTTs of what `side` sends, over time; `flow` is the flow's beginning.
    pub(crate) fn over_time(&self, side: usize, flow: Time) -> Vec<RttWindow> {
        let told = self.ends[side].over_time.as_ref().filter(|_| self.spins());
        told.map(|rtts| rtts.windows(flow)).unwrap_or_default()
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let end = |end: &End| end.rtt.heap() + end.over_time.as_ref().map_or(0, OverTime::heap);
        self.ends.iter().map(end).sum()
    }

    /// True if neither end sends noise.
    pub(crate) fn spins(&self) -> bool {
        self.ends.iter().all(|end| end.edges.saturating_mul(4) <= end.packets)
    }
}

#[cfg(test)]
#[path = "spin_tests.rs"]
mod tests;
