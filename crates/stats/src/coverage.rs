//! Measured coverage of intervals, where it is clearly below their confidence.
//!
//! Measured by simulation with values as those of runs, 10 000 repetitions of each case
//! (`tests/it/`); `docs/statistics.md` has all cases. Here are the worst of each method, so that
//! they can be printed beside an interval. Methods that are not here hold in 93% or more:
//! [`crate::paired_ratio`], [`crate::paired_difference`], [`crate::Until`].

use crate::interval::moments;

/// A method whose 95% intervals may hold less often than they say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// [`crate::mean_interval`] of values with this coefficient of variation: of skewed values it
    /// holds less often.
    Mean {
        /// Standard deviation by the size of the mean.
        variation: f64,
    },
    /// [`crate::quantile_interval`].
    Quantile {
        /// The percentile.
        per_mille: u32,
        /// Users in all drops.
        users: u64,
    },
    /// [`crate::quantile_difference`].
    QuantileDifference {
        /// The percentile.
        per_mille: u32,
    },
    /// [`crate::quantile_ratio`].
    QuantileRatio {
        /// The percentile.
        per_mille: u32,
    },
}

impl Method {
    /// The interval for the mean of these values; none where that has none.
    pub fn of_mean(values: &[f64]) -> Option<Method> {
        let (_, mean, deviation) = moments(values)?;
        let variation = if deviation == 0.0 { 0.0 } else { deviation / mean.abs() };
        Some(Method::Mean { variation })
    }
}

/// Measured coverage, as a share, of a 95% interval of this method over `n` runs (drops); none at
/// 93% or more. Between two measured numbers of runs, the smaller counts. A low percentile has the
/// coverage of the high one opposite.
pub fn coverage(method: Method, n: usize) -> Option<f64> {
    let (table, most) = match method {
        Method::Mean { variation } => (of_mean(variation), 1.0),
        Method::Quantile { per_mille, users } => {
            (by_percentile(per_mille, P95, P99), reached(per_mille, users))
        }
        Method::QuantileDifference { per_mille } => {
            (by_percentile(per_mille, &[], P99_DIFFERENCE), 1.0)
        }
        Method::QuantileRatio { per_mille } => (by_percentile(per_mille, &[], P99_RATIO), 1.0),
    };
    let place = table.iter().rposition(|&(from, _)| from <= n).unwrap_or(0);
    let share = table.get(place).map_or(1.0, |&(_, share)| share).min(most);
    (share < FAIR).then_some(share)
}

/// Least coverage that is not mentioned.
const FAIR: f64 = 0.93;

/// Shares by number of runs, ascending, up to where they are good enough.
type Table = &'static [(usize, f64)];

const MEAN_HALF: Table =
    &[(2, 0.938), (3, 0.922), (4, 0.921), (6, 0.918), (8, 0.913), (10, 0.915), (15, 0.930)];
const MEAN_ONE: Table = &[
    (2, 0.896),
    (3, 0.841),
    (4, 0.818),
    (6, 0.824),
    (8, 0.833),
    (10, 0.841),
    (15, 0.862),
    (20, 0.870),
    (30, 0.887),
    (50, 0.899),
    (70, 0.905),
];
const P95: Table = &[(4, 0.892), (8, 0.962)];
const P99: Table = &[(4, 0.429), (8, 0.681), (12, 0.815), (20, 0.937)];
const P99_DIFFERENCE: Table = &[(4, 0.819), (8, 0.904), (12, 0.928), (20, 0.941)];
const P99_RATIO: Table = &[(4, 0.920), (8, 0.948)];

/// The case is the one with the nearest coefficient of variation: lognormal values with σ 0.1 have
/// 0.10, with 0.5 0.53, with 1 1.31. Few values underestimate that coefficient, so the limits
/// between the cases are below their midpoints.
fn of_mean(variation: f64) -> Table {
    match variation {
        small if small < 0.3 => &[],
        middle if middle < 0.7 => MEAN_HALF,
        _ => MEAN_ONE,
    }
}

/// By the percentile that was measured, or the next one further out.
fn by_percentile(per_mille: u32, p95: Table, p99: Table) -> Table {
    match per_mille.min(1000_u32.saturating_sub(per_mille)) {
        500 => &[],
        50.. => p95,
        _ => p99,
    }
}

/// The probability that of so many users one is beyond the percentile, without which nothing
/// bounds it.
fn reached(per_mille: u32, users: u64) -> f64 {
    let within = f64::from(per_mille.max(1000_u32.saturating_sub(per_mille))) / 1000.0;
    1.0 - within.powi(i32::try_from(users).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_good_is_not_mentioned() {
        let quantile = |per_mille| Method::Quantile { per_mille, users: 10_000 };
        assert_eq!(coverage(quantile(500), 2), None);
        assert_eq!(coverage(quantile(950), 4), Some(0.892));
        assert_eq!(coverage(quantile(950), 20), None);
        assert_eq!(coverage(quantile(990), 19), Some(0.815));
        assert_eq!(coverage(quantile(10), 19), Some(0.815), "as the 99th");
        assert_eq!(coverage(quantile(50), 2), Some(0.892), "as with four");
        assert_eq!(coverage(Method::QuantileRatio { per_mille: 990 }, 8), None);
        assert_eq!(coverage(Method::QuantileDifference { per_mille: 990 }, 12), Some(0.928));
    }

    #[test]
    fn few_users_do_not_reach_a_percentile() {
        // 1 - 0.99^100 = 0.633968; 1 - 0.95^20 = 0.641514.
        let share = coverage(Method::Quantile { per_mille: 990, users: 100 }, 50);
        assert!((share.expect("few") - 0.633_968).abs() < 1e-6);
        let share = coverage(Method::Quantile { per_mille: 50, users: 20 }, 50);
        assert!((share.expect("few") - 0.641_514).abs() < 1e-6);
    }

    #[test]
    fn skewed_values_tell_themselves() {
        let of = |values: &[f64]| coverage(Method::of_mean(values).expect("values"), 10);
        assert_eq!(of(&[10.0, 11.0, 12.0, 9.0]), None);
        assert_eq!(of(&[1.0, 2.0, 3.0, 1.5, 1.0]), Some(0.915)); // s/mean = 0.837/1.7 = 0.49
        assert_eq!(of(&[1.0, 9.0, 0.5, 1.0]), Some(0.841)); // 4.09/2.875 = 1.42
        assert_eq!((of(&[0.0; 5]), Method::of_mean(&[1.0])), (None, None));
    }
}
