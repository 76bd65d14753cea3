use proptest::prelude::*;

use super::*;

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() < tolerance, "{value} is not {expected}");
}

#[test]
fn interval_of_a_mean() {
    // 4, 5, 6: s = 1, t(0.975; 2) = 4.302653, half width 4.302653 / √3.
    let interval = mean_interval(&[4.0, 5.0, 6.0], 0.95).expect("three values");
    near(interval.low, 5.0 - 2.484_138, 1e-6);
    near(interval.high, 5.0 + 2.484_138, 1e-6);
    near(interval.relative_half_width().expect("not zero"), 2.484_138 / 5.0, 1e-6);
}

#[test]
fn a_further_value_lies_in_a_wider_interval() {
    // 4, 5, 6: 4.302653·√(4/3) = 4.968275.
    let interval = prediction_interval(&[4.0, 5.0, 6.0], 0.95).expect("three values");
    near(interval.low, 5.0 - 4.968_275, 1e-6);
    near(interval.half_width(), 4.968_275, 1e-6);
}

#[test]
fn too_few_values_and_values_that_are_none_are_refused() {
    for values in [&[][..], &[1.0], &[1.0, f64::NAN], &[1.0, 2.0, f64::INFINITY]] {
        assert_eq!(mean_interval(values, 0.95), None, "{values:?}");
        assert_eq!(prediction_interval(values, 0.95), None, "{values:?}");
    }
    assert_eq!(mean_interval(&[1.0, 2.0], 1.0), None);
    let equal = mean_interval(&[0.0; 5], 0.95).expect("five values");
    assert_eq!((equal.low, equal.high, equal.relative_half_width()), (0.0, 0.0, None));
}

#[test]
fn wilson_for_a_tenth_of_ten_and_for_none() {
    // 1 of 10 at 95%: (0.1 + 0.192073 ± 1.959964·√(0.009 + 0.0096036)) / 1.384146,
    // by hand 0.0178762 to 0.4041500.
    let interval = wilson(1, 10, 0.95).expect("ten trials");
    near(interval.low, 0.017_876_2, 1e-6);
    near(interval.high, 0.404_150_0, 1e-6);
    // 0 of n: the upper end is z² / (n + z²).
    let none = wilson(0, 10, 0.95).expect("ten trials");
    assert_eq!(none.low, 0.0);
    near(none.high, 3.841_458_8 / 13.841_458_8, 1e-7);
    assert_eq!((wilson(0, 0, 0.95), wilson(3, 2, 0.95)), (None, None));
}

proptest! {
    #[test]
    fn intervals_hold_their_estimate_and_move_with_the_values(
        values in prop::collection::vec(-1e6..1e6, 2..40), scale in 0.1..10.0, shift in -1e3..1e3
    ) {
        let moved: Vec<f64> = values.iter().map(|v| v * scale + shift).collect();
        for method in [mean_interval, prediction_interval] {
            let interval = method(&values, 0.95).expect("values");
            prop_assert!(interval.contains(interval.estimate));
            let other = method(&moved, 0.95).expect("values");
            let expected = interval.map(|v| v * scale + shift);
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1e7 + a.abs());
            prop_assert!(near(other.low, expected.low) && near(other.high, expected.high));
            let wider = method(&values, 0.99).expect("values");
            prop_assert!(wider.low <= interval.low && interval.high <= wider.high);
        }
    }

    #[test]
    fn a_proportion_lies_within_its_interval(n in 1_u64..10_000, share in 0.0..=1.0) {
        let successes = (n as f64 * share) as u64;
        let interval = wilson(successes, n, 0.95).expect("trials");
        prop_assert!(interval.contains(interval.estimate));
        prop_assert!(0.0 <= interval.low && interval.high <= 1.0);
    }
}
