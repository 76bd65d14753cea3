//! Counts of a split bearer's packets, which take two ways to one receiver (TS 37.340, 4.2.2; TS 38.323, 5.2.1).
//!
//! The PDCP that hosts the bearer gives a packet its count when it hands it to a leg. A leg keeps the counts of its
//! packets in their order. A packet that a leg has not delivered comes back with its count, and goes before all others
//! (PDCP data recovery, TS 38.323, 5.5).

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::{Held, Packet};

/// Counts of one direction, at the end that sends.
#[derive(Debug)]
pub(super) enum Counts {
    /// Those of the PDCP that hosts the bearer.
    Host {
        /// Count of the next packet that is handed to a leg for the first time, TX_NEXT.
        next: u64,
        /// Packets to be sent again, by their counts.
        again: VecDeque<(u64, Packet)>,
    },
    /// Those of a leg's packets that wait, in their order.
    Leg(VecDeque<u64>),
}

impl Counts {
    /// A host that has sent nothing.
    pub fn host() -> Counts {
        Counts::Host { next: 0, again: VecDeque::new() }
    }

    /// The count of the packet that leaves the queue.
    pub fn assign(&mut self) -> u64 {
        match self {
            Counts::Host { next, .. } => {
                *next += 1;
                *next - 1
            }
            Counts::Leg(given) => given.pop_front().expect("a leg has a count for each packet"),
        }
    }

    /// The next packet that is to be sent again.
    pub fn pop_again(&mut self) -> Option<(u64, Packet)> {
        match self {
            Counts::Host { again, .. } => again.pop_front(),
            Counts::Leg(_) => None,
        }
    }

    /// Packets that are to be sent again.
    pub fn again(&self) -> impl Iterator<Item = &Packet> {
        let again = match self {
            Counts::Host { again, .. } => Some(again),
            Counts::Leg(_) => None,
        };
        again.into_iter().flatten().map(|(_, packet)| packet)
    }

    /// Packets that are to be sent again, to be changed; none in a leg.
    pub fn again_mut(&mut self) -> Option<&mut VecDeque<(u64, Packet)>> {
        match self {
            Counts::Host { again, .. } => Some(again),
            Counts::Leg(_) => None,
        }
    }

    /// Packets come back, in any order.
    pub fn give_back(&mut self, packets: Vec<(u64, Packet)>) {
        if let Counts::Host { again, .. } = self {
            again.extend(packets);
            again.make_contiguous().sort_by_key(|(count, _)| *count);
        }
    }

    /// Count of the next new packet; none in a leg.
    pub fn next(&self) -> Option<u64> {
        match self {
            Counts::Host { next, .. } => Some(*next),
            Counts::Leg(_) => None,
        }
    }

    /// Begin of the wait of the oldest packet that is to be sent again.
    pub fn oldest(&self) -> Option<Time> {
        self.again().map(|packet| packet.queued).min()
    }

    /// Packets that are to be sent again.
    pub fn held(&self) -> Held {
        Held::of(self.again())
    }
}
