//! Tables that grow batch by batch: what they lack is made, and what is there is not made again.
//!
//! A batch is some seeds of every arm of an experiment, so that it ends within an hour. It is there
//! if the experiment's table has all of its runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use airpath_results::Digests;

use crate::Progress;
use crate::network::{
    ArmRuns, Data, Experiment, Made, Making, Reading, Run, batch_of, make, read, read_made, write,
    write_made,
};
use crate::{Plan, Study, StudyError};

/// A request for the next batch.
#[derive(Clone, Copy)]
pub struct Fill<'a> {
    /// The reading.
    pub reading: Reading,
    /// The only part that is made; all parts without one.
    pub part: Option<&'a str>,
    /// The folder of the first reading's tables.
    pub tables: &'a Path,
    /// The folder of the campaigns' datasets. An interrupted batch goes on from there.
    pub folder: &'a Path,
    /// Handling of a campaign's folder with a damaged file.
    pub digests: Digests,
    /// Called with the experiment's name, its runs that are done, and all of them, from any thread.
    pub progress: Option<&'a Progress<'a>>,
    /// Ends the making early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// A batch that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The origin of its runs; without commit, date and minutes, which the caller knows.
    pub made: Made,
    /// Batches that the tables lack still.
    pub left: usize,
}

/// Makes the next batch that the tables lack, and adds it to them; none if they lack none. The
/// caller gets its origin, completes it by `origin`, and the tables' `made.json` has it then.
///
/// # Errors
///
/// If the reading has no such part, a table is damaged or that of another campaign, a run failed,
/// or the making was interrupted. Finished runs are kept.
pub fn fill(
    study: &Study,
    request: Fill<'_>,
    origin: &dyn Fn(Made) -> Made,
) -> Result<Option<Batch>, StudyError> {
    let (plan, reading) = (study.plan()?, request.reading);
    let mut data = read(study, request.tables, reading, request.digests)?;
    let keep = reading.folder(request.tables);
    let mut origins = read_made(&keep)?;
    let lacking = lacking(study, &plan, request, (&data, &origins, &keep))?;
    let Some(&(experiment, batch)) = lacking.first() else { return Ok(None) };
    let progress = |done: usize, all: usize| {
        request.progress.into_iter().for_each(|show| show(&experiment.name, done, all));
    };
    let making = Making {
        reading,
        batch: Some(batch),
        quick: false,
        seeds: None,
        jobs: None,
        folder: &reading.folder(request.folder).join(format!("{}-{}", experiment.name, batch + 1)),
        digests: request.digests,
        progress: Some(&progress),
        interrupt: request.interrupt,
    };
    let found = make(study, experiment, making)?.unwrap_or_default();
    let made = origin(Made {
        experiment: experiment.name.clone(),
        batch: (experiment.batches > 1).then(|| format!("{} of {}", batch + 1, experiment.batches)),
        runs: found.iter().map(|arm| arm.runs.len()).sum(),
        campaign: Some(study.fingerprint(experiment, reading)?),
        ..Made::default()
    });
    found.into_iter().for_each(|arm| add(&mut data, arm));
    fs::create_dir_all(&keep)
        .map_err(|source| StudyError::Io { path: keep.display().to_string(), source })?;
    write(&data, &plan.axes, &experiment.name, &keep)?;
    origins.retain(|old| (&old.experiment, &old.batch) != (&made.experiment, &made.batch));
    origins.push(made.clone());
    write_made(&origins, &keep)?;
    Ok(Some(Batch { made, left: lacking.len() - 1 }))
}

/// The batches that tables lack, in the order of the plan.
fn lacking<'p>(
    study: &Study,
    plan: &'p Plan,
    request: Fill<'_>,
    (data, origins, keep): (&Data, &[Made], &Path),
) -> Result<Vec<(&'p Experiment, u64)>, StudyError> {
    let reading = request.reading;
    let mut lacking = Vec::new();
    for experiment in plan.of_reading(reading, request.part)? {
        let campaign = Some(study.fingerprint(experiment, reading)?);
        let own = origins.iter().filter(|made| made.experiment == experiment.name);
        if own.clone().any(|made| made.campaign.is_some() && made.campaign != campaign) {
            let folder = keep.display().to_string();
            return Err(StudyError::OtherCampaign { experiment: experiment.name.clone(), folder });
        }
        let of_experiment = data.arms.iter().filter(|arm| arm.experiment == experiment.name);
        let there: BTreeSet<(u32, &str, u64)> = of_experiment
            .flat_map(|arm| arm.runs.iter().map(move |run| (arm.load, &*arm.name, run.seed)))
            .collect();
        for batch in 0..experiment.batches {
            let campaign = batch_of(study, experiment, reading, batch)?;
            let mut whole = true;
            for (n, arm) in campaign.arms.iter().enumerate() {
                let (load, name) = plan.axes.named(experiment, reading, &campaign, n)?;
                let first = arm.scenario.seed;
                let mut seeds = first..first + campaign.most_runs_of(arm);
                whole &= seeds.all(|seed| there.contains(&(load, name.as_str(), seed)));
            }
            if !whole {
                lacking.push((experiment, batch));
            }
        }
    }
    Ok(lacking)
}

/// Adds runs to an arm, in the order of their seeds.
fn add(data: &mut Data, new: ArmRuns) {
    let same = |arm: &&mut ArmRuns| {
        (&arm.experiment, arm.load, &arm.name) == (&new.experiment, new.load, &new.name)
    };
    match data.arms.iter_mut().find(same) {
        Some(arm) => {
            let known = |run: &Run| new.runs.iter().any(|other| other.seed == run.seed);
            arm.runs.retain(|run| !known(run));
            arm.runs.extend(new.runs);
            arm.runs.sort_by_key(|run| run.seed);
        }
        None => data.arms.push(new),
    }
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
