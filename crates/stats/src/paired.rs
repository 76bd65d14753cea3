//! Two arms that were run on the same seeds, pair by pair.

use airpath_base::math;

use crate::{Interval, mean_interval};

/// How much more the second of each pair is than the first, on average: Student's interval of the
/// differences. None for fewer than two pairs, for values that are not finite, or a confidence
/// outside 0..1.
pub fn paired_difference(pairs: &[(f64, f64)], confidence: f64) -> Option<Interval> {
    mean_interval(&differences(pairs), confidence)
}

/// How many times the first of each pair the second is: the ratio of the geometric means, with
/// Student's interval of the differences of logarithms. None as [`paired_difference`], and where
/// a value is zero or negative, which has no logarithm: leaving such pairs out would favour one
/// arm.
pub fn paired_ratio(pairs: &[(f64, f64)], confidence: f64) -> Option<Interval> {
    Some(mean_interval(&log_ratios(pairs)?, confidence)?.map(math::exp))
}

/// Second less first, by pair.
pub(crate) fn differences(pairs: &[(f64, f64)]) -> Vec<f64> {
    pairs.iter().map(|(first, second)| second - first).collect()
}

/// The logarithm of second by first, by pair; none if a value has none.
pub(crate) fn log_ratios(pairs: &[(f64, f64)]) -> Option<Vec<f64>> {
    let positive = |value: f64| value > 0.0 && value.is_finite();
    let log = |&(first, second): &(f64, f64)| {
        (positive(first) && positive(second)).then(|| math::ln(second) - math::ln(first))
    };
    pairs.iter().map(log).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Student's own example (1908), table of section IX: additional hours of sleep of ten
    /// patients with each of two drugs; the differences have mean 1.58 and standard deviation
    /// 1.23 (1.17 with the divisor n), by hand half width 2.262157·1.229995/√10 = 0.879886.
    #[test]
    fn hours_of_sleep_gained() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let pairs: Vec<_> = first.into_iter().zip(second).collect();
        let gained = paired_difference(&pairs, 0.95).expect("ten pairs");
        assert!((gained.estimate - 1.58).abs() < 1e-12);
        assert!((gained.half_width() - 0.879_886).abs() < 1e-6, "{}", gained.half_width());
        assert_eq!(paired_ratio(&pairs, 0.95), None, "hours lost have no logarithm");
    }

    #[test]
    fn a_ratio_of_geometric_means() {
        // Ratios 2 and 8: their geometric mean is 4; logarithms differ by 2·ln 2, s = √2·ln 2,
        // half width 12.706205·ln 2, by hand 4·e^∓8.807270.
        let ratio = paired_ratio(&[(1.0, 2.0), (0.5, 4.0)], 0.95).expect("two pairs");
        assert!((ratio.estimate - 4.0).abs() < 1e-12);
        assert!((math::ln(ratio.high / 4.0) - 8.807_270).abs() < 1e-5, "{ratio:?}");
        assert_eq!(paired_ratio(&[(1.0, 2.0), (0.0, 4.0)], 0.95), None);
        assert_eq!(paired_ratio(&[(1.0, 2.0), (1.0, f64::INFINITY)], 0.95), None);
        assert_eq!((paired_ratio(&[(1.0, 2.0)], 0.95), paired_difference(&[], 0.95)), (None, None));
    }

    proptest! {
        #[test]
        fn arms_change_places(
            pairs in prop::collection::vec((1e-3..1e3, 1e-3..1e3), 2..30), scale in 0.01..100.0
        ) {
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3);
            let swapped: Vec<_> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let scaled: Vec<_> = pairs.iter().map(|&(a, b)| (a * scale, b * scale)).collect();
            let ratio = paired_ratio(&pairs, 0.95).expect("pairs");
            prop_assert!(ratio.contains(ratio.estimate) && ratio.low > 0.0);
            let other = paired_ratio(&swapped, 0.95).expect("pairs");
            prop_assert!(near(ratio.estimate * other.estimate, 1.0));
            let unit = paired_ratio(&scaled, 0.95).expect("pairs");
            prop_assert!(near(unit.estimate, ratio.estimate), "a ratio has no unit");
            let more = paired_difference(&pairs, 0.95).expect("pairs");
            let less = paired_difference(&swapped, 0.95).expect("pairs");
            prop_assert!((more.low + less.high).abs() < 1e-9);
        }
    }
}
