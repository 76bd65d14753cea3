//! First in, first out: what happens to a packet is known when it arrives.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::Limit;
use airpath_net::{Cx, DropCause, Event, Held, Packet, Stage};

use crate::delay::later;
use crate::link::{Wire, arrive};

/// A drop-tail queue and a wire in one list, ordered by arrival at the far end.
#[derive(Debug)]
pub(crate) struct Fifo {
    limit: Limit,
    flights: VecDeque<Flight>,
    /// How many of the flights had begun to be sent when last looked at.
    begun: usize,
    /// Bytes on the wire of those that had not.
    waiting_bytes: u64,
    /// When the last one will have been sent.
    busy_until: Time,
    /// When the first one arrives; the last instant if there is none.
    next: Time,
}

#[derive(Debug)]
struct Flight {
    packet: Packet,
    size: u32,
    lost: bool,
    start: Time,
    done: Time,
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
            self.schedule(now, packet, size, wire);
        } else {
            cx.drop(packet, DropCause::QueueFull);
        }
        cx.emit(|| self.occupancy(now));
        self.deliver(now, cx);
    }

    fn schedule(&mut self, now: Time, mut packet: Packet, size: u32, wire: &mut Wire) {
        let start = self.busy_until.max(now);
        let done = later(start, wire.serialisation(size));
        let arrival = later(done, wire.delay);
        packet.charge(Stage::WiredQueue, start);
        packet.charge(Stage::Wired, arrival);
        let lost = wire.loses();
        if self.flights.is_empty() {
            self.next = arrival;
        }
        self.flights.push_back(Flight { packet, size, lost, start, done, arrival });
        self.busy_until = done;
        if start <= now {
            self.begun += 1;
        } else {
            self.waiting_bytes += u64::from(size);
        }
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

    /// What waits, and what is being sent: only the last to begin can be.
    fn occupancy(&self, now: Time) -> Event<'static> {
        let last = self.begun.checked_sub(1).and_then(|last| self.flights.get(last));
        let sending = last.filter(|flight| flight.done > now);
        Event::Queue {
            packets: self.waiting() + u32::from(sending.is_some()),
            bytes: self.waiting_bytes + sending.map_or(0, |flight| u64::from(flight.size)),
        }
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
            arrive(flight.packet, flight.lost, cx);
        }
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        Some(self.next)
    }

    pub(crate) fn held(&self) -> Held {
        Held::of(self.flights.iter().map(|flight| &flight.packet))
    }
}
