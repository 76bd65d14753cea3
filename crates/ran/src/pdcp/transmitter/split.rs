//! The transmitter of a split bearer: that of the host, and that of a leg.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::Queue;
use airpath_net::{Cx, Packet, Stage};

use super::{Sdu, Transmitter};
use crate::pdcp::counts::Counts;

impl Transmitter {
    /// It gives counts to packets from now on, and takes them back from legs. With duplication it copies them.
    pub fn host(&mut self, duplicates: bool) {
        self.counts = Some(Box::new(Counts::host(duplicates)));
    }

    /// It is that of a leg, whose packets come with their counts, and can be withdrawn with duplication.
    pub fn become_leg(&mut self, duplicates: bool) {
        self.counts = Some(Box::new(match duplicates {
            false => Counts::Leg(VecDeque::new()),
            true => Counts::Twin(VecDeque::new()),
        }));
    }

    /// Count of the next new packet of a host.
    pub fn next_count(&self) -> Option<u64> {
        self.counts.as_ref().and_then(|counts| counts.next())
    }

    /// Begin of the wait of the oldest packet that has no count.
    pub(super) fn oldest_new(&self) -> Option<Time> {
        match &self.counts {
            None => self.oldest,
            Some(_) => self.queues.iter().filter_map(Queue::oldest).min(),
        }
    }

    /// The next packet with its count: one outside of the queue before new ones.
    pub(super) fn take_counted(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        let waiting = self.counts.as_mut().and_then(|counts| counts.pop_again());
        if let Some((count, packet, reported)) = waiting {
            let size = self.size(&packet);
            return Some(Sdu { size, packet, flow: 0, count: Some(count), reported });
        }
        let sdu = self.take_new(now, cx)?;
        self.copy_for_leg(&sdu, cx);
        Some(sdu)
    }

    /// The next packet of the queue with its count.
    pub(super) fn take_new(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        let sdu = self.dequeue(now, cx)?;
        let count = self.counts.as_mut().map(|counts| counts.assign());
        let reported = matches!(self.counts.as_deref(), Some(Counts::Leg(_)));
        Some(Sdu { count, reported, ..sdu })
    }

    /// Hands the next packet of a host to a leg, or takes out that of a leg, with its count. With duplication a host hands
    /// over a copy.
    pub fn hand_over(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        let sdu = match self.is_copying() {
            true => self.take_copy(now, cx),
            false if self.oldest.is_none() => None, // nothing waits
            false => self.take_counted(now, cx),
        };
        self.count();
        let mut sdu = sdu?;
        sdu.packet.charge(Stage::Pdcp, now.max(sdu.packet.stages.until()));
        Some(sdu)
    }

    /// Takes in a packet of a leg with its count.
    pub fn accept(&mut self, now: Time, count: u64, mut packet: Packet, cx: &mut Cx<'_>) {
        self.books.received.book(&packet);
        packet.queued = now;
        match self.counts.as_deref_mut() {
            Some(Counts::Twin(waiting)) => waiting.push_back((count, packet)),
            counts => {
                if let Some(Counts::Leg(given)) = counts {
                    given.push_back(count);
                }
                self.queues[0].enqueue(now, packet, cx);
            }
        }
        self.count();
    }

    /// Takes the packets of a leg out that wait, with their counts.
    pub fn take_back(&mut self, now: Time, cx: &mut Cx<'_>) -> Vec<(u64, Packet)> {
        let next = || self.hand_over(now, cx);
        std::iter::from_fn(next).filter_map(|sdu| Some((sdu.count?, sdu.packet))).collect()
    }

    /// Packets that a leg has not delivered come back to the host.
    pub fn give_back(&mut self, packets: Vec<(u64, Packet)>) {
        if let Some(counts) = &mut self.counts {
            counts.give_back(packets);
        }
        self.count();
    }
}
