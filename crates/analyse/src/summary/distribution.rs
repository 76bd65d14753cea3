//! Distributions over all flows in bounded memory: counts and sums in buckets. A bucket is within
//! 0.8 % wide, so the error of a value is at most 0.4 %.

use serde::Serialize;

/// Bits of an `f32` below a bucket's number: 7 bits of mantissa are left.
const SHIFT: u32 = 16;
/// The bucket of 1.
const ONE: u32 = 1.0f32.to_bits() >> SHIFT;

/// Values that are not negative, in some whole unit, by size.
#[derive(Clone, Debug, Default)]
pub(super) struct Distribution {
    /// Number of values of each bucket, and the sum of their weights. The first bucket is for
    /// values below 1.
    buckets: Vec<(u64, f64)>,
    n: u64,
    /// Of the values, and of the weights.
    sum: f64,
    weight: f64,
    min: f64,
    max: f64,
}

/// Quantiles and mean of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// Values.
    pub n: u64,
    /// Their mean.
    pub mean: f64,
    /// Least.
    pub min: f64,
    /// 5th percentile (nearest rank), within 0.4 %; so are the others.
    pub p5: f64,
    /// 10th percentile.
    pub p10: f64,
    /// First quartile.
    pub p25: f64,
    /// Median.
    pub p50: f64,
    /// Third quartile.
    pub p75: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Greatest.
    pub max: f64,
}

impl Distribution {
    /// Adds a value as its own weight.
    pub(super) fn add(&mut self, value: u64) {
        self.add_weighted(value, value as f64);
    }

    /// Adds a value that weighs so much.
    pub(super) fn add_weighted(&mut self, value: u64, weight: f64) {
        let place = place(value);
        if self.buckets.len() <= place {
            self.buckets.resize(place + 1, (0, 0.0));
        }
        let bucket = &mut self.buckets[place];
        (bucket.0, bucket.1) = (bucket.0 + 1, bucket.1 + weight);
        let value = value as f64;
        self.min = if self.n == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        (self.n, self.sum, self.weight) = (self.n + 1, self.sum + value, self.weight + weight);
    }

    /// Values.
    pub(super) fn n(&self) -> u64 {
        self.n
    }

    /// Quantiles, in a unit of which `unit` values make one; none without values.
    pub(super) fn quantiles(&self, unit: f64) -> Option<Quantiles> {
        let at = |q: f64| self.quantile(q) / unit;
        (self.n > 0).then(|| Quantiles {
            n: self.n,
            mean: self.sum / self.n as f64 / unit,
            min: self.min / unit,
            p5: at(0.05),
            p10: at(0.1),
            p25: at(0.25),
            p50: at(0.5),
            p75: at(0.75),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            max: self.max / unit,
        })
    }

    /// The share of the weight that the greatest `share` of the values have. Of the bucket
    /// in which that share begins, a part counts.
    pub(super) fn top(&self, share: f64) -> Option<f64> {
        let mut left = share * self.n as f64;
        let mut weight = 0.0;
        for (n, sum) in self.buckets.iter().rev() {
            if *n as f64 >= left {
                weight += sum * left / (*n).max(1) as f64;
                break;
            }
            (left, weight) = (left - *n as f64, weight + sum);
        }
        (self.weight > 0.0).then(|| weight / self.weight)
    }

    /// The number of values and the sum of weights in the bucket of `value` and above.
    pub(super) fn from(&self, value: u64) -> (u64, f64) {
        let above = self.buckets.get(place(value)..).unwrap_or_default();
        above.iter().fold((0, 0.0), |(n, sum), bucket| (n + bucket.0, sum + bucket.1))
    }

    /// The value below which so many of a hundred are (nearest rank).
    pub(super) fn quantile(&self, q: f64) -> f64 {
        self.ranked(((q * self.n as f64).ceil() as u64).max(1))
    }

    /// The least of the greatest `share` of the values.
    pub(super) fn least_of_top(&self, share: f64) -> f64 {
        let top = ((share * self.n as f64).round() as u64).max(1);
        self.ranked(self.n.saturating_sub(top) + 1)
    }

    /// The value of this rank, the least having rank 1.
    fn ranked(&self, rank: u64) -> f64 {
        let mut below = 0;
        let place = self.buckets.iter().position(|(n, _)| {
            below += n;
            below >= rank
        });
        place.map_or(self.max, |place| middle(place).clamp(self.min, self.max))
    }
}

/// The bucket of a value.
pub(super) fn place(value: u64) -> usize {
    let bits = (value as f32).to_bits() >> SHIFT;
    (bits + 1).saturating_sub(ONE) as usize
}

/// The middle of a bucket, rounded as its values are.
fn middle(place: usize) -> f64 {
    let Some(above) = place.checked_sub(1) else { return 0.0 };
    let edge = |place: u32| f64::from(f32::from_bits((place + ONE) << SHIFT));
    let (low, high) = (edge(above as u32), edge(above as u32 + 1));
    if high - low <= 1.0 { low } else { (low + high) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_half_a_percent() {
        let mut sizes = Distribution::default();
        (1..=100_000u64).rev().for_each(|n| sizes.add(n * n));
        let found = sizes.quantiles(1e6).unwrap();
        for (found, exact) in [
            (found.p5, 25.0),
            (found.p50, 2_500.0),
            (found.p90, 8_100.0),
            (found.p99, 9_801.0),
            (found.mean, 3_333.383_333_5),
        ] {
            assert!((found / exact - 1.0).abs() < 0.004, "{found} {exact}");
        }
        assert_eq!((found.n, found.min, found.max), (100_000, 1e-6, 10_000.0));
    }

    #[test]
    fn small_numbers_are_exact() {
        for value in (0..256).chain([1_000, 4_096]) {
            let mut one = Distribution::default();
            (0..3).for_each(|_| one.add(value));
            one.add(1 << 40);
            one.add(0);
            let error = one.quantile(0.5) - value as f64;
            assert!(error == 0.0 || value > 256 && error.abs() < 0.004 * value as f64, "{value}");
        }
    }

    #[test]
    fn the_top_has_its_share_of_the_sum() {
        let mut sizes = Distribution::default();
        (0..990).for_each(|_| sizes.add(10));
        (0..10).for_each(|_| sizes.add(100_000));
        let all = 990.0 * 10.0 + 1e6;
        assert!((sizes.top(0.01).unwrap() - 1e6 / all).abs() < 1e-12);
        assert!((sizes.top(0.005).unwrap() - 5e5 / all).abs() < 1e-12);
        assert!((sizes.top(1.0).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(sizes.from(1000), (10, 1e6));
        assert_eq!(Distribution::default().top(0.1), None);
    }

    #[test]
    fn the_greatest_values_have_a_bucket() {
        let mut sizes = Distribution::default();
        sizes.add(u64::MAX);
        assert!(sizes.quantile(0.5) == u64::MAX as f64 && sizes.buckets.len() < 1 << 14);
    }
}
