//! Counts of a split bearer's packets, which take two ways to one receiver (TS 37.340, 4.2.2; TS 38.323, 5.2.1).
//!
//! The PDCP that hosts the bearer gives a packet its count when it hands it to a leg. A leg keeps the counts of its
//! packets in their order. A packet that a leg has not delivered comes back with its count, and goes before all others
//! (PDCP data recovery, TS 38.323, 5.5).

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::{Held, Packet};

use super::copies::Copies;

/// Counts of one direction, at the end that sends.
#[derive(Debug)]
pub(super) enum Counts {
    /// Those of the PDCP that hosts the bearer.
    Host {
        /// Count of the next packet that is handed to a leg for the first time, TX_NEXT.
        next: u64,
        /// Packets to be sent again, by their counts.
        again: VecDeque<(u64, Packet)>,
        /// Copies of a direction with duplication.
        copies: Option<Box<Copies>>,
    },
    /// Those of a leg's packets that wait, in their order.
    Leg(VecDeque<u64>),
    /// Packets of a leg in a direction with duplication, which wait outside of the queue, by their counts.
    Twin(VecDeque<(u64, Packet)>),
}

impl Counts {
    /// A host that has sent nothing, with or without duplication.
    pub fn host(duplicates: bool) -> Counts {
        let copies = duplicates.then(Box::default);
        Counts::Host { next: 0, again: VecDeque::new(), copies }
    }

    /// The count of the packet that leaves the queue.
    pub fn assign(&mut self) -> u64 {
        match self {
            Counts::Host { next, .. } => {
                *next += 1;
                *next - 1
            }
            Counts::Leg(given) => given.pop_front().expect("a leg has a count for each packet"),
            Counts::Twin(_) => unreachable!("the queue of a leg with duplication is empty"),
        }
    }

    /// The next packet that waits outside of the queue, and true if its wait has been reported: first one to be sent again.
    pub fn pop_again(&mut self) -> Option<(u64, Packet, bool)> {
        let [again, own] = self.lists();
        match again.and_then(VecDeque::pop_front) {
            Some((count, packet)) => Some((count, packet, false)),
            None => own?.pop_front().map(|(count, packet)| (count, packet, true)),
        }
    }

    /// Packets that wait outside of the queue: those to be sent again, and those that another path has as well.
    pub fn again(&self) -> impl Iterator<Item = &Packet> {
        let (again, own) = match self {
            Counts::Host { again, copies, .. } => {
                (Some(again), copies.as_ref().map(|copies| &copies.own))
            }
            Counts::Twin(waiting) => (None, Some(waiting)),
            Counts::Leg(_) => (None, None),
        };
        again.into_iter().chain(own).flatten().map(|(_, packet)| packet)
    }

    /// Packets that wait outside of the queue, to be changed.
    pub fn again_mut(&mut self) -> impl Iterator<Item = &mut Packet> {
        let [again, own] = self.lists();
        again.into_iter().chain(own).flatten().map(|(_, packet)| packet)
    }

    fn lists(&mut self) -> [Option<&mut VecDeque<(u64, Packet)>>; 2] {
        match self {
            Counts::Host { again, copies, .. } => {
                [Some(again), copies.as_mut().map(|copies| &mut copies.own)]
            }
            Counts::Twin(waiting) => [None, Some(waiting)],
            Counts::Leg(_) => [None, None],
        }
    }

    /// Copies of a host with duplication.
    pub fn copies(&self) -> Option<&Copies> {
        match self {
            Counts::Host { copies, .. } => copies.as_deref(),
            Counts::Leg(_) | Counts::Twin(_) => None,
        }
    }

    /// Copies of a host with duplication, to be changed.
    pub fn copies_mut(&mut self) -> Option<&mut Copies> {
        match self {
            Counts::Host { copies, .. } => copies.as_deref_mut(),
            Counts::Leg(_) | Counts::Twin(_) => None,
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
            Counts::Leg(_) | Counts::Twin(_) => None,
        }
    }

    /// Begin of the wait of the oldest packet outside of the queue.
    pub fn oldest(&self) -> Option<Time> {
        self.again().map(|packet| packet.queued).min()
    }

    /// Packets outside of the queue.
    pub fn held(&self) -> Held {
        let other = self.copies().map(Copies::for_leg);
        Held::of(self.again().chain(other.into_iter().flatten()))
    }
}
