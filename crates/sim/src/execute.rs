//! The executor: jobs with seeds, in parallel, results in the order of the jobs.
//!
//! With a [`RunCache`], finished runs are not made again, and several executors share the work, in
//! one process or in several. Each makes runs that no other is making, and then waits for the rest.
//! An executor that fails or ends leaves its runs to the others.
//!
//! A panic of a model is a failure of its run ([`make`]) and costs no other run.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use airpath_base::Digest;
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RunCache;
use crate::cache::Claimed;

/// Time between two looks for runs that others make.
const LOOK: Duration = Duration::from_millis(50);

/// Something to do with one or several seeds.
pub trait Job: Sync {
    /// Output of a job.
    type Output: Serialize + DeserializeOwned + Send;
    /// Failure of a job.
    type Failure: Send + From<Panicked>;

    /// A fingerprint of all that the output depends on, except the seed and the build: the
    /// resolved scenario ([`Scenario::digest`](airpath_scenario::Scenario::digest)) and how
    /// it is measured.
    fn digest(&self) -> Digest;

    /// Does it; none if it was interrupted. The same seed must give the same output.
    ///
    /// # Errors
    ///
    /// If it fails.
    fn run(
        &self,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<Self::Output>, Self::Failure>;
}

/// Options of [`execute`] beside its jobs.
#[derive(Clone, Copy, Default)]
pub struct ExecuteOptions<'a> {
    /// Called with how many runs are done and how many there are, from any thread.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Ends everything early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Cache of finished runs.
    pub cache: Option<&'a RunCache>,
}

/// Runs were interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A model panicked while a run was made: a fault of airpath's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error: a model panicked: {0}")]
pub struct Panicked(String);

impl From<Panicked> for String {
    fn from(panicked: Panicked) -> String {
        panicked.to_string()
    }
}

impl Panicked {
    fn new(payload: &(dyn Any + Send)) -> Panicked {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Panicked(text.unwrap_or_default())
    }
}

/// Does a job with one seed; none if it was interrupted.
///
/// # Errors
///
/// If it fails, or panics.
pub fn make<J: Job>(
    job: &J,
    seed: u64,
    interrupt: Option<&AtomicBool>,
) -> Result<Option<J::Output>, J::Failure> {
    // State that a panic leaves half done belongs to this run alone, and is dropped with it.
    panic::catch_unwind(AssertUnwindSafe(|| job.run(seed, interrupt)))
        .unwrap_or_else(|payload| Err(Panicked::new(&*payload).into()))
}

/// Outputs of jobs: a list by job, in it one by seed.
pub type Outputs<J> = Vec<Vec<Result<<J as Job>::Output, <J as Job>::Failure>>>;

/// Does each job with each seed. A run that fails or panics keeps none of the others from being made.
///
/// # Errors
///
/// If it was interrupted.
pub fn execute<J: Job>(
    jobs: &[J],
    seeds: &[u64],
    options: ExecuteOptions<'_>,
) -> Result<Outputs<J>, Interrupted> {
    let each = |job: usize| seeds.iter().map(move |seed| (job, *seed));
    let tasks: Vec<(usize, u64)> = (0..jobs.len()).flat_map(each).collect();
    let mut slots: Vec<Option<_>> = Vec::new();
    slots.resize_with(tasks.len(), || None);
    let results = Mutex::new(slots);
    execute_each(jobs, &tasks, options, &|n, result| {
        results.lock().unwrap_or_else(PoisonError::into_inner)[n] = Some(result);
    })?;
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    let mut of_job = || results.by_ref().take(seeds.len()).flatten().collect();
    Ok(jobs.iter().map(|_| of_job()).collect())
}

/// Does each task, which is a job and a seed. `take` gets the output with the task's number as soon
/// as it is known, from any thread and in any order. The output is not kept.
///
/// # Errors
///
/// If it was interrupted.
pub fn execute_each<J: Job>(
    jobs: &[J],
    tasks: &[(usize, u64)],
    options: ExecuteOptions<'_>,
    take: &(dyn Fn(usize, Result<J::Output, J::Failure>) + Sync),
) -> Result<(), Interrupted> {
    let done = AtomicUsize::new(0);
    let stopped = || options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    // Gives whether somebody else makes it now.
    let each = |n: usize| -> Result<bool, Interrupted> {
        if stopped() {
            return Err(Interrupted);
        }
        let (job, seed) = tasks[n];
        let Some(result) = attempt(&jobs[job], seed, options)? else { return Ok(true) };
        take(n, result);
        if let Some(progress) = options.progress {
            progress(done.fetch_add(1, Ordering::SeqCst) + 1, tasks.len());
        }
        Ok(false)
    };
    let mut pending: Vec<usize> = (0..tasks.len()).collect();
    while !pending.is_empty() {
        // Task by task, as they may take very different times.
        let tried: Vec<Result<bool, Interrupted>> =
            pending.par_iter().with_max_len(1).map(|&n| each(n)).collect();
        let theirs: Vec<bool> = tried.into_iter().collect::<Result<_, _>>()?;
        let before = pending.len();
        pending = pending.into_iter().zip(theirs).filter(|(_, t)| *t).map(|(n, _)| n).collect();
        if pending.len() == before {
            wait();
        }
    }
    Ok(())
}

/// The result of a run, from the cache or made; none if somebody else makes it now.
#[expect(clippy::type_complexity, reason = "interrupted, under way, failed, done")]
fn attempt<J: Job>(
    job: &J,
    seed: u64,
    options: ExecuteOptions<'_>,
) -> Result<Option<Result<J::Output, J::Failure>>, Interrupted> {
    let made = || match make(job, seed, options.interrupt) {
        Ok(Some(output)) => Ok(Ok(output)),
        Ok(None) => Err(Interrupted),
        Err(failure) => Ok(Err(failure)),
    };
    let Some(cache) = options.cache else { return made().map(Some) };
    let work = job.digest();
    if let Some(output) = cache.get(work, seed) {
        return Ok(Some(Ok(output)));
    }
    match cache.claim(work, seed) {
        Claimed::Theirs => Ok(None),
        Claimed::Nobody => made().map(Some),
        Claimed::Ours(claim) => {
            if let Some(output) = cache.get(work, seed) {
                return Ok(Some(Ok(output)));
            }
            let result = made()?;
            if let Ok(output) = &result {
                claim.put(output);
            }
            Ok(Some(result))
        }
    }
}

/// Gives others time.
fn wait() {
    #[expect(clippy::disallowed_methods, reason = "for other processes: no model waits here")]
    thread::sleep(LOOK);
}
