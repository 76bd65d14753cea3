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
fn nothing_comes_of_nothing() {
    assert_eq!(DelaySummary::of(&[]), None);
    assert_eq!((jitter(&[]), jitter(&[5]), jitter_from_first(&[5])), (None, None, None));
    let one = DelaySummary::of(&[3 * MS]).expect("one delay");
    assert_eq!((one.stddev, one.stddev_sample, one.p99), (0.0, None, 3.0));
}

/// The rate-delay study publishes mean 4.32 ms, extremes 4 and 6 ms, standard deviation 0.509243 ms
/// and jitter 0.72 ms of 150 audio delays in whole milliseconds. With a fives and b sixes, a + 2b =
/// 48 by the mean. Only a = 42, b = 3 gives that deviation, and only with the divisor n - 1 (the
/// divisor n gives 0.507543). 108 / 149 = 0.7248 is the distance from a first delay of 5.
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
fn the_two_jitters_differ() {
    let delays = [5, 7, 6, 6, 9].map(|d| d * MS);
    near(jitter(&delays).expect("five"), (2.0 + 1.0 + 0.0 + 3.0) / 4.0);
    near(jitter_from_first(&delays).expect("five"), (2.0 + 1.0 + 1.0 + 4.0) / 4.0);
}

#[test]
fn milliseconds_are_cut_not_rounded() {
    assert_eq!(whole_millis(&[5_999_999, 6_000_000, 1]), [5 * MS, 6 * MS, 0]);
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
}

#[test]
fn many_delays_are_sorted_as_few() {
    // Two digits that change, one that does not, and the largest numbers there are.
    for (factor, offset) in [(1, 0), (7_919, 1 << 40), (1 << 45, 3), (u64::MAX / 5000, 11)] {
        let delay = |n: u64| n.wrapping_mul(2_654_435_761) % 5000 * factor + offset;
        let delays: Vec<u64> = (0..5000).map(delay).collect();
        let mut expected = delays.clone();
        expected.sort_unstable();
        assert!(sorted(&delays) == expected, "{factor} {offset}");
    }
    assert_eq!(sorted(&[0; 4096]), [0; 4096]);
}
