//! A link that delivers when a recording says so.
//!
//! An opportunity carries its bytes of waiting data: the rest of a packet that an earlier one
//! began, whole packets, the beginning of another. Unused bytes of an opportunity are lost. A
//! packet that arrives at the instant of an opportunity comes too late for it.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::Time;
use airpath_net::queue::QueueKind;
use airpath_net::{ChangeError, Cx, Held, Packet, QueueChange, Stage};

use crate::delay::later;
use crate::link::{Fate, Wire, arrive};
use crate::recording::{Cursor, Recording};
use crate::waiting::Waiting;

/// A queue, the packet of which a part has been delivered, and those on the wire.
#[derive(Debug)]
pub(crate) struct Recorded {
    queue: Waiting,
    recording: Arc<Recording>,
    /// The next opportunity, if anything waits for it.
    next: Option<Cursor>,
    /// The packet being delivered and its bytes that have not been.
    sending: Option<(Packet, u64)>,
    /// By arrival at the far end.
    flights: VecDeque<(Time, Packet, Fate)>,
}

impl Recorded {
    pub(crate) fn new(queue: QueueKind, recording: Arc<Recording>) -> Recorded {
        let (queue, flights) = (Waiting::new(queue), VecDeque::new());
        Recorded { queue, recording, next: None, sending: None, flights }
    }

    #[inline(never)]
    pub(crate) fn receive(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.advance(now, wire, cx);
        self.queue.enqueue(now, packet, cx);
        if self.next.is_none() && self.is_busy() {
            self.next = Some(self.recording.after(now));
        }
        self.queue.report(cx);
        self.deliver(now, cx);
    }

    #[inline(never)]
    pub(crate) fn wake(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.queue.wake(now, cx);
        self.advance(now, wire, cx);
        self.queue.report(cx);
        self.deliver(now, cx);
    }

    /// True while something waits or is being delivered.
    pub(crate) fn is_busy(&self) -> bool {
        self.sending.is_some() || self.queue.packets() > 0
    }

    /// Uses the opportunities up to `now`.
    fn advance(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        while let Some(cursor) = self.next.filter(|next| self.recording.time(*next) <= now) {
            self.transmit(now, self.recording.bytes(cursor), wire, cx);
            self.next = self.is_busy().then(|| self.recording.next(cursor));
        }
    }

    /// Delivers so many bytes.
    fn transmit(&mut self, now: Time, bytes: u64, wire: &mut Wire, cx: &mut Cx<'_>) {
        let mut left = bytes;
        while left > 0 {
            let begun = self.sending.take().or_else(|| self.begin(now, wire, cx));
            let Some((packet, size)) = begun else { return };
            if size > left {
                self.sending = Some((packet, size - left));
                return;
            }
            left -= size;
            self.fly(now, packet, wire);
        }
    }

    /// Hands a packet to the wire.
    fn fly(&mut self, now: Time, mut packet: Packet, wire: &mut Wire) {
        // Not before the one before it, whatever the delay was then.
        let before = self.flights.back().map_or(Time::ZERO, |(at, ..)| *at);
        let arrival = later(now, wire.delay).max(before);
        packet.charge(Stage::Wired, arrival);
        let fate = wire.fate(&packet);
        self.flights.push_back((arrival, packet, fate));
    }

    /// Hands a packet to the wire without an opportunity.
    pub(crate) fn pass(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.fly(now, packet, wire);
        self.deliver(now, cx);
    }

    fn begin(&mut self, now: Time, wire: &Wire, cx: &mut Cx<'_>) -> Option<(Packet, u64)> {
        let packet = self.queue.dequeue(now, cx)?;
        let size = u64::from(packet.wire_size()) + u64::from(wire.layer2);
        Some((packet, size))
    }

    fn deliver(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((_, packet, fate)) = self.flights.pop_front_if(|(at, ..)| *at <= now) {
            arrive(packet, fate, cx);
        }
    }

    /// Changes the queue.
    pub(crate) fn change_queue(
        &mut self,
        now: Time,
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        self.queue.change(now, change)
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        let chance = self.next.map(|next| self.recording.time(next));
        let arrival = self.flights.front().map(|(at, ..)| *at);
        [chance, arrival, self.queue.next_wake()].into_iter().flatten().min()
    }

    pub(crate) fn held(&self) -> Held {
        let mut held = self.queue.held();
        self.sending.iter().for_each(|(packet, _)| held.add(packet));
        self.flights.iter().for_each(|(_, packet, _)| held.add(packet));
        held
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
