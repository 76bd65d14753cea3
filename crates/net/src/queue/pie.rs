//! PIE: proportional integral controller enhanced (RFC 8033).
//!
//! PIE drops or marks at arrival with a probability that a controller updates from the queueing
//! delay. The delay is the age of the oldest packet (timestamps, RFC 8033, 4.3), so no departure
//! rate needs to be estimated. Left out: byte mode and switching off below a threshold (RFC 8033,
//! 5.3), and the jump that Linux adds above 250 ms.

use airpath_base::random::Stream;
use airpath_base::{Duration, Time};
use airpath_schema::{above, at_least, between, record};

use super::fifo::of_one_fifo;
use super::signal::signal;
use super::ticks::Ticks;
use super::{Fifo, Limit, Queue, ticks, without};
use crate::{ChangeError, Cx, DropCause, Packet, QueueChange};

/// Two packets of this size are no queue (RFC 8033, 4.1).
const MEAN_PACKET: u64 = 1_500;

record! {
    /// Proportional integral controller enhanced.
    #[derive(Copy)]
    pub struct PieConfig: Default {
        /// Delay that it aims at. Default: 15 ms (RFC 8033, 4.2).
        target: Duration = Duration::from_millis(15) => above(Duration::ZERO);
        /// Time between updates. Default: 15 ms (RFC 8033, 4.2).
        update: Duration = Duration::from_millis(15) => at_least(ticks::SHORTEST);
        /// Length of a burst that passes unharmed. Default: 150 ms (RFC 8033, 4.4).
        burst: Duration = Duration::from_millis(150);
        /// Weight of the distance from the target, in hertz. Default: 0.125
        /// (RFC 8033, 4.2).
        alpha: f64 = 0.125 => between(0.0, 1_000.0);
        /// Weight of the change of the delay, in hertz. Default: 1.25 (RFC 8033, 4.2).
        beta: f64 = 1.25 => between(0.0, 1_000.0);
        /// Treatment of ECN-capable packets: true marks them, false drops them. Default: true (RFC
        /// 8033, 5.1).
        ecn: bool = true;
        /// Probability above which ECN-capable packets are dropped all the same. Default: 0.1 (RFC
        /// 8033, 5.1).
        ecn_threshold: f64 = 0.1 => between(0.0, 1.0);
        /// Keeps a least distance between drops. Default: true (RFC 8033, 5.4).
        derandomise: bool = true;
        /// Limit of the queue in packets or bytes. Default: 1000 packets (Linux, `sch_pie`).
        limit: Limit = Limit::packets(1000);
    }
}

/// A queue under PIE.
#[derive(Debug)]
pub struct Pie {
    config: PieConfig,
    fifo: Fifo,
    ticks: Ticks,
    draws: Stream,
    probability: f64,
    /// Delay at the last update.
    last: Duration,
    burst_left: Duration,
    /// Probabilities summed up since the last drop.
    accumulated: f64,
}

/// Divisor of a step while the probability is small (RFC 8033, 4.2).
fn scale(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    let found = STEPS.iter().find(|(below, _)| probability < *below);
    found.map_or(1.0, |(_, divisor)| *divisor)
}

impl Pie {
    /// An empty queue; drops are drawn from `draws`.
    pub fn new(config: PieConfig, draws: Stream) -> Pie {
        Pie {
            fifo: Fifo::new(),
            ticks: Ticks::new(config.update),
            draws,
            probability: 0.0,
            last: Duration::ZERO,
            burst_left: config.burst,
            accumulated: 0.0,
            config,
        }
    }

    /// The probability with which packets are dropped or marked now.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Makes up for the updates since the last call.
    fn catch_up(&mut self, now: Time) {
        while let Some(at) = self.ticks.due(now) {
            let delay = self.delay(at);
            self.step(delay);
            let idle = self.probability == 0.0 && delay.is_zero() && self.fifo.is_empty();
            let stuck = self.probability >= 1.0 && delay > self.config.target;
            if (idle || stuck) && self.burst_left_is_settled(idle) {
                // Nothing would change any more, but for the age of the queue.
                if let Some(last) = self.ticks.skip(now) {
                    self.last = self.delay(last);
                }
            }
        }
    }

    fn burst_left_is_settled(&self, idle: bool) -> bool {
        if idle { self.burst_left == self.config.burst } else { self.burst_left.is_zero() }
    }

    fn delay(&self, at: Time) -> Duration {
        self.fifo.oldest().map_or(Duration::ZERO, |since| at.saturating_since(since))
    }

    /// One update (RFC 8033, 4.2, with the cap of 5.5 and the burst of 4.4).
    fn step(&mut self, delay: Duration) {
        let PieConfig { target, update, burst, alpha, beta, .. } = self.config;
        let [now, last, goal] = [delay, self.last, target].map(Duration::as_secs_f64);
        let change = (alpha * (now - goal) + beta * (now - last)) / scale(self.probability);
        let change = if self.probability >= 0.1 { change.min(0.02) } else { change };
        let mut probability = self.probability + change;
        if delay.is_zero() && self.last.is_zero() {
            probability *= 0.98;
        }
        self.probability = probability.clamp(0.0, 1.0);
        self.burst_left = self.burst_left.saturating_sub(update);
        if self.probability == 0.0 {
            self.accumulated = 0.0;
            let low = Duration::from_nanos(target.as_nanos() / 2);
            if delay < low && self.last < low {
                self.burst_left = burst;
            }
        }
        self.last = delay;
    }

    /// True if the arriving packet is to be dropped or marked (RFC 8033, 4.1, 5.4).
    fn signals(&mut self) -> bool {
        let low = Duration::from_nanos(self.config.target.as_nanos() / 2);
        if !self.burst_left.is_zero()
            || (self.last < low && self.probability < 0.2)
            || self.fifo.bytes() <= 2 * MEAN_PACKET
        {
            return false;
        }
        let signals = if self.config.derandomise {
            self.accumulated += self.probability;
            self.accumulated >= 0.85
                && (self.accumulated >= 8.5 || self.draws.chance(self.probability))
        } else {
            self.draws.chance(self.probability)
        };
        if signals {
            self.accumulated = 0.0;
        }
        signals
    }
}

impl Queue for Pie {
    fn enqueue(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        self.catch_up(now);
        let size = packet.wire_size();
        if !self.config.limit.admits(self.fifo.packets(), self.fifo.bytes(), size) {
            return cx.drop(packet, DropCause::QueueFull);
        }
        let kept = if self.signals() {
            let ecn = self.config.ecn && self.probability <= self.config.ecn_threshold;
            signal(packet, ecn, cx)
        } else {
            Some(packet)
        };
        if let Some(packet) = kept {
            self.fifo.push(now, packet);
        }
    }

    fn dequeue(&mut self, now: Time, _cx: &mut Cx<'_>) -> Option<Packet> {
        self.catch_up(now);
        self.fifo.pop().map(|oldest| oldest.packet)
    }

    of_one_fifo!();

    fn discard(&mut self, now: Time, limit: Duration, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.fifo.discard(now, limit, cx);
    }

    fn drop_where(&mut self, now: Time, which: super::Which<'_>, cx: &mut Cx<'_>) {
        self.catch_up(now);
        self.fifo.drop_where(which, cx);
    }

    fn change(&mut self, now: Time, change: QueueChange) -> Result<(), ChangeError> {
        self.catch_up(now);
        match change {
            QueueChange::Target(target) => self.config.target = target,
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "pie_tests.rs"]
mod tests;
