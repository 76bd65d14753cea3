//! A queue whose packets leave on request, with its reports.

use airpath_base::Time;
use airpath_net::queue::{Queue, QueueKind};
use airpath_net::{ChangeError, Cx, Event, Held, Packet, QueueChange, QueueEvent, Stage};

/// Packets that wait for a wire, which takes out the next one when it is free.
#[derive(Debug)]
pub(crate) struct Waiting {
    queue: QueueKind,
    /// Packets and bytes at the last report.
    reported: (u32, u64),
}

impl Waiting {
    pub(crate) fn new(queue: QueueKind) -> Waiting {
        Waiting { queue, reported: (0, 0) }
    }

    pub(crate) fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        cx.waiting_in(Stage::WiredQueue, |cx| self.queue.enqueue(now, packet, cx));
    }

    /// Takes out the next packet to send and books its wait.
    pub(crate) fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        let mut packet = cx.waiting_in(Stage::WiredQueue, |cx| self.queue.dequeue(now, cx))?;
        let waited = now.saturating_since(packet.stages.until());
        packet.charge(Stage::WiredQueue, now);
        cx.emit(|| Event::Queue(QueueEvent::Left { waited }));
        Some(packet)
    }

    /// Lets the queue do what it wanted to be woken for, if that is due.
    pub(crate) fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.queue.next_wake().is_some_and(|due| due <= now) {
            cx.waiting_in(Stage::WiredQueue, |cx| self.queue.wake(now, cx));
        }
    }

    /// Reports what waits, if that has changed: at the end of each call of the link.
    pub(crate) fn report(&mut self, cx: &mut Cx<'_>) {
        let (packets, bytes) = (self.queue.packets(), self.queue.bytes());
        if self.reported != (packets, bytes) {
            self.announce(cx);
        }
    }

    /// Reports what waits in any case.
    pub(crate) fn announce(&mut self, cx: &mut Cx<'_>) {
        let (packets, bytes) = (self.queue.packets(), self.queue.bytes());
        self.reported = (packets, bytes);
        cx.emit(|| Event::Queue(QueueEvent::Occupancy { packets, bytes }));
    }

    /// Changes the queue; what waits stays.
    pub(crate) fn change(&mut self, now: Time, change: QueueChange) -> Result<(), ChangeError> {
        self.queue.change(now, change)
    }

    pub(crate) fn packets(&self) -> u32 {
        self.queue.packets()
    }

    pub(crate) fn next_wake(&self) -> Option<Time> {
        self.queue.next_wake()
    }

    pub(crate) fn held(&self) -> Held {
        self.queue.held()
    }
}
