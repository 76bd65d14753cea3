//! A marking probability that rises linearly with the queueing delay and is smoothed:
//! the marker of "L4S in 5G networks" (D. Brunello, 2020; chapter 4.2).
//!
//! `tmp = clamp((delay - low) / (high - low), 0, 1)`,
//! `p = alpha * tmp + (1 - alpha) * p`, once each 5 ms. A tick sees the queue as it was just
//! before that instant. Where nothing waits, or the delay can only stay above the upper
//! threshold, a probability within 1e-12 of 0 or 1 is taken to be there.
//!
//! The thesis suggests in chapter 7.2 that marking could also follow the available physical
//! resources, and gives no rule. The rule here is this model's own. It concerns an update before
//! which the cell had more than a given share of its resource blocks free. `tmp` is then 1 for a
//! delay above `high` and 0 for any other. A queue that grows while there is room waits for a
//! grant, not for other UEs, and a slower sender would not shorten that wait.

use airpath_base::random::Stream;
use airpath_base::{Duration, Time};
use airpath_schema::{above, above_to, record};

use super::ticks::Ticks;
use super::without;
use crate::{ChangeError, QueueChange};

/// A probability this near to where it goes, and stays, is there.
const SETTLED: f64 = 1e-12;

record! {
    /// Parameters of the ramp.
    #[derive(Copy)]
    pub struct RampConfig: Default {
        /// Delay up to which nothing is marked. Default: 5 ms, as a queue of kind "ramp".
        low: Duration = Duration::from_millis(5);
        /// Delay from which everything is marked. Default: 10 ms, as a queue of kind "ramp".
        high: Duration = Duration::from_millis(10);
        /// Weight of the present delay in the probability. Default: 0.25, as a queue of kind
        /// "ramp".
        alpha: f64 = 0.25 => above_to(0.0, 1.0);
        /// Time between updates. Default: 5 ms, as a queue of kind "ramp".
        update: Duration = Duration::from_millis(5) => above(Duration::ZERO);
    }    beside {
        /// Share of free resource blocks, 0 to 1, above which nothing is marked up to `high`;
        /// `None` if the share does not count.
        free_above: Option<f64> = None;
    }
}

/// The marker.
#[derive(Clone, Debug)]
pub struct Ramp {
    config: RampConfig,
    ticks: Ticks,
    draws: Stream,
    probability: f64,
    free: Free,
    /// True if the ramp decides for no mark.
    off: bool,
}

/// Reports of free resource blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Free {
    /// Time of the last report.
    until: Time,
    /// Sum, since the last update, of the shares by their time, in nanoseconds, and that time.
    sum: f64,
    span: Duration,
    /// The mean before the last update for which there was one.
    share: f64,
}

impl Free {
    /// `share` was free since the last report.
    fn report(&mut self, now: Time, share: f64) {
        let span = now.saturating_since(self.until);
        self.sum += share * span.as_nanos() as f64;
        self.span += span;
        self.until = now;
    }

    /// Mean since the last update; the mean of the update before if there was no report.
    fn take(&mut self) -> f64 {
        if !self.span.is_zero() {
            self.share = self.sum / self.span.as_nanos() as f64;
            (self.sum, self.span) = (0.0, Duration::ZERO);
        }
        self.share
    }
}

impl RampConfig {
    /// The probability at this delay before it is smoothed (equation 4.1).
    pub fn instantaneous(&self, delay: Duration) -> f64 {
        let span = self.high.saturating_sub(self.low);
        if span.is_zero() {
            return if delay > self.high { 1.0 } else { 0.0 };
        }
        let above = delay.saturating_sub(self.low);
        (above.as_secs_f64() / span.as_secs_f64()).min(1.0)
    }

    /// Probability of a mark at a delay, with such a share of the resource blocks free.
    fn goal(&self, delay: Duration, free: f64) -> f64 {
        match self.free_above {
            Some(most) if free > most => f64::from(u8::from(delay > self.high)),
            _ => self.instantaneous(delay),
        }
    }
}

impl Ramp {
    /// A marker; decisions are drawn from `draws`.
    pub fn new(config: RampConfig, draws: Stream) -> Ramp {
        let (ticks, free) = (Ticks::new(config.update), Free::default());
        Ramp { ticks, config, draws, probability: 0.0, free, off: false }
    }

    /// True if [`set_free`](Ramp::set_free) makes a difference.
    pub fn wants_free(&self) -> bool {
        self.config.free_above.is_some()
    }

    /// `share` of the resource blocks has been free since the last call; an update at `now`
    /// counts it. `oldest` as in [`catch_up`](Ramp::catch_up).
    pub fn set_free(&mut self, now: Time, oldest: Option<Time>, share: f64) {
        self.catch_up(now.saturating_sub(Duration::from_nanos(1)), oldest);
        self.free.report(now, share);
    }

    /// Makes up for the updates since the last call, during which the packet that
    /// arrived at `oldest` was the oldest in the queue.
    #[inline]
    pub fn catch_up(&mut self, now: Time, oldest: Option<Time>) {
        while let Some(at) = self.ticks.due(now) {
            let delay = oldest.map_or(Duration::ZERO, |since| at.saturating_since(since));
            let goal = self.config.goal(delay, self.free.take());
            let alpha = self.config.alpha;
            self.probability = alpha * goal + (1.0 - alpha) * self.probability;
            let stays = oldest.is_none() || goal >= 1.0;
            if stays && (self.probability - goal).abs() < SETTLED {
                self.probability = goal;
                self.ticks.skip(now);
            }
        }
    }

    /// The probability after the last update (equation 4.2).
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// True if the next packet is to be marked.
    #[inline]
    pub fn decide(&mut self) -> bool {
        !self.off && self.probability > 0.0 && self.draws.chance(self.probability)
    }

    /// Something about it becomes different, for the updates that have not been made up for too.
    /// Switched off, it goes on computing its probability.
    ///
    /// # Errors
    ///
    /// If it has no such thing.
    pub fn change(&mut self, change: QueueChange) -> Result<(), ChangeError> {
        match change {
            QueueChange::Marking(on) => self.off = !on,
            QueueChange::Low(low) => self.config.low = low,
            QueueChange::High(high) => self.config.high = high,
            _ => return Err(without(change)),
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "ramp_tests.rs"]
mod tests;
