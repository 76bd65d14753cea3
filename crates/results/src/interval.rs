//! Confidence intervals: Student's t for a mean, Wilson's for a proportion.
//!
//! Quantiles come from the distribution functions by bisection, over
//! [`airpath_base::math`], so that they are the same on any machine. Degrees of
//! freedom are whole numbers; Welch's fractional ones are left out.

use airpath_base::math;
use serde::{Deserialize, Serialize};

/// Above this many degrees of freedom an expansion in 1/ν is exact to 10^-9.
const EXPAND_ABOVE: u64 = 300;
/// Halvings of an interval of length below 64: down to the last bit.
const HALVINGS: u32 = 64;

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

/// The interval for a mean of independent, normal values:
/// mean ± t·s/√n with n - 1 degrees of freedom. None for fewer than two values
/// or a confidence outside 0..1.
pub fn mean_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    let n = values.len() as f64;
    let t = t_critical(confidence, (values.len() as u64).checked_sub(1)?)?;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let half = t * (squares / (n - 1.0) / n).sqrt();
    Some(Interval { estimate: mean, low: mean - half, high: mean + half })
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

/// The z within ±z of which a standard normal value lies with probability
/// `confidence`; none outside 0..1 (both excluded).
pub fn z_critical(confidence: f64) -> Option<f64> {
    within(confidence)?;
    // 1 - erf(6.5) is below 2^-53, so no confidence below 1 lies further out.
    let x = bisect(0.0, 6.5, confidence, math::erf);
    Some(x * core::f64::consts::SQRT_2)
}

/// The t within ±t of which Student's t with `freedom` degrees of freedom lies
/// with probability `confidence`; none without freedom or outside 0..1.
pub fn t_critical(confidence: f64, freedom: u64) -> Option<f64> {
    within(confidence)?;
    if freedom == 0 {
        return None;
    }
    if freedom > EXPAND_ABOVE {
        return Some(expanded(z_critical(confidence)?, freedom as f64));
    }
    let theta =
        bisect(0.0, core::f64::consts::FRAC_PI_2, confidence, |theta| within_angle(theta, freedom));
    Some((freedom as f64).sqrt() * math::sin(theta) / math::cos(theta))
}

/// The quantile of the standard normal distribution; none outside 0..1.
pub fn normal_quantile(p: f64) -> Option<f64> {
    one_sided(p, z_critical)
}

/// The quantile of Student's t distribution; none outside 0..1.
pub fn t_quantile(p: f64, freedom: u64) -> Option<f64> {
    one_sided(p, |confidence| t_critical(confidence, freedom))
}

fn one_sided(p: f64, critical: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    within(p)?;
    let confidence = (2.0 * p - 1.0).abs();
    match confidence == 0.0 {
        true => critical(0.5).map(|_| 0.0),
        false => critical(confidence).map(|value| value.copysign(p - 0.5)),
    }
}

fn within(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then_some(p)
}

/// Where the increasing function `f` reaches `target`.
fn bisect(mut low: f64, mut high: f64, target: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if f(middle) < target { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// The probability that |t| is at most √ν·tan θ: M. Abramowitz and I. A. Stegun,
/// "Handbook of Mathematical Functions" (1964), 26.7.3 and 26.7.4.
fn within_angle(theta: f64, freedom: u64) -> f64 {
    let (sine, cosine) = (math::sin(theta), math::cos(theta));
    let odd = freedom % 2 == 1;
    // Powers of the cosine up to ν - 2, from 1 if ν is odd and from 0 if not.
    let mut term = if odd { cosine } else { 1.0 };
    let mut power = if odd { 1 } else { 0 };
    let mut sum = 0.0;
    while power + 2 <= freedom {
        sum += term;
        power += 2;
        term *= cosine * cosine * (power - 1) as f64 / power as f64;
    }
    match odd {
        true => (theta + sine * sum) * 2.0 / core::f64::consts::PI,
        false => sine * sum,
    }
}

/// t from the normal z: Abramowitz and Stegun (1964), 26.7.5.
fn expanded(z: f64, freedom: f64) -> f64 {
    let q = z * z;
    let g1 = z * (q + 1.0) / 4.0;
    let g2 = z * ((5.0 * q + 16.0) * q + 3.0) / 96.0;
    let g3 = z * (((3.0 * q + 19.0) * q + 17.0) * q - 15.0) / 384.0;
    z + (g1 + (g2 + g3 / freedom) / freedom) / freedom
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: Option<f64>, expected: f64, tolerance: f64) {
        let value = value.expect("a value");
        assert!((value - expected).abs() < tolerance, "{value} is not {expected}");
    }

    /// NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2 (upper
    /// critical values), printed to three decimals.
    #[test]
    fn the_published_table_of_t() {
        let table = [
            (1, 0.975, 12.706),
            (2, 0.975, 4.303),
            (3, 0.995, 5.841),
            (5, 0.95, 2.015),
            (9, 0.975, 2.262),
            (10, 0.99, 2.764),
            (20, 0.999, 3.552),
            (29, 0.975, 2.045),
            (30, 0.90, 1.310),
            (100, 0.975, 1.984),
        ];
        for (freedom, p, t) in table {
            near(t_quantile(p, freedom), t, 5.1e-4);
            near(t_quantile(1.0 - p, freedom), -t, 5.1e-4);
        }
    }

    #[test]
    fn cauchy_and_two_degrees_have_closed_forms() {
        // ν = 1: t = tan(πc/2). ν = 2: t = c·√(2 / (1 - c²)).
        near(t_critical(0.5, 1), 1.0, 1e-12);
        near(t_critical(0.8, 2), 0.8 * (2.0_f64 / 0.36).sqrt(), 1e-12);
    }

    #[test]
    fn the_expansion_meets_the_sum() {
        let sum = bisect(0.0, 1.57, 0.99, |theta| within_angle(theta, EXPAND_ABOVE + 1));
        let t = ((EXPAND_ABOVE + 1) as f64).sqrt() * math::sin(sum) / math::cos(sum);
        near(t_critical(0.99, EXPAND_ABOVE + 1), t, 1e-8);
    }

    #[test]
    fn normal_quantiles() {
        near(z_critical(0.95), 1.959_963_984_540_054, 1e-12);
        near(normal_quantile(0.01), -2.326_347_874_040_841, 1e-12);
        near(normal_quantile(0.5), 0.0, 1e-15);
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (None, None));
        assert_eq!((t_critical(f64::NAN, 3), t_critical(0.9, 0)), (None, None));
    }

    #[test]
    fn interval_of_a_mean() {
        // 4, 5, 6: s = 1, t(0.975; 2) = 4.302653, half width 4.302653 / √3.
        let interval = mean_interval(&[4.0, 5.0, 6.0], 0.95).expect("three values");
        near(Some(interval.low), 5.0 - 2.484_138, 1e-6);
        near(Some(interval.high), 5.0 + 2.484_138, 1e-6);
        assert_eq!((mean_interval(&[1.0], 0.95), mean_interval(&[], 0.95)), (None, None));
    }

    #[test]
    fn wilson_for_a_tenth_of_ten_and_for_none() {
        // 1 of 10 at 95%: (0.1 + 0.192073 ± 1.959964·√(0.009 + 0.0096036)) / 1.384146,
        // by hand 0.0178762 to 0.4041500.
        let interval = wilson(1, 10, 0.95).expect("ten trials");
        near(Some(interval.low), 0.017_876_2, 1e-6);
        near(Some(interval.high), 0.404_150_0, 1e-6);
        // 0 of n: the upper end is z² / (n + z²).
        let none = wilson(0, 10, 0.95).expect("ten trials");
        assert_eq!(none.low, 0.0);
        near(Some(none.high), 3.841_458_8 / 13.841_458_8, 1e-7);
        assert_eq!((wilson(0, 0, 0.95), wilson(3, 2, 0.95)), (None, None));
    }
}
