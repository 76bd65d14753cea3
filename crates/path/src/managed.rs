//! A queue that decides when a packet leaves it: the link asks for the next one
//! when it has sent the one before.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::QueueKind;
use airpath_net::{Cx, Held, Packet, Stage};

use crate::delay::later;
use crate::link::{Fate, Wire, arrive};
use crate::waiting::Waiting;

/// A queue, and the packets being sent or on the wire.
#[derive(Debug)]
pub(crate) struct Managed {
    queue: Waiting,
    /// When the last packet will have been sent.
    busy_until: Time,
    /// By arrival at the far end.
    flights: VecDeque<(Time, Packet, Fate)>,
    /// When something is next to be done; [`Time::MAX`] for never.
    next: Time,
}

impl Managed {
    pub(crate) fn new(queue: QueueKind) -> Managed {
        let flights = VecDeque::new();
        Managed { queue: Waiting::new(queue), busy_until: Time::ZERO, flights, next: Time::MAX }
    }

    #[inline(never)]
    pub(crate) fn receive(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        // What is due at this instant leaves the queue before this packet enters.
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
            let arrival = later(self.busy_until, wire.delay);
            packet.charge(Stage::Wired, arrival);
            let fate = wire.fate(&packet);
            self.flights.push_back((arrival, packet, fate));
        }
    }

    fn deliver(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((_, packet, fate)) = self.flights.pop_front_if(|(at, ..)| *at <= now) {
            arrive(packet, fate, cx);
        }
    }

    /// That a wire becomes free matters only if something waits for it.
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
