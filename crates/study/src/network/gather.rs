//! From a campaign's dataset to what the study keeps of it.

use std::collections::{BTreeMap, BTreeSet};

use airpath_campaign::Dataset;
use airpath_results::Table;
use airpath_scenario::Campaign;

use crate::StudyError;
use crate::network::{ArmRuns, Axes, Axis, Experiment, Measures, Reading, Run};

/// Collects the runs of an experiment that the study keeps. `campaign` has the number of runs that
/// the source made of each arm.
///
/// # Errors
///
/// If the tables cannot be read.
pub(crate) fn gather(
    experiment: &Experiment,
    reading: Reading,
    (axes, measures): (&Axes, &Measures),
    campaign: &Campaign,
    dataset: &Dataset,
) -> Result<Vec<ArmRuns>, StudyError> {
    let columns: Vec<&str> = measures.users.iter().map(String::as_str).collect();
    let users = users(&dataset.users(&columns)?, measures)?;
    let metrics: BTreeSet<&str> =
        measures.runs.iter().flat_map(|column| column.from.metrics()).collect();
    let metrics: Vec<&str> = metrics
        .into_iter()
        .filter(|metric| dataset.summary.metrics.get(metric).is_some())
        .collect();
    let mut arms = Vec::new();
    for (n, arm) in campaign.arms.iter().enumerate() {
        let at = dataset.arm(&arm.name).ok_or_else(|| fault(format!("no arm {}", arm.name)))?;
        let made = dataset.runs(at, &metrics)?;
        let published = match experiment.more_from {
            Some(_) => 0,
            None => campaign.most_runs_of(arm) as usize,
        };
        let value = |metric: &str, run: usize| {
            let at = metrics.iter().position(|name| *name == metric)?;
            made.values.get(at)?.get(run).copied().flatten()
        };
        let run = |(row, &seed): (usize, &u64)| Run {
            seed,
            extra: row >= published,
            values: values(measures, &|metric| value(metric, row)),
            users: users.get(&(arm.name.clone(), seed)).cloned().unwrap_or_default(),
        };
        let (load, name) = axes.named(experiment, reading, campaign, n)?;
        arms.push(ArmRuns {
            experiment: experiment.name.clone(),
            load,
            name,
            runs: made.seeds.iter().enumerate().map(run).collect(),
        });
    }
    Ok(arms)
}

fn fault(why: String) -> StudyError {
    StudyError::Data(why)
}

impl Axes {
    /// The load and the name of an arm of an experiment in a reading.
    ///
    /// # Errors
    ///
    /// As [`Axes::arm`].
    pub(crate) fn named(
        &self,
        experiment: &Experiment,
        reading: Reading,
        campaign: &Campaign,
        arm: usize,
    ) -> Result<(u32, String), StudyError> {
        let (load, mut name) = self.arm(campaign, arm)?;
        name.extend(experiment.share.iter().map(|choice| reading.share(choice)));
        Ok((load, name))
    }

    /// The load and the name of an arm.
    ///
    /// # Errors
    ///
    /// An axis that the campaign does not have, or a load that is no number.
    pub(crate) fn arm(&self, campaign: &Campaign, arm: usize) -> Result<(u32, String), StudyError> {
        let own = &campaign.arms[arm];
        let cell = |axis: &Axis| {
            let at = campaign.columns.iter().position(|name| *name == axis.name);
            let cell = at.and_then(|at| own.cells.get(at).cloned().flatten());
            cell.ok_or_else(|| fault(format!("{}: no axis {}", own.name, axis.name)))
        };
        let load = match &self.load {
            Some(axis) => {
                let load = cell(axis)?;
                load.parse().map_err(|_| fault(format!("{}: load {load}", own.name)))?
            }
            None => 0,
        };
        Ok((load, self.arm.iter().map(cell).collect::<Result<Vec<_>, _>>()?.join("/")))
    }
}

/// The columns of a run, from its metrics.
fn values(measures: &Measures, metric: &dyn Fn(&str) -> Option<f64>) -> Vec<Option<f64>> {
    measures.runs.iter().map(|column| column.from.value(metric).map(rounded)).collect()
}

/// Values of the users of a run, by arm and seed.
type Users = BTreeMap<(String, u64), Vec<Vec<Option<f64>>>>;

fn users(table: &Table, measures: &Measures) -> Result<Users, StudyError> {
    let missing = |name: &str| fault(format!("users have no column {name}"));
    let texts = |name: &str| table.texts(name).ok_or_else(|| missing(name));
    let (arms, names, kinds) = (texts("arm")?, texts("ue")?, texts("application")?);
    let seeds = table.integers("seed").ok_or_else(|| missing("seed"))?;
    let columns: Vec<Vec<Option<f64>>> = measures
        .users
        .iter()
        .map(|name| table.numbers(name).ok_or_else(|| missing(name)))
        .collect::<Result<_, _>>()?;
    let mut users: BTreeMap<(String, u64), Vec<(usize, usize)>> = BTreeMap::new();
    for row in 0..table.rows() {
        if kinds[row] != Some(measures.kind.as_str()) {
            continue;
        }
        let (Some(arm), Some(seed), Some(ue)) = (arms[row], seeds[row], names[row]) else {
            continue;
        };
        users.entry((arm.to_owned(), seed as u64)).or_default().push((number(ue), row));
    }
    let values = |rows: Vec<(usize, usize)>| {
        let mut rows = rows;
        rows.sort_unstable();
        let user = |(_, row): (usize, usize)| {
            columns.iter().map(|column| column[row].map(rounded)).collect()
        };
        rows.into_iter().map(user).collect()
    };
    Ok(users.into_iter().map(|(run, rows)| (run, values(rows))).collect())
}

/// To a fraction of 13 bits, which is within 0.006%: what is judged is what is kept. The other bits
/// are zero, so that a table has few bytes.
fn rounded(value: f64) -> f64 {
    const LEFT: u32 = f64::MANTISSA_DIGITS - 1 - 13;
    if !value.is_finite() {
        return value;
    }
    let bits = value.to_bits() + (1 << (LEFT - 1));
    f64::from_bits(bits >> LEFT << LEFT)
}

/// The number at the end of a UE's name; 0 without one.
fn number(ue: &str) -> usize {
    let digits = ue.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn values_keep_13_bits_of_their_fraction() {
        // 1 + 2^-13 is kept; half a step more is rounded up, less than that down.
        let step = f64::from(1 << 13).recip();
        assert_eq!(rounded(1.0 + step), 1.0 + step);
        assert_eq!(
            [rounded(1.0 + 1.5 * step), rounded(1.0 + 1.4 * step)],
            [1.0 + 2.0 * step, 1.0 + step]
        );
        assert_eq!([rounded(0.0), rounded(-2.0 + step / 4.0)], [0.0, -2.0]);
        for value in [41.234_567, 1.23e7, 0.000_123_4, -17.89] {
            assert!((rounded(value) / value - 1.0).abs() < 6.2e-5, "{value}");
        }
    }
}
