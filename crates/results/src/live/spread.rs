//! Durations of one interval, in constant memory.
//!
//! Buckets grow with what is in them, as in an HDR histogram: 128 from each power of two to the
//! next. Only those between the least and the greatest duration are read and cleared, since an
//! interval may be so short that it has few.

use airpath_base::Duration;
use airpath_stats::rank;

use super::Spread;
use crate::stat::millis;

/// Durations are counted in units of so many bits of a nanosecond: 512 ns.
const UNIT: u32 = 9;
/// Longer ones count as this: two minutes.
const MOST: u64 = 120_000_000_000;
/// Bits that tell the buckets of a power of two apart: they are off by 1/128 at most.
const DIGITS: u32 = 7;
/// Buckets that there are.
const BUCKETS: usize = bucket(MOST) + 1;

/// A histogram of durations, about 11 kB.
#[derive(Clone, Debug)]
pub(super) struct Durations {
    counts: Box<[u32; BUCKETS]>,
    count: u64,
    min: u64,
    max: u64,
}

impl Durations {
    pub(super) fn new() -> Durations {
        Durations { counts: Box::new([0; BUCKETS]), count: 0, min: u64::MAX, max: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, duration: Duration) {
        let nanos = duration.as_nanos().min(MOST);
        (self.min, self.max) = (self.min.min(nanos), self.max.max(nanos));
        self.count += 1;
        let count = &mut self.counts[bucket(nanos)];
        *count = count.saturating_add(1);
    }

    /// Their percentiles, if there are any; then the histogram is empty.
    pub(super) fn take(&mut self) -> Option<Spread> {
        if self.count == 0 {
            return None;
        }
        let spread = Spread { p50: self.percentile(500), p95: self.percentile(950) };
        self.counts[bucket(self.min)..=bucket(self.max)].fill(0);
        (self.count, self.min, self.max) = (0, u64::MAX, 0);
        Some(spread)
    }

    /// The lower end of the bucket that holds the nearest rank, in milliseconds: no wait is none.
    fn percentile(&self, per_mille: u32) -> f64 {
        let rank = rank(self.count, per_mille);
        let mut below = 0;
        let known = (bucket(self.min)..=bucket(self.max)).find(|&bucket| {
            below += u64::from(self.counts[bucket]);
            below >= rank
        });
        millis(known.map_or(self.max, lower).clamp(self.min, self.max))
    }
}

/// The bucket of a duration.
const fn bucket(nanos: u64) -> usize {
    let units = nanos >> UNIT;
    let bits = u64::BITS - units.leading_zeros();
    let shift = bits.saturating_sub(DIGITS + 1);
    ((shift as u64) << DIGITS) as usize + (units >> shift) as usize
}

/// The least duration in a bucket.
const fn lower(bucket: usize) -> u64 {
    let shift = (bucket as u64 >> DIGITS).saturating_sub(1);
    (bucket as u64 - (shift << DIGITS)) << shift << UNIT
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
        // Durations above two minutes are in the bucket of two minutes.
        let long = of(&[0, 500_000_000_000]).expect("durations");
        assert_eq!(long.p50, 0.0);
        assert!((long.p95 / 120_000.0 - 1.0).abs() < 0.01, "{long:?}");
        assert_eq!((bucket(0), bucket(1_023), bucket(MOST)), (0, 1, BUCKETS - 1));
    }

    proptest! {
        #[test]
        fn a_bucket_begins_where_the_one_before_ends(n in 0..BUCKETS - 1) {
            prop_assert_eq!(bucket(lower(n)), n);
            prop_assert_eq!(bucket(lower(n + 1) - 1), n);
            // No wider than 1/128 of what is in it, or a unit.
            let (low, width) = (lower(n), lower(n + 1) - lower(n));
            prop_assert!(width == 512 || width * 128 <= low, "{low} {width}");
        }

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
