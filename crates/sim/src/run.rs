//! One run.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use airpath_base::random::Seed;
use airpath_base::{Duration, Port, Time};
use airpath_net::{Probe, RunError};
use airpath_ran::mac::MakeScheduler;
use airpath_results::{
    Collector, FolderError, Options, PcapWriter, ResultsFolder, RunFacts, RunSummary, Snap, Tee,
    Timing,
};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Facts, PointFacts, World, WorldError};

use crate::{conservation, inventory};

/// Simulated time between looks at progress and interruption.
const SLICE: Duration = Duration::from_millis(100);
/// Rows that a table of packets has at most (about 2 GB of memory).
const MOST_PACKETS: usize = 20_000_000;
/// The same for the frames of a flow (about 200 MB).
const MOST_FRAMES: usize = 4_000_000;

/// The same for the requests of a flow (about 80 MB).
const MOST_REQUESTS: usize = 1_000_000;

/// Options of a run beside its scenario.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Seed in place of the scenario's.
    pub seed: Option<u64>,
    /// Folder to write results to. Without it, only the outcome tells of the run, and
    /// nothing is captured.
    pub out: Option<&'a Path>,
    /// Called after each slice of simulated time with the progress of the run.
    pub progress: Option<&'a mut dyn FnMut(Progress)>,
    /// Ends the run early, with its results so far, when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Is asked at the end what the run has cost, for `timing.json`; gets the
    /// simulated seconds.
    pub timing: Option<&'a dyn Fn(f64) -> Timing>,
    /// Hears of every event, beside the collector.
    pub listener: Option<&'a mut dyn Probe>,
    /// Makes what schedules the downlink of each cell in place of the scenario's scheduler. The
    /// results say nothing of it: they hold the scenario as it is.
    pub scheduler: Option<MakeScheduler<'a>>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time that has passed.
    pub now: Time,
    /// When the run ends.
    pub end: Time,
}

/// What a run came to.
pub struct Outcome {
    /// Its summary; `complete` is false if it was interrupted.
    pub summary: RunSummary,
    /// All that was counted, with the delays of packets one by one.
    pub collector: Collector,
    /// Who is who.
    pub facts: Facts,
    /// The results folder, if one was asked for.
    pub folder: Option<PathBuf>,
    /// Half-written folders of runs for it that were killed; they have been removed.
    pub leftovers: Vec<PathBuf>,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// The world could not be built.
    #[error("internal error: the scenario is valid but cannot be built: {0}")]
    World(#[from] WorldError),
    /// A model failed.
    #[error("internal error: {0}")]
    Run(#[from] RunError),
    /// A node does not conserve packets: some appeared or vanished.
    #[error("internal error: packets appeared or vanished at {node}: {books}")]
    Conservation {
        /// Name of the node.
        node: String,
        /// What it says.
        books: String,
    },
    /// A packet left the world where nothing is connected.
    #[error("internal error: a packet left {node} through {port} at {at}, which leads nowhere")]
    Stray {
        /// Name of the node.
        node: String,
        /// Where it left.
        port: Port,
        /// When.
        at: Time,
    },
    /// Stages do not add up to delays.
    #[error("internal error: the stages of {0} packets do not add up to their delays")]
    Stages(u64),
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

type Capture = PcapWriter<BufWriter<File>>;

/// Runs a scenario from its beginning to its end, or until it is interrupted.
///
/// # Errors
///
/// If results cannot be written, or a model makes a mistake; no folder is then left.
pub fn run(scenario: &Scenario, mut options: RunOptions<'_>) -> Result<Outcome, RunFailure> {
    let seed = options.seed.unwrap_or(scenario.seed);
    let folder = options.out.map(ResultsFolder::create).transpose().map_err(RunFailure::Out)?;
    let mut world = World::build_with(scenario, Seed(seed), options.scheduler)?;
    let inventory = inventory::inventory(&world.facts, &world.engine);
    let mut collector = Collector::new(inventory, &recordings(scenario, folder.is_some()));
    let mut captures = match &folder {
        Some(folder) => captures(scenario, &world.facts, folder)?,
        None => Vec::new(),
    };
    let complete = advance(scenario, &mut world, &mut collector, &mut captures, &mut options)?;
    conservation::check(&mut world.engine)?;
    let end = world.engine.now();
    collector.finish(end);
    conservation::compare(&world.engine, &collector.totals())?;
    let mismatches = collector.totals().stage_mismatches;
    if mismatches > 0 {
        return Err(RunFailure::Stages(mismatches));
    }
    let mut scenario = scenario.clone();
    scenario.seed = seed;
    let facts = RunFacts { scenario: scenario.to_json(), seed, end, complete };
    let summary = collector.summary(facts);
    let leftovers = folder.as_ref().map_or(Vec::new(), |folder| folder.leftovers().to_vec());
    let folder = match folder {
        Some(folder) => {
            for capture in captures {
                capture.finish().map_err(RunFailure::Capture)?;
            }
            Some(write(folder, &scenario, &collector, &summary, &options)?)
        }
        None => None,
    };
    Ok(Outcome { summary, collector, facts: world.facts, folder, leftovers })
}

/// What to keep beside counters. A table of packets without a folder would be for
/// nobody.
fn recordings(scenario: &Scenario, kept: bool) -> Options {
    let series = scenario.output.series.quantity().filter(|_| kept);
    let packets = if scenario.output.packets && kept { MOST_PACKETS } else { 0 };
    let frames = if scenario.output.frames && kept { MOST_FRAMES } else { 0 };
    let requests = if kept { MOST_REQUESTS } else { 0 };
    let (warm_up, low_rate) = (scenario.output.warm_up, scenario.output.low_rate);
    Options { packets, frames, requests, series, warm_up, low_rate, ..Options::default() }
}

/// A capture for each point that is watched: in one file, a packet that passes several
/// looks like so many copies.
fn captures(
    scenario: &Scenario,
    facts: &Facts,
    folder: &ResultsFolder,
) -> Result<Vec<Capture>, RunFailure> {
    let bytes = u32::try_from(scenario.output.snaplen.0).unwrap_or(u32::MAX);
    let capture = |point: &PointFacts| {
        let name = point.point.word();
        let path = folder.file(&format!("capture-{name}.pcapng"))?;
        let points = [(point.id, name)];
        PcapWriter::create(&path, &points, Snap::Bytes(bytes)).map_err(RunFailure::Capture)
    };
    facts.points.iter().map(capture).collect()
}

/// Lets time go on; tells whether the run came to its end.
fn advance(
    scenario: &Scenario,
    world: &mut World,
    collector: &mut Collector,
    captures: &mut [Capture],
    options: &mut RunOptions<'_>,
) -> Result<bool, RunFailure> {
    let end = Time::ZERO + scenario.duration;
    let interrupted = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
    let mut complete = false;
    while !complete && !options.interrupt.is_some_and(interrupted) {
        let next = end.min(world.engine.now() + SLICE);
        if captures.is_empty() && options.listener.is_none() {
            world.engine.run_until(next, Some(&mut *collector))?;
        } else {
            let mut probe = Tee::new().with(&mut *collector);
            for capture in &mut *captures {
                probe = probe.with(capture);
            }
            if let Some(listener) = &mut options.listener {
                probe = probe.with(&mut **listener);
            }
            world.engine.run_until(next, Some(&mut probe))?;
        }
        complete = next == end;
        if let Some(progress) = &mut options.progress {
            progress(Progress { now: next, end });
        }
        #[cfg(debug_assertions)]
        conservation::check(&mut world.engine)?;
    }
    world.engine.finish(Some(collector))?;
    Ok(complete)
}

fn write(
    folder: ResultsFolder,
    scenario: &Scenario,
    collector: &Collector,
    summary: &RunSummary,
    options: &RunOptions<'_>,
) -> Result<PathBuf, RunFailure> {
    folder.write_run(collector, summary)?;
    folder.write_text("scenario.toml", &scenario.to_toml())?;
    if let Some(timing) = options.timing {
        folder.write_timing(&timing(summary.duration_s))?;
    }
    Ok(folder.finish()?)
}
