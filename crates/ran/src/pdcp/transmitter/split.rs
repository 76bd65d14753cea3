//! The transmitter of a split bearer: that of the host, and that of a leg.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::Queue;
use airpath_net::{Cx, Packet, Stage};

use super::{Sdu, Transmitter};
use crate::pdcp::counts::Counts;

impl Transmitter {
    /// It gives counts to packets from now on, and takes them back from legs.
    pub fn host(&mut self) {
        self.counts = Some(Box::new(Counts::host()));
    }

    /// It is that of a leg, whose packets come with their counts.
    pub fn become_leg(&mut self) {
        self.counts = Some(Box::new(Counts::Leg(VecDeque::new())));
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

    /// The next packet with its count: one to be sent again before new ones.
    pub(super) fn take_counted(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        let again = self.counts.as_mut().and_then(|counts| counts.pop_again());
        if let Some((count, packet)) = again {
            let size = self.size(&packet);
            return Some(Sdu { size, packet, flow: 0, count: Some(count), reported: false });
        }
        let sdu = self.dequeue(now, cx)?;
        let count = self.counts.as_mut().map(|counts| counts.assign());
        let reported = matches!(self.counts.as_deref(), Some(Counts::Leg(_)));
        Some(Sdu { count, reported, ..sdu })
    }

    /// Hands the next packet of a host to a leg, with its count and its bytes.
    pub fn hand_over(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<(u64, Packet, u32)> {
        self.oldest?; // nothing waits
        let sdu = self.take_counted(now, cx);
        self.count();
        let Sdu { mut packet, size, count, .. } = sdu?;
        packet.charge(Stage::Pdcp, now.max(packet.stages.until()));
        Some((count?, packet, size))
    }

    /// Takes in a packet of a leg with its count.
    pub fn accept(&mut self, now: Time, count: u64, mut packet: Packet, cx: &mut Cx<'_>) {
        if let Some(Counts::Leg(given)) = self.counts.as_deref_mut() {
            given.push_back(count);
        }
        self.books.received.book(&packet);
        packet.queued = now;
        self.queues[0].enqueue(now, packet, cx);
        self.count();
    }

    /// Takes the packets of a leg out that wait, with their counts.
    pub fn take_back(&mut self, now: Time, cx: &mut Cx<'_>) -> Vec<(u64, Packet)> {
        let mut all = Vec::new();
        while let Some((count, packet, _)) = self.hand_over(now, cx) {
            all.push((count, packet));
        }
        all
    }

    /// Packets that a leg has not delivered come back to the host.
    pub fn give_back(&mut self, packets: Vec<(u64, Packet)>) {
        if let Some(counts) = &mut self.counts {
            counts.give_back(packets);
        }
        self.count();
    }
}
