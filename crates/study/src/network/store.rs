//! Tables of experiments as files: `NAME.runs.parquet` and `NAME.users.parquet`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use airpath_campaign::Dataset;
use airpath_results::{Digests, Table};
use serde::{Deserialize, Serialize};

use crate::network::gather::gather;
use crate::network::{ArmRuns, Axes, Data, Experiment, Measures, Reading, Run};
use crate::{Study, StudyError};

/// The file of a folder of tables that has their origins.
const MADE: &str = "made.json";
/// The variable that names the folder of studies with their tables.
const STUDIES: &str = "AIRPATH_STUDIES";
/// Folders of studies beside a program: of an archive or a checkout, and of a package.
const SHARED: [&str; 2] = ["studies", "share/airpath/studies"];
/// The tables below the folder of a study.
const TABLES: &str = "network/tables";

/// Origin of a kept table, or of one of its batches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The experiment.
    pub experiment: String,
    /// The batch, as "1 of 2"; none of an experiment that was made as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// Commit of airpath that made it.
    pub commit: String,
    /// Day, as 2026-11-23.
    pub date: String,
    /// Runs.
    pub runs: usize,
    /// Processor time of its runs, in minutes.
    pub minutes: f64,
    /// Fingerprint of the campaign ([`Study::fingerprint`]); none of tables without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<String>,
    /// Remark on the table's making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Study {
    /// The folder of the tables that are kept of the first reading's experiments. It is looked for
    /// in the study's folder. For a study that airpath comes with, it is looked for in the folder
    /// that `AIRPATH_STUDIES` names. Without this variable, folders `studies` and
    /// `share/airpath/studies` beside and above the program and the current folder are tried.
    pub fn tables(&self) -> Option<PathBuf> {
        let of_studies = |studies: &Path| {
            Some(studies.join(&self.name).join(TABLES)).filter(|folder| folder.is_dir())
        };
        if let Some(folder) = &self.folder {
            return Some(folder.join(TABLES)).filter(|folder| folder.is_dir());
        }
        if let Some(studies) = env::var_os(STUDIES) {
            return of_studies(Path::new(&studies));
        }
        let from = [env::current_exe().ok(), env::current_dir().ok()];
        let mut above = from.iter().flatten().flat_map(|path| path.ancestors());
        above.find_map(|folder| SHARED.iter().find_map(|name| of_studies(&folder.join(name))))
    }
}

/// The tables that are kept of a reading, and their origins; empty of a study that keeps none.
///
/// # Errors
///
/// If one is damaged or that of another campaign, or if the tables of a study that airpath comes
/// with are not found.
pub fn kept(
    study: &Study,
    reading: Reading,
    digests: Digests,
) -> Result<(Data, Vec<Made>), StudyError> {
    match study.tables() {
        Some(folder) => of_folder(study, &folder, reading, digests),
        None if study.folder.is_none() => Err(StudyError::NoKept(study.name.clone())),
        None => Ok((Data::of(study)?, Vec::new())),
    }
}

/// The tables of a reading in a folder of tables, and their origins.
///
/// # Errors
///
/// If one is damaged, or that of another campaign.
pub fn of_folder(
    study: &Study,
    folder: &Path,
    reading: Reading,
    digests: Digests,
) -> Result<(Data, Vec<Made>), StudyError> {
    let data = read(study, folder, reading, digests)?;
    let made = read_made(&reading.folder(folder))?;
    for experiment in study.plan()?.experiments {
        if !fits(study, &experiment, reading, &data, &made)? {
            let folder = reading.folder(folder).display().to_string();
            return Err(StudyError::OtherCampaign { experiment: experiment.name, folder });
        }
    }
    Ok((data, made))
}

/// The origins of the tables in a folder; empty without their file.
///
/// # Errors
///
/// A file that cannot be read, or has another form.
pub fn read_made(folder: &Path) -> Result<Vec<Made>, StudyError> {
    let path = folder.join(MADE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let shown = path.display().to_string();
    let text = fs::read_to_string(&path)
        .map_err(|source| StudyError::Io { path: shown.clone(), source })?;
    serde_json::from_str(&text).map_err(|error| StudyError::Data(format!("{shown}: {error}")))
}

/// Writes the origins of the tables in a folder, one a line.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_made(made: &[Made], folder: &Path) -> Result<(), StudyError> {
    let line = |made: &Made| serde_json::to_string(made).map(|line| format!(" {line}"));
    let lines: Result<Vec<String>, _> = made.iter().map(line).collect();
    let lines = lines.map_err(|error| StudyError::Data(error.to_string()))?;
    let path = folder.join(MADE);
    fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n")))
        .map_err(|source| StudyError::Io { path: path.display().to_string(), source })
}

/// True if the tables of an experiment can be those of its campaign. The fingerprint that was
/// written with them decides; without one, arms, loads and seeds do, those of its short form too.
fn fits(
    study: &Study,
    experiment: &Experiment,
    reading: Reading,
    data: &Data,
    made: &[Made],
) -> Result<bool, StudyError> {
    let own: Vec<&ArmRuns> =
        data.arms.iter().filter(|arm| arm.experiment == experiment.name).collect();
    if own.is_empty() {
        return Ok(true);
    }
    let written = made.iter().filter(|made| made.experiment == experiment.name);
    let mut written = written.filter_map(|made| made.campaign.as_ref()).peekable();
    if written.peek().is_some() {
        let campaign = study.fingerprint(experiment, reading)?;
        return Ok(written.all(|written| *written == campaign));
    }
    let axes = study.plan()?.axes;
    let mut known = Vec::new();
    for quick in [false, true] {
        let Some(campaign) = study.campaign(experiment, reading, quick)? else { continue };
        for (n, arm) in campaign.arms.iter().enumerate() {
            let (load, name) = axes.named(experiment, reading, &campaign, n)?;
            known.push((load, name, arm.scenario.seed));
        }
    }
    let is_known = |arm: &&ArmRuns| {
        let same = known.iter().find(|(load, name, _)| (*load, name) == (arm.load, &arm.name));
        same.is_some_and(|(_, _, first)| arm.runs.iter().all(|run| run.seed >= *first))
    };
    Ok(own.iter().all(is_known))
}

/// Reads the tables of a reading from a folder of tables. An experiment without tables is read
/// from the dataset of its campaign, in the folder of the experiment's name.
///
/// # Errors
///
/// If one is damaged, or a dataset is that of another campaign.
pub fn read(
    study: &Study,
    folder: &Path,
    reading: Reading,
    digests: Digests,
) -> Result<Data, StudyError> {
    let mut data = Data::of(study)?;
    let (plan, folder) = (study.plan()?, reading.folder(folder));
    for experiment in plan.experiments.iter().filter(|e| e.readings.contains(&reading)) {
        let path = |kind: &str| folder.join(format!("{}.{kind}.parquet", experiment.name));
        if path("runs").exists() {
            let (runs, users) =
                (Table::read_parquet(&path("runs"))?, Table::read_parquet(&path("users"))?);
            data.arms.extend(arms(&experiment.name, &plan.axes, &data.measures, &runs, &users)?);
        } else if Dataset::is_one(&folder.join(&experiment.name))
            && let Some(campaign) = study.campaign(experiment, reading, false)?
        {
            let dataset = Dataset::open(&folder.join(&experiment.name), digests)?;
            let kept = (&plan.axes, &*data.measures);
            data.arms.extend(gather(experiment, reading, kept, &campaign, &dataset)?);
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
    table.write_small(folder.join(format!("{experiment}.runs.parquet")))?;
    let table = keys(axes, users.iter().map(|&(arm, run, _)| (arm, run)));
    let table = columns(table, data.measures.users.iter(), |n| {
        users.iter().map(|(_, _, user)| user.get(n).copied().flatten()).collect()
    });
    Ok(table.write_small(folder.join(format!("{experiment}.users.parquet")))?)
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
