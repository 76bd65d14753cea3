use proptest::prelude::*;

use super::*;

#[test]
fn fractions_are_in_lowest_terms() {
    assert_eq!(Rational::new(6, 4), Rational { above: 3, below: 2 });
    assert_eq!(Rational::new(0, 7), Rational::ZERO);
}

#[test]
fn tenths_add_up_without_noise() {
    let tenth = Rational::new(1, 10);
    let sum: Rational = (0..3).map(|_| tenth).sum();
    assert_eq!(sum.decimal(20), "0.3");
    assert_eq!(sum.as_f64(), 0.3);
    assert_eq!(Rational::ONE / tenth, Rational::whole(10));
}

#[test]
fn decimals_round_half_up_and_drop_zeros() {
    assert_eq!(Rational::new(1, 7).decimal(6), "0.142857");
    assert_eq!(Rational::new(1, 8).decimal(2), "0.13");
    assert_eq!(Rational::new(999, 1000).decimal(2), "1");
    assert_eq!(Rational::new(5, 2).decimal(0), "3");
    assert_eq!(Rational::new(13, 2).decimal(6), "6.5");
    assert_eq!(Rational::new(1, 20).decimal(3), "0.05");
    assert_eq!(Rational::whole(100).decimal(3), "100");
    assert_eq!(format!("{:>6}|", Rational::new(1, 2)), "   0.5|");
}

#[test]
fn spans_round_to_the_nearest_nanosecond() {
    assert_eq!(Rational::new(1_000_000, 7).to_duration(), Duration::from_nanos(142_857));
    assert_eq!(Rational::new(5, 2).to_duration(), Duration::from_nanos(3));
    assert_eq!(Rational::new(u128::MAX / 2, 1).to_duration(), Duration::MAX);
}

prop_compose! {
    fn fraction()(above in 0_u128..1 << 60, below in 1_u128..1 << 60) -> Rational {
        Rational::new(above, below)
    }
}

proptest! {
    #[test]
    fn order_is_that_of_the_cross_products(a in fraction(), b in fraction()) {
        prop_assert_eq!(a.cmp(&b), (a.above * b.below).cmp(&(b.above * a.below)));
    }

    #[test]
    fn arithmetic_is_that_of_the_cross_products(a in fraction(), b in 1_u64..1 << 30) {
        let b = Rational::new(u128::from(b), 14);
        prop_assert_eq!(a + b, Rational::new(a.above * b.below + b.above * a.below,
            a.below * b.below));
        prop_assert_eq!(a * b, Rational::new(a.above * b.above, a.below * b.below));
        prop_assert_eq!(a / b * b, a);
    }

    #[test]
    fn printed_digits_are_within_half_of_the_last(a in fraction(), places in 0_u32..=9) {
        let printed: f64 = a.decimal(places).parse().expect("a number");
        let half = 0.5 * 10_f64.powi(-(places as i32));
        prop_assert!((printed - a.as_f64()).abs() <= half * 1.001 + a.as_f64() * 1e-15);
    }
}
