//! A queue that decides when a packet leaves it: the link asks for the next one
//! when it has sent the one before.

use std::collections::VecDeque;

use airpath_base::Time;
use airpath_net::queue::{Queue, QueueKind};
use airpath_net::{Cx, Event, Held, Packet, Stage};

use crate::delay::later;
use crate::link::{Wire, arrive};

/// A queue, the packet being sent, and those on the wire.
#[derive(Debug)]
pub(crate) struct Managed {
    queue: QueueKind,
    /// The packet being sent and when it will have been.
    sending: Option<(Packet, Time)>,
    /// By arrival at the far end; whether each is lost.
    flights: VecDeque<(Time, Packet, bool)>,
}

impl Managed {
    pub(crate) fn new(queue: QueueKind) -> Managed {
        Managed { queue, sending: None, flights: VecDeque::new() }
    }

    pub(crate) fn receive(&mut self, now: Time, packet: Packet, wire: &mut Wire, cx: &mut Cx<'_>) {
        // What is due at this instant leaves the queue before this packet enters.
        self.advance(now, wire, cx);
        self.queue.enqueue(now, packet, cx);
        self.advance(now, wire, cx);
        cx.emit(|| self.occupancy());
        self.deliver(now, cx);
    }

    pub(crate) fn wake(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        if self.queue.next_wake().is_some_and(|due| due <= now) {
            self.queue.wake(now, cx);
        }
        self.advance(now, wire, cx);
        self.deliver(now, cx);
    }

    /// Ends transmissions that are done and begins the next, as long as that goes.
    fn advance(&mut self, now: Time, wire: &mut Wire, cx: &mut Cx<'_>) {
        loop {
            if self.sending.as_ref().is_some_and(|(_, done)| *done > now) {
                return;
            }
            if let Some((mut packet, done)) = self.sending.take() {
                let arrival = later(done, wire.delay);
                packet.charge(Stage::Wired, arrival);
                self.flights.push_back((arrival, packet, wire.loses()));
            }
            let Some(mut packet) = self.queue.dequeue(now, cx) else { return };
            packet.charge(Stage::WiredQueue, now);
            let done = later(now, wire.serialisation(packet.wire_size()));
            self.sending = Some((packet, done));
        }
    }

    fn occupancy(&self) -> Event<'static> {
        let sending = self.sending.as_ref().map(|(packet, _)| packet);
        Event::Queue {
            packets: self.queue.packets() + u32::from(sending.is_some()),
            bytes: self.queue.bytes() + sending.map_or(0, |packet| u64::from(packet.wire_size())),
        }
    }

    fn deliver(&mut self, now: Time, cx: &mut Cx<'_>) {
        while let Some((_, packet, lost)) = self.flights.pop_front_if(|(at, ..)| *at <= now) {
            arrive(packet, lost, cx);
        }
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        let sent = self.sending.as_ref().map(|(_, done)| *done);
        let arrival = self.flights.front().map(|(at, ..)| *at);
        [sent, arrival, self.queue.next_wake()].into_iter().flatten().min()
    }

    pub(crate) fn held(&self) -> Held {
        let mut held = self.queue.held();
        self.sending.iter().for_each(|(packet, _)| held.add(packet));
        self.flights.iter().for_each(|(_, packet, _)| held.add(packet));
        held
    }
}
