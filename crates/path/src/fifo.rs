//! First in, first out: what happens to a packet is known when it arrives.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::Limit;
use airpath_net::{Cx, DropCause, Event, Held, Packet, QueueEvent, Stage};

use crate::delay::later;
use crate::link::{Fate, Wire, arrive};

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

    pub(crate) fn next_wake(&self) -> Option<Time> {
        Some(self.next)
    }

    pub(crate) fn held(&self) -> Held {
        Held::of(self.flights.iter().map(|flight| &flight.packet))
    }
}
