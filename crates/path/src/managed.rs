//! A queue that decides when a packet leaves it: the link asks for the next one
//! when it has sent the one before.

use std::collections::VecDeque;

use airpath_base::{BitRate, Time};
use airpath_net::queue::QueueKind;
use airpath_net::{ChangeError, Cx, Held, Packet, QueueChange, Stage};

use crate::delay::later;
use crate::link::{Fate, Wire, arrive};
use crate::waiting::Waiting;

/// A queue, and the packets being sent or on the wire.
#[derive(Debug)]
pub(crate) struct Managed {
    queue: Waiting,
    /// End of the last transmission.
    busy_until: Time,
    /// By arrival at the far end.
    flights: VecDeque<(Time, Packet, Fate)>,
    /// Time of the next step; [`Time::MAX`] for never.
    next: Time,
}

impl Managed {
    pub(crate) fn new(queue: QueueKind) -> Managed {
        Managed::in_progress(queue, Time::ZERO, VecDeque::new())
    }

    /// With packets in the queue and on the wire.
    pub(crate) fn in_progress(
        queue: QueueKind,
        busy_until: Time,
        flights: VecDeque<(Time, Packet, Fate)>,
    ) -> Managed {
        let mut managed =
            Managed { queue: Waiting::new(queue), busy_until, flights, next: Time::MAX };
        managed.next = managed.due();
        managed
    }

    #[inline(never)]
    pub(crate) fn receive(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        // Packets that are due at this instant leave the queue before this one enters.
        self.advance(now, wire, cx);
        self.queue.enqueue(now, packet, cx);
        self.advance(now, wire, cx);
        self.queue.report(cx);
        self.deliver(now, cx);
        self.next = self.due();
    }

    #[inline(never)]
    pub(crate) fn wake(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.queue.wake(now, cx);
        self.advance(now, wire, cx);
        self.queue.report(cx);
        self.deliver(now, cx);
        self.next = self.due();
    }

    /// Begins to send as long as the wire is free and something waits.
    fn advance(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        while self.busy_until <= now {
            let Some(mut packet) = self.queue.dequeue(now, cx) else { return };
            self.busy_until = later(now, wire.serialisation(packet.wire_size()));
            let arrival = self.arrival(self.flights.len(), wire);
            packet.charge(Stage::Wired, arrival);
            let fate = wire.fate(&packet);
            self.flights.push_back((arrival, packet, fate));
        }
    }

    /// Arrival of the packet at `position` of `flights`, whose transmission ends at `busy_until`.
    /// It is not before the arrival of the packet sent before it, whatever the delay was then.
    fn arrival(&self, position: usize, wire: &Wire) -> Time {
        let before = position.checked_sub(1).map_or(Time::ZERO, |n| self.flights[n].0);
        later(self.busy_until, wire.delay).max(before)
    }

    /// Follows a change of the wire at `now`, which had the rate `before` until then. The rest of
    /// the packet in transmission goes at the new rate, and it arrives after the new delay. Packets
    /// that are on the wire arrive as before the change.
    #[cold]
    pub(crate) fn change(&mut self, now: Time, before: Option<BitRate>, wire: &mut Wire) {
        if self.busy_until > now
            && let Some(last) = self.flights.len().checked_sub(1)
        {
            let left = self.busy_until.since(now);
            let left = wire.rest(before, left, self.flights[last].1.wire_size());
            self.busy_until = later(now, left);
            let arrival = self.arrival(last, wire);
            let (at, packet, _) = &mut self.flights[last];
            packet.stages.take_back(Stage::Wired, (*at).min(arrival));
            packet.charge(Stage::Wired, arrival);
            *at = arrival;
        }
        self.next = self.due();
    }

    /// Changes the queue.
    pub(crate) fn change_queue(
        &mut self,
        now: Time,
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        self.queue.change(now, change)
    }

    /// Reports the waiting packets, whose departures had been reported before.
    pub(crate) fn announce(&mut self, cx: &mut Cx<'_>) {
        self.queue.announce(cx);
    }

    fn deliver(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((_, packet, fate)) = self.flights.pop_front_if(|(at, ..)| *at <= now) {
            arrive(packet, fate, cx);
        }
    }

    /// A free wire needs a wake-up only if something waits for it.
    fn due(&self) -> Time {
        let free = if self.queue.packets() > 0 { self.busy_until } else { Time::MAX };
        let arrival = self.flights.front().map_or(Time::MAX, |(at, ..)| *at);
        free.min(arrival).min(self.queue.next_wake().unwrap_or(Time::MAX))
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        (self.next < Time::MAX).then_some(self.next)
    }

    pub(crate) fn held(&self) -> Held {
        let mut held = self.queue.held();
        self.flights.iter().for_each(|(_, packet, _)| held.add(packet));
        held
    }
}
