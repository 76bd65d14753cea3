//! Runs of an experiment: its campaign is made, and the columns that are kept are gathered.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use airpath_campaign::{Dataset, Options, sweep};
use airpath_results::Digests;
use airpath_scenario::Campaign;

use crate::network::gather::gather;
use crate::network::{ArmRuns, Experiment, Measures, Reading};
use crate::{Study, StudyError};

/// Options of making an experiment.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// The reading.
    pub reading: Reading,
    /// The only batch that is made, from 0; all by default.
    pub batch: Option<u64>,
    /// True for the short form.
    pub quick: bool,
    /// Least number of runs of each arm; that of the campaign by default.
    pub seeds: Option<u64>,
    /// Threads; one for each core by default.
    pub jobs: Option<usize>,
    /// Folder to which the dataset is written, and from which a kept one is read.
    pub folder: &'a Path,
    /// Handling of a kept dataset with a damaged file.
    pub digests: Digests,
    /// Called with the runs that are done and those that are needed, from any thread.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Ends the making early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Makes an experiment, or reads what is kept of it; none if `making.quick` is set and the
/// experiment has no short form.
///
/// # Errors
///
/// If it is interrupted, a run failed, or the folder cannot be used. What is finished is kept.
pub fn make(
    study: &Study,
    experiment: &Experiment,
    making: Making<'_>,
) -> Result<Option<Vec<ArmRuns>>, StudyError> {
    let reading = making.reading;
    let published = match making.batch {
        Some(batch) => Some(batch_of(study, experiment, reading, batch)?),
        None => study.campaign(experiment, reading, making.quick)?,
    };
    let Some(published) = published else { return Ok(None) };
    let mut campaign = published.clone();
    for arm in &mut campaign.arms {
        let own = published.most_runs_of(arm);
        arm.runs = Some(making.seeds.map_or(own, |seeds| own.max(seeds)));
    }
    let options = Options {
        folder: Some(making.folder),
        jobs: making.jobs,
        progress: making.progress,
        interrupt: making.interrupt,
        digests: making.digests,
        ..Options::default()
    };
    let report = sweep(&campaign, options)?;
    if let Some(failure) = report.failures.first() {
        return Err(StudyError::Run(format!("{}: a run failed: {failure:?}", experiment.name)));
    }
    let (axes, measures) = (study.plan()?.axes, Measures::of(study)?);
    // The campaign has written or checked its files.
    let dataset = Dataset::open(making.folder, Digests::Unchecked)?;
    gather(experiment, reading, (&axes, &measures), &published, &dataset).map(Some)
}

/// The campaign of a batch of an experiment, from 0: of each arm some seeds.
///
/// # Errors
///
/// If the experiment's scenario is none.
pub fn batch_of(
    study: &Study,
    experiment: &Experiment,
    reading: Reading,
    batch: u64,
) -> Result<Campaign, StudyError> {
    let whole = study.campaign(experiment, reading, false)?;
    let mut campaign = whole.ok_or_else(|| StudyError::Data(experiment.name.clone()))?;
    let runs: Vec<u64> = campaign.arms.iter().map(|arm| campaign.most_runs_of(arm)).collect();
    for (arm, runs) in campaign.arms.iter_mut().zip(runs) {
        let begin = |batch: u64| runs * batch / experiment.batches;
        arm.scenario.seed += begin(batch);
        arm.runs = Some(begin(batch + 1) - begin(batch));
    }
    campaign.arms.retain(|arm| arm.runs != Some(0));
    Ok(campaign)
}
