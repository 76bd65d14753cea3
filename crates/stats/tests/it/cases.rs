//! Values as those of runs: lognormal delays, arms on the same seeds, users in drops.

use airpath_base::math::{exp, ln};
use airpath_base::random::Stream;

/// Second arm by first, in every case with two arms.
pub const RATIO: f64 = 0.8;

/// A run's value: lognormal with median 1.
pub fn value(stream: &mut Stream, sigma: f64) -> f64 {
    exp(stream.normal(0.0, sigma))
}

/// The mean of [`value`].
pub fn mean(sigma: f64) -> f64 {
    exp(sigma * sigma / 2.0)
}

/// Two arms on one seed: lognormal alike but for [`RATIO`], logarithms correlated by a half.
pub fn pair(stream: &mut Stream, sigma: f64) -> (f64, f64) {
    let shared = stream.normal(0.0, sigma * 0.5_f64.sqrt());
    let mut own = || exp(shared + stream.normal(0.0, sigma * 0.5_f64.sqrt()));
    (own(), RATIO * own())
}

/// Two arms that are nearly equal: the second is `ratio` times the first but for noise of 10%.
pub fn near_pair(stream: &mut Stream, sigma: f64, ratio: f64) -> (f64, f64) {
    let first = value(stream, sigma);
    (first, first * ratio * exp(stream.normal(-0.005, 0.1)))
}

/// Users in drops: lognormal delays of which a part of the variance is their drop's.
#[derive(Clone, Copy)]
pub struct Population {
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Share of its variance that is between drops.
    pub between: f64,
}

/// The populations that are measured.
pub const POPULATIONS: [Population; 2] =
    [Population { sigma: 0.5, between: 0.1 }, Population { sigma: 1.0, between: 0.3 }];

impl Population {
    /// One drop in two arms, with 10 to 30 users. The logarithms of both arms are correlated by 0.8
    /// in the drop's part and by 0.6 in the user's part. The logarithms of the second arm spread
    /// 0.8 times as much, around a median of [`RATIO`].
    pub fn drop(self, stream: &mut Stream) -> (Vec<f64>, Vec<f64>) {
        let (first, second) = correlated(stream, self.between, 0.8);
        let user = |stream: &mut Stream| {
            let (own, other) = correlated(stream, 1.0 - self.between, 0.6);
            let log = |x: f64| exp(self.sigma * x);
            (log(first + own), RATIO * log(0.8 * (second + other)))
        };
        (0..10 + stream.below(21)).map(|_| user(stream)).unzip()
    }

    /// The quantile over all users of either arm, for the normal distribution's `z`.
    pub fn quantiles(self, z: f64) -> (f64, f64) {
        (exp(self.sigma * z), exp(ln(RATIO) + 0.8 * self.sigma * z))
    }
}

/// Two normal values with this variance and correlation.
fn correlated(stream: &mut Stream, variance: f64, correlation: f64) -> (f64, f64) {
    let (first, own) = (stream.normal(0.0, 1.0), stream.normal(0.0, 1.0));
    let second = correlation * first + (1.0 - correlation * correlation).sqrt() * own;
    (variance.sqrt() * first, variance.sqrt() * second)
}
