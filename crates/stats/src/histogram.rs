//! A histogram of whole numbers in bounded memory.

use hdrhistogram::Histogram as Hdr;

use crate::rank;

/// A histogram of whole numbers: nanoseconds, bytes. Its buckets grow with the numbers in them
/// (HdrHistogram), so that a percentile is off by a fixed share of itself.
#[derive(Clone, Debug)]
pub struct Histogram(Hdr<u64>);

impl Histogram {
    /// An empty histogram whose memory grows with the largest number. Percentiles are off by
    /// 1 in 10 to the power of `digits` at most.
    ///
    /// # Panics
    ///
    /// If there are more than 5 digits.
    pub fn growing(digits: u8) -> Histogram {
        let mut histogram = Hdr::new(digits).expect("at most 5 digits");
        histogram.auto(true);
        Histogram(histogram)
    }

    /// An empty histogram whose memory is fixed. A number above `most` counts as `most`.
    ///
    /// # Panics
    ///
    /// If `most` is below 2, or there are more than 5 digits.
    pub fn up_to(most: u64, digits: u8) -> Histogram {
        Histogram(Hdr::new_with_bounds(1, most, digits).expect("2 or more, at most 5 digits"))
    }

    /// Counts a number.
    pub fn record(&mut self, number: u64) {
        self.record_n(number, 1);
    }

    /// Counts a number `count` times. A number that the histogram cannot hold counts as its largest.
    pub fn record_n(&mut self, number: u64, count: u64) {
        if self.0.record_n(number, count).is_err() {
            self.0.saturating_record_n(number, count);
        }
    }

    /// Counts the numbers of another histogram, each as the largest of its bucket there.
    pub fn merge(&mut self, other: &Histogram) {
        for bucket in other.0.iter_recorded() {
            self.record_n(bucket.value_iterated_to(), bucket.count_since_last_iteration());
        }
    }

    /// The count of numbers.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The largest number of the bucket with the largest number; 0 without numbers.
    pub fn max(&self) -> u64 {
        self.0.max()
    }

    /// A percentile in thousandths by nearest [`rank`]: the largest number of the bucket that
    /// holds the rank. None without numbers.
    pub fn percentile(&self, per_mille: u32) -> Option<u64> {
        let rank = rank(self.count(), per_mille);
        let mut below = 0;
        let bucket = self.0.iter_recorded().find(|bucket| {
            below += bucket.count_since_last_iteration();
            below >= rank
        });
        bucket.map(|bucket| bucket.value_iterated_to())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_numbers_are_exact() {
        let mut histogram = Histogram::growing(3);
        assert_eq!((histogram.count(), histogram.max(), histogram.percentile(500)), (0, 0, None));
        (1..=100).for_each(|n| histogram.record(n));
        // Nearest ranks 50, 95 and 99 of 1 to 100.
        assert_eq!([500, 950, 990].map(|p| histogram.percentile(p)), [50, 95, 99].map(Some));
    }

    #[test]
    fn numbers_beyond_the_bounds_count_as_the_bounds() {
        let mut histogram = Histogram::up_to(1_000, 2);
        histogram.record(0);
        histogram.record(1 << 40);
        assert_eq!((histogram.count(), histogram.percentile(500)), (2, Some(0)));
        assert!(histogram.max() >= 1_000 && histogram.max() < 1_100, "{}", histogram.max());
    }

    proptest! {
        #[test]
        fn percentiles_are_off_by_a_thousandth_at_most(
            mut numbers in prop::collection::vec(0_u64..1 << 50, 1..200),
            at in 0_usize..200,
        ) {
            let (mut one, mut other) = (Histogram::growing(3), Histogram::growing(3));
            let at = at.min(numbers.len());
            numbers[..at].iter().for_each(|&n| one.record(n));
            numbers[at..].iter().for_each(|&n| other.record(n));
            one.merge(&other);
            numbers.sort_unstable();
            for per_mille in [1, 500, 999] {
                let exact = numbers[rank(numbers.len() as u64, per_mille) as usize - 1] as f64;
                let found = one.percentile(per_mille).expect("numbers") as f64;
                prop_assert!((found - exact).abs() <= exact / 1000.0 + 1.0, "{found} {exact}");
            }
        }
    }
}
