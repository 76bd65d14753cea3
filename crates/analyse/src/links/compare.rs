//! Comparison of two queues by their courses.
//!
//! Two queues are taken for one if both of these hold:
//!
//! - The ranks of their delays go together (Spearman's correlation), by three standard errors of what independent queues
//!   show by chance.
//! - The delays differ by no more than the lesser of them varies. What the flows' own paths add is constant, and drops out.

use crate::causes::QueueCourse;

/// Fewest windows that are compared.
const FEWEST: usize = 8;
/// Least mean deviation of a queue's delay that is no noise, in milliseconds.
const VARIES_MS: f64 = 1.0;
/// Standard errors by which the correlation has to differ from zero.
const ERRORS: f64 = 3.0;

/// Correlation of two queues, from 0 to 1; none if nothing shows that they are one.
pub(crate) fn agreement(one: &QueueCourse, other: &QueueCourse) -> Option<f64> {
    // A round trip is one sample, however many windows it lasts.
    let longest = waits(one).chain(waits(other)).fold(0.0, f64::max) * 1e6;
    let mut width = one.width().max(other.width());
    while (width as f64) < longest {
        width *= 2;
    }
    let (one, other) = (one.widened(width), other.widened(width));
    let both = one.windows().filter_map(|(n, level)| Some([level.wait()?, other.at(n)?.wait()?]));
    let both: Vec<[f64; 2]> = both.collect();
    let [ours, theirs] = [0, 1].map(|n| both.iter().map(|pair| pair[n]).collect::<Vec<f64>>());
    let spread = deviation(&ours).min(deviation(&theirs));
    let between: Vec<f64> = both.iter().map(|[a, b]| a - b).collect();
    if both.len() < FEWEST || spread < VARIES_MS || deviation(&between) > spread {
        return None;
    }
    let correlation = correlation(&ranks(&ours), &ranks(&theirs));
    Some(correlation).filter(|found| found * (both.len() as f64).sqrt() >= ERRORS)
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

    /// Agreement of two queues of so many milliseconds in each tenth of a second, over paths of 20 and 50 ms.
    fn agree(one: impl Fn(u64) -> u64, other: impl Fn(u64) -> u64) -> bool {
        let course = |path: u64, queue: &dyn Fn(u64) -> u64| {
            let mut course = QueueCourse::default();
            for n in 0..60 {
                let [from, to] = [100 * n, 100 * n + 100].map(Time::from_millis);
                let micros = Some(1000 * (path + queue(n)) as u32);
                course.add(&Passed { from, to, micros, bytes: 1000, full: true });
            }
            course
        };
        agreement(&course(20, &one), &course(50, &other)).is_some()
    }

    #[test]
    fn queues_that_grow_and_shrink_together_are_one() {
        assert!(agree(|n| 2 * (n % 17), |n| 2 * (n % 17)));
        assert!(agree(|n| 2 * (n % 17), |n| 2 * (n % 17) + 5 * (n % 2)));
        assert!(!agree(|n| 2 * (n % 17), |n| 2 * (n % 12)));
        // The same course, but three times as long: another queue.
        assert!(!agree(|n| 2 * (n % 17), |n| 6 * (n % 17)));
        // A queue that never changes says nothing.
        assert!(!agree(|_| 40, |_| 40));
    }

    #[test]
    fn correlation_of_ranks_is_spearmans() {
        // 1 - 6 * (1 + 1) / (4 * 15) = 0.8
        let correlation =
            correlation(&ranks(&[1.0, 5.0, 7.0, 9.0]), &ranks(&[2.0, 9.0, 8.0, 11.0]));
        assert!((correlation - 0.8).abs() < 1e-12);
    }
}
