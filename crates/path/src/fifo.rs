//! First in, first out: what happens to a packet is known when it arrives.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::{DropTail, Limit, Queue};
use airpath_net::{Cx, DropCause, Event, Held, Packet, QueueEvent, Stage};

use crate::delay::later;
use crate::link::{Fate, Wire, arrive};
use crate::managed::Managed;

/// A drop-tail queue and a wire in one list, ordered by arrival at the far end.
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    limit: Limit,
    flights: VecDeque<Flight>,
    /// Number of flights whose transmission had begun at the last update.
    begun: usize,
    /// Bytes on the wire of those that had not.
    waiting_bytes: u64,
    /// End of the last transmission.
    busy_until: Time,
    /// Arrival of the first packet; the last instant if there is none.
    next: Time,
}

#[derive(Debug)]
struct Flight {
    packet: Packet,
    size: u32,
    fate: Fate,
    start: Time,
    arrival: Time,
}

impl Fifo {
    pub(crate) fn new(limit: Limit) -> Fifo {
        let (flights, busy_until) = (VecDeque::new(), Time::ZERO);
        Fifo { limit, flights, begun: 0, waiting_bytes: 0, busy_until, next: Time::MAX }
    }

    pub(crate) fn receive(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        self.settle(now);
        let size = packet.wire_size();
        if self.limit.admits(self.waiting(), self.waiting_bytes, size) {
            let leaves = self.schedule(now, packet, size, wire);
            cx.emit(|| Event::Queue(QueueEvent::Scheduled { bytes: size, leaves }));
        } else {
            cx.drop(packet, DropCause::QueueFull);
        }
        self.deliver(now, cx);
    }

    /// Says when the packet begins to be sent.
    fn schedule(&mut self, now: Time, mut packet: Packet, size: u32, wire: &mut Wire) -> Time {
        let start = self.busy_until.max(now);
        let done = later(start, wire.serialisation(size));
        let arrival = later(done, wire.delay);
        packet.queued = now;
        packet.charge(Stage::WiredQueue, start);
        packet.charge(Stage::Wired, arrival);
        let fate = wire.fate(&packet);
        if self.flights.is_empty() {
            self.next = arrival;
        }
        self.flights.push_back(Flight { packet, size, fate, start, arrival });
        self.busy_until = done;
        if start <= now {
            self.begun += 1;
        } else {
            self.waiting_bytes += u64::from(size);
        }
        start
    }

    /// Moves packets from the queue to the wire that have begun to be sent.
    fn settle(&mut self, now: Time) {
        while let Some(next) = self.flights.get(self.begun).filter(|next| next.start <= now) {
            self.waiting_bytes -= u64::from(next.size);
            self.begun += 1;
        }
    }

    fn waiting(&self) -> u32 {
        (self.flights.len() - self.begun) as u32
    }

    pub(crate) fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.settle(now);
        self.deliver(now, cx);
    }

    /// Hands over what has arrived; it has begun to be sent, so `begun` counts it.
    fn deliver(&mut self, now: Time, cx: &mut Cx<'_>) {
        while self.next <= now
            && let Some(flight) = self.flights.pop_front()
        {
            self.next = self.flights.front().map_or(Time::MAX, |next| next.arrival);
            self.begun -= 1;
            arrive(flight.packet, flight.fate, cx);
        }
    }

    /// The link as one that queries its queue when the wire is free, before anything else of this
    /// instant. No departure of a waiting packet is certain any more.
    #[cold]
    pub(crate) fn into_managed(mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) -> Managed {
        while self.flights.get(self.begun).is_some_and(|next| next.start < now) {
            self.begun += 1;
        }
        let waiting = self.flights.split_off(self.begun);
        let busy_until = waiting.front().map_or(self.busy_until, |next| next.start);
        wire.take_back(waiting.iter().map(|flight| &flight.packet));
        let mut queue = DropTail::new(self.limit);
        for Flight { mut packet, start, .. } in waiting {
            packet.stages.take_back(Stage::Wired, start);
            let queued = packet.queued;
            packet.stages.take_back(Stage::WiredQueue, queued);
            // There was room for it when it came, and there is no more before it than then.
            queue.enqueue(queued, packet, cx);
        }
        let flights = self.flights.into_iter();
        let flights = flights.map(|flight| (flight.arrival, flight.packet, flight.fate)).collect();
        let mut managed = Managed::in_progress(queue.into(), busy_until, flights);
        managed.announce(cx);
        managed
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        Some(self.next)
    }

    pub(crate) fn held(&self) -> Held {
        Held::of(self.flights.iter().map(|flight| &flight.packet))
    }
}
