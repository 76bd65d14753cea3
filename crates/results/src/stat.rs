//! Statistics of delays: moments, percentiles, jitter.
//!
//! Delays are integer nanoseconds until the last step, so that nothing depends
//! on the order of summing. Definitions:
//!
//! - Percentile: nearest rank. The p-th percentile of n sorted values is the one
//!   of rank ⌈p·n/100⌉, counted from 1; always a value that occurred.
//! - `stddev`: population standard deviation (divisor n). `stddev_sample` has
//!   the divisor n - 1: tables of other simulators often hold that one.
//! - Jitter: mean of |d(i+1) - d(i)| over packets in order of arrival (divisor
//!   n - 1). It is not the smoothed interarrival jitter of RFC 3550, 6.4.1.
//!
//! Left out: weighted statistics, kernel density, bootstrap.

use serde::{Deserialize, Serialize};

use crate::documented::documented;

/// Running mean and sum of squared deviations.
///
/// B. P. Welford, "Note on a method for calculating corrected sums of squares
/// and products", Technometrics 4 (1962).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Welford {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Welford {
    /// Takes one value in.
    #[inline]
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Takes in all values of another.
    ///
    /// T. F. Chan, G. H. Golub and R. J. LeVeque, "Updating formulae and a pairwise algorithm for
    /// computing sample variances", Stanford 1979, equation 2.1.
    pub(crate) fn merge(&mut self, other: &Welford) {
        let count = self.count + other.count;
        if count == 0 {
            return;
        }
        let (apart, share) = (other.mean - self.mean, other.count as f64 / count as f64);
        self.squares += other.squares + apart * apart * share * self.count as f64;
        self.mean += apart * share;
        self.count = count;
    }

    /// How many values have been taken in.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; none without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Population standard deviation (divisor n); none without values.
    pub fn stddev(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.squares / self.count as f64).sqrt())
    }

    /// Sample standard deviation (divisor n - 1); none for fewer than two values.
    pub fn stddev_sample(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.squares / (self.count - 1) as f64).sqrt())
    }
}

documented! {
    /// What a set of delays comes to, in milliseconds.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct DelaySummary {
        /// Arithmetic mean.
        pub mean: f64,
        /// Smallest.
        pub min: f64,
        /// Largest.
        pub max: f64,
        /// Population standard deviation (divisor n).
        pub stddev: f64,
        /// Sample standard deviation (divisor n - 1); none for a single delay.
        pub stddev_sample: Option<f64>,
        /// Median, by nearest rank.
        pub p50: f64,
        /// 95th percentile, by nearest rank.
        pub p95: f64,
        /// 99th percentile, by nearest rank.
        pub p99: f64,
    }
}

impl DelaySummary {
    /// The summary of `delays` in nanoseconds, in any order; none without delays.
    ///
    /// The mean comes from an integer sum and deviations from a second pass, so
    /// the result does not depend on the order.
    pub fn of(delays: &[u64]) -> Option<DelaySummary> {
        let mut sorted = delays.to_vec();
        sorted.sort_unstable();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let n = sorted.len() as f64;
        let mean = sorted.iter().map(|&d| u128::from(d)).sum::<u128>() as f64 / n;
        let squares: f64 = sorted.iter().map(|&d| (d as f64 - mean) * (d as f64 - mean)).sum();
        let percentile = |p| nearest_rank(&sorted, p).map(millis);
        Some(DelaySummary {
            mean: mean / 1e6,
            min: millis(min),
            max: millis(max),
            stddev: (squares / n).sqrt() / 1e6,
            stddev_sample: (n > 1.0).then(|| (squares / (n - 1.0)).sqrt() / 1e6),
            p50: percentile(500)?,
            p95: percentile(950)?,
            p99: percentile(990)?,
        })
    }
}

/// Nanoseconds as milliseconds.
pub fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

/// The percentile of sorted values by nearest rank, `per_mille` in 0..=1000 (the
/// median is 500); none without values. The rank is computed in integers: the
/// 95th percentile of 20 values is the 19th, not by a rounding error the 20th.
pub fn nearest_rank(sorted: &[u64], per_mille: u32) -> Option<u64> {
    let rank = rank(sorted.len() as u64, per_mille);
    sorted.get(rank.checked_sub(1)? as usize).copied()
}

/// The nearest rank, counted from 1, of a percentile of `n` values; 0 if `n` is.
pub(crate) fn rank(n: u64, per_mille: u32) -> u64 {
    let rank = (u128::from(n) * u128::from(per_mille.min(1000))).div_ceil(1000) as u64;
    rank.max(1).min(n)
}

/// Jitter in milliseconds: the mean of |d(i+1) - d(i)| over `delays` in
/// nanoseconds in order of arrival; none for fewer than two.
pub fn jitter(delays: &[u64]) -> Option<f64> {
    let steps = delays.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    mean_of(steps, delays.len().checked_sub(1)?)
}

/// Mean distance from the first delay, in milliseconds: the sum of
/// |d(i) - d(1)| over `delays` in nanoseconds in order of arrival, divided by
/// n - 1; none for fewer than two.
///
/// A receiver that means to compute [`jitter`] but never updates its last delay
/// reports this.
pub fn jitter_from_first(delays: &[u64]) -> Option<f64> {
    let (&first, rest) = delays.split_first()?;
    mean_of(rest.iter().map(|&d| d.abs_diff(first)), rest.len())
}

fn mean_of(values: impl Iterator<Item = u64>, count: usize) -> Option<f64> {
    let sum: u128 = values.map(u128::from).sum();
    (count > 0).then(|| sum as f64 / count as f64 / 1e6)
}

/// The delays in nanoseconds, each cut down (not rounded) to whole milliseconds,
/// as a receiver with a millisecond clock reports them.
pub fn whole_millis(delays: &[u64]) -> Vec<u64> {
    delays.iter().map(|&d| d - d % 1_000_000).collect()
}

/// The quantile of sorted values at `p` in 0..=1 by linear interpolation at
/// (n - 1)·p, type 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in
/// statistical packages", The American Statistician 50 (1996): the default of R
/// and NumPy. None without values or if `p` is outside.
pub fn quantile(sorted: &[f64], p: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let place = last as f64 * p;
    let below = place as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(low + (high - low) * (place - below as f64))
}

/// First quartile, median and third quartile of values in any order, type 7 as
/// in [`quantile`]; none without values.
pub fn quartiles(values: &[f64]) -> Option<[f64; 3]> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some([quantile(&sorted, 0.25)?, quantile(&sorted, 0.5)?, quantile(&sorted, 0.75)?])
}

#[cfg(test)]
#[path = "stat_tests.rs"]
mod tests;
