//! Measures that a panel shows of an arm.

use airpath_stats::{Interval, percentile, quantile_interval};

use serde::Deserialize;

use crate::network::judge::{LEVEL, interval};
use crate::network::{Data, Kpi, Of, Run};

/// Rate in bit/s that a video user should have at least (chapters 5.2 and 6.2).
const LOW_RATE: f64 = 2e6;

/// The users that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Users {
    /// All.
    #[default]
    All,
    /// All but the 5% with the lowest rate.
    WithoutWorst,
    /// Those with at least 2 Mbit/s.
    Served,
}

/// A measure, the figure that is taken of it, and the users that count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measure<'a> {
    pub(super) kpi: &'a Kpi,
    pub(super) of: Of,
    pub(super) users: Users,
}

impl Measure<'_> {
    /// Label of the measure's axis.
    pub(super) fn label(self) -> String {
        let title = &self.kpi.title;
        let of = match self.of {
            Of::Mean if self.kpi.is_of_users() => format!("mean {title}"),
            Of::Mean => title.clone(),
            Of::P99 => format!("p99 of {title}"),
            Of::P5 => format!("5th percentile of {title}"),
        };
        match self.users {
            Users::All => of,
            Users::WithoutWorst => format!("{of}, without the worst 5%"),
            Users::Served => format!("{of}, users above 2 Mbit/s"),
        }
    }

    /// Its estimate with its interval, in the unit for people; of a single run the estimate alone.
    pub(super) fn of(self, data: &Data, runs: &[Run]) -> Option<Interval> {
        let kpi = self.kpi;
        let Some(per_mille) = self.of.per_mille().filter(|_| self.users != Users::All) else {
            let point = |value| {
                let value = kpi.shown(value);
                Interval { estimate: value, low: value, high: value }
            };
            let found = interval(kpi, self.of, runs, 1.0 - LEVEL);
            return found.or_else(|| self.of.estimate(kpi, runs).map(point));
        };
        let clusters: Vec<Vec<f64>> = self.chosen(data, runs);
        let found = quantile_interval(&clusters, per_mille, 1.0 - LEVEL)?;
        let shown = |value| kpi.shown(value);
        let (estimate, low, high) = (shown(found.estimate), shown(found.low), shown(found.high));
        Some(Interval { estimate, low, high })
    }

    /// The values of the users that count, by run.
    fn chosen(self, data: &Data, runs: &[Run]) -> Vec<Vec<f64>> {
        let Some(rate) = data.kpi("rate") else { return Vec::new() };
        let rates: Vec<f64> = runs.iter().flat_map(|run| rate.of_users(run)).collect();
        let least = match self.users {
            Users::All => None,
            Users::WithoutWorst => percentile(&rates, 50),
            Users::Served => Some(LOW_RATE),
        };
        let counts = |own: f64| match self.users {
            // The 5th percentile is the last of the worst.
            Users::WithoutWorst => least.is_none_or(|least| own > least),
            _ => least.is_none_or(|least| own >= least),
        };
        let of_run = |run: &Run| {
            let both = rate.of_each(run).into_iter().zip(self.kpi.of_each(run));
            both.filter_map(|(own, value)| counts(own?).then_some(value?)).collect()
        };
        runs.iter().map(of_run).collect()
    }
}
