//! Finds the packets of one point among those of the other.
//!
//! Packets of both points come in the order of one clock. Each waits in a ring until its packet at
//! the other point comes, or until it is too old. Copies with the same fingerprint (a segment sent
//! again, an ACK repeated) are distinguished by their delay. The best fit is the copy that was
//! under way nearly as long as the packet before. A copy that is [`OLDER`] than a found one is
//! given up: it was sent again because it was lost.
//!
//! Memory: the packets of [`PATIENCE`], at most [`MOST`]. Beyond that the oldest give way.

use std::collections::VecDeque;

use hashbrown::HashTable;

/// Time for which a packet's other sight is awaited, in nanoseconds: longer than any queue (30 s).
const PATIENCE: i64 = 30_000_000_000;
/// Timers send again after at least 190 ms (Linux, TCP_RTO_MIN, less a tick); in nanoseconds.
const OLDER: i64 = 100_000_000;
/// Packets that wait at most.
const MOST: usize = 4_000_000;

/// A packet that waits, or has waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) digest: u64,
    /// By the first point's clock, in nanoseconds.
    pub(super) at: i64,
    /// Number of its flow, and which end sent it.
    pub(super) flow: u32,
    pub(super) side: usize,
    /// Index of the point that the packet passed, 0 or 1.
    pub(super) point: usize,
    pub(super) tos: u8,
    pub(super) ttl: u8,
    pub(super) payload: u32,
    /// The stamp as it was.
    pub(super) stamp: i64,
    pub(super) state: State,
}

/// Properties of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing yet.
    Alone,
    /// Nothing yet, and another with the same fingerprint has been found at both points.
    Extra,
    /// It has been found at both points.
    Found,
}

/// Packets that wait for their other sight.
#[derive(Debug, Default)]
pub(super) struct Ring {
    /// Numbers of those in `waiting`, the first of which has number `first`.
    table: HashTable<u64>,
    waiting: VecDeque<Waiting>,
    first: u64,
    /// Packets that gave way to others.
    pub(super) short: u64,
}

impl Ring {
    /// Takes a packet; gives the other point's if it is there. `last` says how long the packet
    /// before, of a flow and direction, was under way.
    pub(super) fn take(
        &mut self,
        mut packet: Waiting,
        last: impl Fn(&Waiting) -> Option<i64>,
    ) -> Option<Waiting> {
        let (first, waiting) = (self.first, &mut self.waiting);
        let alike = || {
            let all = self.table.iter_hash(packet.digest);
            let all = all.map(|number| (*number, &waiting[(number - first) as usize]));
            all.filter(|(_, o)| o.digest == packet.digest && o.point != packet.point)
        };
        let found = alike().filter(|(_, other)| other.state == State::Found);
        let newest = found.map(|(_, other)| other.at).max();
        let mut best: Option<(i64, u64)> = None;
        for (number, other) in alike().filter(|(_, other)| other.state != State::Found) {
            if newest.is_some_and(|newest| other.at < newest - OLDER) {
                continue;
            }
            let under_way = (packet.at - other.at) * if other.point == 0 { 1 } else { -1 };
            let unlike = last(other).map_or(-other.at, |last| (under_way - last).abs());
            // Without a packet before, the latest.
            if best.is_none_or(|best| (unlike, number) < best) {
                best = Some((unlike, number));
            }
        }
        let found = best.map(|(_, number)| {
            let other = &mut waiting[(number - first) as usize];
            other.state = State::Found;
            *other
        });
        packet.state = match (found.is_some(), newest.is_some()) {
            (true, _) => State::Found,
            (false, true) => State::Extra,
            (false, false) => State::Alone,
        };
        self.push(packet);
        found
    }

    /// Takes out what has waited too long by now, one at a time.
    pub(super) fn expired(&mut self, now: i64) -> Option<Waiting> {
        let old = now.saturating_sub(self.waiting.front()?.at) > PATIENCE;
        let full = self.waiting.len() >= MOST;
        if full && !old {
            self.short += 1;
        }
        (old || full).then(|| self.pop()).flatten()
    }

    /// Takes out the oldest.
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        let oldest = self.waiting.pop_front()?;
        let number = self.first;
        if let Ok(entry) = self.table.find_entry(oldest.digest, |other| *other == number) {
            entry.remove();
        }
        self.first += 1;
        Some(oldest)
    }

    fn push(&mut self, packet: Waiting) {
        let number = self.first + self.waiting.len() as u64;
        let (first, waiting) = (self.first, &self.waiting);
        let hash = |number: &u64| waiting[(number - first) as usize].digest;
        self.table.insert_unique(packet.digest, number, hash);
        self.waiting.push_back(packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(digest: u64, point: usize, millis: i64) -> Waiting {
        Waiting {
            digest,
            at: millis * 1_000_000,
            flow: 0,
            side: 0,
            point,
            tos: 0,
            ttl: 64,
            payload: 0,
            stamp: 0,
            state: State::Alone,
        }
    }

    #[test]
    fn the_copy_that_was_not_lost_is_found() {
        let mut ring = Ring::default();
        let last = |_: &Waiting| Some(20_000_000);
        assert!(ring.take(packet(5, 0, 0), last).is_none());
        assert!(ring.take(packet(5, 0, 300), last).is_none());
        let found = ring.take(packet(5, 1, 321), last);
        assert_eq!(found.map(|found| found.at), Some(300_000_000));
        // A third at the second point is one too many.
        assert!(ring.take(packet(5, 1, 322), last).is_none());
        let states: Vec<State> = std::iter::from_fn(|| ring.pop()).map(|old| old.state).collect();
        assert_eq!(states, [State::Alone, State::Found, State::Found, State::Extra]);
        assert!(ring.table.is_empty());
    }

    #[test]
    fn nobody_waits_for_ever() {
        let mut ring = Ring::default();
        ring.take(packet(1, 0, 0), |_| None);
        ring.take(packet(2, 0, 20_000), |_| None);
        assert!(ring.expired(30_000_000_000).is_none());
        assert_eq!(ring.expired(30_001_000_000).map(|old| old.digest), Some(1));
        assert!(ring.expired(30_001_000_000).is_none());
    }
}
