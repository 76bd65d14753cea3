//! Two arms that were run on the same seeds, pair by pair.

use crate::effect::{Effect, Scale};
use crate::interval::moments;

/// Mean difference of pairs, second less first, by Student's paired test. None for fewer than two
/// pairs or for values that are not finite.
pub fn paired_difference(pairs: &[(f64, f64)]) -> Option<Effect> {
    of(Scale::Difference, pairs)
}

/// Ratio of the geometric means, second to first, by Student's paired test of logarithms. None in
/// the cases of [`paired_difference`], and for a value of zero or below, which has no logarithm.
/// Such pairs are not left out, as that would favour one arm.
pub fn paired_ratio(pairs: &[(f64, f64)]) -> Option<Effect> {
    of(Scale::Ratio, pairs)
}

fn of(scale: Scale, pairs: &[(f64, f64)]) -> Option<Effect> {
    let effects: Option<Vec<f64>> = pairs.iter().map(|pair| scale.of(pair.0, pair.1)).collect();
    let (n, mean, deviation) = moments(&effects?)?;
    Effect::new(scale, mean, deviation / n.sqrt(), pairs.len())
}

#[cfg(test)]
mod tests {
    use airpath_base::math;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_ratio_of_geometric_means() {
        // Ratios 2 and 8: their geometric mean is 4; logarithms differ by 2·ln 2, s = √2·ln 2,
        // half width 12.706205·ln 2, by hand 4·e^∓8.807270.
        let effect = paired_ratio(&[(1.0, 2.0), (0.5, 4.0)]).expect("two pairs");
        let ratio = effect.interval(0.95).expect("a confidence");
        assert!((ratio.estimate - 4.0).abs() < 1e-12);
        assert!((math::ln(ratio.high / 4.0) - 8.807_270).abs() < 1e-5, "{ratio:?}");
    }

    #[test]
    fn what_has_no_logarithm_has_no_ratio() {
        for value in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            assert_eq!(paired_ratio(&[(1.0, 2.0), (1.0, value)]), None, "{value}");
            assert_eq!(paired_ratio(&[(1.0, 2.0), (value, 1.0)]), None, "{value}");
        }
        assert_eq!(paired_difference(&[(1.0, 2.0), (1.0, f64::INFINITY)]), None);
        assert_eq!((paired_ratio(&[(1.0, 2.0)]), paired_difference(&[])), (None, None));
    }

    proptest! {
        #[test]
        fn arms_change_places(
            pairs in prop::collection::vec((1e-3..1e3, 1e-3..1e3), 2..30), scale in 0.01..100.0
        ) {
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3);
            let swapped: Vec<_> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let scaled: Vec<_> = pairs.iter().map(|&(a, b)| (a * scale, b * scale)).collect();
            let ratio = |pairs: &[_]| paired_ratio(pairs).expect("pairs");
            prop_assert!(near(ratio(&pairs).estimate() * ratio(&swapped).estimate(), 1.0));
            prop_assert!(near(ratio(&scaled).estimate(), ratio(&pairs).estimate()), "no unit");
            let of = |pairs: &[_]| paired_difference(pairs)?.interval(0.95);
            let (more, less) = (of(&pairs).expect("pairs"), of(&swapped).expect("pairs"));
            prop_assert!((more.low + less.high).abs() < 1e-9);
        }
    }
}
