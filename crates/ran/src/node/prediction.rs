//! Prediction of a link's level from its reports.
//!
//! A report is old when a cell uses it. Its deviation from the mean has faded by then. The share that
//! is left is learnt from the correlation of reports that follow each other. The best linear
//! prediction of a level with autocorrelation r is mean + r (report - mean). So the link of a UE at
//! rest follows its reports, and that of a fast one keeps its mean.
//!
//! From one period to the age of a report the logarithm of r grows with the square of time. So it
//! does for any process whose autocorrelation is smooth at its top (Clarke, 1968).
//!
//! Decision: where reports are few, r is one less the mean square difference of two reports that
//! follow each other, over twice the variance. Reason: variance and pairs have other reports then,
//! and this ratio near zero does not suffer from it. Price: a second estimate of r. Where each
//! report has a pair, r is covariance over variance.

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
    /// Half of the mean square difference of both.
    half_difference: f32,
    pairs: u32,
}

/// Report on a link: its relation to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relation {
    /// True if it is a period after the one before.
    pub follows: bool,
    /// True if reports are made when a UE is tried, so that few follow each other.
    pub few: bool,
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

    /// A UE begins anew: nothing is known of it but a level.
    pub fn restart(&mut self, ue: UeIndex, level: f32) {
        let own = ue.index() * self.count..(ue.index() + 1) * self.count;
        for levels in [&mut self.reported, &mut self.mean, &mut self.level] {
            levels[own.clone()].fill(level);
        }
        self.moments[ue.index()] = Moments::default();
    }

    /// Predicted levels of a UE's subbands.
    #[inline]
    pub fn levels(&self, ue: UeIndex) -> &[f32] {
        &self.level[ue.index() * self.count..][..self.count]
    }

    /// Takes a report by subband in dB.
    pub fn take(&mut self, ue: UeIndex, relation: Relation, report: impl Iterator<Item = f32>) {
        let own = ue.index() * self.count..(ue.index() + 1) * self.count;
        let (mean, last) = (&mut self.mean[own.clone()], &mut self.reported[own.clone()]);
        let moments = &mut self.moments[ue.index()];
        let first = moments.reports == 0;
        moments.reports = (moments.reports + 1).min(REPORTS);
        let share = 1.0 / moments.reports as f32;
        let (mut squares, mut products, mut differences) = (0.0, 0.0, 0.0);
        for ((mean, last), now) in mean.iter_mut().zip(last.iter_mut()).zip(report) {
            let before = *last - *mean;
            *mean += share * (now - *mean);
            squares += (now - *mean) * (now - *mean);
            products += (now - *mean) * before;
            differences += (now - *last) * (now - *last);
            *last = now;
        }
        let count = self.count.max(1) as f32;
        moments.variance += share * (squares / count - moments.variance);
        if relation.follows && !first {
            moments.pairs = (moments.pairs + 1).min(REPORTS);
            let share = 1.0 / moments.pairs as f32;
            moments.covariance += share * (products / count - moments.covariance);
            let half = 0.5 * differences / count;
            moments.half_difference += share * (half - moments.half_difference);
        }
        let left = moments.left(self.exponent, relation.few);
        let level = self.level[own].iter_mut().zip(mean.iter().zip(last.iter()));
        level.for_each(|(level, (mean, last))| *level = mean + left * (last - mean));
    }
}

impl Moments {
    /// Share of a report's deviation that is left when it counts.
    fn left(&self, exponent: f64, few: bool) -> f32 {
        if self.pairs < LEAST || self.variance < 1e-6 {
            return 1.0;
        }
        let alike = match few {
            true => 1.0 - self.half_difference / self.variance,
            false => self.covariance / self.variance,
        };
        math::pow(f64::from(alike.clamp(0.0, 1.0)), exponent) as f32
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::random::Seed;

    use super::*;

    const UE: UeIndex = UeIndex::new(0);
    const OTHER: UeIndex = UeIndex::new(1);
    const EACH: Relation = Relation { follows: true, few: false };

    /// Predictions of a process with autocorrelation `alike` from report to report; gives the
    /// mean of their deviations' share in the reports' deviations.
    fn left(alike: f32, age: f64) -> f32 {
        let mut prediction = Prediction::new([3.0].into_iter(), 1, age);
        let mut draws = Seed(1).stream("reports");
        let (mut value, mut products, mut squares) = (0.0, 0.0, 0.0);
        for n in 0..20_000 {
            let new = draws.normal(0.0, 4.0) as f32;
            value = alike * value + (1.0 - alike * alike).sqrt() * new;
            prediction.take(UE, EACH, [3.0 + value].into_iter());
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

    /// Level in dB of Rayleigh fading by Clarke's model, by time in seconds. `doppler` is the largest
    /// shift in Hz. A subband has four independent parts.
    fn clarke(doppler: f64) -> impl Fn(f64) -> f32 {
        let mut draws = Seed(7).stream("paths");
        let mut turn = || draws.uniform() * std::f64::consts::TAU;
        let paths: Vec<[f64; 2]> =
            (0..4 * 12).map(|_| [math::cos(turn()) * doppler, turn()]).collect();
        move |time| {
            let power = paths.chunks(12).map(|part| {
                let sum = part.iter().fold([0.0, 0.0], |[re, im], [shift, phase]| {
                    let angle = std::f64::consts::TAU * shift * time + phase;
                    [re + math::cos(angle), im + math::sin(angle)]
                });
                (sum[0] * sum[0] + sum[1] * sum[1]) / 12.0
            });
            10.0 * math::log10(power.sum::<f64>() / 4.0) as f32
        }
    }

    /// Root mean square error in dB of predictions over 120 s. Reports come each 5 TTIs of 1 ms and
    /// are used 6 TTIs later; the UE is tried each 13 TTIs on average. With `lessons` a report is
    /// made when the UE is tried, and one of so many has a lesson.
    fn error_db(doppler: f64, lessons: Option<u64>) -> f32 {
        let level = clarke(doppler);
        let mut prediction = Prediction::new([0.0].into_iter(), 1, 6.0 / 5.0 + 0.5);
        let (mut last, mut squares, mut count) = (None, 0.0, 0);
        let mut draws = Seed(2).stream("tries");
        for tti in 20..120_000u64 {
            let due = (tti - 6) / 5 * 5;
            let tried = draws.uniform() < 1.0 / 13.0;
            if last != Some(due) && (tried || lessons.is_none()) {
                let learns = lessons.is_some_and(|one_in| draws.below(one_in) == 0);
                for at in [due - 5, due].into_iter().skip(usize::from(!learns)) {
                    let follows = last == Some(at - 5);
                    let relation = Relation { follows, few: lessons.is_some() };
                    prediction.take(UE, relation, [level(at as f64 * 1e-3)].into_iter());
                    last = Some(at);
                }
            }
            if tried {
                let error = prediction.levels(UE)[0] - level((tti + 2) as f64 * 1e-3);
                squares += error * error;
                count += 1;
            }
        }
        (squares / count as f32).sqrt()
    }

    #[test]
    fn lessons_of_few_reports_predict_as_well_as_each_report() {
        // UEs at rest with scatterers of 3 km/h at 600 MHz and 3.5 GHz, and UEs of 30 and 120 km/h at
        // 2 GHz.
        for doppler in [1.7, 9.7, 55.6, 222.0] {
            let each = error_db(doppler, None);
            let few = error_db(doppler, Some(super::super::links::measured::LESSON));
            assert!((few - each).abs() <= 0.1, "{doppler} Hz: {few} dB instead of {each}");
        }
    }

    #[test]
    fn a_link_that_never_changes_is_what_is_reported() {
        let mut prediction = Prediction::new([9.0, 8.0].into_iter(), 2, 1.7);
        for _ in 0..200 {
            prediction.take(OTHER, EACH, [5.0, 7.0].into_iter());
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
            prediction.take(
                UE,
                Relation { follows: false, few: false },
                [n as f32 % 7.0].into_iter(),
            );
        }
        assert_eq!(prediction.levels(UE), [199.0 % 7.0]);
    }
}
