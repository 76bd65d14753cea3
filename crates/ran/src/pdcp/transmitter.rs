//! The transmitting side: the queue of each QoS flow, the discard timer, and what RLC takes.

use airpath_base::{Duration, Time};
use airpath_net::queue::{Queue, QueueKind};
use airpath_net::{ChangeError, Cx, DropCause, Held, Ledger, Packet, QueueChange, Stage};

use super::counts::Counts;
use super::sets::{SetKey, Sets};
use super::{Config, QueueLimit};
use crate::tti::earlier;

/// Waiting SDUs of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// SDUs.
    pub sdus: u32,
    /// Their bytes, PDCP headers included.
    pub bytes: u64,
}

/// An SDU on its way from PDCP to RLC.
#[derive(Debug)]
pub struct Sdu {
    /// The packet.
    pub packet: Packet,
    /// Bytes, the PDCP header included; never 0.
    pub size: u32,
    /// Its QoS flow: the number of the queue that it has left.
    pub flow: u16,
    /// Its count in a split bearer; else RLC's number is the count.
    pub count: Option<u64>,
    /// True if its wait in the queue has been reported: that of a leg, by the host.
    pub reported: bool,
}

/// One direction of a bearer's PDCP, at the end that sends.
#[derive(Debug)]
pub struct Transmitter {
    header: u32,
    discard_timer: Option<Duration>,
    limit: QueueLimit,
    /// One for each QoS flow.
    queues: Vec<QueueKind>,
    /// Waiting SDUs, and the begin of the oldest one's wait: read more often than changed.
    waiting: Waiting,
    oldest: Option<Time>,
    /// SDUs that entered, and those that RLC has taken; the rest waits, was dropped, or went to a leg.
    books: Ledger,
    /// Counts of a split bearer.
    counts: Option<Box<Counts>>,
    /// PDU sets, if the bearer handles them.
    sets: Option<Box<Sets>>,
}

impl Waiting {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Waiting) -> Waiting {
        Waiting { sdus: self.sdus + other.sdus, bytes: self.bytes + other.bytes }
    }
}

impl Transmitter {
    /// Nothing waits; one QoS flow, whose queue is drop-tail.
    pub fn new(config: &Config, limit: QueueLimit) -> Transmitter {
        Transmitter {
            header: config.header(),
            discard_timer: config.discard_timer,
            limit,
            queues: vec![QueueKind::default()],
            waiting: Waiting::default(),
            oldest: None,
            books: Ledger::default(),
            counts: None,
            sets: config.sets.map(|own| Box::new(Sets::new(own, config.discard_timer))),
        }
    }

    /// Gives a QoS flow a queue of its own; those before it that have none get drop-tail without a
    /// limit of their own.
    pub fn set_queue(&mut self, flow: usize, queue: QueueKind) {
        if self.queues.len() <= flow {
            self.queues.resize_with(flow + 1, QueueKind::default);
        }
        self.queues[flow] = queue;
    }

    /// Changes the queue of a QoS flow.
    ///
    /// # Errors
    ///
    /// If it has no such thing, or there is no such flow.
    pub fn change_queue(
        &mut self,
        now: Time,
        flow: usize,
        change: QueueChange,
    ) -> Result<(), ChangeError> {
        let none = || ChangeError::new("has no queue for such a QoS flow");
        self.queues.get_mut(flow).ok_or_else(none)?.change(now, change)
    }

    /// Tells the queues which share of the cell's resource blocks has been free since the last call.
    pub fn set_free_resources(&mut self, now: Time, share: f64) {
        self.queues.iter_mut().for_each(|queue| queue.set_free_resources(now, share));
    }

    /// Takes a packet of a QoS flow in, or drops it; `below` is what RLC has of this direction and
    /// has not sent.
    #[inline]
    pub fn enqueue(
        &mut self,
        now: Time,
        mut packet: Packet,
        flow: usize,
        below: Waiting,
        cx: &mut Cx<'_>,
    ) {
        self.books.received.book(&packet);
        let oldest = self.oldest;
        if let Some(cause) = self.sets.as_mut().and_then(|sets| sets.arrive(now, &packet, oldest)) {
            return cx.drop(packet, cause);
        }
        let waiting = self.waiting().plus(below);
        if !self.limit.admits(waiting.sdus, waiting.bytes, self.size(&packet)) {
            return cx.drop(packet, DropCause::QueueFull);
        }
        packet.queued = now;
        if let Some(sets) = &mut self.sets {
            sets.enter(SetKey::of(&packet));
        }
        let last = self.queues.len() - 1;
        let queue = &mut self.queues[flow.min(last)];
        cx.waiting_in(Stage::Pdcp, |cx| queue.enqueue(now, packet, cx));
        self.count();
    }

    /// The next SDU for RLC, which sends the first of its bytes at once. QoS flows of one bearer are
    /// treated alike (TS 38.323 knows no order among them): the oldest packet goes first.
    #[inline]
    pub fn pull(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        self.oldest?; // nothing waits
        let sdu = self.take(now, cx);
        self.count();
        sdu
    }

    #[inline]
    fn take(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        let mut sdu = match self.counts.is_some() {
            false => self.dequeue(now, cx)?,
            true => self.take_counted(now, cx)?,
        };
        self.books.sent.book(&sdu.packet);
        if let Some(sets) = &mut self.sets {
            sets.leave(&sdu.packet);
        }
        sdu.packet.charge(Stage::Pdcp, now.max(sdu.packet.stages.until()));
        Some(sdu)
    }

    /// The next packet of the queues.
    #[inline]
    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Sdu> {
        loop {
            let next = match self.queues.len() {
                1 => 0,
                _ => self.oldest_flow()?,
            };
            let queue = &mut self.queues[next];
            let next_packet = cx.waiting_in(Stage::Pdcp, |cx| queue.dequeue(now, cx));
            let Some(packet) = next_packet else {
                if self.queues.len() == 1 {
                    return None;
                }
                continue; // its packet was dropped; another queue may have one
            };
            return Some(Sdu {
                size: self.size(&packet),
                packet,
                flow: next as u16,
                count: None,
                reported: false,
            });
        }
    }

    #[cold]
    fn oldest_flow(&self) -> Option<usize> {
        let heads = self.queues.iter().enumerate();
        let heads = heads.filter_map(|(n, queue)| Some((queue.oldest()?, n)));
        heads.min().map(|(_, n)| n)
    }

    #[inline]
    fn size(&self, packet: &Packet) -> u32 {
        (packet.wire_size() + self.header).max(1)
    }

    /// Waiting SDUs.
    #[inline]
    pub fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// The queues have changed.
    #[inline]
    fn count(&mut self) {
        let header = u64::from(self.header);
        self.waiting = self.queues.iter().fold(Waiting::default(), |sum, queue| {
            let sdus = queue.packets();
            sum.plus(Waiting { sdus, bytes: queue.bytes() + u64::from(sdus) * header })
        });
        self.oldest = self.queues.iter().filter_map(Queue::oldest).min();
        if let Some(counts) = &self.counts {
            for packet in counts.again() {
                self.waiting.sdus += 1;
                self.waiting.bytes += u64::from(self.size(packet));
            }
            self.oldest = earlier(self.oldest, counts.oldest());
        }
        if let Some(sets) = self.sets.as_mut().filter(|sets| sets.counted != self.waiting.sdus) {
            sets.recount();
            let visit = &mut |packet: &mut Packet| sets.enter(SetKey::of(packet));
            self.queues.iter_mut().for_each(|queue| queue.for_each_waiting(visit));
        }
    }

    /// Begin of the wait of the oldest packet.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        self.oldest
    }

    /// Time of the next expiry of a packet's discard timer, or of a queue's wake-up.
    #[inline]
    pub fn next_wake(&self) -> Option<Time> {
        let oldest = match self.counts {
            None => self.oldest,
            Some(_) => earlier(self.oldest_new(), self.oldest_copy()),
        };
        let discard = self.discard_timer.and_then(|timer| Some(oldest? + timer));
        let queues = self.queues.iter().filter_map(Queue::next_wake).min();
        let next = earlier(discard, queues);
        match &self.sets {
            Some(sets) => earlier(next, sets.expiry()),
            None => next,
        }
    }

    /// Discards the packets whose timer has run out (TS 36.323, 5.4; TS 38.323, 5.3), and wakes the
    /// queues.
    pub fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        if let Some(timer) = self.discard_timer {
            self.discard(now, timer, cx);
        }
        for queue in &mut self.queues {
            if queue.next_wake().is_some_and(|due| due <= now) {
                cx.waiting_in(Stage::Pdcp, |cx| queue.wake(now, cx));
            }
        }
        self.count();
    }

    /// Discards the packets that have waited for so long.
    #[inline]
    pub fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        if self.sets.as_mut().is_some_and(|sets| sets.expire(now)) {
            self.drop_lost(now, cx);
        }
        if self.counts.is_some() {
            self.discard_copies_after(now, limit, cx);
        }
        if self.oldest_new().is_some_and(|oldest| now.saturating_since(oldest) >= limit) {
            let queues = self.queues.iter_mut();
            cx.waiting_in(Stage::Pdcp, |cx| queues.for_each(|queue| queue.discard(now, limit, cx)));
            self.count();
        }
    }

    /// Packets that RLC has taken so far.
    pub fn sent_packets(&self) -> u64 {
        self.books.sent.packets
    }

    /// Drops all that waits, for this cause.
    pub fn drop_all(&mut self, now: Time, cause: DropCause, cx: &mut Cx<'_>) {
        cx.dropping_for(cause, |cx| {
            self.queues.iter_mut().for_each(|queue| queue.discard(now, Duration::ZERO, cx));
        });
        self.drop_counted(cause, cx);
        self.count();
    }

    /// Calls `visit` for each packet that waits.
    pub fn for_each_waiting(&mut self, visit: &mut dyn FnMut(&mut Packet)) {
        if let Some(counts) = &mut self.counts {
            counts.again_mut().for_each(&mut *visit);
        }
        self.queues.iter_mut().for_each(|queue| queue.for_each_waiting(visit));
    }

    /// Packets that wait, and their bytes of IP.
    pub fn held(&self) -> Held {
        let again = self.counts.iter().map(|counts| counts.held());
        self.queues.iter().map(Queue::held).chain(again).fold(Held::default(), Held::plus)
    }

    /// Checks that RLC has what it took, and that no more is here or gone than entered.
    ///
    /// # Errors
    ///
    /// What does not fit.
    pub fn audit(&self, below: &Ledger) -> Result<(), String> {
        let (held, Ledger { received, sent, .. }) = (self.held(), self.books);
        let fits = sent.packets + held.packets <= received.packets
            && sent.bytes + held.bytes <= received.bytes;
        match fits && sent == below.received {
            true => Ok(()),
            false => Err(format!("{:?}, {held:?}, RLC took {:?}", self.books, below.received)),
        }
    }
}

mod copies;
mod of_sets;
mod split;
