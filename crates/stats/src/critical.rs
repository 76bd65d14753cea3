//! Quantiles and tails of the normal distribution and of Student's t.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Halvings of an interval: down to the last bit of its upper end.
const HALVINGS: u32 = 64;

/// The z within ±z of which a standard normal value lies with probability
/// `confidence`; none outside 0..1 (both excluded).
pub fn z_critical(confidence: f64) -> Option<f64> {
    normal_quantile(upper(confidence)?)
}

/// The t within ±t of which Student's t with `freedom` degrees of freedom lies
/// with probability `confidence`; none without freedom or outside 0..1.
pub fn t_critical(confidence: f64, freedom: u64) -> Option<f64> {
    let tail = (1.0 - within(confidence)?) / 2.0;
    Some(t_at_tail(tail, &students_t(freedom)?))
}

/// The quantile of the standard normal distribution; none outside 0..1.
pub fn normal_quantile(p: f64) -> Option<f64> {
    Some(Normal::standard().inverse_cdf(within(p)?))
}

/// The quantile of Student's t distribution; none outside 0..1 or without freedom.
pub fn t_quantile(p: f64, freedom: u64) -> Option<f64> {
    let tail = within(p)?.min(1.0 - p);
    let t = t_at_tail(tail, &students_t(freedom)?);
    Some(t.copysign(p - 0.5))
}

/// The probability that Student's t with `freedom` degrees of freedom is above `t`; none without
/// freedom or if `t` is no number.
pub fn t_tail(t: f64, freedom: u64) -> Option<f64> {
    let distribution = students_t(freedom)?;
    match t.is_infinite() {
        true => Some(if t > 0.0 { 0.0 } else { 1.0 }),
        false => (!t.is_nan()).then(|| distribution.sf(t)),
    }
}

fn students_t(freedom: u64) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, freedom as f64).ok()
}

/// The t of at least 0 above which the distribution has `tail`, at most a half.
///
/// `inverse_cdf` of statrs 0.19.1 is wrong by 2·10^-8 at 5000 degrees of freedom and by 3·10^-3
/// at a million; its tail is not, so that is inverted.
fn t_at_tail(tail: f64, t: &StudentsT) -> f64 {
    let mut high = 1.0;
    while t.sf(high) > tail {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if t.sf(middle) > tail { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

fn upper(confidence: f64) -> Option<f64> {
    within(confidence).map(|confidence| 0.5 + confidence / 2.0)
}

fn within(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then_some(p)
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
    fn up_to_four_degrees_have_closed_forms() {
        for confidence in [0.5_f64, 0.8, 0.9, 0.95, 0.99, 0.999] {
            // ν = 1: t = tan(πc/2), and the tail of t is 1/2 - atan(t)/π.
            let t = t_critical(confidence, 1).expect("a value");
            let angle = airpath_base::math::atan2(t, 1.0);
            assert!((angle * 2.0 / core::f64::consts::PI - confidence).abs() < 1e-12);
            // ν = 2: t = c·√(2 / (1 - c²)).
            let two = confidence * (2.0 / (1.0 - confidence * confidence)).sqrt();
            near(t_critical(confidence, 2), two, 1e-9);
            // ν = 4: c = sin θ·(1 + cos²θ / 2) with tan θ = t/2: M. Abramowitz and I. A. Stegun,
            // "Handbook of Mathematical Functions" (1964), 26.7.4.
            let t = t_critical(confidence, 4).expect("a value");
            let sine = t / (4.0 + t * t).sqrt();
            assert!((sine * (1.0 + (1.0 - sine * sine) / 2.0) - confidence).abs() < 1e-12);
        }
    }

    /// Abramowitz and Stegun (1964), 26.7.5, which is exact to 10^-9 from 300 degrees on.
    #[test]
    fn many_degrees_are_as_the_expansion_says() {
        for freedom in [301_u64, 5_000, 1_000_000] {
            for confidence in [0.5, 0.95, 0.99] {
                let z = z_critical(confidence).expect("a value");
                let (q, nu) = (z * z, freedom as f64);
                let g1 = z * (q + 1.0) / 4.0;
                let g2 = z * ((5.0 * q + 16.0) * q + 3.0) / 96.0;
                let g3 = z * (((3.0 * q + 19.0) * q + 17.0) * q - 15.0) / 384.0;
                let expanded = z + (g1 + (g2 + g3 / nu) / nu) / nu;
                near(t_critical(confidence, freedom), expanded, 2e-9);
            }
        }
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
    fn tails_are_those_of_the_quantiles() {
        for (p, freedom) in [(0.9, 1), (0.975, 7), (0.6, 100)] {
            near(t_tail(t_quantile(p, freedom).expect("a value"), freedom), 1.0 - p, 1e-12);
        }
        near(t_tail(-1.0, 1), 0.75, 1e-12);
        assert_eq!((t_tail(f64::INFINITY, 3), t_tail(f64::NAN, 3)), (Some(0.0), None));
        assert_eq!(t_tail(1.0, 0), None);
        near(t_quantile(0.5, 3), 0.0, 1e-15);
    }
}
