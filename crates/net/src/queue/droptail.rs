//! Drop-tail: first in, first out.

use airpath_base::{Duration, Time};

use super::{Fifo, Limit, Queue};
use crate::{Cx, DropCause, Held, Packet};

/// First in, first out; what arrives when the queue is full is dropped.
#[derive(Debug, Default)]
pub struct DropTail {
    limit: Limit,
    fifo: Fifo,
}

impl DropTail {
    /// An empty queue.
    pub fn new(limit: Limit) -> DropTail {
        DropTail { limit, fifo: Fifo::new() }
    }

    /// How much it may hold.
    pub const fn limit(&self) -> Limit {
        self.limit
    }
}

impl Queue for DropTail {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        if self.limit.admits(self.packets(), self.bytes(), packet.wire_size()) {
            self.fifo.push(now, packet);
        } else {
            cx.drop(packet, DropCause::QueueFull);
        }
    }

    fn dequeue(&mut self, _now: Time, _cx: &mut Cx<'_>) -> Option<Packet> {
        self.fifo.pop().map(|oldest| oldest.packet)
    }

    fn packets(&self) -> u32 {
        self.fifo.packets()
    }

    fn bytes(&self) -> u64 {
        self.fifo.bytes()
    }

    fn held(&self) -> Held {
        self.fifo.held()
    }

    fn oldest(&self) -> Option<Time> {
        self.fifo.oldest()
    }

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.fifo.discard(now, limit, cx);
    }

    fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
        self.fifo.for_each(visit);
    }
}

#[cfg(test)]
#[path = "droptail_tests.rs"]
mod tests;
