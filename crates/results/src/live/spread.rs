//! Durations of one interval, in constant memory.

use airpath_base::Duration;
use airpath_stats::rank;
use hdrhistogram::Histogram;

use super::Spread;
use crate::stat::millis;

/// Durations below are not told apart, in nanoseconds: two digits of a microsecond need no less.
const LEAST: u64 = 1_000;
/// Longer ones count as this: two minutes.
const MOST: u64 = 120_000_000_000;
/// Significant digits: percentiles are off by 1% at most.
const DIGITS: u8 = 2;

/// A histogram of durations, about 11 kB.
#[derive(Clone, Debug)]
pub(super) struct Durations {
    histogram: Histogram<u32>,
    min: u64,
    max: u64,
}

impl Durations {
    pub(super) fn new() -> Durations {
        let histogram = Histogram::new_with_bounds(LEAST, MOST, DIGITS);
        let histogram = histogram.expect("the bounds are far apart, and digits within 0 to 5");
        Durations { histogram, min: u64::MAX, max: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, duration: Duration) {
        let nanos = duration.as_nanos();
        (self.min, self.max) = (self.min.min(nanos), self.max.max(nanos));
        self.histogram.saturating_record(nanos);
    }

    /// What they come to, if there are any; then there are none.
    pub(super) fn take(&mut self) -> Option<Spread> {
        if self.histogram.is_empty() {
            return None;
        }
        let spread = Spread { p50: self.percentile(500), p95: self.percentile(950) };
        self.histogram.reset();
        (self.min, self.max) = (u64::MAX, 0);
        Some(spread)
    }

    /// The lower end of the bucket that holds the nearest rank, in milliseconds: no wait is none.
    fn percentile(&self, per_mille: u32) -> f64 {
        let rank = rank(self.histogram.len(), per_mille);
        let mut below = 0;
        let bucket = self.histogram.iter_recorded().find(|bucket| {
            below += bucket.count_since_last_iteration();
            below >= rank
        });
        let lower = |nanos| self.histogram.lowest_equivalent(nanos);
        let value = bucket.map_or(self.max, |bucket| lower(bucket.value_iterated_to()));
        millis(value.clamp(self.min, self.max))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::DelaySummary;

    fn of(nanos: &[u64]) -> Option<Spread> {
        let mut durations = Durations::new();
        nanos.iter().for_each(|&nanos| durations.add(Duration::from_nanos(nanos)));
        let spread = durations.take();
        assert_eq!(durations.take(), None, "each interval begins anew");
        spread
    }

    #[test]
    fn ends_are_exact_and_nothing_is_none() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[21_345_678]), Some(Spread { p50: 21.345678, p95: 21.345678 }));
        // Ranks 10 and 19 of 20.
        let twenty: Vec<u64> = (1..=20).map(|ms| ms * 1_000_000).collect();
        let spread = of(&twenty).expect("durations");
        assert!((spread.p50 / 10.0 - 1.0).abs() < 0.01 && (spread.p95 / 19.0 - 1.0).abs() < 0.01);
        assert_eq!(of(&[0]), Some(Spread { p50: 0.0, p95: 0.0 }));
        // What is longer than two minutes has the place of two minutes.
        let long = of(&[0, 500_000_000_000]).expect("durations");
        assert_eq!(long.p50, 0.0);
        assert!((long.p95 / 120_000.0 - 1.0).abs() < 0.01, "{long:?}");
    }

    proptest! {
        #[test]
        fn percentiles_are_off_by_a_hundredth_at_most(
            nanos in prop::collection::vec(0_u64..100_000_000_000, 1..300)
        ) {
            let (found, exact) = (of(&nanos).expect("some"), DelaySummary::of(&nanos).expect("some"));
            let close = |a: f64, b: f64| (a - b).abs() <= 0.01 * b + 1e-3;
            prop_assert!(close(found.p50, exact.p50), "{} {}", found.p50, exact.p50);
            prop_assert!(close(found.p95, exact.p95), "{} {}", found.p95, exact.p95);
        }
    }
}
