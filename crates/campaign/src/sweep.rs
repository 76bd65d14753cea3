//! Makes the runs of a campaign.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use airpath_results::{Digests, Named, ResultsFolder, metric_info};
use airpath_scenario::{Campaign, Runs};
use airpath_sim::{ExecuteOptions, Job, RunCache, execute_each};
use airpath_stats::{CONFIDENCE, Next, Until};

use crate::identity::{self, ArmIdentity, Earlier, Failure, MetricDoc};
use crate::record::{ArmJob, RunRecord};
use crate::write::{self, Made};
use crate::{BUILD, Dataset, Estimate, SweepError};

/// Options of [`sweep`].
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Folder of the dataset. Without it the runs are held in memory, and lost when the process
    /// ends.
    pub folder: Option<&'a Path>,
    /// Threads; one for each core by default.
    pub jobs: Option<usize>,
    /// Called with the runs that are done and those that are known to be needed, from any thread.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Ends everything early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called with what a person should know: runs that could not be kept, for example.
    pub note: Option<&'a (dyn Fn(&str) + Sync)>,
    /// Handling of a folder with a damaged file.
    pub digests: Digests,
    /// Makes runs instead of this machine's threads.
    pub elsewhere: Option<&'a dyn Elsewhere>,
}

/// Makes runs on other machines, say.
pub trait Elsewhere: Sync {
    /// Makes each of these runs: index of an arm, and a seed. The result of a run is handed to
    /// `take`, with its index in `runs`, as soon as it is known. Calls come from any thread and in
    /// any order; a record must be that of [`make`](crate::make).
    ///
    /// # Errors
    ///
    /// If it was interrupted, or cannot go on. What was handed over is kept.
    fn make(&self, runs: &[(usize, u64)], take: &Take<'_>) -> Result<(), SweepError>;
}

/// Takes what a run came to, or why it failed.
pub type Take<'a> = dyn Fn(usize, Result<RunRecord, String>) + Sync + 'a;

/// Result of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Columns that say which arm a run is of.
    pub columns: Vec<String>,
    /// The arms with their seeds.
    pub arms: Vec<ArmIdentity>,
    /// Metrics that any run has.
    pub metrics: Named<MetricDoc>,
    /// Each metric over the runs of each arm, arm by arm.
    pub estimates: Vec<Estimate>,
    /// Runs that failed.
    pub failures: Vec<Failure>,
    /// Indices of arms whose metric is not known as well as the campaign requires.
    pub open: Vec<usize>,
    /// Runs that were kept from before, and that were not made again.
    pub resumed: usize,
    /// The dataset, if the campaign has a folder.
    pub folder: Option<PathBuf>,
}

/// Makes all runs of a campaign and writes its dataset.
///
/// # Errors
///
/// If it is interrupted, if the folder holds something else or a damaged file, or if it cannot be
/// written. Finished
/// runs are then kept beside the folder, and the same call goes on with them. Runs that fail are no
/// error: they are in the report.
pub fn sweep(campaign: &Campaign, options: Options<'_>) -> Result<Report, SweepError> {
    let Some(folder) = options.folder else {
        return in_pool(options.jobs, || Sweep::new(campaign, options, None).run(None));
    };
    options.digests.check(folder)?;
    let beside = ResultsFolder::beside(folder, "runs")?;
    let earlier = identity::earlier(folder, campaign)?;
    if let Earlier::Same(summary) = earlier {
        // Left by a process that was killed between writing and clearing.
        if beside.exists() {
            let _ = RunCache::open(&beside, BUILD).map(RunCache::clear);
        }
        ResultsFolder::unlock(folder)?;
        return Dataset::of(folder, *summary)?.report();
    }
    let cache = RunCache::open(&beside, BUILD)
        .map_err(|source| SweepError::Io { path: beside.clone(), source })?;
    if let Earlier::Part(summary) = earlier {
        Dataset::of(folder, *summary)?.restore(campaign, &cache)?;
    }
    let sweep = Sweep::new(campaign, options, Some(&cache));
    let report = in_pool(options.jobs, || sweep.run(Some(folder)));
    if let Some(note) = options.note {
        cache.faults().iter().for_each(|fault| note(fault));
    }
    if let (Err(SweepError::Interrupted), Some(note)) = (&report, options.note) {
        let (runs, folder) = (cache.kept(), cache.folder().display());
        note(&format!("{runs} finished runs are kept in {folder}; the same command goes on"));
    }
    let mut report = report?;
    report.resumed = cache.resumed();
    if report.failures.is_empty() {
        cache.clear().map_err(|source| SweepError::Io { path: beside, source })?;
    }
    Ok(report)
}

pub(crate) fn in_pool<T: Send>(
    jobs: Option<usize>,
    work: impl FnOnce() -> Result<T, SweepError> + Send,
) -> Result<T, SweepError> {
    let Some(jobs) = jobs else { return work() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    pool.map_err(|error| SweepError::Threads(jobs, error.to_string()))?.install(work)
}

/// Results that are gathered while runs are made, in whatever order they come.
#[derive(Default)]
struct Gathered {
    /// Each metric with the first run that has it and its index there.
    names: BTreeMap<String, (usize, usize, usize)>,
    /// Records by arm and run, where they are kept in memory.
    records: BTreeMap<(usize, usize), RunRecord>,
    /// Values of the metric that decides when to stop.
    values: BTreeMap<(usize, usize), f64>,
    failures: BTreeMap<(usize, usize), String>,
}

struct Sweep<'a> {
    campaign: &'a Campaign,
    options: Options<'a>,
    cache: Option<&'a RunCache>,
    jobs: Vec<ArmJob<'a>>,
    gathered: Mutex<Gathered>,
}

impl<'a> Sweep<'a> {
    fn new(campaign: &'a Campaign, options: Options<'a>, cache: Option<&'a RunCache>) -> Self {
        let jobs = campaign.arms.iter().map(|arm| ArmJob::new(&arm.scenario)).collect();
        Sweep { campaign, options, cache, jobs, gathered: Mutex::default() }
    }

    fn run(&self, folder: Option<&Path>) -> Result<Report, SweepError> {
        let (runs, open) = match &self.campaign.runs {
            Runs::Fixed(_) => {
                let arms = self.campaign.arms.iter();
                let counts: Vec<usize> =
                    arms.map(|arm| self.campaign.most_runs_of(arm) as usize).collect();
                self.make(&vec![0; self.jobs.len()], &counts)?;
                (counts, Vec::new())
            }
            Runs::Until { metric, share, least, most } => {
                let until = Until {
                    relative: *share,
                    confidence: CONFIDENCE,
                    first: *least as usize,
                    most: *most as usize,
                    ..Until::default()
                };
                self.until(metric, until)?
            }
        };
        self.finish(folder, &runs, open)
    }

    /// Makes the runs of each arm from one number to another.
    fn make(&self, from: &[usize], to: &[usize]) -> Result<(), SweepError> {
        let of_arm = |arm: usize| (from[arm]..to[arm]).map(move |n| (arm, n));
        let runs: Vec<(usize, usize)> = (0..self.jobs.len()).flat_map(of_arm).collect();
        let tasks: Vec<(usize, u64)> =
            runs.iter().map(|(arm, n)| (*arm, self.seed(*arm, *n))).collect();
        let before: usize = from.iter().sum();
        let progress = |done: usize, all: usize| {
            if let Some(progress) = self.options.progress {
                progress(before + done, before + all);
            }
        };
        if let Some(elsewhere) = self.options.elsewhere {
            let gather = |n: usize, result| self.gather(runs[n], result);
            return self.make_elsewhere(elsewhere, &tasks, &progress, &gather);
        }
        let options = ExecuteOptions {
            progress: Some(&progress),
            interrupt: self.options.interrupt,
            cache: self.cache,
        };
        execute_each(&self.jobs, &tasks, options, &|n, result| self.gather(runs[n], result))
            .map_err(|_| SweepError::Interrupted)
    }

    /// Has runs made elsewhere that are not kept here, and keeps them.
    fn make_elsewhere(
        &self,
        elsewhere: &dyn Elsewhere,
        tasks: &[(usize, u64)],
        progress: &(dyn Fn(usize, usize) + Sync),
        take: &Take<'_>,
    ) -> Result<(), SweepError> {
        let done = AtomicUsize::new(0);
        let count = || progress(done.fetch_add(1, Ordering::SeqCst) + 1, tasks.len());
        let mut missing = Vec::new();
        for (n, (arm, seed)) in tasks.iter().enumerate() {
            match self.cache.and_then(|cache| cache.get(self.jobs[*arm].digest(), *seed)) {
                None => missing.push(n),
                Some(record) => {
                    take(n, Ok(record));
                    count();
                }
            }
        }
        let wanted: Vec<(usize, u64)> = missing.iter().map(|n| tasks[*n]).collect();
        elsewhere.make(&wanted, &|place, result| {
            let n = missing[place];
            if let (Ok(record), Some(cache)) = (&result, self.cache) {
                cache.put(self.jobs[tasks[n].0].digest(), tasks[n].1, record);
            }
            take(n, result);
            count();
        })
    }

    fn seed(&self, arm: usize, n: usize) -> u64 {
        self.campaign.arms[arm].scenario.seed.wrapping_add(n as u64)
    }

    fn gather(&self, run: (usize, usize), result: Result<RunRecord, String>) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let record = match result {
            Ok(record) => record,
            Err(why) => {
                gathered.failures.insert(run, why);
                return;
            }
        };
        for (place, (name, value)) in record.metrics.iter().enumerate() {
            let at = (run.0, run.1, place);
            match gathered.names.get_mut(name) {
                Some(first) => *first = at.min(*first),
                None => _ = gathered.names.insert(name.to_owned(), at),
            }
            if matches!(&self.campaign.runs, Runs::Until { metric, .. } if metric == name) {
                gathered.values.insert(run, *value);
            }
        }
        if self.cache.is_none() {
            // Users are for tables only.
            gathered.records.insert(run, RunRecord { users: Vec::new(), ..record });
        }
    }

    /// Makes runs until the metric is known well enough; gives how many each arm has, and the
    /// arms where it is not.
    fn until(&self, metric: &str, until: Until) -> Result<(Vec<usize>, Vec<usize>), SweepError> {
        let mut runs = vec![0; self.jobs.len()];
        loop {
            let steps: Vec<Next> =
                runs.iter().enumerate().map(|(arm, n)| self.next(arm, *n, &until)).collect();
            let to: Vec<usize> = steps
                .iter()
                .zip(&runs)
                .map(|(step, now)| match step {
                    Next::RunTo(runs) => *runs,
                    Next::Reached | Next::GaveUp => *now,
                })
                .collect();
            if to == runs {
                let open = (0..steps.len()).filter(|arm| steps[*arm] == Next::GaveUp).collect();
                return Ok((runs, open));
            }
            self.make(&runs, &to)?;
            runs = to;
            let gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
            if gathered.values.is_empty() && !gathered.names.is_empty() {
                let known = gathered.names.keys().map(String::as_str);
                return Err(SweepError::no_metric(metric, known));
            }
        }
    }

    fn next(&self, arm: usize, runs: usize, until: &Until) -> Next {
        let gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        // With a run that failed no number of others makes the arm whole.
        if gathered.failures.range((arm, 0)..(arm + 1, 0)).next().is_some() {
            return Next::GaveUp;
        }
        let value = |n: usize| gathered.values.get(&(arm, n)).copied().unwrap_or(f64::NAN);
        until.next(&(0..runs).map(value).collect::<Vec<_>>())
    }

    fn finish(
        &self,
        folder: Option<&Path>,
        runs: &[usize],
        open: Vec<usize>,
    ) -> Result<Report, SweepError> {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let gathered = std::mem::take(&mut *gathered);
        let mut arms = identity::arms(self.campaign);
        for (at, arm) in arms.iter_mut().enumerate() {
            let whole = |n: &usize| !gathered.failures.contains_key(&(at, *n));
            arm.seeds = (0..runs[at]).filter(whole).map(|n| self.seed(at, n)).collect();
        }
        let failures = gathered.failures.iter().map(|((arm, n), why)| Failure {
            arm: arms[*arm].name.clone(),
            seed: self.seed(*arm, *n),
            why: why.clone(),
        });
        let made = Made {
            campaign: self.campaign,
            metrics: documented(&gathered.names),
            failures: failures.collect(),
            arms,
        };
        let fetch = |arm: usize, seed: u64| {
            let n = seed.wrapping_sub(self.campaign.arms[arm].scenario.seed) as usize;
            let record = match self.cache {
                Some(cache) => cache.get(self.jobs[arm].digest(), seed),
                None => gathered.records.get(&(arm, n)).cloned(),
            };
            record.ok_or_else(|| SweepError::Lost { arm: made.arms[arm].name.clone(), seed })
        };
        let estimates = match folder {
            Some(folder) => write::folder(folder, &made, &fetch)?,
            None => write::estimates(&made, &fetch)?,
        };
        Ok(Report {
            columns: self.campaign.columns.clone(),
            arms: made.arms,
            metrics: made.metrics,
            estimates,
            failures: made.failures,
            open,
            resumed: 0,
            folder: folder.map(Path::to_path_buf),
        })
    }
}

/// Makes chosen runs of a campaign, here or elsewhere, and hands their records back.
pub(crate) struct Runner<'a>(Sweep<'a>);

impl<'a> Runner<'a> {
    /// Of this campaign; finished runs are kept in `cache`.
    pub(crate) fn new(
        campaign: &'a Campaign,
        options: Options<'a>,
        cache: Option<&'a RunCache>,
    ) -> Runner<'a> {
        Runner(Sweep::new(campaign, options, cache))
    }

    /// Makes runs, by arm and number of the seed; their records in this order, or why one failed.
    ///
    /// # Errors
    ///
    /// If it was interrupted, or cannot go on.
    pub(crate) fn make(
        &self,
        runs: &[(usize, usize)],
    ) -> Result<Vec<Result<RunRecord, String>>, SweepError> {
        let Runner(sweep) = self;
        let tasks: Vec<(usize, u64)> =
            runs.iter().map(|(arm, n)| (*arm, sweep.seed(*arm, *n))).collect();
        let made: Mutex<BTreeMap<usize, Result<RunRecord, String>>> = Mutex::default();
        let take = |n: usize, result| {
            made.lock().unwrap_or_else(PoisonError::into_inner).insert(n, result);
        };
        let progress = |done: usize, all: usize| {
            sweep.options.progress.into_iter().for_each(|progress| progress(done, all));
        };
        match sweep.options.elsewhere {
            Some(elsewhere) => sweep.make_elsewhere(elsewhere, &tasks, &progress, &take)?,
            None => {
                let (interrupt, cache) = (sweep.options.interrupt, sweep.cache);
                let options = ExecuteOptions { progress: Some(&progress), interrupt, cache };
                execute_each(&sweep.jobs, &tasks, options, &take)
                    .map_err(|_| SweepError::Interrupted)?;
            }
        }
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        let lost = || Err("its record did not come".to_owned());
        Ok((0..tasks.len()).map(|n| made.remove(&n).unwrap_or_else(lost)).collect())
    }
}

/// Metrics in the order of the first run that has them, with what they say.
fn documented(names: &BTreeMap<String, (usize, usize, usize)>) -> Named<MetricDoc> {
    let mut ordered: Vec<_> = names.iter().map(|(name, first)| (first, name)).collect();
    ordered.sort();
    let doc = |name: &String| {
        let info = metric_info(name);
        MetricDoc {
            unit: info.as_ref().map_or("", |info| info.unit).to_owned(),
            more_is_better: info.as_ref().and_then(|info| info.more_is_better),
            meaning: info.map_or_else(String::new, |info| info.meaning),
        }
    };
    ordered.into_iter().map(|(_, name)| (name.clone(), doc(name))).collect()
}

#[cfg(test)]
#[path = "sweep_tests.rs"]
mod tests;
