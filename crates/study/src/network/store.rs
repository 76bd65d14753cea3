//! Tables of experiments as files: `NAME.runs.parquet` and `NAME.users.parquet`.

use std::path::Path;

use airpath_campaign::Dataset;
use airpath_results::{Table, TableReader};
use serde::Deserialize;

use crate::network::gather::gather;
use crate::network::kpi::{OF_RUNS, OF_USERS};
use crate::network::{ArmRuns, Data, Run};
use crate::{Study, StudyError};

/// How a kept table came about.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The experiment.
    pub experiment: String,
    /// Commit of airpath that made it.
    pub commit: String,
    /// Day, as 2026-11-23.
    pub date: String,
    /// Runs.
    pub runs: usize,
    /// Processor time of its runs, in minutes.
    pub minutes: f64,
    /// What else is to be said of it.
    #[serde(default)]
    pub note: Option<String>,
}

/// The tables that are kept with airpath, and how they came about.
///
/// # Errors
///
/// If one is damaged.
pub fn kept(study: &Study) -> Result<(Data, Vec<Made>), StudyError> {
    let mut data = Data::default();
    for experiment in study.plan()?.experiments {
        let open = |kind: &str| {
            let name = format!("{}.{kind}.parquet", experiment.name);
            let found = study.bytes(&format!("tables/{name}"));
            found.map(|bytes| TableReader::from_bytes(&name, bytes.clone())?.all()).transpose()
        };
        if let (Some(runs), Some(users)) = (open("runs")?, open("users")?) {
            data.arms.extend(arms(&experiment.name, &runs, &users)?);
        }
    }
    let made = study.text("made.json").map(|_| study.json("made.json"));
    Ok((data, made.transpose()?.unwrap_or_default()))
}

/// Reads the tables of a study's experiments that are in a folder; where there are none of an
/// experiment, the dataset of its campaign in the folder of its name.
///
/// # Errors
///
/// If one is damaged, or a dataset is that of another campaign.
pub fn read(study: &Study, folder: &Path) -> Result<Data, StudyError> {
    let mut data = Data::default();
    for experiment in study.plan()?.experiments {
        let path = |kind: &str| folder.join(format!("{}.{kind}.parquet", experiment.name));
        if path("runs").exists() {
            let (runs, users) =
                (Table::read_parquet(&path("runs"))?, Table::read_parquet(&path("users"))?);
            data.arms.extend(arms(&experiment.name, &runs, &users)?);
        } else if Dataset::is_one(&folder.join(&experiment.name))
            && let Some(campaign) = study.campaign(&experiment, false)?
        {
            let dataset = Dataset::open(&folder.join(&experiment.name))?;
            data.arms.extend(gather(&experiment, &campaign, &dataset)?.arms);
        }
    }
    Ok(data)
}

/// Writes the tables of an experiment into a folder.
///
/// # Errors
///
/// If they cannot be written.
pub fn write(data: &Data, experiment: &str, folder: &Path) -> Result<(), StudyError> {
    let own = data.arms.iter().filter(|arm| arm.experiment == experiment);
    let runs: Vec<(&ArmRuns, &Run)> =
        own.flat_map(|arm| arm.runs.iter().map(move |run| (arm, run))).collect();
    let users: Vec<(&ArmRuns, &Run, &Vec<Option<f64>>)> = runs
        .iter()
        .flat_map(|&(arm, run)| run.users.iter().map(move |user| (arm, run, user)))
        .collect();
    let table = keys(runs.iter().copied())
        .bool("extra", runs.iter().map(|(_, run)| run.extra))
        .doc("Whether it is beyond the number of runs that the source made.");
    let table = columns(table, &OF_RUNS, |n| {
        runs.iter().map(|(_, run)| run.values.get(n).copied().flatten()).collect()
    });
    table.write_parquet(&folder.join(format!("{experiment}.runs.parquet")))?;
    let table = keys(users.iter().map(|&(arm, run, _)| (arm, run)));
    let table = columns(table, &OF_USERS, |n| {
        users.iter().map(|(_, _, user)| user.get(n).copied().flatten()).collect()
    });
    Ok(table.write_parquet(&folder.join(format!("{experiment}.users.parquet")))?)
}

/// The columns that say which run a row is of.
fn keys<'a>(rows: impl Iterator<Item = (&'a ArmRuns, &'a Run)> + Clone) -> Table {
    Table::new()
        .u64("load", rows.clone().map(|(arm, _)| u64::from(arm.load)))
        .doc("Video users.")
        .utf8("scheduler", rows.clone().map(|(arm, _)| &arm.scheduler))
        .doc("Scheduler of the arm.")
        .utf8("variant", rows.clone().map(|(arm, _)| &arm.variant))
        .doc("What else is set in the arm.")
        .u64("seed", rows.map(|(_, run)| run.seed))
        .doc("Seed of the run.")
}

fn columns(table: Table, names: &[&str], of: impl Fn(usize) -> Vec<Option<f64>>) -> Table {
    names.iter().enumerate().fold(table, |table, (n, name)| table.optional_f64(name, of(n)))
}

/// The arms that two tables hold.
fn arms(experiment: &str, runs: &Table, users: &Table) -> Result<Vec<ArmRuns>, StudyError> {
    let mut arms: Vec<ArmRuns> = Vec::new();
    let (of_runs, of_users) = (rows(runs, &OF_RUNS)?, rows(users, &OF_USERS)?);
    let extra = runs.truths("extra").ok_or_else(|| missing("extra"))?;
    let mut users = of_users.into_iter().peekable();
    for ((key, values), extra) in of_runs.into_iter().zip(extra) {
        let mut own = Vec::new();
        while let Some((_, user)) = users.next_if(|(other, _)| *other == key) {
            own.push(user);
        }
        let (load, scheduler, variant, seed) = key;
        let same = |arm: &ArmRuns| {
            arm.load == load && arm.scheduler == scheduler && arm.variant == variant
        };
        let run = Run { seed, extra: extra.unwrap_or(false), values, users: own };
        match arms.last_mut().filter(|arm| same(arm)) {
            Some(arm) => arm.runs.push(run),
            None => {
                let (experiment, runs) = (experiment.to_owned(), vec![run]);
                arms.push(ArmRuns { experiment, load, scheduler, variant, runs });
            }
        }
    }
    Ok(arms)
}

/// Load, scheduler, variant and seed.
type Key = (u32, String, String, u64);

/// A row: which run it is of, and its values.
type Keyed = (Key, Vec<Option<f64>>);

/// The rows of a table.
fn rows(table: &Table, names: &[&str]) -> Result<Vec<Keyed>, StudyError> {
    let integers = |name: &str| table.integers(name).ok_or_else(|| missing(name));
    let texts = |name: &str| table.texts(name).ok_or_else(|| missing(name));
    let (loads, seeds) = (integers("load")?, integers("seed")?);
    let (schedulers, variants) = (texts("scheduler")?, texts("variant")?);
    let columns: Vec<Vec<Option<f64>>> = names
        .iter()
        .map(|name| table.numbers(name).ok_or_else(|| missing(name)))
        .collect::<Result<_, _>>()?;
    let row = |n: usize| {
        let key = (
            u32::try_from(loads[n]?).ok()?,
            schedulers[n]?.to_owned(),
            variants[n]?.to_owned(),
            u64::try_from(seeds[n]?).ok()?,
        );
        Some((key, columns.iter().map(|column| column[n]).collect()))
    };
    let all: Option<Vec<_>> = (0..table.rows()).map(row).collect();
    all.ok_or_else(|| missing("a value"))
}

fn missing(name: &str) -> StudyError {
    StudyError::Data(format!("a kept table lacks {name}"))
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
