use proptest::prelude::*;

use crate::{paired_difference, paired_ratio};

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() < tolerance, "{value} is not {expected}");
}

fn sleep() -> Vec<(f64, f64)> {
    let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    first.into_iter().zip(second).collect()
}

/// R: t.test(extra ~ group, data = sleep, paired = TRUE) gives t = -4.0621, df = 9,
/// p-value = 0.002833, interval -2.4598858 to -0.7001142.
#[test]
fn as_the_test_in_r() {
    let effect = paired_difference(&sleep()).expect("ten pairs");
    near(effect.p(), 0.002_833, 5e-7);
    let interval = effect.interval(0.95).expect("a confidence");
    near(interval.low, 0.700_114_2, 1e-7);
    near(interval.high, 2.459_885_8, 1e-7);
    assert!(effect.resolved(0.95) && !effect.resolved(0.999));
    assert_eq!(effect.interval(1.0), None);
}

/// t = 1 with one degree of freedom has a tail of 1/4, t = 3 one of 1/2 - atan(3)/π = 0.102416.
#[test]
fn equal_but_for_a_margin() {
    // Differences 0 and 2: estimate 1, error 1.
    let effect = paired_difference(&[(5.0, 5.0), (5.0, 7.0)]).expect("two pairs");
    near(effect.p_beyond(2.0).expect("a margin"), 0.25, 1e-12);
    near(effect.p_beyond(4.0).expect("a margin"), 0.102_416, 1e-6);
    near(effect.p_beyond(1.0).expect("a margin"), 0.5, 1e-12);
    assert_eq!((effect.p_beyond(0.0), effect.p_beyond(f64::NAN)), (None, None));
    // Ratios 1 and 1.21: estimate and error ln 1.1, and a margin of 33.1% is 3 ln 1.1.
    let effect = paired_ratio(&[(5.0, 5.0), (1.0, 1.21)]).expect("two pairs");
    near(effect.p_beyond(0.331).expect("a margin"), 0.147_584, 1e-6); // 1/2 - atan(2)/π
    near(effect.estimate(), 1.1, 1e-12);
}

#[test]
fn without_spread_all_is_certain() {
    let same = paired_difference(&[(1.0, 1.0), (2.0, 2.0)]).expect("two pairs");
    assert_eq!((same.p(), same.p_beyond(0.1), same.resolved(0.95)), (1.0, Some(0.0), false));
    assert_eq!(same.runs_needed(0.95), None);
    let more = paired_difference(&[(1.0, 2.0), (2.0, 3.0)]).expect("two pairs");
    assert_eq!((more.p(), more.p_beyond(0.5), more.resolved(0.95)), (0.0, Some(1.0), true));
}

/// R: power.t.test(delta = 1, sd = 2, power = 0.8, type = "paired") gives n = 33.37; here the
/// quantiles of t stand for those of its noncentral distribution, so that n is 33 to 35.
#[test]
fn pairs_that_are_needed() {
    // Differences 1 ± d, six of each: s = d·√(12/11) is 2 with d = 1.914854.
    let wide = [(0.0, 1.0 - 1.914_854), (0.0, 1.0 + 1.914_854)].repeat(6);
    let effect = paired_difference(&wide).expect("twelve pairs");
    assert!(!effect.resolved(0.95));
    let needed = effect.runs_needed(0.95).expect("not out of reach");
    assert!((33..=35).contains(&needed), "{needed}");
    let noise = [(0.0, -1.0), (0.0, 1.01)].repeat(12);
    assert_eq!(paired_difference(&noise).expect("24 pairs").runs_needed(0.95), None);
}

proptest! {
    #[test]
    fn p_and_interval_say_the_same(
        pairs in prop::collection::vec((1e-3..1e3, 1e-3..1e3), 2..30), confidence in 0.5_f64..0.999
    ) {
        for effect in [paired_difference(&pairs), paired_ratio(&pairs)] {
            let effect = effect.expect("pairs");
            let p: f64 = effect.p();
            prop_assert!((0.0..=1.0).contains(&p));
            if (p - (1.0 - confidence)).abs() > 1e-9 {
                prop_assert_eq!(effect.resolved(confidence), p < 1.0 - confidence);
            }
            let interval = effect.interval(confidence).expect("a confidence");
            prop_assert!(interval.contains(effect.estimate()));
            let beyond = effect.p_beyond(0.1).expect("a margin");
            prop_assert!(beyond >= effect.p_beyond(0.2).expect("a margin"));
            if !effect.resolved(0.95) && let Some(needed) = effect.runs_needed(0.95) {
                prop_assert!(needed > pairs.len() as u64);
            }
        }
    }
}
