//! The store that queues are built on: packets in order of arrival, with their
//! arrival times.

use std::collections::VecDeque;

use airpath_base::{Duration, Time};

use crate::{Cx, DropCause, Held, Packet};

/// Methods of a [`Queue`](super::Queue) with all its packets in a field `fifo`.
macro_rules! of_one_fifo {
    () => {
        fn packets(&self) -> u32 {
            self.fifo.packets()
        }

        fn bytes(&self) -> u64 {
            self.fifo.bytes()
        }

        fn held(&self) -> $crate::Held {
            self.fifo.held()
        }

        fn oldest(&self) -> Option<airpath_base::Time> {
            self.fifo.oldest()
        }

        fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut $crate::Packet)) {
            self.fifo.for_each(visit);
        }
    };
}
pub(super) use of_one_fifo;

/// Says of a packet for which cause it is dropped, if it is.
pub type Which<'a> = &'a mut dyn FnMut(&Packet) -> Option<DropCause>;

/// Packets in order of arrival.
#[derive(Debug, Default)]
pub struct Fifo {
    waiting: VecDeque<Waiting>,
    bytes: u64,
}

/// A packet and when it arrived.
#[derive(Debug)]
pub struct Waiting {
    /// Time at which the packet entered the queue.
    pub since: Time,
    /// Its bytes on the wire.
    pub size: u32,
    /// The packet.
    pub packet: Packet,
}

impl Fifo {
    /// An empty store.
    pub const fn new() -> Fifo {
        Fifo { waiting: VecDeque::new(), bytes: 0 }
    }

    /// Appends a packet that arrives now.
    #[inline]
    pub fn push(&mut self, now: Time, packet: Packet) {
        let size = packet.wire_size();
        self.bytes += u64::from(size);
        self.waiting.push_back(Waiting { since: now, size, packet });
    }

    /// Takes the oldest packet out.
    #[inline]
    pub fn pop(&mut self) -> Option<Waiting> {
        let oldest = self.waiting.pop_front()?;
        self.bytes -= u64::from(oldest.size);
        Some(oldest)
    }

    /// Drops every packet that has waited `limit` or longer (TS 36.323, 5.4).
    pub fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        while self.waiting.front().is_some_and(|front| front.sojourn(now) >= limit) {
            if let Some(oldest) = self.pop() {
                cx.drop(oldest.packet, DropCause::DiscardTimer);
            }
        }
    }

    /// Drops every packet for which `which` has a cause.
    pub fn drop_where(&mut self, which: Which<'_>, cx: &mut Cx<'_>) {
        let waiting = std::mem::take(&mut self.waiting);
        for one in waiting {
            match which(&one.packet) {
                None => self.waiting.push_back(one),
                Some(cause) => {
                    self.bytes -= u64::from(one.size);
                    cx.drop(one.packet, cause);
                }
            }
        }
    }

    /// Shows every packet, the oldest first. Its size must stay.
    pub fn for_each(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
        self.waiting.iter_mut().for_each(|waiting| visit(&mut waiting.packet));
    }

    /// Arrival of the oldest packet.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        self.waiting.front().map(|front| front.since)
    }

    /// Packets.
    #[inline]
    pub fn packets(&self) -> u32 {
        self.waiting.len() as u32
    }

    /// Their bytes on the wire.
    #[inline]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// True if the queue is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Packets and their bytes of IP.
    pub fn held(&self) -> Held {
        Held::of(self.waiting.iter().map(|waiting| &waiting.packet))
    }
}

impl Waiting {
    /// Wait of the packet.
    #[inline]
    pub fn sojourn(&self, now: Time) -> Duration {
        now.saturating_since(self.since)
    }
}
