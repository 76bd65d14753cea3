//! A queue whose signals depend on the age of its oldest packet: a marking ramp, the drop of
//! packets that are too old, or both. Source: D. Brunello, "L4S in 5G networks", 2020; chapters 4.2
//! and 4.3.

use airpath_base::random::Stream;
use airpath_base::{Duration, Time};
use airpath_schema::{above_to, at_least, between, choice, record};

use super::fifo::of_one_fifo;
use super::signal::{mark, signal};
use super::{Fifo, Limit, Queue, Ramp, RampConfig, ticks, without};
use crate::{ChangeError, Cx, DropCause, Packet, QueueChange};

choice! {
    /// One end of a queue.
    pub enum End {
        /// Packets that leave.
        Head = "head",
        /// Packets that arrive.
        Tail = "tail",
    }
}

choice! {
    /// Condition for another drop of one packet.
    pub enum Again {
        /// The age of the oldest packet has been at or below the lower age since the last such
        /// drop, or the queue has been empty.
        Below = "below",
    }
}

record! {
    /// Ages at which packets are too old.
    #[derive(Copy)]
    pub struct AgeConfig: Default {
        /// Age above which the oldest packet, and no other, is dropped each time that a
        /// packet is to be sent. Default: 100 ms (chapter 4.3).
        one: Duration = Duration::from_millis(100);
        /// Age above which all packets are dropped. Default: 500 ms (chapter 4.3).
        all: Duration = Duration::from_millis(500);
        /// Least distance of drops of one packet. Default: 0 s; the thesis has none.
        spacing: Duration = Duration::ZERO;
        /// Condition for another drop of one packet: "below" is one drop for each rise of the oldest
        /// packet's age above `one`. Not beside `spacing`. Default: none, a drop each time that a
        /// packet is to be sent. Chapter 4.3 names the age alone, which both follow.
        again: Option<Again>;
    }
}

record! {
    /// A marking ramp.
    #[derive(Copy)]
    pub struct RampOptions: Default {
        /// Delay up to which nothing is marked. Default: 5 ms (chapter 5.3).
        low: Duration = Duration::from_millis(5);
        /// Delay from which everything is marked. Default: 10 ms (chapter 5.3).
        high: Duration = Duration::from_millis(10);
        /// Weight of the present delay in the probability. Default: 0.25 (chapter 5.3).
        alpha: f64 = 0.25 => above_to(0.0, 1.0);
        /// Time between updates. Default: 5 ms (chapter 4.2).
        update: Duration = Duration::from_millis(5) => at_least(ticks::SHORTEST);
        /// End of the queue whose packets are marked. Default: "tail" (chapter 4.2).
        end: End = End::Tail;
        /// Drops packets that cannot be marked where others are marked. Default: false: the ramp
        /// only marks.
        drop_not_ect: bool = false;
        /// Share of the cell's resource blocks. While more is free, only packets that find the
        /// oldest above `high` count for the probability (no source: chapter 7.2 has the idea
        /// alone). For a queue of a bearer. Default: none, the share does not count.
        free_above: Option<f64> => between(0.0, 1.0);
        /// Drops of what has waited too long. Default: none.
        age: Option<AgeConfig>;
        /// Limit of the queue in packets or bytes. Default: "unlimited" (chapter 4.3).
        limit: Limit = Limit::NONE;
    }
}

record! {
    /// A queue that drops what has waited too long.
    #[derive(Copy)]
    pub struct AgeOptions: Default {
        /// Age above which the oldest packet, and no other, is dropped each time that a packet is
        /// to be sent. Default: 100 ms (chapter 4.3).
        one: Duration = Duration::from_millis(100);
        /// Age above which all packets are dropped. Default: 500 ms (chapter 4.3).
        all: Duration = Duration::from_millis(500);
        /// Least time between two drops of one packet. Default: 0 s; the thesis has none.
        spacing: Duration = Duration::ZERO;
        /// Condition for another drop of one packet: "below" is one drop for each rise of the oldest
        /// packet's age above `one`. Not beside `spacing`. Default: none, a drop each time that a
        /// packet is to be sent. Chapter 4.3 names the age alone, which both follow.
        again: Option<Again>;
        /// Limit of the queue in packets or bytes. Default: "unlimited" (chapter 4.3).
        limit: Limit = Limit::NONE;
    }
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
    /// Time from which on the oldest packet has not changed.
    settled: Time,
    config: DelayConfig,
}

impl Default for DelayConfig {
    /// The thesis' ramp at the tail, no drops by age, no limit.
    fn default() -> DelayConfig {
        let (ramp, end) = (Some(RampConfig::default()), End::Tail);
        DelayConfig { ramp, end, drop_not_ect: false, age: None, limit: Limit::NONE }
    }
}

impl RampOptions {
    /// The queue with these options.
    pub fn config(&self) -> DelayConfig {
        let &RampOptions { low, high, alpha, update, free_above, .. } = self;
        let &RampOptions { end, drop_not_ect, age, limit, .. } = self;
        let ramp = Some(RampConfig { low, high, alpha, update, free_above });
        DelayConfig { ramp, end, drop_not_ect, age, limit }
    }
}

impl AgeOptions {
    /// The queue with these options.
    pub fn config(&self) -> DelayConfig {
        let age = Some(self.age());
        DelayConfig { ramp: None, age, limit: self.limit, ..DelayConfig::default() }
    }

    /// The rule of drops by age.
    pub fn age(&self) -> AgeConfig {
        let &AgeOptions { one, all, spacing, again, .. } = self;
        AgeConfig { one, all, spacing, again }
    }
}

impl DelayQueue {
    /// An empty queue; marks are drawn from `draws`.
    pub fn new(config: DelayConfig, draws: Stream) -> DelayQueue {
        let ramp = config.ramp.map(|ramp| Ramp::new(ramp, draws));
        let (next_drop, settled) = (Time::ZERO, Time::ZERO);
        DelayQueue { fifo: Fifo::new(), ramp, next_drop, settled, config }
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

    /// Allows another drop of one packet if the oldest was young when it became the oldest. Its age
    /// falls in calls that take packets out, and in no others.
    fn rearm(&mut self, now: Time, age: AgeConfig) {
        let settled = std::mem::replace(&mut self.settled, now);
        let young = |since: Time| settled.saturating_since(since) <= age.one;
        if age.again.is_some() && self.fifo.oldest().is_some_and(young) {
            self.next_drop = Time::ZERO;
        }
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
                self.next_drop = age.again.map_or(now + age.spacing, |Again::Below| Time::MAX);
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
            self.rearm(now, age);
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
        if let Some(age) = self.config.age {
            self.rearm(now, age);
        }
        self.fifo.discard(now, limit, cx);
    }

    fn drop_where(&mut self, now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.fifo.drop_where(which, cx);
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
