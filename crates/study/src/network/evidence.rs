//! Evidence of a study's experiments: runs that are made, or read from tables.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use airpath_results::Digests;

use crate::Progress;
use crate::network::{
    Data, Made, Making, Reading, Trace, kept, make, make_traces, of_folder, read, read_traces,
    write, write_made, write_traces,
};
use crate::{Plan, Study, StudyError};

/// The part of every study that is single users over time.
pub const TRACES: &str = "traces";

/// The part that the others are compared with.
pub const MAIN: &str = "main";

/// The origin of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// Tables that airpath comes with.
    Kept,
    /// Tables in a folder.
    Tables(&'a Path),
    /// Runs, made into a folder or found there.
    Made(&'a Path),
}

/// A request for the evidence of a study's experiments.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The reading.
    pub reading: Reading,
    /// The origin.
    pub source: Source<'a>,
    /// The only part that is made; all parts without one.
    pub part: Option<&'a str>,
    /// True if experiments are made in the short form.
    pub quick: bool,
    /// The least number of runs of each arm, beside the number that the source made.
    pub runs: Option<u64>,
    /// Handling of a campaign's folder with a damaged file.
    pub digests: Digests,
    /// Called with an experiment's name, its runs that are done, and all of them, from any thread.
    pub progress: Option<&'a Progress<'a>>,
    /// Ends the making early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// The evidence of a study's experiments.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The runs.
    pub data: Data,
    /// The history of tables that airpath comes with.
    pub made: Vec<Made>,
    /// Single users over time; none where the kept ones stand.
    pub traces: Option<Vec<Trace>>,
}

impl Evidence {
    /// Makes the evidence, or reads it.
    ///
    /// # Errors
    ///
    /// If a table is damaged, a folder has no tables, the study has no such part, a run failed, or
    /// the making was interrupted. Finished runs are kept.
    pub fn gather(study: &Study, request: Request<'_>) -> Result<Evidence, StudyError> {
        match request.source {
            Source::Kept => {
                let (data, made) = kept(study, request.reading, request.digests)?;
                Ok(Evidence { data, made, traces: None })
            }
            Source::Tables(folder) => {
                let (data, made) = of_folder(study, folder, request.reading, request.digests)?;
                if data.arms.is_empty() && request.reading == Reading::First {
                    return Err(StudyError::NoTables(folder.display().to_string()));
                }
                let there = folder.join("traces.parquet").exists();
                let traces = there.then(|| read_traces(folder)).transpose()?;
                Ok(Evidence { data, made, traces })
            }
            Source::Made(folder) => made(study, request, folder),
        }
    }

    /// Writes the tables of all experiments that have runs into a folder. It is that of one reading.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn write(&self, plan: &Plan, folder: &Path) -> Result<(), StudyError> {
        fs::create_dir_all(folder)
            .map_err(|source| StudyError::Io { path: folder.display().to_string(), source })?;
        if !self.made.is_empty() {
            write_made(&self.made, folder)?;
        }
        let has_runs = |name: &str| self.data.arms.iter().any(|arm| arm.experiment == name);
        let names = plan.experiments.iter().map(|experiment| experiment.name.as_str());
        names
            .filter(|name| has_runs(name))
            .try_for_each(|name| write(&self.data, &plan.axes, name, folder))
    }
}

/// The folder of tables in a folder of results; it is made if it is not there.
///
/// # Errors
///
/// If it cannot be made.
pub fn tables(folder: &Path) -> Result<std::path::PathBuf, StudyError> {
    let tables = folder.join("tables");
    fs::create_dir_all(&tables)
        .map_err(|source| StudyError::Io { path: tables.display().to_string(), source })?;
    Ok(tables)
}

/// Makes the experiments of a request, each with its tables as it ends.
fn made(study: &Study, request: Request<'_>, folder: &Path) -> Result<Evidence, StudyError> {
    let keep = tables(folder)?;
    let mut evidence = Evidence { data: Data::of(study)?, ..Evidence::default() };
    if request.part != Some(TRACES) {
        evidence.data = runs(study, request, folder, &keep)?;
    }
    let first = request.reading == Reading::First;
    if first && !request.quick && request.part.is_none_or(|part| part == TRACES) {
        let traces = make_traces(study, request.interrupt)?;
        write_traces(&traces, &keep)?;
        evidence.traces = Some(traces);
    }
    Ok(evidence)
}

fn runs(
    study: &Study,
    request: Request<'_>,
    folder: &Path,
    keep: &Path,
) -> Result<Data, StudyError> {
    let (plan, reading) = (study.plan()?, request.reading);
    let wanted = plan.of_reading(reading, request.part)?;
    // Most rows compare with arms of another part: its tables, if it was made in the same folder.
    let mut data = read(study, keep, reading, request.digests)?;
    let keep = reading.folder(keep);
    fs::create_dir_all(&keep)
        .map_err(|source| StudyError::Io { path: keep.display().to_string(), source })?;
    data.arms.retain(|arm| wanted.iter().all(|experiment| experiment.name != arm.experiment));
    for experiment in wanted {
        let progress = |done: usize, all: usize| {
            request.progress.into_iter().for_each(|show| show(&experiment.name, done, all));
        };
        let making = Making {
            reading,
            batch: None,
            quick: request.quick,
            seeds: request.runs,
            jobs: None,
            folder: &reading.folder(folder).join(&experiment.name),
            progress: Some(&progress),
            interrupt: request.interrupt,
            digests: request.digests,
        };
        if let Some(found) = make(study, experiment, making)? {
            data.arms.extend(found);
            write(&data, &plan.axes, &experiment.name, &keep)?;
        }
    }
    Ok(data)
}
