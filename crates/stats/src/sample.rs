//! Moments and percentiles of values.
//!
//! A percentile is by nearest rank: of n sorted values the one of rank ⌈p·n/100⌉, counted from 1;
//! always a value that occurred. [`quantile`] interpolates instead; it is for quartiles of few
//! repetitions.

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
    pub fn merge(&mut self, other: &Welford) {
        let count = self.count + other.count;
        if count == 0 {
            return;
        }
        let (apart, share) = (other.mean - self.mean, other.count as f64 / count as f64);
        self.squares += other.squares + apart * apart * share * self.count as f64;
        self.mean += apart * share;
        self.count = count;
    }

    /// Number of values so far.
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

/// The nearest rank, counted from 1, of a percentile of `n` values, `per_mille` in 0..=1000 (the
/// median is 500); 0 if `n` is. It is computed in integers: the 95th percentile of 20 values is
/// the 19th, not by a rounding error the 20th.
pub fn rank(n: u64, per_mille: u32) -> u64 {
    let rank = (u128::from(n) * u128::from(per_mille.min(1000))).div_ceil(1000) as u64;
    rank.max(1).min(n)
}

/// The percentile of sorted values by nearest [`rank`]; none without values.
pub fn nearest_rank<T: Copy>(sorted: &[T], per_mille: u32) -> Option<T> {
    let rank = rank(sorted.len() as u64, per_mille);
    sorted.get(rank.checked_sub(1)? as usize).copied()
}

/// The percentile of values in any order by nearest [`rank`]: over frames, users or runs. None
/// without values or if one is not finite.
pub fn percentile(values: &[f64], per_mille: u32) -> Option<f64> {
    if !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut values = values.to_vec();
    let place = (rank(values.len() as u64, per_mille) as usize).checked_sub(1)?;
    Some(*values.select_nth_unstable_by(place, f64::total_cmp).1)
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn welford_agrees_with_two_passes() {
        // 2 4 4 4 5 5 7 9: mean 5, squared deviations 32.
        let mut welford = Welford::default();
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].iter().for_each(|&x| welford.add(x));
        assert_eq!((welford.count(), welford.mean()), (8, Some(5.0)));
        let near = |value: Option<f64>, expected: f64| {
            assert!((value.expect("values") - expected).abs() < 1e-9);
        };
        near(welford.stddev(), 2.0); // sqrt(32 / 8)
        near(welford.stddev_sample(), 2.138_089_935_299_395); // sqrt(32 / 7)
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(Welford::default().mean(), None);
        assert_eq!(Welford::default().stddev(), None);
        assert_eq!(nearest_rank::<u64>(&[], 500), None);
        assert_eq!((quantile(&[], 0.5), quartiles(&[]), percentile(&[], 500)), (None, None, None));
        assert_eq!(percentile(&[1.0, f64::NAN], 500), None);
    }

    #[test]
    fn ranks_are_exact() {
        // W. J. Conover's convention: the p-th percentile has rank ⌈pn/100⌉.
        assert_eq!(rank(20, 950), 19);
        assert_eq!(rank(100, 990), 99);
        assert_eq!(rank(101, 990), 100);
        assert_eq!(rank(5, 0), 1);
        assert_eq!(rank(0, 500), 0);
        let ordered = [15, 20, 35, 40, 50];
        assert_eq!(nearest_rank(&ordered, 300), Some(20)); // ⌈1.5⌉ = 2
        assert_eq!(nearest_rank(&ordered, 400), Some(20)); // ⌈2⌉ = 2
        assert_eq!(nearest_rank(&ordered, 1000), Some(50));
        assert_eq!(percentile(&[50.0, 15.0, 40.0, 20.0, 35.0], 400), Some(20.0));
    }

    #[test]
    fn quartiles_as_r_and_numpy_give_them() {
        // R: quantile(c(7, 15, 36, 39, 40, 41)) gives 20.25, 37.5, 39.75.
        assert_eq!(quartiles(&[41.0, 7.0, 15.0, 40.0, 36.0, 39.0]), Some([20.25, 37.5, 39.75]));
        assert_eq!(quartiles(&[3.0]), Some([3.0, 3.0, 3.0]));
        assert_eq!(quantile(&[1.0, 2.0], 1.5), None);
    }

    proptest! {
        #[test]
        fn half_of_all_values_are_at_most_the_median(
            mut values in prop::collection::vec(any::<u64>(), 1..100)
        ) {
            values.sort_unstable();
            let median = nearest_rank(&values, 500).expect("values");
            prop_assert!(2 * values.iter().filter(|&&v| v <= median).count() >= values.len());
            prop_assert!(2 * values.iter().filter(|&&v| v >= median).count() >= values.len());
        }

        #[test]
        fn merged_moments_are_those_of_all(
            values in prop::collection::vec(-1e3..1e3, 0..40), at in 0_usize..40
        ) {
            let (first, second) = values.split_at(at.min(values.len()));
            let of = |values: &[f64]| {
                values.iter().fold(Welford::default(), |mut w, &v| { w.add(v); w })
            };
            let (mut merged, whole) = (of(first), of(&values));
            merged.merge(&of(second));
            prop_assert_eq!(merged.count(), whole.count());
            if let (Some(a), Some(b)) = (merged.stddev(), whole.stddev()) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }
    }
}
