use proptest::prelude::*;

use super::*;

/// Twenty drops of five users; the n-th user of drop d has the value d + 20·n.
fn drops() -> Vec<Vec<f64>> {
    (0..20).map(|drop| (0..5).map(|user| f64::from(drop + 20 * user)).collect()).collect()
}

/// Values 0 to 99, so the median by nearest rank is 49. At or below 49 are users 0 and 1 of all
/// drops, and user 2 of the first ten drops. That is 3 or 2 of 5 users, where the share of all is a
/// half, so each excess is ±0.5. Its variance by clusters, 20/19·20·0.25 = 5.2632, is below the
/// 100/4 of independent users. The half width is therefore 2.093024·√(25)/100 = 0.104651, for ranks
/// ⌈39.53⌉ and ⌈60.47⌉.
#[test]
fn clusters_that_are_alike_count_as_independent_users() {
    let interval = quantile_interval(&drops(), 500, 0.95).expect("twenty drops");
    assert_eq!((interval.estimate, interval.low, interval.high), (49.0, 39.0, 60.0));
}

/// Ten drops of ten users with one value each: 1 to 10. At or below the median, 5, are all users of
/// five drops; excesses are ±5, their variance 10/9·10·25 = 277.8, the half width
/// 2.262157·16.667/100 = 0.377, for ranks ⌈12.3⌉ and ⌈87.7⌉: values 2 and 9. As independent users
/// they would have ⌈38.7⌉ and ⌈61.3⌉: 4 and 7.
#[test]
fn users_that_are_alike_count_as_one() {
    let drops: Vec<Vec<f64>> = (1..=10).map(|drop| vec![f64::from(drop); 10]).collect();
    let interval = quantile_interval(&drops, 500, 0.95).expect("ten drops");
    assert_eq!((interval.estimate, interval.low, interval.high), (5.0, 2.0, 9.0));
}

/// With all excess in one cluster of k, κ is k - 2 + 1/(k - 1); with excesses of one size it is 1.
#[test]
fn degrees_of_freedom_by_kurtosis() {
    // Excesses 9 and nine times -1: squares 90, fourth powers 6570; κ = 657/81 = 8.1111,
    // ν = 20/(8.1111 - 7/9) = 2.727.
    let mut excesses = vec![-1.0; 9];
    excesses.push(9.0);
    let (variance, freedom) = between(&excesses);
    assert!((variance - 100.0).abs() < 1e-9, "10/9 of 90");
    assert_eq!(freedom, 2);
    assert_eq!(between(&[1.0, -1.0].repeat(5)).1, 9, "not more than clusters less one");
    assert_eq!(between(&[0.0; 4]), (0.0, 3));
}

#[test]
fn what_cannot_be_said_is_refused() {
    let drops = drops();
    assert_eq!(quantile_interval(&drops[..1], 500, 0.95), None);
    assert_eq!(quantile_interval(&[vec![], vec![]], 500, 0.95), None);
    assert_eq!(quantile_interval(&[vec![1.0], vec![f64::NAN]], 500, 0.95), None);
    assert_eq!(quantile_interval(&drops, 0, 0.95), None);
    assert_eq!(quantile_interval(&drops, 1000, 0.95), None);
    assert_eq!(quantile_interval(&drops, 500, 1.0), None);
    let pair = (vec![1.0, 2.0], vec![3.0]);
    let resampling = Resampling::default();
    assert_eq!(quantile_difference(std::slice::from_ref(&pair), 500, resampling), None);
    let empty = (vec![1.0], vec![]);
    assert_eq!(quantile_difference(&[pair.clone(), empty], 500, resampling), None);
    let zero = (vec![0.0], vec![3.0]);
    assert_eq!(quantile_ratio(&[pair, zero], 500, resampling), None, "a draw may have zeros only");
}

/// With one user a drop and the first arm at zero, the difference of the medians of 21 values is
/// their median. Its standard error over drawn samples is exact. The median of a drawn sample is
/// the r-th value with the probability of a binomial (J. S. Maritz and R. G. Jarrett, JASA 73
/// (1978)). For the values 0, 1, …, 20 the standard error is 2.4174.
#[test]
fn the_drawn_error_of_a_median_is_the_exact_one() {
    let pairs: Vec<_> = (0..21).map(|n| (vec![0.0], vec![f64::from(n)])).collect();
    let many = Resampling { seed: 5, resamples: 40_000 };
    let effect = quantile_difference(&pairs, 500, many).expect("21 pairs");
    assert_eq!(effect.estimate(), 10.0);
    let half = effect.interval(0.95).expect("a confidence").half_width();
    let exact = t_critical(0.95, 20).expect("a value") * (21.0_f64 / 20.0).sqrt() * maritz(21);
    assert!((half / exact - 1.0).abs() < 0.015, "{half} is not {exact}");
}

/// The standard deviation of the median of n draws from 0 … n - 1, n odd.
fn maritz(n: i32) -> f64 {
    // At least (n + 1)/2 of n draws are at most r with the tail of a binomial of p = (r + 1)/n.
    let at_most = |r: i32| -> f64 {
        let p = f64::from(r + 1) / f64::from(n);
        let term = |k: i32| choose(n, k) * p.powi(k) * (1.0 - p).powi(n - k);
        ((n + 1) / 2..=n).map(term).sum()
    };
    let chance = |r: i32| at_most(r) - if r > 0 { at_most(r - 1) } else { 0.0 };
    let moment = |power| (0..n).map(|r| chance(r) * f64::from(r).powi(power)).sum::<f64>();
    (moment(2) - moment(1) * moment(1)).sqrt()
}

fn choose(n: i32, k: i32) -> f64 {
    (1..=k).map(|i| f64::from(n - k + i) / f64::from(i)).product()
}

#[test]
fn what_both_arms_share_cancels() {
    let raised = |drop: &Vec<f64>| drop.iter().map(|v| v + 3.0).collect();
    let pairs: Vec<_> = drops().into_iter().map(|drop| (drop.clone(), raised(&drop))).collect();
    let effect = quantile_difference(&pairs, 950, Resampling::default()).expect("twenty pairs");
    let interval = effect.interval(0.95).expect("a confidence");
    assert!((interval.low - 3.0).abs() < 1e-9 && (interval.high - 3.0).abs() < 1e-9);
    let alone = quantile_interval(&drops(), 950, 0.95).expect("twenty drops");
    assert!(alone.half_width() > 1.0);
}

fn clusters() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(0.01..100.0, 1..8), 2..12)
}

proptest! {
    #[test]
    fn an_interval_moves_with_its_values(
        drops in clusters(), per_mille in 1_u32..1000, scale in 0.1..10.0, shift in -50.0..50.0
    ) {
        let interval = quantile_interval(&drops, per_mille, 0.95).expect("drops");
        prop_assert!(interval.contains(interval.estimate));
        let wider = quantile_interval(&drops, per_mille, 0.99).expect("drops");
        prop_assert!(wider.low <= interval.low && interval.high <= wider.high);
        let map = |v: f64| v * scale + shift;
        let moved: Vec<Vec<f64>> =
            drops.iter().map(|drop| drop.iter().map(|&v| map(v)).collect()).collect();
        prop_assert_eq!(quantile_interval(&moved, per_mille, 0.95), Some(interval.map(map)));
    }

    #[test]
    fn arms_change_places(drops in clusters(), others in clusters(), per_mille in 1_u32..1000) {
        let resampling = Resampling { seed: 3, resamples: 50 };
        let pairs: Vec<_> = drops.into_iter().zip(others).collect();
        let swapped: Vec<_> = pairs.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        let more = quantile_difference(&pairs, per_mille, resampling).expect("pairs");
        let less = quantile_difference(&swapped, per_mille, resampling).expect("pairs");
        prop_assert!((more.estimate() + less.estimate()).abs() < 1e-9);
        let (a, b) = (more.interval(0.95).expect("fine"), less.interval(0.95).expect("fine"));
        prop_assert!((a.low + b.high).abs() < 1e-6);
        prop_assert_eq!(Some(more), quantile_difference(&pairs, per_mille, resampling), "seeded");
        let ratio = quantile_ratio(&pairs, per_mille, resampling).expect("positive");
        let back = quantile_ratio(&swapped, per_mille, resampling).expect("positive");
        prop_assert!((ratio.estimate() * back.estimate() - 1.0).abs() < 1e-9);
    }
}
