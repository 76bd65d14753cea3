//! RED: random early detection (Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993), with
//! the gentle option (Floyd, 2000) and ECN (RFC 3168, 7).
//!
//! RED compares a moving average of the queue's length with two thresholds when a packet arrives.
//! In idle times, the average decays. The paper takes the transmission time of a packet for this
//! decay. This queue, which knows no rate, takes the mean distance at which packets last left. Left
//! out: the byte mode that favours small packets, which RFC 7141 advises against, and Adaptive RED.

use airpath_base::random::Stream;
use airpath_base::{Duration, Time, math};
use airpath_schema::units::Length;
use airpath_schema::{above_to, record};

use super::fifo::of_one_fifo;
use super::signal::signal;
use super::{Fifo, Limit, Queue};
use crate::{Cx, DropCause, Packet};

record! {
    /// Random early detection.
    #[derive(Copy)]
    pub struct RedConfig: Default {
        /// Average length below which nothing is done. Default: 5 packets (Floyd, 1997).
        min: Length = Length::Packets(5);
        /// Average length from which the probability is no longer that of the slope, in
        /// the unit of `min`. Default: 15 packets, three times the lower one (Floyd, 1997).
        max: Length = Length::Packets(15);
        /// Weight of the present length in the average. Default: 0.002 (Floyd and
        /// Jacobson, 1993).
        weight: f64 = 0.002 => above_to(0.0, 1.0);
        /// Probability when the average reaches `max`. Default: 0.1 (Floyd, 1997).
        max_probability: f64 = 0.1 => above_to(0.0, 1.0);
        /// Lets the probability rise to 1 between `max` and twice that, instead of a jump. Default:
        /// true (Floyd, 2000).
        gentle: bool = true;
        /// Treatment of ECN-capable packets: true marks them, false drops them. Default: true (RFC
        /// 3168, 7).
        ecn: bool = true;
        /// Limit of the queue in packets or bytes. Default: 1000 packets, as without RED.
        limit: Limit = Limit::packets(1000);
    }
}

/// A queue under RED.
#[derive(Debug)]
pub struct Red {
    config: RedConfig,
    fifo: Fifo,
    draws: Stream,
    average: f64,
    /// Packets since the last signal, if the average is between the thresholds.
    count: Option<u32>,
    pace: Pace,
}

/// Rate at which packets leave, and the begin of an idle time.
#[derive(Debug, Default)]
struct Pace {
    idle_since: Option<Time>,
    last_out: Option<Time>,
    packet_time: Option<Duration>,
}

/// Decision on a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    Pass,
    /// Mark or drop.
    Signal,
    /// Drop even if it is ECN-capable (RFC 3168, 7).
    Drop,
}

impl RedConfig {
    /// The probability at this average, before it is spread (p_b of the paper); `None`
    /// if everything is dropped.
    pub fn probability(&self, average: f64) -> Option<f64> {
        let (min, max) = (self.min.count(), self.max.count());
        if average < min {
            return Some(0.0);
        }
        if average < max {
            let share = (average - min) / (max - min);
            return Some(self.max_probability * share);
        }
        if self.gentle && average < 2.0 * max {
            let share = (average - max) / max;
            return Some(self.max_probability + (1.0 - self.max_probability) * share);
        }
        None
    }
}

impl Pace {
    /// A packet has left, and `remain` are still there.
    fn left(&mut self, now: Time, remain: u32) {
        if let Some(last) = self.last_out {
            let gap = now.saturating_since(last);
            let smooth = |old: Duration| (old * 7 + gap) / 8;
            self.packet_time = Some(self.packet_time.map_or(gap, smooth));
        }
        self.last_out = (remain > 0).then_some(now);
        self.idle_since = (remain == 0).then_some(now);
    }

    /// The last packets have gone, but not to be sent.
    fn emptied(&mut self, now: Time) {
        self.last_out = None;
        self.idle_since = self.idle_since.or(Some(now));
    }

    /// Packets that could have left while there were none.
    fn missed(&mut self, now: Time) -> f64 {
        let idle = self.idle_since.map(|since| now.saturating_since(since));
        self.idle_since = self.idle_since.map(|_| now);
        let packet_time = self.packet_time.filter(|time| !time.is_zero());
        match (idle, packet_time) {
            (Some(idle), Some(time)) => idle.as_secs_f64() / time.as_secs_f64(),
            _ => 0.0,
        }
    }
}

impl Red {
    /// An empty queue; drops are drawn from `draws`.
    pub fn new(config: RedConfig, draws: Stream) -> Red {
        let (fifo, pace) = (Fifo::new(), Pace::default());
        Red { config, fifo, draws, average: 0.0, count: None, pace }
    }

    /// The moving average of the length.
    pub fn average(&self) -> f64 {
        self.average
    }

    fn update_average(&mut self, now: Time) {
        if self.fifo.is_empty() {
            let missed = self.pace.missed(now);
            self.average *= math::pow(1.0 - self.config.weight, missed);
            return;
        }
        let length = match self.config.min {
            Length::Packets(_) => f64::from(self.fifo.packets()),
            Length::Bytes(_) => self.fifo.bytes() as f64,
        };
        self.average += self.config.weight * (length - self.average);
    }

    fn verdict(&mut self) -> Verdict {
        let Some(base) = self.config.probability(self.average) else {
            self.count = Some(0);
            return Verdict::Drop;
        };
        if self.average < self.config.min.count() {
            self.count = None;
            return Verdict::Pass;
        }
        let count = self.count.map_or(0, |count| count.saturating_add(1));
        let left = 1.0 - f64::from(count) * base;
        let probability = if left > base { base / left } else { 1.0 };
        let signals = base > 0.0 && self.draws.chance(probability);
        self.count = Some(if signals { 0 } else { count });
        if signals { Verdict::Signal } else { Verdict::Pass }
    }
}

impl Queue for Red {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        self.update_average(now);
        let size = packet.wire_size();
        if !self.config.limit.admits(self.fifo.packets(), self.fifo.bytes(), size) {
            self.count = Some(0);
            return cx.drop(packet, DropCause::QueueFull);
        }
        let kept = match self.verdict() {
            Verdict::Pass => Some(packet),
            Verdict::Signal => signal(packet, self.config.ecn, cx),
            Verdict::Drop => signal(packet, false, cx),
        };
        if let Some(packet) = kept {
            self.fifo.push(now, packet);
        }
    }

    fn dequeue(&mut self, now: Time, _cx: &mut Cx<'_>) -> Option<Packet> {
        let oldest = self.fifo.pop()?;
        self.pace.left(now, self.fifo.packets());
        Some(oldest.packet)
    }

    of_one_fifo!();

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.fifo.discard(now, limit, cx);
        if self.fifo.is_empty() {
            self.pace.emptied(now);
        }
    }

    fn drop_where(&mut self, now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        let had = !self.fifo.is_empty();
        self.fifo.drop_where(which, cx);
        if had && self.fifo.is_empty() {
            self.pace.emptied(now);
        }
    }
}

#[cfg(test)]
#[path = "red_tests.rs"]
mod tests;
