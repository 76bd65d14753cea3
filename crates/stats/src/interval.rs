//! Intervals of one arm: for a mean, for a single further value, for a proportion.

use serde::{Deserialize, Serialize};

use crate::critical::{t_critical, z_critical};

/// Confidence of all intervals and tests that are shown, unless a page names another.
pub const CONFIDENCE: f64 = 0.95;

/// An interval and the estimate that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The point estimate: the mean, or the proportion as observed.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// The interval `half` to both sides of an estimate.
    pub(crate) fn around(estimate: f64, half: f64) -> Interval {
        Interval { estimate, low: estimate - half, high: estimate + half }
    }

    /// Half of the width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Half of the width, as a share of the estimate's size; none if the estimate is 0.
    pub fn relative_half_width(&self) -> Option<f64> {
        (self.estimate != 0.0).then(|| self.half_width() / self.estimate.abs())
    }

    /// True if `value` lies within, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// With a function applied to estimate and ends that does not decrease.
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Interval {
        Interval { estimate: f(self.estimate), low: f(self.low), high: f(self.high) }
    }
}

/// Number, mean, and sample standard deviation of values; none for fewer than two, or if one is
/// not finite.
pub(crate) fn moments(values: &[f64]) -> Option<(f64, f64, f64)> {
    let n = values.len() as f64;
    if values.len() < 2 || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some((n, mean, (squares / (n - 1.0)).sqrt()))
}

/// The interval for a mean of independent, normal values: mean ± t·s/√n with n - 1 degrees of
/// freedom. None for fewer than two values, for values that are not finite, or a confidence
/// outside 0..1.
///
/// Student, "The probable error of a mean", Biometrika 6 (1908).
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let (n, mean, deviation) = moments(values)?;
    let t = t_critical(confidence, values.len() as u64 - 1)?;
    Some(Interval::around(mean, t * deviation / n.sqrt()))
}

/// Prediction interval of a single further value of the same normal distribution: mean ± t·s·√(1 +
/// 1/n). It compares a published figure of one run with several own runs. None in the cases of
/// [`mean_interval`].
///
/// G. J. Hahn and W. Q. Meeker, "Statistical Intervals" (Wiley 1991), chapter 4.7.
pub fn prediction_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let (n, mean, deviation) = moments(values)?;
    let t = t_critical(confidence, values.len() as u64 - 1)?;
    Some(Interval::around(mean, t * deviation * (1.0 + 1.0 / n).sqrt()))
}

/// The score interval for a proportion of `successes` among `n`; none if `n` is
/// zero or less than `successes`, or for a confidence outside 0..1.
///
/// E. B. Wilson, "Probable inference, the law of succession, and statistical
/// inference", JASA 22 (1927); equation 4 of Brown, Cai and DasGupta, "Interval
/// estimation for a binomial proportion", Statistical Science 16 (2001).
pub fn wilson(successes: u64, n: u64, confidence: f64) -> Option<Interval> {
    if n == 0 || successes > n {
        return None;
    }
    let (z, count) = (z_critical(confidence)?, n as f64);
    let p = successes as f64 / count;
    let squared = z * z;
    let centre = (p + squared / (2.0 * count)) / (1.0 + squared / count);
    let spread = (p * (1.0 - p) / count + squared / (4.0 * count * count)).sqrt();
    let half = z * spread / (1.0 + squared / count);
    // At the edges the interval touches 0 or 1 exactly; rounding may pass them.
    let low = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let high = if successes == n { 1.0 } else { (centre + half).min(1.0) };
    Some(Interval { estimate: p, low, high })
}

#[cfg(test)]
#[path = "interval_tests.rs"]
mod tests;
