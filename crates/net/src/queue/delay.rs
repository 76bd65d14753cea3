//! A queue whose signals depend on the age of its oldest packet: a marking ramp, the drop of
//! packets that are too old, or both. Source: D. Brunello, "L4S in 5G networks", 2020; chapters 4.2
//! and 4.3.

use airpath_base::random::Stream;
use airpath_base::{Duration, Time};

use super::fifo::of_one_fifo;
use super::signal::{mark, signal};
use super::{Fifo, Limit, Queue, Ramp, RampConfig, without};
use crate::{ChangeError, Cx, DropCause, Packet, QueueChange};

/// End of the queue whose packets are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// Packets that leave: the signal is not delayed by the queue.
    Head,
    /// Packets that arrive, as when the queue itself is out of reach.
    #[default]
    Tail,
}

/// Rule by which packets are too old; it is applied each time that a packet is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgeConfig {
    /// Age above which the oldest packet, and no other, is dropped: 100 ms.
    pub one: Duration,
    /// Age above which all packets are dropped: 500 ms.
    pub all: Duration,
    /// Least distance of drops of one packet: none.
    pub spacing: Duration,
}

/// Parameters of a queue that looks at ages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayConfig {
    /// The marking ramp, if there is one.
    pub ramp: Option<RampConfig>,
    /// End of the queue whose packets the ramp marks.
    pub end: End,
    /// True if the ramp drops packets that it cannot mark; otherwise they pass.
    pub drop_not_ect: bool,
    /// The drop by age, if there is one.
    pub age: Option<AgeConfig>,
    /// Limit of the queue.
    pub limit: Limit,
}

/// A queue that looks at ages.
#[derive(Debug)]
pub struct DelayQueue {
    fifo: Fifo,
    ramp: Option<Ramp>,
    /// Earliest time of the next drop for age.
    next_drop: Time,
    config: DelayConfig,
}

impl Default for AgeConfig {
    /// The values of the thesis, chapter 4.3.
    fn default() -> AgeConfig {
        AgeConfig {
            one: Duration::from_millis(100),
            all: Duration::from_millis(500),
            spacing: Duration::ZERO,
        }
    }
}

impl Default for DelayConfig {
    /// The thesis' ramp at the tail, no drops by age, no limit.
    fn default() -> DelayConfig {
        let (ramp, end) = (Some(RampConfig::default()), End::Tail);
        DelayConfig { ramp, end, drop_not_ect: false, age: None, limit: Limit::NONE }
    }
}

impl DelayQueue {
    /// An empty queue; marks are drawn from `draws`.
    pub fn new(config: DelayConfig, draws: Stream) -> DelayQueue {
        let ramp = config.ramp.map(|ramp| Ramp::new(ramp, draws));
        DelayQueue { fifo: Fifo::new(), ramp, next_drop: Time::ZERO, config }
    }

    /// The probability of the ramp.
    pub fn probability(&self) -> f64 {
        self.ramp.as_ref().map_or(0.0, Ramp::probability)
    }

    pub(super) fn catch_up(&mut self, now: Time) {
        if let Some(ramp) = &mut self.ramp {
            ramp.catch_up(now, self.fifo.oldest());
        }
    }

    /// Signals at one end; `None` if the packet was dropped.
    fn signalled(&mut self, end: End, mut packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        if end != self.config.end || !self.ramp.as_mut().is_some_and(Ramp::decide) {
            return Some(packet);
        }
        if self.config.drop_not_ect {
            return signal(packet, true, cx);
        }
        mark(&mut packet, cx);
        Some(packet)
    }

    fn drop_old(&mut self, now: Time, age: AgeConfig, cx: &mut Cx<'_>) {
        let mut spared = now < self.next_drop;
        while let Some(since) = self.fifo.oldest() {
            let waited = now.saturating_since(since);
            if waited <= age.one || (waited <= age.all && spared) {
                return;
            }
            if waited <= age.all {
                spared = true;
                self.next_drop = now + age.spacing;
            }
            if let Some(oldest) = self.fifo.pop() {
                cx.drop(oldest.packet, DropCause::Aqm);
            }
        }
    }
}

impl Queue for DelayQueue {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        self.catch_up(now);
        let size = packet.wire_size();
        if !self.config.limit.admits(self.fifo.packets(), self.fifo.bytes(), size) {
            return cx.drop(packet, DropCause::QueueFull);
        }
        if let Some(packet) = self.signalled(End::Tail, packet, cx) {
            self.fifo.push(now, packet);
        }
    }

    fn dequeue(&mut self, now: Time, cx: &mut Cx<'_>) -> Option<Packet> {
        self.catch_up(now);
        if let Some(age) = self.config.age {
            self.drop_old(now, age, cx);
        }
        loop {
            let oldest = self.fifo.pop()?;
            if let Some(packet) = self.signalled(End::Head, oldest.packet, cx) {
                return Some(packet);
            }
        }
    }

    of_one_fifo!();

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.fifo.discard(now, limit, cx);
    }

    fn wants_free_resources(&self) -> bool {
        self.ramp.as_ref().is_some_and(Ramp::wants_free)
    }

    fn set_free_resources(&mut self, now: Time, share: f64) {
        if let Some(ramp) = &mut self.ramp {
            ramp.set_free(now, self.fifo.oldest(), share);
        }
    }

    fn change(&mut self, now: Time, change: QueueChange) -> Result<(), ChangeError> {
        self.catch_up(now);
        match &mut self.ramp {
            Some(ramp) => ramp.change(change),
            None => Err(without(change)),
        }
    }
}

#[cfg(test)]
#[path = "delay_tests.rs"]
mod tests;
