//! Prediction of a link's level from its reports.
//!
//! A report is old when a cell uses it. Its deviation from the mean has faded by then. The share that
//! is left is learnt from the correlation of reports that follow each other. The best linear
//! prediction of a level with autocorrelation r is mean + r (report - mean). So the link of a UE at
//! rest follows its reports, and that of a fast one keeps its mean.
//!
//! From one period to the age of a report the logarithm of r grows with the square of time. So it
//! does for any process whose autocorrelation is smooth at its top (Clarke, 1968).

use airpath_base::math;

use crate::index::UeIndex;

/// Reports over which means are taken, once there have been so many.
const REPORTS: u32 = 256;
/// Reports before a correlation is believed.
const LEAST: u32 = 64;

/// Levels of UEs in dB by subband, as they are predicted.
pub(super) struct Prediction {
    /// Subbands of a UE.
    count: usize,
    /// (Age of a report over the period) squared.
    exponent: f64,
    /// Of each subband, UE after UE: the last report, the mean of all, and the prediction.
    reported: Vec<f32>,
    mean: Vec<f32>,
    level: Vec<f32>,
    moments: Vec<Moments>,
}

/// Variation of the reports of a UE around their means.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    reports: u32,
    variance: f32,
    /// Of a report and the one a period before.
    covariance: f32,
    pairs: u32,
}

impl Prediction {
    /// For UEs of which nothing is known but a level; their reports have this age, in periods,
    /// on average when they count.
    pub fn new(levels: impl Iterator<Item = f32>, count: usize, age: f64) -> Prediction {
        let level: Vec<f32> = levels.flat_map(|level| std::iter::repeat_n(level, count)).collect();
        let moments = vec![Moments::default(); level.len() / count.max(1)];
        let (reported, mean) = (level.clone(), level.clone());
        Prediction { count, exponent: age * age, reported, mean, level, moments }
    }

    /// Predicted levels of a UE's subbands.
    #[inline]
    pub fn levels(&self, ue: UeIndex) -> &[f32] {
        &self.level[ue.index() * self.count..][..self.count]
    }

    /// Takes a report; `follows` says whether it is a period after the one before.
    pub fn take(&mut self, ue: UeIndex, follows: bool, report: impl Iterator<Item = f32>) {
        let own = ue.index() * self.count..(ue.index() + 1) * self.count;
        let (mean, last) = (&mut self.mean[own.clone()], &mut self.reported[own.clone()]);
        let moments = &mut self.moments[ue.index()];
        let first = moments.reports == 0;
        moments.reports = (moments.reports + 1).min(REPORTS);
        let share = 1.0 / moments.reports as f32;
        let (mut squares, mut products) = (0.0, 0.0);
        for ((mean, last), now) in mean.iter_mut().zip(last.iter_mut()).zip(report) {
            let before = *last - *mean;
            *mean += share * (now - *mean);
            squares += (now - *mean) * (now - *mean);
            products += (now - *mean) * before;
            *last = now;
        }
        let count = self.count.max(1) as f32;
        moments.variance += share * (squares / count - moments.variance);
        if follows && !first {
            moments.pairs = (moments.pairs + 1).min(REPORTS);
            let share = 1.0 / moments.pairs as f32;
            moments.covariance += share * (products / count - moments.covariance);
        }
        let left = moments.left(self.exponent);
        let level = self.level[own].iter_mut().zip(mean.iter().zip(last.iter()));
        level.for_each(|(level, (mean, last))| *level = mean + left * (last - mean));
    }
}

impl Moments {
    /// Share of a report's deviation that is left when it counts.
    fn left(&self, exponent: f64) -> f32 {
        if self.pairs < LEAST || self.variance < 1e-6 {
            return 1.0;
        }
        let alike = f64::from((self.covariance / self.variance).clamp(0.0, 1.0));
        math::pow(alike, exponent) as f32
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    const UE: UeIndex = UeIndex::new(0);
    const OTHER: UeIndex = UeIndex::new(1);

    /// Predictions of a process with autocorrelation `alike` from report to report; gives the
    /// mean of their deviations' share in the reports' deviations.
    fn left(alike: f32, age: f64) -> f32 {
        let mut prediction = Prediction::new([3.0].into_iter(), 1, age);
        let mut draws = Seed(1).stream("reports");
        let (mut value, mut products, mut squares) = (0.0, 0.0, 0.0);
        for n in 0..20_000 {
            let new = draws.normal(0.0, 4.0) as f32;
            value = alike * value + (1.0 - alike * alike).sqrt() * new;
            prediction.take(UE, true, [3.0 + value].into_iter());
            if n > 100 {
                products += (prediction.levels(UE)[0] - 3.0) * value;
                squares += value * value;
            }
        }
        products / squares
    }

    #[test]
    fn what_is_left_of_a_deviation() {
        // 0.9 after a period, 0.9^(1.5^2) = 0.789 after one and a half. The estimate over 256
        // reports is low, as their mean is taken off.
        assert!((left(0.9, 1.0) - 0.9).abs() < 0.08, "{}", left(0.9, 1.0));
        assert!((left(0.9, 1.5) - 0.789).abs() < 0.1, "{}", left(0.9, 1.5));
        assert!(left(0.0, 1.0) < 0.1, "{}", left(0.0, 1.0));
        assert!(left(0.999, 1.0) > 0.97, "{}", left(0.999, 1.0));
    }

    #[test]
    fn a_link_that_never_changes_is_what_is_reported() {
        let mut prediction = Prediction::new([9.0, 8.0].into_iter(), 2, 1.7);
        for _ in 0..200 {
            prediction.take(OTHER, true, [5.0, 7.0].into_iter());
        }
        assert_eq!(
            (prediction.levels(UE), prediction.levels(OTHER)),
            (&[9.0; 2][..], &[5.0, 7.0][..])
        );
    }

    #[test]
    fn pauses_teach_nothing() {
        let mut prediction = Prediction::new([0.0].into_iter(), 1, 1.7);
        for n in 0..200 {
            prediction.take(UE, false, [n as f32 % 7.0].into_iter());
        }
        assert_eq!(prediction.levels(UE), [199.0 % 7.0]);
    }
}
