//! Runs in parallel, results in the order of the tasks.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airpath_base::Duration;
use airpath_net::Probe;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};
use rayon::prelude::*;

use crate::growing::Growing;
use crate::observe::Measured;
use crate::population::{self, Params};
use crate::seen::ensemble;
use crate::{Keep, Ramp, StudyError};

/// A run to make.
pub(crate) struct Task {
    /// Its name.
    pub(crate) run: String,
    /// What it does.
    pub(crate) work: Work,
    /// What happens before this many seconds is not measured.
    pub(crate) from: Option<u64>,
    /// How ramp-ups are read, if they are.
    pub(crate) ramp: Option<Ramp>,
    /// Its latencies in closed form, as [`Measured::latency_ms`] has them.
    pub(crate) latency_ms: Option<[[f64; 2]; 4]>,
}

/// What a run does.
pub(crate) enum Work {
    /// Runs a scenario.
    Scenario(Box<Scenario>),
    /// Runs many, by draw and arm, and compares what is seen with what is true.
    Ensemble(Vec<Vec<Scenario>>),
    /// Draws a population and finds it again.
    Population(Box<Params>),
}

/// Who is told and asked while runs are made.
#[derive(Clone, Copy, Default)]
pub(crate) struct Watch<'a> {
    pub(crate) progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    pub(crate) interrupt: Option<&'a AtomicBool>,
    /// Where finished runs are kept, and those of an earlier start found.
    pub(crate) keep: Option<&'a Keep>,
}

/// Makes each task with each seed; a list by task, in it one by seed.
pub(crate) fn execute(
    tasks: &[Task],
    seeds: &[u64],
    watch: Watch<'_>,
) -> Result<Vec<Vec<Measured>>, StudyError> {
    let total = tasks.len() * seeds.len();
    let done = AtomicUsize::new(0);
    let each = |n: usize| {
        let measured = kept(&tasks[n / seeds.len()], seeds[n % seeds.len()], watch);
        let done = done.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some(progress) = watch.progress {
            progress(done, total);
        }
        measured
    };
    // Collected by position, so the first failure is the same with any number of threads.
    let all: Vec<Result<Measured, StudyError>> = (0..total).into_par_iter().map(each).collect();
    let all = all.into_iter().collect::<Result<Vec<Measured>, _>>()?;
    Ok(all.chunks(seeds.len().max(1)).map(<[Measured]>::to_vec).collect())
}

/// A run from where it was kept, or made and kept.
fn kept(task: &Task, seed: u64, watch: Watch<'_>) -> Result<Measured, StudyError> {
    let Some(keep) = watch.keep else { return once(task, seed, watch) };
    if let Some(measured) = keep.get(task, seed) {
        return Ok(Measured { latency_ms: task.latency_ms, ..measured });
    }
    let measured = once(task, seed, watch)?;
    keep.put(task, seed, &measured);
    Ok(measured)
}

fn once(task: &Task, seed: u64, watch: Watch<'_>) -> Result<Measured, StudyError> {
    let fault = |source| StudyError::Run { run: task.run.clone(), source: Box::new(source) };
    let scenario = match &task.work {
        Work::Scenario(scenario) => scenario,
        Work::Ensemble(scenarios) => {
            let figures = ensemble(scenarios, seed, watch.interrupt).map_err(fault)?;
            return figures.map(Measured::with_figures).ok_or(StudyError::Interrupted);
        }
        Work::Population(params) => {
            let figures = population::figures(params, seed, watch.interrupt);
            return figures.map(Measured::with_figures).ok_or(StudyError::Interrupted);
        }
    };
    let whole = measure(task, scenario, seed, watch)?;
    let Some(from) = task.from else { return Ok(whole) };
    // The same run again, ended early: the same seed gives the same beginning.
    let mut scenario = (**scenario).clone();
    scenario.duration = Duration::from_secs(from);
    let early = measure(task, &scenario, seed, watch)?;
    Ok(whole.since(from as f64, &early))
}

fn measure(
    task: &Task,
    scenario: &Scenario,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Measured, StudyError> {
    let interrupt = watch.interrupt;
    if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Err(StudyError::Interrupted);
    }
    let mut heard = Growing::default();
    let listener = task.ramp.map(|_| &mut heard as &mut dyn Probe);
    let options = RunOptions { seed: Some(seed), interrupt, listener, ..RunOptions::default() };
    let outcome = run(scenario, options)
        .map_err(|source| StudyError::Run { run: task.run.clone(), source: Box::new(source) })?;
    if !outcome.summary.complete {
        return Err(StudyError::Interrupted);
    }
    let measured = Measured::of(&outcome, scenario);
    let measured = Measured { latency_ms: task.latency_ms, ..measured };
    Ok(match &task.ramp {
        Some(ramp) => measured.with_ramps(&outcome, &mut heard, ramp),
        None => measured,
    })
}
