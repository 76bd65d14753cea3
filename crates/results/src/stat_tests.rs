use proptest::prelude::*;

use super::*;

const MS: u64 = 1_000_000;

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn moments_of_a_textbook_example() {
    // 2 4 4 4 5 5 7 9: mean 5, squared deviations 9+1+1+1+0+0+4+16 = 32.
    let delays = [2, 4, 4, 4, 5, 5, 7, 9].map(|d| d * MS);
    let summary = DelaySummary::of(&delays).expect("eight delays");
    near(summary.mean, 5.0);
    near(summary.stddev, 2.0); // sqrt(32 / 8)
    near(summary.stddev_sample.expect("more than one"), 2.138_089_935_299_395); // sqrt(32 / 7)
    assert_eq!((summary.min, summary.max), (2.0, 9.0));
    // Ranks of 8 values: ⌈4⌉ = 4, ⌈7.6⌉ = 8, ⌈7.92⌉ = 8.
    assert_eq!((summary.p50, summary.p95, summary.p99), (4.0, 9.0, 9.0));
}

#[test]
fn welford_agrees_with_two_passes() {
    let mut welford = Welford::default();
    [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].iter().for_each(|&x| welford.add(x));
    assert_eq!(welford.count(), 8);
    near(welford.mean().expect("values"), 5.0);
    near(welford.stddev().expect("values"), 2.0);
    near(welford.stddev_sample().expect("values"), 2.138_089_935_299_395);
}

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(DelaySummary::of(&[]), None);
    assert_eq!(Welford::default().mean(), None);
    assert_eq!(Welford::default().stddev(), None);
    assert_eq!((jitter(&[]), jitter(&[5]), jitter_from_first(&[5])), (None, None, None));
    assert_eq!((nearest_rank(&[], 500), quantile(&[], 0.5), quartiles(&[])), (None, None, None));
    let one = DelaySummary::of(&[3 * MS]).expect("one delay");
    assert_eq!((one.stddev, one.stddev_sample, one.p99), (0.0, None, 3.0));
}

/// The rate-delay study publishes mean 4.32 ms, extremes 4 and 6 ms, standard
/// deviation 0.509243 ms and jitter 0.72 ms of 150 audio delays in whole
/// milliseconds. With a fives and b sixes, a + 2b = 48 by the mean; only a = 42,
/// b = 3 gives that deviation, and only with the divisor n - 1 (the divisor n
/// gives 0.507543). 108 / 149 = 0.7248 is the distance from a first delay of 5.
#[test]
fn the_published_deviation_is_that_of_a_sample() {
    let mut delays = vec![5 * MS; 42];
    delays.extend([6 * MS; 3]);
    delays.extend([4 * MS; 105]);
    let summary = DelaySummary::of(&delays).expect("150 delays");
    assert_eq!(delays.len(), 150);
    near(summary.mean, 4.32);
    assert!((summary.stddev_sample.expect("many") - 0.509_243).abs() < 1e-6);
    assert!((summary.stddev - 0.507_543).abs() < 1e-6);
    near(jitter_from_first(&delays).expect("many"), 108.0 / 149.0);
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
}

#[test]
fn the_two_jitters_differ() {
    let delays = [5, 7, 6, 6, 9].map(|d| d * MS);
    near(jitter(&delays).expect("five"), (2.0 + 1.0 + 0.0 + 3.0) / 4.0);
    near(jitter_from_first(&delays).expect("five"), (2.0 + 1.0 + 1.0 + 4.0) / 4.0);
}

#[test]
fn milliseconds_are_cut_not_rounded() {
    assert_eq!(whole_millis(&[5_999_999, 6_000_000, 1]), [5 * MS, 6 * MS, 0]);
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
    fn percentiles_lie_in_order(delays in prop::collection::vec(0u64..10_000_000_000, 1..200)) {
        let s = DelaySummary::of(&delays).expect("delays");
        prop_assert!(s.min <= s.p50 && s.p50 <= s.p95 && s.p95 <= s.p99 && s.p99 <= s.max);
        prop_assert!(s.min <= s.mean + 1e-9 && s.mean <= s.max + 1e-9);
        let mut reversed = delays.clone();
        reversed.reverse();
        prop_assert_eq!(DelaySummary::of(&reversed), Some(s));
    }

    #[test]
    fn half_of_all_values_are_at_most_the_median(
        mut values in prop::collection::vec(any::<u64>(), 1..100)
    ) {
        values.sort_unstable();
        let median = nearest_rank(&values, 500).expect("values");
        prop_assert!(2 * values.iter().filter(|&&v| v <= median).count() >= values.len());
        prop_assert!(2 * values.iter().filter(|&&v| v >= median).count() >= values.len());
    }
}
