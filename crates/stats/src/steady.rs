//! The steady state of one long run: where its beginning ends, and an interval from batches.

use crate::{Interval, mean_interval};

/// Number of values to leave out at the beginning of a series, so that the mean of the rest is most
/// precise. It is the d with the least Σ(x - mean)² / (n - d)² over the rest. The series is first
/// averaged in batches of `batch` values (5 is usual, then called MSER-5; 1 is none), and d is a
/// multiple of `batch`. None for fewer than ten batches, for values that are not finite, or for a d
/// in the second half. In the last case the run is too short to have settled.
///
/// K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
/// Simulation 69 (1997); W. W. Franklin and K. P. White, "Stationarity tests and MSER-5", Winter
/// Simulation Conference 2008.
pub fn mser(series: &[f64], batch: usize) -> Option<usize> {
    let means = batches(series, batch)?;
    if means.len() < 10 {
        return None;
    }
    // From the end, mean and squares of what is left come with one step each.
    let (mut mean, mut squares) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0);
    for (place, value) in means.iter().enumerate().rev() {
        let left = (means.len() - place) as f64;
        let before = value - mean;
        mean += before / left;
        squares += before * (value - mean);
        // The last few could be alike by chance, and would then be the best of all.
        if left >= 5.0 && squares / (left * left) <= best.0 {
            best = (squares / (left * left), place);
        }
    }
    (2 * best.1 <= means.len()).then_some(best.1 * batch)
}

/// Interval for the mean of a steady series with correlated neighbours, by the means of `count`
/// batches of equal length. Means of long batches are nearly independent. Values that do not fill a
/// batch are left out at the beginning. None for fewer than two batches, for batches without
/// values, for values that are not finite, or a confidence outside 0..1.
///
/// A. M. Law, "Simulation Modeling and Analysis", 5th edition (2015), chapter 9.5.3; ten to thirty
/// batches are enough: B. Schmeiser, "Batch size effects in the analysis of simulation output",
/// Operations Research 30 (1982).
pub fn batch_means(series: &[f64], count: usize, confidence: f64) -> Option<Interval> {
    let length = series.len().checked_div(count)?;
    let rest = series.len() - length * count;
    mean_interval(&batches(&series[rest..], length)?, confidence)
}

/// Means of batches of so many values; what does not fill one at the end is left out. None if a
/// value is not finite or a batch has none.
fn batches(series: &[f64], length: usize) -> Option<Vec<f64>> {
    if length == 0 || !series.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mean = |batch: &[f64]| batch.iter().sum::<f64>() / length as f64;
    Some(series.chunks_exact(length).map(mean).collect())
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_beginning_is_left_out() {
        // Thirty values about 20, then three hundred about 5, in a saw.
        let saw = |n: usize| [0.0, 0.1, -0.1, 0.05, -0.05][n % 5];
        let level = |n: usize| if n < 30 { 20.0 } else { 5.0 };
        let series: Vec<f64> = (0..330).map(|n| level(n) + saw(n)).collect();
        // The last five are within 0.1 as well, but few: 300 values win by their number.
        assert_eq!(mser(&series, 1), Some(30));
        assert_eq!(mser(&series, 5), Some(30));
        assert_eq!(mser(&series, 20), Some(40), "a multiple of the batch");
    }

    #[test]
    fn what_never_settles_is_refused() {
        let rising: Vec<f64> = (0..200).map(f64::from).collect();
        assert_eq!(mser(&rising, 5), None);
        assert_eq!((mser(&rising[..49], 5), mser(&rising, 0)), (None, None));
        assert_eq!(mser(&[f64::NAN; 100], 5), None);
        assert_eq!(mser(&[2.0; 100], 5), Some(0), "all are alike");
    }

    #[test]
    fn batches_of_a_series() {
        // Of seven values the first is left out; means 2, 4 and 6: as the interval of these.
        let series = [99.0, 1.0, 3.0, 3.0, 5.0, 5.0, 7.0];
        assert_eq!(batch_means(&series, 3, 0.95), mean_interval(&[2.0, 4.0, 6.0], 0.95));
        assert_eq!((batch_means(&series, 0, 0.95), batch_means(&series, 1, 0.95)), (None, None));
        assert_eq!((batch_means(&series, 8, 0.95), batch_means(&[], 2, 0.95)), (None, None));
    }

    /// A process whose value is 0.9 of the last and noise has a mean whose variance is 19 times
    /// that of independent values. Batches know, and the plain interval does not.
    #[test]
    fn neighbours_that_are_alike_make_a_wider_interval() {
        let mut stream = Seed(3).stream("steady");
        let mut value = 0.0;
        let series: Vec<f64> = (0..4000)
            .map(|_| {
                value = 0.9 * value + stream.normal(0.0, 1.0);
                value
            })
            .collect();
        let plain = mean_interval(&series, 0.95).expect("values").half_width();
        let batched = batch_means(&series, 20, 0.95).expect("values").half_width();
        assert!((2.5..7.0).contains(&(batched / plain)), "√19 is 4.4, not {}", batched / plain);
    }

    proptest! {
        #[test]
        fn the_answer_does_not_depend_on_the_unit(
            series in prop::collection::vec(0_i32..1000, 50..200)
        ) {
            // Whole numbers, so that rounding decides nothing between equal minima.
            let plain: Vec<f64> = series.iter().map(|&v| f64::from(v)).collect();
            let moved: Vec<f64> = series.iter().map(|&v| f64::from(v * 4)).collect();
            prop_assert_eq!(mser(&plain, 4), mser(&moved, 4));
            if let Some(left_out) = mser(&plain, 5) {
                prop_assert!(left_out % 5 == 0 && left_out <= series.len() / 2 + 5);
            }
        }
    }
}
