use std::slice::from_ref;

use airpath_base::math;
use proptest::prelude::*;

use super::*;
use crate::{paired_difference, paired_ratio, quantile_ratio};

/// Pairs of seeds from 1 on.
fn condition(pairs: &[(f64, f64)]) -> Condition<f64> {
    (1..).zip(pairs).map(|(seed, &(first, second))| (seed, first, second)).collect()
}

#[test]
fn the_geometric_mean_of_ratios() {
    // Logarithms of ratios, in ln 2: 1 and 3, of mean 2; 0 and 2, of mean 1. A seed adds
    // √2·(∓1)/(2·2) of each condition, so ∓1/√2: the error is 1, with one degree of freedom.
    let conditions = [condition(&[(1.0, 2.0), (1.0, 8.0)]), condition(&[(3.0, 3.0), (0.5, 2.0)])];
    let effect = mean_effect(Scale::Ratio, &conditions).expect("conditions");
    assert!((effect.estimate() - math::exp2(1.5)).abs() < 1e-12, "{effect:?}");
    let interval = effect.interval(0.95).expect("a confidence");
    let half = math::log2(interval.high / interval.estimate);
    assert!((half - 12.706_205).abs() < 1e-5, "{half}");
}

#[test]
fn seeds_that_share_draws_vary_together() {
    // Deviations ∓1 of both conditions with the same seeds add up to an error of 1 as above. With
    // other seeds each of four adds √2/4, so the error is √(4/8).
    let pairs = [(0.0, -1.0), (0.0, 1.0)];
    let same = condition(&pairs);
    let others = (3..).zip(&pairs).map(|(seed, &(first, second))| (seed, first, second)).collect();
    let half = |conditions: &[_]| {
        let effect = mean_effect(Scale::Difference, conditions).expect("conditions");
        effect.interval(0.5).expect("a confidence").high
    };
    // Quartiles of t: 1 with one degree of freedom, 0.816497 with two.
    assert!((half(&[same.clone(), same.clone()]) - 1.0).abs() < 1e-6);
    assert!((half(&[same.clone(), others]) - 0.816_497 * 0.5_f64.sqrt()).abs() < 1e-6);
    let opposite = condition(&[(0.0, 1.0), (0.0, -1.0)]);
    assert!(half(&[same, opposite]).abs() < 1e-12, "what seeds add cancels");
}

#[test]
fn degrees_of_freedom() {
    let seeds = |numbers: std::ops::RangeInclusive<u64>| -> Condition<()> {
        numbers.map(|seed| (seed, (), ())).collect()
    };
    assert_eq!(freedom(&[seeds(1..=8), seeds(1..=8)], &[1.0, 3.0]), Some(7), "same seeds");
    // Other seeds: Welch and Satterthwaite, 4²/(1/7 + 9/3) = 5.09.
    assert_eq!(freedom(&[seeds(1..=8), seeds(11..=14)], &[1.0, 3.0]), Some(5));
    assert_eq!(freedom(&[seeds(1..=8), seeds(1..=4)], &[0.0, 0.0]), Some(3), "no spread");
    assert_eq!(freedom::<()>(&[], &[]), None);
}

#[test]
fn nothing_of_too_little() {
    let fine = condition(&[(1.0, 2.0), (1.0, 8.0)]);
    let zero = condition(&[(1.0, 2.0), (0.0, 8.0)]);
    for bad in [Vec::new(), condition(&[(1.0, 2.0)]), zero.clone()] {
        assert_eq!(mean_effect(Scale::Ratio, &[fine.clone(), bad]), None);
    }
    assert!(mean_effect(Scale::Difference, &[fine, zero]).is_some());
    assert_eq!(mean_effect(Scale::Ratio, &[]), None);
    let users = vec![(1, vec![1.0], vec![2.0]), (2, vec![2.0], vec![3.0])];
    let of = |conditions: &[Condition<Vec<f64>>], per_mille| {
        mean_quantile_effect(Scale::Ratio, conditions, per_mille, Resampling::default())
    };
    assert!(of(from_ref(&users), 990).is_some());
    let nobody = vec![(1, vec![1.0], vec![]), (2, vec![2.0], vec![])];
    for bad in [vec![], vec![users[..1].to_vec()], vec![users.clone(), nobody]] {
        assert_eq!(of(&bad, 990), None);
    }
    assert_eq!((of(from_ref(&users), 0), of(&[users], 1000)), (None, None));
}

/// One condition of many drops has the standard error of the bootstrap that draws drops.
#[test]
fn one_condition_as_by_whole_drops() {
    let mut stream = Seed(3).stream("users");
    let mut users = |mean: f64| -> Vec<f64> {
        let drop = stream.exponential(mean);
        (0..20).map(|_| drop + stream.exponential(mean)).collect()
    };
    let pairs: Vec<_> = (0..60).map(|_| (users(1.0), users(2.0))).collect();
    let condition = (1..).zip(&pairs).map(|(s, (a, b))| (s, a.clone(), b.clone())).collect();
    let draws = Resampling::default();
    let half = |effect: Option<Effect>| {
        let interval = effect.expect("drops").interval(0.95).expect("a confidence");
        math::ln(interval.high / interval.estimate)
    };
    let whole = half(quantile_ratio(&pairs, 900, draws));
    let mean = half(mean_quantile_effect(Scale::Ratio, &[condition], 900, draws));
    assert!((mean / whole - 1.0).abs() < 0.1, "{mean} and {whole}");
}

proptest! {
    /// One condition has the interval of the paired test.
    #[test]
    fn one_condition_is_the_paired_test(
        pairs in prop::collection::vec((1e-3..1e3, 1e-3..1e3), 2..30)
    ) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3);
        for (scale, paired) in
            [(Scale::Difference, paired_difference(&pairs)), (Scale::Ratio, paired_ratio(&pairs))]
        {
            let of = |effect: Option<Effect>| effect.expect("pairs").interval(0.9).expect("inside");
            let (mean, paired) = (of(mean_effect(scale, &[condition(&pairs)])), of(paired));
            prop_assert!(near(mean.low, paired.low) && near(mean.high, paired.high));
        }
    }
}
