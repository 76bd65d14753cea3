//! Tables of experiments as files: `NAME.runs.parquet` and `NAME.users.parquet`.

use std::path::Path;

use airpath_campaign::Dataset;
use airpath_results::{Digests, Table, TableReader};
use serde::Deserialize;

use crate::network::gather::gather;
use crate::network::{ArmRuns, Axes, Data, Measures, Run};
use crate::{Study, StudyError};

/// Origin of a kept table.
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
    /// Remark on the table's making.
    #[serde(default)]
    pub note: Option<String>,
}

/// The tables that are kept with airpath, and their origins.
///
/// # Errors
///
/// If one is damaged.
pub fn kept(study: &Study) -> Result<(Data, Vec<Made>), StudyError> {
    let mut data = Data::of(study)?;
    let plan = study.plan()?;
    for experiment in &plan.experiments {
        let open = |kind: &str| {
            let name = format!("{}.{kind}.parquet", experiment.name);
            let found = study.bytes(&format!("tables/{name}"));
            found.map(|bytes| TableReader::from_bytes(&name, bytes.clone())?.all()).transpose()
        };
        if let (Some(runs), Some(users)) = (open("runs")?, open("users")?) {
            data.arms.extend(arms(&experiment.name, &plan.axes, &data.measures, &runs, &users)?);
        }
    }
    let made = study.text("made.json").map(|_| study.json("made.json"));
    Ok((data, made.transpose()?.unwrap_or_default()))
}

/// Reads the tables of a study's experiments from a folder. An experiment without tables is read
/// from the dataset of its campaign, in the folder of the experiment's name.
///
/// # Errors
///
/// If one is damaged, or a dataset is that of another campaign.
pub fn read(study: &Study, folder: &Path, digests: Digests) -> Result<Data, StudyError> {
    let mut data = Data::of(study)?;
    let plan = study.plan()?;
    for experiment in &plan.experiments {
        let path = |kind: &str| folder.join(format!("{}.{kind}.parquet", experiment.name));
        if path("runs").exists() {
            let (runs, users) =
                (Table::read_parquet(&path("runs"))?, Table::read_parquet(&path("users"))?);
            data.arms.extend(arms(&experiment.name, &plan.axes, &data.measures, &runs, &users)?);
        } else if Dataset::is_one(&folder.join(&experiment.name))
            && let Some(campaign) = study.campaign(experiment, false)?
        {
            let dataset = Dataset::open(&folder.join(&experiment.name), digests)?;
            let kept = (&plan.axes, &*data.measures);
            data.arms.extend(gather(experiment, kept, &campaign, &dataset)?);
        }
    }
    Ok(data)
}

/// Writes the tables of an experiment into a folder.
///
/// # Errors
///
/// If they cannot be written.
pub fn write(data: &Data, axes: &Axes, experiment: &str, folder: &Path) -> Result<(), StudyError> {
    let own = data.arms.iter().filter(|arm| arm.experiment == experiment);
    let runs: Vec<(&ArmRuns, &Run)> =
        own.flat_map(|arm| arm.runs.iter().map(move |run| (arm, run))).collect();
    let users: Vec<(&ArmRuns, &Run, &Vec<Option<f64>>)> = runs
        .iter()
        .flat_map(|&(arm, run)| run.users.iter().map(move |user| (arm, run, user)))
        .collect();
    let table = keys(axes, runs.iter().copied())
        .bool("extra", runs.iter().map(|(_, run)| run.extra))
        .doc("Whether it is beyond the number of runs that the source made.");
    let table = columns(table, data.measures.runs.iter().map(|column| &column.name), |n| {
        runs.iter().map(|(_, run)| run.values.get(n).copied().flatten()).collect()
    });
    table.write_parquet(folder.join(format!("{experiment}.runs.parquet")))?;
    let table = keys(axes, users.iter().map(|&(arm, run, _)| (arm, run)));
    let table = columns(table, data.measures.users.iter(), |n| {
        users.iter().map(|(_, _, user)| user.get(n).copied().flatten()).collect()
    });
    Ok(table.write_parquet(folder.join(format!("{experiment}.users.parquet")))?)
}

/// The columns that say which run a row is of.
fn keys<'a>(axes: &Axes, rows: impl Iterator<Item = (&'a ArmRuns, &'a Run)> + Clone) -> Table {
    let mut table = Table::new();
    if let Some(load) = &axes.load {
        table = table
            .u64(&load.name, rows.clone().map(|(arm, _)| u64::from(arm.load)))
            .doc(&load.meaning);
    }
    for (n, axis) in axes.arm.iter().enumerate() {
        let value = |(arm, _): (&'a ArmRuns, &'a Run)| axes.values(&arm.name).nth(n).unwrap_or("");
        table = table.utf8(&axis.name, rows.clone().map(value)).doc(&axis.meaning);
    }
    table.u64("seed", rows.map(|(_, run)| run.seed)).doc("Seed of the run.")
}

fn columns<'a>(
    table: Table,
    names: impl Iterator<Item = &'a String>,
    of: impl Fn(usize) -> Vec<Option<f64>>,
) -> Table {
    names.enumerate().fold(table, |table, (n, name)| table.optional_f64(name, of(n)))
}

/// The arms that two tables hold.
fn arms(
    experiment: &str,
    axes: &Axes,
    measures: &Measures,
    runs: &Table,
    users: &Table,
) -> Result<Vec<ArmRuns>, StudyError> {
    let mut arms: Vec<ArmRuns> = Vec::new();
    let (of_runs, of_users) = (
        rows(axes, runs, measures.runs.iter().map(|column| &column.name))?,
        rows(axes, users, measures.users.iter())?,
    );
    let extra = runs.truths("extra").ok_or_else(|| missing("extra"))?;
    let mut users = of_users.into_iter().peekable();
    for ((key, values), extra) in of_runs.into_iter().zip(extra) {
        let mut own = Vec::new();
        while let Some((_, user)) = users.next_if(|(other, _)| *other == key) {
            own.push(user);
        }
        let (load, name, seed) = key;
        let run = Run { seed, extra: extra.unwrap_or(false), values, users: own };
        match arms.last_mut().filter(|arm| arm.load == load && arm.name == name) {
            Some(arm) => arm.runs.push(run),
            None => {
                let (experiment, runs) = (experiment.to_owned(), vec![run]);
                arms.push(ArmRuns { experiment, load, name, runs });
            }
        }
    }
    Ok(arms)
}

/// Load, name of the arm and seed.
type Key = (u32, String, u64);

/// A row: the run that it is of, and its values.
type Keyed = (Key, Vec<Option<f64>>);

/// The rows of a table.
fn rows<'a>(
    axes: &Axes,
    table: &Table,
    names: impl Iterator<Item = &'a String>,
) -> Result<Vec<Keyed>, StudyError> {
    let integers = |name: &str| table.integers(name).ok_or_else(|| missing(name));
    let texts = |name: &str| table.texts(name).ok_or_else(|| missing(name));
    let (loads, seeds) =
        (axes.load.as_ref().map(|axis| integers(&axis.name)).transpose()?, integers("seed")?);
    let axes = axes.arm.iter().map(|axis| texts(&axis.name)).collect::<Result<Vec<_>, _>>()?;
    let columns: Vec<Vec<Option<f64>>> = names
        .map(|name| table.numbers(name).ok_or_else(|| missing(name)))
        .collect::<Result<_, _>>()?;
    let row = |n: usize| {
        let load = loads.as_ref().map_or(Some(0), |loads| loads[n]);
        let name: Vec<&str> = axes.iter().map(|axis| axis[n]).collect::<Option<_>>()?;
        let key = (u32::try_from(load?).ok()?, name.join("/"), u64::try_from(seeds[n]?).ok()?);
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
