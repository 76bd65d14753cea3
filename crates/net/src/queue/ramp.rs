//! A marking probability that rises linearly with the queueing delay and is smoothed:
//! the marker of "L4S in 5G networks" (D. Brunello, 2020; chapter 4.2).
//!
//! `tmp = clamp((delay - low) / (high - low), 0, 1)`,
//! `p = alpha * tmp + (1 - alpha) * p`, once each 5 ms. It stands apart from any queue,
//! so that a marker can sit where the queue is not (PDCP marks what waits at RLC).

use airpath_base::random::Stream;
use airpath_base::{Duration, Time};

use super::ticks::Ticks;

/// A probability this near to where it goes is there.
const SETTLED: f64 = 1e-12;

/// Parameters of the ramp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RampConfig {
    /// Delay up to which nothing is marked: 5 ms.
    pub low: Duration,
    /// Delay from which everything is marked: 10 ms.
    pub high: Duration,
    /// Weight of the present delay, above 0 and at most 1: 0.25.
    pub alpha: f64,
    /// Distance of updates: 5 ms.
    pub update: Duration,
}

/// The marker.
#[derive(Clone, Debug)]
pub struct Ramp {
    config: RampConfig,
    ticks: Ticks,
    draws: Stream,
    probability: f64,
}

impl Default for RampConfig {
    /// The values with which the thesis' main results were obtained (chapter 5.3).
    fn default() -> RampConfig {
        RampConfig {
            low: Duration::from_millis(5),
            high: Duration::from_millis(10),
            alpha: 0.25,
            update: Duration::from_millis(5),
        }
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
}

impl Ramp {
    /// A marker; decisions are drawn from `draws`.
    pub fn new(config: RampConfig, draws: Stream) -> Ramp {
        Ramp { ticks: Ticks::new(config.update), config, draws, probability: 0.0 }
    }

    /// Makes up for the updates since the last call, during which the packet that
    /// arrived at `oldest` was the oldest in the queue.
    #[inline]
    pub fn catch_up(&mut self, now: Time, oldest: Option<Time>) {
        while let Some(at) = self.ticks.due(now) {
            let delay = oldest.map_or(Duration::ZERO, |since| at.saturating_since(since));
            let goal = self.config.instantaneous(delay);
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

    /// Whether the next packet is to be marked.
    #[inline]
    pub fn decide(&mut self) -> bool {
        self.probability > 0.0 && self.draws.chance(self.probability)
    }
}

#[cfg(test)]
#[path = "ramp_tests.rs"]
mod tests;
