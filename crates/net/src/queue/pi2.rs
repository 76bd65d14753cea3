//! The base controller of DualPI2: proportional integral, in terms of the square root
//! of the classic probability (RFC 9332, appendix A.1).

use airpath_base::{Duration, Time};

use super::ticks::Ticks;

/// Parameters of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pi2Config {
    /// Delay that it aims at.
    pub target: Duration,
    /// Distance of updates.
    pub update: Duration,
    /// Integral gain, in hertz.
    pub alpha: f64,
    /// Proportional gain, in hertz.
    pub beta: f64,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Pi2 {
    config: Pi2Config,
    ticks: Ticks,
    base: f64,
    last: Duration,
}

impl Pi2Config {
    /// Parameters for a target, a distance of updates and the longest expected round trip R: gains
    /// of 0.1 T / R^2 and 0.3 / R (RFC 9332, figure 2). The figure has the target as T, the
    /// recommended values 16 ms.
    pub fn for_rtt(target: Duration, update: Duration, longest_rtt: Duration) -> Pi2Config {
        let (step, rtt) = (update.as_secs_f64(), longest_rtt.as_secs_f64());
        Pi2Config { target, update, alpha: 0.1 * step / (rtt * rtt), beta: 0.3 / rtt }
    }
}

impl Default for Pi2Config {
    /// Target 15 ms, updates each 16 ms, gains 0.16 Hz and 3.2 Hz (RFC 9332, A.1;
    /// Linux, `sch_dualpi2`).
    fn default() -> Pi2Config {
        Pi2Config {
            target: Duration::from_millis(15),
            update: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
        }
    }
}

impl Pi2 {
    /// A controller at rest.
    pub fn new(config: Pi2Config) -> Pi2 {
        Pi2 { config, ticks: Ticks::new(config.update), base: 0.0, last: Duration::ZERO }
    }

    /// Aims at another delay from the next update on.
    pub fn set_target(&mut self, target: Duration) {
        self.config.target = target;
    }

    /// The base probability p' after the last update.
    pub fn base(&self) -> f64 {
        self.base
    }

    /// True if updates are due.
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        self.ticks.is_due(now)
    }

    /// Makes up for the updates since the last call, during which the packet that
    /// arrived at `oldest` was the oldest in the queue.
    #[inline]
    pub fn catch_up(&mut self, now: Time, oldest: Option<Time>) {
        while let Some(at) = self.ticks.due(now) {
            let delay = age(oldest, at);
            self.step(delay);
            let idle = oldest.is_none() && self.base == 0.0;
            let stuck = self.base >= 1.0 && delay > self.config.target;
            if idle || stuck {
                // Nothing would change any more, but for the age of the queue.
                if let Some(last) = self.ticks.skip(now) {
                    self.last = age(oldest, last);
                }
            }
        }
    }

    /// One update with the present delay (RFC 9332, figure 6).
    fn step(&mut self, delay: Duration) {
        let [now, last, goal] = [delay, self.last, self.config.target].map(Duration::as_secs_f64);
        let change = self.config.alpha * (now - goal) + self.config.beta * (now - last);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.last = delay;
    }
}

fn age(oldest: Option<Time>, at: Time) -> Duration {
    oldest.map_or(Duration::ZERO, |since| at.saturating_since(since))
}

#[cfg(test)]
#[path = "pi2_tests.rs"]
mod tests;
