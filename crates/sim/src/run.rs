//! One run of a scenario: the world is built, run to its end, and read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use airpath_base::{Duration, Port, Time};
use airpath_net::{Probe, RunError};
use airpath_ran::mac::MakeScheduler;
use airpath_results::live::Reading;
use airpath_results::{Collector, Folder, FolderError, ResultsFolder, RunSummary, Timing};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Facts, OwnParts, WorldError, WorldOptions};

use crate::Course;

/// Simulated time between looks at progress and interruption.
const SLICE: Duration = Duration::from_millis(100);
/// Options of a run beside its scenario.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Seed instead of the scenario's.
    pub seed: Option<u64>,
    /// Folder that takes the results. Without it, only the outcome tells of the run, and
    /// nothing is captured.
    pub out: Option<&'a Path>,
    /// Keeps the rows of tables that a folder would hold, for who reads them from the collector.
    pub keep: bool,
    /// Called after each slice of simulated time with the progress of the run.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Ends the run early, with its results so far, when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called at the end with the simulated seconds for the cost of the run, for `timing.json`.
    pub timing: Option<&'a dyn Fn(f64) -> Timing>,
    /// Hears of every event, beside the collector.
    pub listener: Option<&'a mut dyn Probe>,
    /// Receives each interval soon after its end; at the latest after the time between two calls of
    /// `progress`.
    pub live: Option<Live<'a>>,
    /// Makes the downlink scheduler of each cell instead of the scenario's. The results do not show
    /// it: they hold the scenario as it is.
    pub scheduler: Option<MakeScheduler<'a>>,
    /// Makes other parts instead of the scenario's.
    pub own: OwnParts<'a>,
    /// Most threads on which it runs; the results do not depend on it. 0 is one.
    pub threads: usize,
}

/// Readings of a run while it goes on.
pub struct Live<'a> {
    /// Length of an interval in the run's time, at least
    /// [`LEAST_INTERVAL`](airpath_results::live::LEAST_INTERVAL).
    pub interval: Duration,
    /// Gets the readings in their order.
    pub show: &'a mut dyn FnMut(Reading),
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time that has passed.
    pub now: Time,
    /// End of the run.
    pub end: Time,
}

/// Outcome of a run.
pub struct Outcome {
    /// Its summary; `complete` is false if it was interrupted.
    pub summary: RunSummary,
    /// All that was counted, with the delays of packets one by one.
    pub collector: Collector,
    /// Facts about the world: names and identifiers.
    pub facts: Facts,
    /// Results folder, if one was wanted.
    pub folder: Option<Folder>,
    /// Half-written folders of runs for it that were killed; they have been removed.
    pub leftovers: Vec<PathBuf>,
}

/// Reason for which a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// The world could not be built.
    #[error("internal error: the scenario is valid but cannot be built: {0}")]
    World(#[from] WorldError),
    /// A model failed.
    #[error("internal error: {0}")]
    Run(#[from] RunError),
    /// A model panicked.
    #[error(transparent)]
    Panicked(#[from] crate::Panicked),
    /// A node does not conserve packets: some appeared or vanished.
    #[error("internal error: packets appeared or vanished at {node}: {books}")]
    Conservation {
        /// Name of the node.
        node: String,
        /// Fault in the books.
        books: String,
    },
    /// A packet left the world where nothing is connected.
    #[error("internal error: a packet left {node} through {port} at {at}, which leads nowhere")]
    Stray {
        /// Name of the node.
        node: String,
        /// Port at which the packet left.
        port: Port,
        /// Time at which the packet left.
        at: Time,
    },
    /// A change of the scenario could not be made.
    #[error("internal error: the change at {0} could not be made: {1}")]
    Change(Time, String),
    /// Stages do not add up to the ages of packets.
    #[error("internal error: the stages of {0} packets do not add up to their ages")]
    Stages(u64),
    /// A part of the caller's own failed. The text is its message.
    #[error("{0}")]
    Part(String),
    /// The results folder cannot be what the user named.
    #[error(transparent)]
    Out(FolderError),
    /// Results could not be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The capture could not be written.
    #[error("cannot write the capture: {0}")]
    Capture(#[source] io::Error),
}

/// Threads for one run: one for each core that the process may use, and at most `most`. Threads
/// without a core would only wait.
pub fn threads(most: Option<usize>) -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    most.map_or(cores, |most| most.min(cores))
}

/// Runs a scenario from its beginning to its end, or until it is interrupted.
///
/// # Errors
///
/// If results cannot be written, or a model makes a mistake; no folder is then left.
pub fn run(scenario: &Scenario, mut options: RunOptions<'_>) -> Result<Outcome, RunFailure> {
    let (scheduler, own) = (options.scheduler.take(), options.own);
    let threads = options.threads;
    let extras = WorldOptions { scheduler, own, threads, ..WorldOptions::default() };
    let folder = options.out.map(ResultsFolder::create).transpose().map_err(RunFailure::Out)?;
    let mut course = Course::begin(scenario, options.seed, folder, extras)?;
    if options.keep && options.out.is_none() {
        course.keep();
    }
    if let Some(live) = &options.live {
        course.measure(live.interval);
    }
    let complete = advance(scenario, &mut course, &mut options)?;
    course.finish(complete, options.timing)
}

/// Lets time go on; tells whether the run came to its end.
fn advance(
    scenario: &Scenario,
    course: &mut Course,
    options: &mut RunOptions<'_>,
) -> Result<bool, RunFailure> {
    let end = Time::ZERO + scenario.duration;
    let interrupted = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let mut complete = false;
    while !complete && !options.interrupt.is_some_and(interrupted) {
        let next = end.min(course.world().engine.now() + SLICE);
        match &mut options.listener {
            Some(listener) => course.run_until(next, Some(&mut **listener))?,
            None => course.run_until(next, None)?,
        }
        complete = next == end;
        show(course, false, options);
        if let Some(progress) = &mut options.progress {
            progress(Progress { now: next, end });
        }
        #[cfg(debug_assertions)]
        course.check()?;
    }
    show(course, true, options);
    Ok(complete)
}

/// Hands out readings; those of all that has been, if the run is over.
fn show(course: &mut Course, over: bool, options: &mut RunOptions<'_>) {
    let Some(live) = &mut options.live else { return };
    while let Some(reading) = course.reading(over) {
        (live.show)(reading);
    }
}
