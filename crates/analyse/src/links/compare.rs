//! Comparison of two queues by their courses.
//!
//! Two flows through one queue wait for the same time at the same time, and one gets what the other leaves. So two queues are
//! taken for one if these hold:
//!
//! - The ranks of their delays go together, and those of their rates go against each other (Spearman's correlation). Both
//!   together differ by three standard errors from independent queues that are as steady (Bartlett, 1935). With more pairs
//!   it takes more, so that chance finds no more of them.
//! - The delays differ by little more than the lesser of them varies. The flows' own paths add a constant, which drops
//!   out.
//!
//! Delays alone are not enough: two queues that congestion controllers fill from the same time on grow and shrink alike.

use airpath_base::math;

use crate::causes::QueueCourse;

/// Fewest windows that are compared.
const FEWEST: usize = 8;
/// Least mean deviation of a queue's delay that is no noise, in milliseconds.
const VARIES_MS: f64 = 1.0;
/// Standard errors by which the correlations of one pair have to differ from zero.
const ERRORS: f64 = 3.0;
/// Standard errors by which the correlation of the rates alone has to be negative.
const SHARED: f64 = 1.0;
/// Most mean deviation of the difference of both delays, by that of the steadier one.
const DIFFERENT: f64 = 1.5;

/// Evidence that two queues are one, in standard errors; none if there is too little, where so many pairs are
/// compared.
pub(crate) fn agreement(one: &QueueCourse, other: &QueueCourse, pairs: usize) -> Option<f64> {
    // A round trip is one sample, however many windows it lasts.
    let longest = waits(one).chain(waits(other)).fold(0.0, f64::max) * 1e6;
    let mut width = one.width().max(other.width());
    while (width as f64) < longest {
        width *= 2;
    }
    let (one, other) = (one.widened(width), other.widened(width));
    let both = one.windows().filter_map(|(n, ours)| {
        let theirs = other.at(n)?;
        Some([ours.wait()?, theirs.wait()?, f64::from(ours.bytes), f64::from(theirs.bytes)])
    });
    let both: Vec<[f64; 4]> = both.collect();
    let [ours, theirs, sent, others] =
        [0, 1, 2, 3].map(|n| both.iter().map(|all| all[n]).collect::<Vec<f64>>());
    let spread = deviation(&ours).min(deviation(&theirs));
    let between: Vec<f64> = both.iter().map(|all| all[0] - all[1]).collect();
    if both.len() < FEWEST || spread < VARIES_MS {
        return None;
    }
    let (delays, rates) = (certainty(&ours, &theirs), -certainty(&sent, &others));
    let errors = (delays + rates) / core::f64::consts::SQRT_2;
    let least = (ERRORS * ERRORS + 2.0 * math::ln(pairs.max(1) as f64)).sqrt();
    let alike = deviation(&between) <= DIFFERENT * spread;
    (errors >= least && rates >= SHARED && alike).then_some(errors)
}

/// Correlation of the ranks of two series, in standard errors of independent series that are as steady as these
/// (Bartlett, 1935).
fn certainty(one: &[f64], other: &[f64]) -> f64 {
    let [one, other] = [one, other].map(ranks);
    let [own, theirs] = [&one, &other].map(|ranks| {
        let (before, after) = (&ranks[..ranks.len() - 1], &ranks[1..]);
        pearson(before, after).max(0.0)
    });
    let steady = own * theirs;
    let samples = one.len() as f64 * (1.0 - steady) / (1.0 + steady);
    correlation(&one, &other) * samples.sqrt()
}

/// Pearson's correlation; 0 where one of the series does not vary.
fn pearson(one: &[f64], other: &[f64]) -> f64 {
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (mean, others) = (mean(one), mean(other));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        one.iter().zip(other).map(|(a, b)| of(a - mean, b - others)).sum()
    };
    let both = (sum(&|a, _| a * a) * sum(&|_, b| b * b)).sqrt();
    if both > 0.0 { sum(&|a, b| a * b) / both } else { 0.0 }
}

fn waits(course: &QueueCourse) -> impl Iterator<Item = f64> {
    course.windows().filter_map(|(_, level)| level.wait())
}

/// Mean deviation from the median.
fn deviation(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(median) = sorted.get(sorted.len() / 2) else { return 0.0 };
    sorted.iter().map(|value| (value - median).abs()).sum::<f64>() / sorted.len() as f64
}

/// Ranks of values; those of equal ones are as these come.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    order.into_iter().enumerate().for_each(|(rank, n)| ranks[n] = rank as f64);
    ranks
}

/// Pearson's correlation of two permutations of the same ranks.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let n = one.len() as f64;
    let distance: f64 = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
    1.0 - 6.0 * distance / (n * (n * n - 1.0))
}

#[cfg(test)]
mod tests {
    use airpath_base::Time;

    use super::*;
    use crate::causes::Passed;

    /// A queue in milliseconds and a rate in bytes, in each tenth of a second.
    type Way<'a> = &'a dyn Fn(u64) -> (u64, u64);

    /// True if two flows are taken to share a queue, over paths of 20 and 50 ms.
    fn agree(one: Way<'_>, other: Way<'_>) -> bool {
        let course = |path: u64, way: Way<'_>| {
            let mut course = QueueCourse::default();
            for n in 0..60 {
                let [from, to] = [100 * n, 100 * n + 100].map(Time::from_millis);
                let (queue, bytes) = way(n);
                let (micros, bytes) = (Some(1000 * (path + queue) as u32), bytes as u32);
                course.add(&Passed { from, to, micros, bytes, full: true });
            }
            course
        };
        agreement(&course(20, one), &course(50, other), 1).is_some()
    }

    fn more(n: u64) -> u64 {
        1000 + 100 * (2 * n % 5)
    }

    fn less(n: u64) -> u64 {
        2000 - more(n)
    }

    #[test]
    fn queues_that_grow_and_shrink_together_and_share_a_rate_are_one() {
        let saw = |n: u64| 2 * (n % 17);
        let first = |n| (saw(n), more(n));
        assert!(agree(&first, &|n| (saw(n), less(n))));
        assert!(agree(&first, &|n| (saw(n) + 5 * (n % 2), less(n))));
        assert!(!agree(&first, &|n| (2 * (n % 12), less(n))));
        // The same course, but three times as long: another queue.
        assert!(!agree(&first, &|n| (3 * saw(n), less(n))));
        // Two controllers that do the same at the same time: nobody gets what the other leaves.
        assert!(!agree(&first, &|n| (saw(n), more(n))));
        assert!(!agree(&first, &|n| (saw(n), 1000 + 100 * (3 * n % 7))));
        // A queue that never changes says nothing.
        assert!(!agree(&|n| (40, more(n)), &|n| (40, less(n))));
    }

    #[test]
    fn steady_series_have_fewer_samples() {
        // 16 values that go up and down alternately: no lag-1 correlation counts, 4 standard errors.
        let quick: Vec<f64> = (0..16).map(|n| f64::from(100 * (n % 2) + n)).collect();
        assert!((certainty(&quick, &quick) - 4.0).abs() < 1e-12);
        // A ramp is one sample at most.
        let ramp: Vec<f64> = (0..16).map(f64::from).collect();
        assert!(certainty(&ramp, &ramp) < 1e-6);
    }

    #[test]
    fn correlation_of_ranks_is_spearmans() {
        // 1 - 6 * (1 + 1) / (4 * 15) = 0.8
        let correlation =
            correlation(&ranks(&[1.0, 5.0, 7.0, 9.0]), &ranks(&[2.0, 9.0, 8.0, 11.0]));
        assert!((correlation - 0.8).abs() < 1e-12);
    }
}
