//! Synthetic capacity: a process by parameters, as a recording in mahimahi's format.
//!
//! The logarithm of the rate is normal and autoregressive of the first order. The rate changes at
//! the end of each step. The in-depth study of LTE replays such a variation in its testbed each 500
//! ms (6.3), and publishes no more of it. The study's data states the meaning of the process.

use std::fmt::Write as _;

use airpath_base::math;
use airpath_base::random::Seed;
use serde::Deserialize;

/// Bits of an opportunity (mahimahi's format).
const OPPORTUNITY: f64 = 12_000.0;

/// A capacity process.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Process {
    /// Median rate in Mbit/s.
    pub(crate) median_mbps: f64,
    /// Standard deviation of the rate's natural logarithm.
    pub(crate) deviation: f64,
    /// Correlation from one step to the next.
    pub(crate) correlation: f64,
    /// A step, in ms.
    pub(crate) step_ms: u32,
    /// Length of the recording.
    pub(crate) seconds: u32,
}

impl Process {
    /// A recording.
    pub(crate) fn recording(&self, seed: Seed, name: &str) -> String {
        let mut stream = seed.stream(&format!("capacity / {name}"));
        let mut state = stream.normal(0.0, 1.0);
        let news = (1.0 - self.correlation * self.correlation).max(0.0).sqrt();
        let (mut text, mut credit) = (String::new(), 0.0);
        for ms in 1..=self.seconds * 1000 {
            if ms % self.step_ms.max(1) == 0 {
                state = self.correlation * state + news * stream.normal(0.0, 1.0);
            }
            credit += self.median_mbps * 1e3 * math::exp(self.deviation * state);
            while credit >= OPPORTUNITY {
                credit -= OPPORTUNITY;
                let _ = writeln!(text, "{ms}");
            }
        }
        // The recording ends where it repeats.
        let _ = writeln!(text, "{}", self.seconds * 1000);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_the_mean_of_its_lognormal() {
        let process = Process {
            median_mbps: 8.0,
            deviation: 0.5,
            correlation: 0.8,
            step_ms: 500,
            seconds: 4000,
        };
        let text = process.recording(Seed(1), "a");
        let mbps = text.lines().count() as f64 * OPPORTUNITY / 4000.0 / 1e6;
        // exp(0.5^2 / 2) times the median is 9.065; 8000 correlated steps leave about 2 %.
        assert!((mbps / 9.065 - 1.0).abs() < 0.05, "{mbps}");
        assert_eq!(text, process.recording(Seed(1), "a"));
        assert_ne!(text, process.recording(Seed(1), "b"));
    }
}
