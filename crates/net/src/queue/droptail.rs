//! Drop-tail: first in, first out.

use airpath_base::{Duration, Time};
use airpath_schema::record;

use super::fifo::of_one_fifo;
use super::{Fifo, Limit, Queue};
use crate::{Cx, DropCause, Packet};

record! {
    /// A queue that drops what arrives when it is full.
    #[derive(Copy)]
    pub struct DropTailConfig(limit): Default {
        /// Limit of the queue: "100 packets", "64 KiB" or "unlimited". Default: 1000 packets
        /// (Linux, `DEFAULT_TX_QUEUE_LEN`).
        limit: Limit = Limit::packets(1000);
    }
}

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

    /// Limit of the queue.
    pub const fn limit(&self) -> Limit {
        self.limit
    }
}

impl Queue for DropTail {
    #[inline]
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        if self.limit.admits(self.packets(), self.bytes(), packet.wire_size()) {
            self.fifo.push(now, packet);
        } else {
            cx.drop(packet, DropCause::QueueFull);
        }
    }

    #[inline]
    fn dequeue(&mut self, _now: Time, _cx: &mut Cx<'_>) -> Option<Packet> {
        self.fifo.pop().map(|oldest| oldest.packet)
    }

    of_one_fifo!();

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.fifo.discard(now, limit, cx);
    }

    fn drop_where(&mut self, _now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        self.fifo.drop_where(which, cx);
    }
}

#[cfg(test)]
#[path = "droptail_tests.rs"]
mod tests;
