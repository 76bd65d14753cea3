//! Distributions of frames' sizes and times: draws that belong to the number of a frame.

use airpath_base::random::Keyed;
use airpath_base::{Duration, math};

/// A normal distribution, cut to bounds: a value outside is drawn again, so that mean and deviation are those before that
/// (TR 38.838, 5.1.1.1 and 5.1.1.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruncatedNormal {
    /// Mean before the cut.
    pub mean: f64,
    /// Standard deviation before the cut, not below zero; zero for the mean throughout.
    pub deviation: f64,
    /// Smallest value, not above the mean.
    pub min: f64,
    /// Largest value, not below the mean.
    pub max: f64,
}

/// Draws after which the mean is taken. Less than half of the draws are outside, as the mean is inside the bounds and each is far
/// from it beside the deviation. The mean is therefore never taken in practice.
const DRAWS: u64 = 1_000;

impl TruncatedNormal {
    /// The mean throughout.
    pub fn constant(mean: f64) -> TruncatedNormal {
        TruncatedNormal { mean, deviation: 0.0, min: mean, max: mean }
    }

    /// The value of frame `number`.
    pub fn draw(&self, draws: Keyed, number: u64) -> f64 {
        if self.deviation == 0.0 {
            return self.mean;
        }
        let value = |attempt| self.mean + self.deviation * normal(draws, number, attempt);
        let fits = |value: &f64| (self.min..=self.max).contains(value);
        (0..DRAWS).map(value).find(fits).unwrap_or(self.mean)
    }
}

/// A standard normal number, by the transform of Box and Muller (1958).
fn normal(draws: Keyed, number: u64, attempt: u64) -> f64 {
    let uniform = |n| draws.uniform([number, attempt, n]);
    let radius = (-2.0 * math::ln(1.0 - uniform(0))).sqrt();
    radius * math::cos(2.0 * core::f64::consts::PI * uniform(1))
}

/// An exponential time with this mean, of event `number`.
pub(super) fn exponential(mean: Duration, draws: Keyed, number: u64) -> Duration {
    let span = -mean.as_secs_f64() * math::ln(1.0 - draws.uniform([number, 0, 0]));
    Duration::from_secs_f64(span)
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    fn moments(law: TruncatedNormal) -> (f64, f64, f64, f64) {
        let draws = Seed(5).keyed("moments");
        let all: Vec<f64> = (0..200_000).map(|n| law.draw(draws, n)).collect();
        let n = all.len() as f64;
        let mean = all.iter().sum::<f64>() / n;
        let variance = all.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let least = all.iter().copied().fold(f64::MAX, f64::min);
        let most = all.iter().copied().fold(f64::MIN, f64::max);
        (mean, variance.sqrt(), least, most)
    }

    #[test]
    fn jitter_has_the_moments_of_a_normal_distribution_that_is_cut_at_two_deviations() {
        let law = TruncatedNormal { mean: 0.0, deviation: 2.0, min: -4.0, max: 4.0 };
        let (mean, deviation, least, most) = moments(law);
        // Standard normal density at 2: 0.053991; probability within 2: 0.954500.
        let expected = 2.0 * (1.0_f64 - 2.0 * 2.0 * 0.053_991 / 0.954_500).sqrt();
        assert!((expected - 1.7592).abs() < 1e-3, "{expected}");
        assert!(mean.abs() < 0.016, "{mean}: four standard errors of the mean");
        assert!((deviation - expected).abs() < 0.011, "{deviation}");
        assert!((-4.0..-3.99).contains(&least) && (3.99..=4.0).contains(&most), "{least} {most}");
    }

    #[test]
    fn sizes_keep_mean_and_deviation_since_bounds_are_far() {
        // 30 Mbit/s at 60 frames/s: 62500 B, deviation 10.5%, 31250 to 93750 B (TR 38.838, 5.1.1.1).
        let law =
            TruncatedNormal { mean: 62_500.0, deviation: 6_562.5, min: 31_250.0, max: 93_750.0 };
        let (mean, deviation, least, most) = moments(law);
        assert!((mean - 62_500.0).abs() < 59.0, "{mean}");
        assert!((deviation - 6_562.5).abs() < 42.0, "{deviation}");
        assert!(least >= 31_250.0 && most <= 93_750.0, "{least} {most}");
    }

    #[test]
    fn without_a_deviation_all_are_equal() {
        let (mean, deviation, ..) = moments(TruncatedNormal::constant(100.0));
        assert_eq!((mean, deviation), (100.0, 0.0));
    }
}
