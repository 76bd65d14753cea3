//! Queues of wired links: what an active queue management has to do, and drop-tail.
//!
//! The packet that a link is transmitting is not in its queue and does not count
//! against its limit: a link takes the next packet out when it begins to send it,
//! as a network device under a Linux qdisc or an ns-3 queue disc does.

use std::collections::VecDeque;
use std::fmt;

use airpath_base::Time;

use crate::{Cx, DropCause, Held, Packet};

/// A queue in front of a link.
///
/// It owns what it holds: every packet that enters leaves by
/// [`dequeue`](Queue::dequeue) or by [`Cx::drop`], or is counted by
/// [`held`](Queue::held). Packets are marked with [`Cx::mark`], which looks at the
/// outermost ECN field. The occupancy that [`bytes`](Queue::bytes) tells is that
/// on the wire, tunnels included.
pub trait Queue: Send {
    /// Takes a packet in, or drops it or others.
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>);

    /// Hands out the next packet to send, perhaps dropping some before it; `None`
    /// only if the queue is empty by then.
    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet>;

    /// Packets waiting.
    fn packets(&self) -> u32;

    /// Their bytes on the wire.
    fn bytes(&self) -> u64;

    /// Packets waiting and their bytes of IP.
    fn held(&self) -> Held;

    /// When the queue wants to be woken, if ever (to update a drop probability).
    fn next_wake(&self) -> Option<Time> {
        None
    }

    /// The time that the queue asked for has come.
    fn wake(&mut self, _now: Time, _cx: &mut Cx<'_>) {}
}

/// Any queue.
pub enum QueueKind {
    /// Drops what arrives when full.
    DropTail(DropTail),
    /// One from outside.
    Custom(Box<dyn Queue>),
}

/// How much a queue may hold; what is `None` is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Packets.
    pub packets: Option<u32>,
    /// Bytes on the wire.
    pub bytes: Option<u64>,
}

/// First in, first out; what arrives when the queue is full is dropped.
#[derive(Debug, Default)]
pub struct DropTail {
    limit: Limit,
    waiting: VecDeque<Packet>,
    bytes: u64,
}

impl Limit {
    /// No limit.
    pub const NONE: Limit = Limit { packets: None, bytes: None };

    /// At most this many packets.
    pub const fn packets(packets: u32) -> Limit {
        Limit { packets: Some(packets), bytes: None }
    }

    /// At most this many bytes on the wire.
    pub const fn bytes(bytes: u64) -> Limit {
        Limit { packets: None, bytes: Some(bytes) }
    }

    /// Whether one packet of `size` bytes fits beside what is there.
    #[inline]
    pub fn admits(self, packets: u32, bytes: u64, size: u32) -> bool {
        self.packets.is_none_or(|most| packets < most)
            && self.bytes.is_none_or(|most| bytes + u64::from(size) <= most)
    }
}

impl DropTail {
    /// An empty queue.
    pub fn new(limit: Limit) -> DropTail {
        DropTail { limit, ..DropTail::default() }
    }

    /// How much it may hold.
    pub const fn limit(&self) -> Limit {
        self.limit
    }
}

impl Queue for DropTail {
    fn enqueue(&mut self, _now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let size = packet.wire_size();
        if self.limit.admits(self.packets(), self.bytes, size) {
            self.bytes += u64::from(size);
            self.waiting.push_back(packet);
        } else {
            cx.drop(packet, DropCause::QueueFull);
        }
    }

    fn dequeue(&mut self, _now: Time, _cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= u64::from(packet.wire_size());
        Some(packet)
    }

    fn packets(&self) -> u32 {
        self.waiting.len() as u32
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn held(&self) -> Held {
        Held::of(&self.waiting)
    }
}

impl QueueKind {
    fn inner(&self) -> &dyn Queue {
        match self {
            QueueKind::DropTail(queue) => queue,
            QueueKind::Custom(queue) => queue.as_ref(),
        }
    }

    fn inner_mut(&mut self) -> &mut dyn Queue {
        match self {
            QueueKind::DropTail(queue) => queue,
            QueueKind::Custom(queue) => queue.as_mut(),
        }
    }
}

impl Queue for QueueKind {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        self.inner_mut().enqueue(now, packet, cx);
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        self.inner_mut().dequeue(now, cx)
    }

    fn packets(&self) -> u32 {
        self.inner().packets()
    }

    fn bytes(&self) -> u64 {
        self.inner().bytes()
    }

    fn held(&self) -> Held {
        self.inner().held()
    }

    fn next_wake(&self) -> Option<Time> {
        self.inner().next_wake()
    }

    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.inner_mut().wake(now, cx);
    }
}

impl From<DropTail> for QueueKind {
    fn from(queue: DropTail) -> QueueKind {
        QueueKind::DropTail(queue)
    }
}

impl Default for QueueKind {
    /// Drop-tail without limit.
    fn default() -> QueueKind {
        DropTail::default().into()
    }
}

impl fmt::Debug for QueueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueueKind::DropTail(queue) => queue.fmt(f),
            QueueKind::Custom(_) => f.write_str("Custom"),
        }
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
