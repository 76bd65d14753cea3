//! Statistics of delays: moments, percentiles, jitter. What is true of any values is in
//! `airpath-stats`.
//!
//! Delays are integer nanoseconds until the last step, so that nothing depends
//! on the order of summing. Definitions:
//!
//! - Percentile: nearest rank ([`airpath_stats::nearest_rank`]).
//! - `stddev`: population standard deviation (divisor n). `stddev_sample` has
//!   the divisor n - 1: tables of other simulators often hold that one.
//! - Jitter: mean of |d(i+1) - d(i)| over packets in order of arrival (divisor
//!   n - 1). It is not the smoothed interarrival jitter of RFC 3550, 6.4.1.
//!
//! Left out: weighted statistics, kernel density.

use airpath_stats::nearest_rank;
use serde::{Deserialize, Serialize};

use airpath_base::documented;
use airpath_base::measure::MS;

documented! {
    /// Statistics of a set of delays, in milliseconds.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct DelaySummary {
        /// Arithmetic mean.
        pub mean: f64 [MS],
        /// Smallest.
        pub min: f64 [MS],
        /// Largest.
        pub max: f64 [MS],
        /// Population standard deviation (divisor n).
        pub stddev: f64 [MS],
        /// Sample standard deviation (divisor n - 1); none for a single delay.
        pub stddev_sample: Option<f64> [MS],
        /// Median, by nearest rank.
        pub p50: f64 [MS],
        /// 95th percentile, by nearest rank.
        pub p95: f64 [MS],
        /// 99th percentile, by nearest rank.
        pub p99: f64 [MS],
    }
}

impl DelaySummary {
    /// The summary of `delays` in nanoseconds, in any order; none without delays.
    ///
    /// The mean comes from an integer sum and deviations from a second pass, so
    /// the result does not depend on the order.
    pub fn of(delays: &[u64]) -> Option<DelaySummary> {
        let sorted = sorted(delays);
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

/// Sorts by digits of eleven bits, from the least. For many delays that is a fifth of the work of
/// comparing them, which a run of few events would notice.
fn sorted(delays: &[u64]) -> Vec<u64> {
    const BITS: u32 = 11;
    let mut sorted = delays.to_vec();
    let Some(&max) = delays.iter().max().filter(|_| delays.len() >= 1 << BITS) else {
        sorted.sort_unstable();
        return sorted;
    };
    let mut next = vec![0; sorted.len()];
    for shift in (0..u64::BITS).step_by(BITS as usize).take_while(|&shift| max >> shift > 0) {
        let digit = |delay: u64| (delay >> shift) as usize % (1 << BITS);
        let mut places = [0; 1 << BITS];
        sorted.iter().for_each(|&delay| places[digit(delay)] += 1);
        let mut before = 0;
        for place in &mut places {
            before += std::mem::replace(place, before);
        }
        for &delay in &sorted {
            let place = &mut places[digit(delay)];
            next[*place] = delay;
            *place += 1;
        }
        std::mem::swap(&mut sorted, &mut next);
    }
    sorted
}

/// Nanoseconds as milliseconds.
pub fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
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

#[cfg(test)]
#[path = "stat_tests.rs"]
mod tests;
