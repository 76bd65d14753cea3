//! One metric of two arms.

use airpath_results::users::measures;
use airpath_stats::Method;
use airpath_stats::{
    CONFIDENCE, Effect, Interval, Resampling, coverage, mean_interval, paired_difference,
    paired_ratio, percentile, quantile_difference, quantile_interval, quantile_ratio,
};

use super::Run;

/// An estimate, with an interval if there is one, and how often such an interval holds where
/// that is clearly less than it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) estimate: f64,
    pub(super) interval: Option<Interval>,
    pub(super) coverage: Option<f64>,
}

/// A metric of two arms.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: String,
    /// Seeds of which both runs have a value.
    pub(super) pairs: usize,
    pub(super) first: Option<Measured>,
    pub(super) second: Option<Measured>,
    /// None for fewer than two pairs.
    pub(super) difference: Option<Effect>,
    /// None as well where a value is zero or negative.
    pub(super) ratio: Option<Effect>,
    /// Share of such intervals that hold the difference, if that is clearly less than 95%.
    pub(super) coverage: Option<f64>,
    /// The p of the difference, corrected.
    pub(super) corrected: Option<f64>,
}

impl Found {
    /// Of pairs of runs.
    pub(super) fn of(name: &str, pairs: &[(&Run, &Run)], resampling: Resampling) -> Found {
        match OverUsers::parse(name) {
            Some(over) => over.found(name, pairs, resampling),
            None => over_runs(name, pairs),
        }
    }
}

fn over_runs(name: &str, pairs: &[(&Run, &Run)]) -> Found {
    let value = |run: &Run| run.metrics.get(name).copied();
    let pairs: Vec<(f64, f64)> =
        pairs.iter().filter_map(|(a, b)| Some((value(a)?, value(b)?))).collect();
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    Found {
        name: name.to_owned(),
        pairs: pairs.len(),
        first: of_runs(&first),
        second: of_runs(&second),
        difference: paired_difference(&pairs),
        ratio: paired_ratio(&pairs),
        coverage: None,
        corrected: None,
    }
}

fn of_runs(values: &[f64]) -> Option<Measured> {
    let n = values.len();
    let mean = values.iter().sum::<f64>() / n as f64;
    (n > 0).then(|| Measured {
        estimate: mean,
        interval: mean_interval(values, CONFIDENCE),
        coverage: Method::of_mean(values).and_then(|method| coverage(method, n)),
    })
}

/// A percentile over users: `users.APPLICATION[.DIRECTION].MEASURE.pN`.
struct OverUsers<'a> {
    application: &'a str,
    direction: Option<&'a str>,
    /// Index of the measure in a row.
    place: usize,
    per_mille: u32,
}

impl<'a> OverUsers<'a> {
    fn parse(name: &'a str) -> Option<OverUsers<'a>> {
        let (front, end) = name.strip_prefix("users.")?.rsplit_once('.')?;
        let per_mille = 10 * end.strip_prefix('p')?.parse::<u32>().ok()?;
        let (whose, measure) = front.rsplit_once('.')?;
        let place = measures().position(|known| known == measure)?;
        let (application, direction) = match whose.split_once('.') {
            Some((application, direction)) => (application, Some(direction)),
            None => (whose, None),
        };
        Some(OverUsers { application, direction, place, per_mille })
    }

    fn values(&self, run: &Run) -> Vec<f64> {
        let own = run.users.iter().filter(|user| {
            user.application == self.application && user.direction.as_deref() == self.direction
        });
        own.filter_map(|user| user.values.get(self.place).copied().flatten()).collect()
    }

    fn found(&self, name: &str, pairs: &[(&Run, &Run)], resampling: Resampling) -> Found {
        let both = pairs.iter().map(|(a, b)| (self.values(a), self.values(b)));
        let pairs: Vec<(Vec<f64>, Vec<f64>)> =
            both.filter(|(a, b)| !a.is_empty() && !b.is_empty()).collect();
        let (first, second): (Vec<_>, Vec<_>) = pairs.iter().cloned().unzip();
        let method = Method::QuantileDifference { per_mille: self.per_mille };
        Found {
            name: name.to_owned(),
            pairs: pairs.len(),
            first: self.of_users(&first),
            second: self.of_users(&second),
            difference: quantile_difference(&pairs, self.per_mille, resampling),
            ratio: quantile_ratio(&pairs, self.per_mille, resampling),
            coverage: coverage(method, pairs.len()),
            corrected: None,
        }
    }

    fn of_users(&self, drops: &[Vec<f64>]) -> Option<Measured> {
        let all = drops.concat();
        let method = Method::Quantile { per_mille: self.per_mille, users: all.len() as u64 };
        Some(Measured {
            estimate: percentile(&all, self.per_mille)?,
            interval: quantile_interval(drops, self.per_mille, CONFIDENCE),
            coverage: coverage(method, drops.len()),
        })
    }
}
