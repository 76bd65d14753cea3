//! Measures that figures and statements of experiments are about, as data (`measures.json`).

use airpath_stats::percentile;
use serde::{Deserialize, Serialize};

use super::formula::Formula;
use crate::network::Run;
use crate::{Study, StudyError};

/// Columns that are kept of runs, and the measures made of them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measures {
    /// The application of the users who are kept one by one.
    pub(crate) kind: String,
    /// Columns of these users that are kept.
    pub(crate) users: Vec<String>,
    /// Columns of runs that are kept.
    pub(crate) runs: Vec<Column>,
    measures: Vec<Kpi>,
}

/// A column of runs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The value, from the metrics of the campaign.
    pub(crate) from: Formula,
}

/// A measure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kpi {
    /// The name in rows.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The unit for people.
    pub unit: String,
    of: Source,
    /// The divisor of a value for people.
    #[serde(default = "one")]
    divide: u32,
    /// True if values are shares from 0 to 1, which are shown in percent.
    #[serde(default)]
    percent: bool,
    /// The column of the source, once it is known.
    #[serde(skip)]
    at: usize,
}

/// The source of a measure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Source {
    /// A column of the users: each has a value, and a run has their mean.
    User(String),
    /// A column of the runs.
    Run(String),
    /// The share of the users whose value in a column is below a bound.
    Below(String, f64),
    /// A column of the runs for each user.
    ByUser(String),
}

/// The figure that is taken of a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub enum Of {
    /// The mean over runs, of users the mean in each.
    #[default]
    #[serde(rename = "mean")]
    Mean,
    /// The 99th percentile over the users of all runs.
    #[serde(rename = "p99")]
    P99,
    /// The 5th percentile over the users of all runs.
    #[serde(rename = "p5")]
    P5,
}

fn one() -> u32 {
    1
}

impl Measures {
    /// The measures of a study.
    ///
    /// # Errors
    ///
    /// A file of another form, or a measure of a column that is not kept.
    pub(crate) fn of(study: &Study) -> Result<Measures, StudyError> {
        let mut all: Measures = study.json("measures.json")?;
        for kpi in &mut all.measures {
            let at = match &kpi.of {
                Source::User(column) | Source::Below(column, _) => {
                    all.users.iter().position(|name| name == column)
                }
                Source::Run(column) | Source::ByUser(column) => {
                    all.runs.iter().position(|known| known.name == *column)
                }
            };
            kpi.at = at.ok_or_else(|| {
                StudyError::Data(format!(
                    "measures.json: {} is of a column that is not kept",
                    kpi.name
                ))
            })?;
        }
        Ok(all)
    }

    /// All measures.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Kpi> {
        self.measures.iter()
    }

    /// The measure of this name.
    pub fn named(&self, name: &str) -> Option<&Kpi> {
        self.measures.iter().find(|kpi| kpi.name == name)
    }
}

impl Kpi {
    /// The value in a run; none if nothing of it was measured.
    pub fn of_run(&self, run: &Run) -> Option<f64> {
        match self.of {
            Source::User(_) => mean(&self.of_users(run)),
            Source::Run(_) => run.values.get(self.at).copied().flatten(),
            Source::Below(_, bound) => {
                let all: Vec<f64> = self.column(run).into_iter().flatten().collect();
                let below = all.iter().filter(|value| **value < bound).count();
                (!all.is_empty()).then(|| below as f64 / all.len() as f64)
            }
            Source::ByUser(_) => {
                let all = run.values.get(self.at).copied().flatten()?;
                (!run.users.is_empty()).then(|| all / run.users.len() as f64)
            }
        }
    }

    /// The values of a run's users; empty for measures of runs.
    pub fn of_users(&self, run: &Run) -> Vec<f64> {
        self.of_each(run).into_iter().flatten().collect()
    }

    /// The value of each of a run's users, none for those who have none; empty for measures of
    /// runs.
    pub fn of_each(&self, run: &Run) -> Vec<Option<f64>> {
        if self.is_of_users() { self.column(run) } else { Vec::new() }
    }

    /// The column of the users.
    fn column(&self, run: &Run) -> Vec<Option<f64>> {
        run.users.iter().map(|user| user.get(self.at).copied().flatten()).collect()
    }

    /// True if each user has a value of the measure.
    pub fn is_of_users(&self) -> bool {
        matches!(self.of, Source::User(_))
    }

    /// A value in the unit for people.
    pub fn shown(&self, value: f64) -> f64 {
        if self.percent { value * 100.0 } else { value / f64::from(self.divide) }
    }
}

impl Of {
    /// The percentile, in per mille; none for a mean.
    pub fn per_mille(self) -> Option<u32> {
        match self {
            Of::Mean => None,
            Of::P99 => Some(990),
            Of::P5 => Some(50),
        }
    }

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Of::Mean => "mean",
            Of::P99 => "99th percentile over users",
            Of::P5 => "5th percentile over users",
        }
    }

    /// The estimate over runs, without an interval.
    pub fn estimate(self, kpi: &Kpi, runs: &[Run]) -> Option<f64> {
        match self.per_mille() {
            None => mean(&runs.iter().filter_map(|run| kpi.of_run(run)).collect::<Vec<_>>()),
            Some(per_mille) => {
                let users: Vec<f64> = runs.iter().flat_map(|run| kpi.of_users(run)).collect();
                percentile(&users, per_mille)
            }
        }
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
