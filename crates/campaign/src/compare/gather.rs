//! Sources of arms: runs that are made now, a campaign's folder, a run's folder.

use std::fs;
use std::path::Path;

use airpath_results::users::{self, UserRow};
use airpath_results::{Digests, Named, Table, VERSION};
use airpath_scenario::{Scenario, nearest};
use airpath_sim::{ExecuteOptions, execute};
use serde_json::Value;

use super::{Run, Side, title};
use crate::record::{ArmJob, RunRecord};
use crate::sweep::in_pool;
use crate::{Dataset, Failure, Options, SweepError, identity};

impl Side {
    /// An arm of a campaign that was written to a folder. Its name is the arm's; a value alone, as
    /// `20`, stands behind its key.
    ///
    /// # Errors
    ///
    /// If there is no such arm, or a file of the folder cannot be read.
    pub fn of_arm(dataset: &Dataset, name: &str) -> Result<Side, SweepError> {
        let at = dataset.arm(name).ok_or_else(|| no_arm(dataset, name))?;
        let arm = &dataset.summary.arms[at];
        let scenario = Scenario::read(&dataset.folder().join(&arm.scenario), &[]);
        let scenario = scenario.map_err(|errors| {
            let what = format!(
                "holds the scenario {}, which this airpath ({VERSION}) cannot read: {errors}",
                arm.scenario
            );
            other(dataset.folder(), what, "use the airpath that wrote it, or run again")
        })?;
        let records = dataset.records(at, &dataset.all_users()?)?;
        let version = dataset.summary.version.clone();
        let build = Some(dataset.summary.build.clone());
        let title = title::arm_title(&dataset.summary.columns, arm);
        Ok(Side { version, build, ..Side::of_records(&title, &scenario, records) })
    }

    /// The run in a folder that `airpath run --out` wrote.
    ///
    /// # Errors
    ///
    /// If it holds none, one of another format, or a damaged file.
    pub fn of_run(name: &str, folder: &Path, digests: Digests) -> Result<Side, SweepError> {
        digests.check(folder)?;
        let summary = identity::value(folder)?;
        let again = |what: &str| other(folder, what.to_owned(), "run it again with this airpath");
        let seed = summary["seed"].as_u64().ok_or_else(|| again("has no seed"))?;
        let path = folder.join("metrics.json");
        let text = fs::read_to_string(path).map_err(|_| again("has no metrics.json"))?;
        let metrics: Named<f64> =
            serde_json::from_str(&text).map_err(|_| again("has a damaged metrics.json"))?;
        let path = folder.join("users.parquet");
        let table = Table::read_parquet(&path)
            .map_err(|source| SweepError::Table { path: path.clone(), source })?;
        let users = users::rows(&table).ok_or_else(|| again("has another users.parquet"))?;
        let version = summary["version"].as_str().unwrap_or("unknown").to_owned();
        let mut side = Side { version, ..Side::new(name, summary["scenario"].clone()) };
        side.add(seed, metrics, users);
        Ok(side)
    }

    fn of_records(name: &str, scenario: &Scenario, records: Vec<(u64, RunRecord)>) -> Side {
        let mut side = Side::new(name, scenario.to_json());
        for (seed, RunRecord { metrics, users }) in records {
            side.add(seed, metrics, users);
        }
        side
    }

    fn new(name: &str, scenario: Value) -> Side {
        let (name, version) = (name.to_owned(), VERSION.to_owned());
        Side { name, version, scenario, ..Side::default() }
    }

    fn add(&mut self, seed: u64, metrics: Named<f64>, users: Vec<UserRow>) {
        let metrics: Vec<(String, f64)> =
            metrics.iter().map(|(name, value)| (name.to_owned(), *value)).collect();
        let names = metrics.iter().map(|(name, _)| name);
        match self.metrics.is_empty() {
            true => self.metrics = names.cloned().collect(),
            false => {
                let new: Vec<String> =
                    names.filter(|name| !self.known.contains(*name)).cloned().collect();
                self.metrics.extend(new);
            }
        }
        self.known.extend(self.metrics.iter().cloned());
        self.runs.insert(seed, Run { metrics: metrics.into_iter().collect(), users });
    }
}

/// Runs two scenarios, which have names, with the same seeds; gives the arms, and the runs that
/// failed.
///
/// # Errors
///
/// If it is interrupted, or so many threads cannot be had.
pub fn run_both(
    scenarios: [(&str, &Scenario); 2],
    seeds: &[u64],
    options: Options<'_>,
) -> Result<([Side; 2], Vec<Failure>), SweepError> {
    let jobs = scenarios.map(|(_, scenario)| ArmJob::new(scenario));
    let execution = ExecuteOptions {
        progress: options.progress,
        interrupt: options.interrupt,
        ..ExecuteOptions::default()
    };
    let outputs = in_pool(options.jobs, || {
        execute(&jobs, seeds, execution).map_err(|_| SweepError::Interrupted)
    })?;
    let mut failures = Vec::new();
    let mut outputs = outputs.into_iter();
    let sides = scenarios.map(|(name, scenario)| {
        let runs = seeds.iter().zip(outputs.next().unwrap_or_default());
        let mut fail = |seed: u64, why| {
            failures.push(Failure { arm: name.to_owned(), seed, why });
            None
        };
        let records = runs.filter_map(|(seed, run)| match run {
            Ok(record) => Some((*seed, record)),
            Err(why) => fail(*seed, why),
        });
        Side::of_records(name, scenario, records.collect())
    });
    Ok((sides, failures))
}

fn no_arm(dataset: &Dataset, name: &str) -> SweepError {
    let names = dataset.summary.arms.iter().map(|arm| arm.name.as_str());
    let hint =
        nearest(name, names).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    let what = format!("has no arm `{name}`{hint}");
    other(dataset.folder(), what, "its README.md lists what there is")
}

fn other(folder: &Path, what: String, mend: &str) -> SweepError {
    SweepError::Other { folder: folder.to_owned(), what, mend: mend.to_owned() }
}
