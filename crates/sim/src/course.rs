//! A run that goes on step by step.

use std::io::{self, BufWriter};

use airpath_base::random::Seed;
use airpath_base::{Duration, NodeId, Time};
use airpath_net::{Change, ChangeFailed, Door, Engine, Event, Packet, Probe};
use airpath_results::blocks::{BlockOptions, BlockRecorder};
use airpath_results::live::{Meter, Reading};
use airpath_results::{
    Collector, Folder, Options, Output, Pair, PcapWriter, RadioCapture, ResultsFolder, RunFacts,
    RunSummary, Snap, Tee, Timing, UeGroups, wireshark_profile,
};
use airpath_scenario::change::Controls;
use airpath_scenario::world::{Facts, PointFacts, World, WorldOptions};
use airpath_scenario::{Errors, PcapPoint, RecordedBlocks, Scenario};

use crate::schedule::Schedule;
use crate::stack_files::StackFiles;
use crate::{Outcome, RunFailure, conservation, inventory, qlogs};

/// Rows that a table of packets has at most (about 2 GB of memory where they are kept).
const MOST_PACKETS: usize = 20_000_000;
/// Frames of a flow that a table has at most (about 200 MB).
const MOST_FRAMES: usize = 4_000_000;
/// Requests of a flow that a table has at most (about 80 MB).
const MOST_REQUESTS: usize = 1_000_000;

/// Capture of the packets of a point, or of transport blocks.
enum Capture {
    Point(Box<PcapWriter<BufWriter<Output>>>),
    Radio(Box<RadioCapture<BufWriter<Output>>>),
}

impl Probe for Capture {
    fn on(&mut self, now: Time, node: NodeId, event: &Event<'_>) {
        match self {
            Capture::Point(writer) => writer.on(now, node, event),
            Capture::Radio(writer) => writer.on(now, node, event),
        }
    }
}

impl Capture {
    fn finish(self) -> io::Result<()> {
        match self {
            Capture::Point(writer) => writer.finish().map(drop),
            Capture::Radio(writer) => writer.finish().map(drop),
        }
    }
}

/// A run between its beginning and its end: a world with all that measures it.
///
/// [`run`](crate::run) lets it go on to its end; an emulation lets it follow the clock, brings
/// packets in and takes others out.
pub struct Course {
    scenario: Scenario,
    world: World,
    collector: Collector,
    captures: Vec<Capture>,
    blocks: Option<BlockRecorder>,
    meter: Option<Meter>,
    folder: Option<ResultsFolder>,
    stacks: StackFiles,
    schedule: Schedule,
}

/// Reason for which a change by hand was not made.
#[derive(Debug, thiserror::Error)]
pub enum NotChanged {
    /// The change cannot be made; the run goes on without it.
    #[error("{}", .0.plain())]
    Wrong(#[source] Errors),
    /// The run cannot go on.
    #[error(transparent)]
    Run(#[from] RunFailure),
}

impl Course {
    /// Begins a run at time zero. `seed` replaces the scenario's; `folder` takes its results.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written, or the world cannot be built.
    pub fn begin(
        scenario: &Scenario,
        seed: Option<u64>,
        folder: Option<ResultsFolder>,
        mut options: WorldOptions<'_>,
    ) -> Result<Course, RunFailure> {
        let mut scenario = scenario.clone();
        scenario.seed = seed.unwrap_or(scenario.seed);
        let blocks = blocks(&scenario).filter(|_| folder.is_some());
        if blocks.is_some() {
            options.threads = 1; // such reports are not deferred
        }
        let (stacks, logs) = StackFiles::new(&scenario, folder.as_ref())?;
        options.stack_logs = logs;
        let world = World::build_with(&scenario, Seed(scenario.seed), options)?;
        let inventory = inventory::inventory(&world.facts, &world.engine);
        let blocks = blocks.map(|options| BlockRecorder::new(inventory.clone(), options));
        let recordings = recordings(&scenario, folder.is_some());
        let mut collector = Collector::new(inventory, &recordings);
        if let Some(folder) = folder.as_ref().filter(|_| recordings.packets > 0) {
            folder.begin_packets(&mut collector)?;
        }
        let captures = match &folder {
            Some(folder) => captures(&scenario, &world.facts, folder)?,
            None => Vec::new(),
        };
        let schedule = Schedule::new(&scenario);
        let meter = None;
        Ok(Course { scenario, world, collector, captures, blocks, meter, folder, stacks, schedule })
    }

    /// Keeps the rows of tables as for a folder. To be called at time zero: earlier rows are lost.
    pub fn keep(&mut self) {
        let inventory = self.collector.inventory().clone();
        self.collector = Collector::new(inventory, &recordings(&self.scenario, true));
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Its engine, to take out what has left it.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.world.engine
    }

    /// Counts so far.
    pub fn collector(&self) -> &Collector {
        &self.collector
    }

    /// From the beginning on a [`Reading`] is made of each interval.
    pub fn measure(&mut self, interval: Duration) {
        let groups = UeGroups::of(&self.scenario.to_json());
        self.meter = Some(Meter::new(self.collector.inventory(), &groups, interval));
    }

    /// The oldest reading that has not been taken, of an interval that is over by now. With `over`
    /// the run is over, and so is its last interval.
    pub fn reading(&mut self, over: bool) -> Option<Reading> {
        let now = self.world.engine.now();
        let meter = self.meter.as_mut()?;
        match over {
            true => meter.finish(now),
            false => meter.advance(now),
        }
        meter.take()
    }

    /// Time of the scenario's next change. The call that lets the run go on to that time makes it.
    pub fn next_change(&self) -> Option<Time> {
        self.schedule.next()
    }

    /// Changes something at time `at` by `KEY=VALUE`, as `--set` takes it, after all that happens
    /// before; now, if that is past.
    ///
    /// # Errors
    ///
    /// If it cannot be, or a model makes a mistake.
    pub fn change(
        &mut self,
        at: Time,
        text: &str,
        listener: Option<&mut dyn Probe>,
    ) -> Result<(), NotChanged> {
        let (mut listener, at) = (listener, at.max(self.world.engine.now()));
        self.make_planned(at, &mut listener)?;
        let world = (&self.scenario, &self.world.facts);
        let changes = self.schedule.by_hand(at, text, world).map_err(NotChanged::Wrong)?;
        Ok(self.make(at, &changes, &mut listener)?)
    }

    /// Keys that can be changed, and the scenario as it is by now.
    pub fn controls(&mut self) -> &Controls {
        self.schedule.controls(&self.scenario, &self.world.facts)
    }

    /// Makes the changes of the scenario that are due up to and at `end`, each behind all that
    /// happens before it.
    fn make_planned(
        &mut self,
        end: Time,
        listener: &mut Option<&mut dyn Probe>,
    ) -> Result<(), RunFailure> {
        while let Some((at, changes)) = self.schedule.take(end, (&self.scenario, &self.world.facts))
        {
            let changes = changes.map_err(|wrong| RunFailure::Change(at, wrong.plain()))?;
            self.make(at, &changes, listener)?;
        }
        Ok(())
    }

    fn make(
        &mut self,
        at: Time,
        changes: &[(NodeId, Change)],
        listener: &mut Option<&mut dyn Probe>,
    ) -> Result<(), RunFailure> {
        for (node, change) in changes {
            let listener = reborrow(listener);
            let act = |engine: &mut Engine, probe: &mut dyn Probe| {
                engine.change(at, *node, change, Some(probe))
            };
            self.listening(listener, act).map_err(|failed| match failed {
                ChangeFailed::Run(error) => RunFailure::Run(error),
                refused => RunFailure::Change(at, refused.to_string()),
            })?;
        }
        Ok(())
    }

    /// Lets everything happen that is due up to and at `end`, with the changes of the scenario.
    ///
    /// # Errors
    ///
    /// If a model makes a mistake.
    pub fn run_until(
        &mut self,
        end: Time,
        listener: Option<&mut dyn Probe>,
    ) -> Result<(), RunFailure> {
        let mut listener = listener;
        self.make_planned(end, &mut listener)?;
        Ok(self.listening(listener, |engine, probe| engine.run_until(end, Some(probe)))?)
    }

    /// Goes on as [`run_until`](Course::run_until) does, with `most` wake-ups at most; true if that
    /// was all.
    ///
    /// # Errors
    ///
    /// Errors of [`run_until`](Course::run_until).
    pub fn run_some(
        &mut self,
        end: Time,
        most: u32,
        listener: Option<&mut dyn Probe>,
    ) -> Result<bool, RunFailure> {
        let mut listener = listener;
        if let Some(at) = self.schedule.next().filter(|at| *at <= end) {
            let before = at.saturating_sub(Duration::from_nanos(1));
            if at > self.world.engine.now()
                && !self.listening(reborrow(&mut listener), |engine, probe| {
                    engine.run_some(before, most, Some(probe))
                })?
            {
                return Ok(false);
            }
            self.make_planned(at, &mut listener)?;
            return self.run_some(end, most, listener);
        }
        Ok(self.listening(listener, |engine, probe| engine.run_some(end, most, Some(probe)))?)
    }

    /// Brings a packet in, at time `at`.
    ///
    /// # Errors
    ///
    /// As [`run_until`](Course::run_until).
    pub fn inject(
        &mut self,
        at: Time,
        door: Door,
        packet: Packet,
        listener: Option<&mut dyn Probe>,
    ) -> Result<(), RunFailure> {
        let mut listener = listener;
        self.make_planned(at, &mut listener)?;
        Ok(self.listening(listener, |engine, probe| engine.inject(at, door, packet, Some(probe)))?)
    }

    fn listening<T>(
        &mut self,
        listener: Option<&mut dyn Probe>,
        act: impl FnOnce(&mut Engine, &mut dyn Probe) -> T,
    ) -> T {
        if self.captures.is_empty() && self.blocks.is_none() && listener.is_none() {
            return match &mut self.meter {
                None => act(&mut self.world.engine, &mut self.collector),
                Some(meter) => act(&mut self.world.engine, &mut Pair(&mut self.collector, meter)),
            };
        }
        let mut probe = Tee::new().with(&mut self.collector);
        for capture in &mut self.captures {
            probe = probe.with(capture);
        }
        if let Some(blocks) = &mut self.blocks {
            probe = probe.with(blocks);
        }
        if let Some(meter) = &mut self.meter {
            probe = probe.with(meter);
        }
        if let Some(listener) = listener {
            probe = probe.with(listener);
        }
        act(&mut self.world.engine, &mut probe)
    }

    /// Checks that no packet appeared or vanished unseen so far.
    ///
    /// # Errors
    ///
    /// The first node that does not conserve packets.
    pub fn check(&mut self) -> Result<(), RunFailure> {
        conservation::check(&mut self.world.engine)
    }

    /// Ends the run and writes its results; `complete` if it came as far as it should.
    ///
    /// # Errors
    ///
    /// If results cannot be written, or a model made a mistake; no folder is then left.
    pub fn finish(
        mut self,
        complete: bool,
        timing: Option<&dyn Fn(f64) -> Timing>,
    ) -> Result<Outcome, RunFailure> {
        self.world.engine.finish(Some(&mut self.collector))?;
        conservation::check(&mut self.world.engine)?;
        let end = self.world.engine.now();
        self.collector.finish(end);
        self.blocks.iter_mut().for_each(|blocks| blocks.finish(end));
        conservation::compare(&self.world.engine, &self.collector.totals())?;
        let mismatches = self.collector.totals().stage_mismatches;
        if mismatches > 0 {
            return Err(RunFailure::Stages(mismatches));
        }
        let (scenario, seed) = (self.scenario.to_json(), self.scenario.seed);
        let changes = self.schedule.made().to_vec();
        let facts = RunFacts { scenario, seed, end, complete, changes };
        let mut summary = self.collector.summary(facts);
        let changed = self.schedule.rated(&self.world.facts);
        for link in summary.links.iter_mut().filter(|link| changed.contains(&link.name.as_str())) {
            link.rate_bps = None;
        }
        let leftovers = self.folder.as_ref().map_or(Vec::new(), |folder| folder.leftovers().into());
        let folder = self.folder.take().map(|folder| self.write(folder, &summary, timing));
        let folder = folder.transpose()?;
        let Course { collector, world: World { facts, .. }, .. } = self;
        Ok(Outcome { summary, collector, facts, folder, leftovers })
    }

    fn write(
        &mut self,
        folder: ResultsFolder,
        summary: &RunSummary,
        timing: Option<&dyn Fn(f64) -> Timing>,
    ) -> Result<Folder, RunFailure> {
        for capture in self.captures.drain(..) {
            capture.finish().map_err(RunFailure::Capture)?;
        }
        self.stacks.finish(&folder)?;
        if let Some(point) = self.scenario.output.qlog {
            qlogs::write(&folder, point)?;
        }
        folder.finish_packets(&mut self.collector)?;
        folder.write_run(&self.collector, summary)?;
        self.blocks.iter().try_for_each(|blocks| folder.write_blocks(blocks))?;
        folder.write_text("scenario.toml", &self.scenario.to_toml())?;
        if let Some(timing) = timing {
            let threads = self.world.threads;
            folder.write_timing(&Timing { threads, ..timing(summary.duration_s) })?;
        }
        Ok(folder.finish()?)
    }
}

/// Transport blocks to record.
fn blocks(scenario: &Scenario) -> Option<BlockOptions> {
    let output = &scenario.output;
    let (from, span) = (Time::ZERO + output.blocks_from, output.blocks_span);
    let all = BlockOptions { worst: false, span, ..BlockOptions::default() };
    match output.blocks {
        RecordedBlocks::Off => None,
        RecordedBlocks::Worst => Some(BlockOptions { worst: true, ..all }),
        RecordedBlocks::Window => Some(BlockOptions { from, to: from + span, ..all }),
        RecordedBlocks::All => Some(all),
    }
}

fn reborrow<'a>(listener: &'a mut Option<&mut dyn Probe>) -> Option<&'a mut dyn Probe> {
    match listener {
        Some(listener) => Some(&mut **listener),
        None => None,
    }
}

/// Recordings beside counters. A table of packets without a folder would be for nobody.
fn recordings(scenario: &Scenario, kept: bool) -> Options {
    let series = scenario.output.series.quantity().filter(|_| kept);
    let packets = if scenario.output.packets && kept { MOST_PACKETS } else { 0 };
    let frames = if scenario.output.frames && kept { MOST_FRAMES } else { 0 };
    let requests = if kept { MOST_REQUESTS } else { 0 };
    let (warm_up, low_rate) = (scenario.output.warm_up, scenario.output.low_rate);
    let within = scenario.output.within;
    Options { packets, frames, requests, series, warm_up, low_rate, within, ..Options::default() }
}

/// A capture for each point that is watched: in one file, a packet that passes several
/// looks like so many copies. The radio's comes with a profile.
fn captures(
    scenario: &Scenario,
    facts: &Facts,
    folder: &ResultsFolder,
) -> Result<Vec<Capture>, RunFailure> {
    let bytes = u32::try_from(scenario.output.snaplen.0).unwrap_or(u32::MAX);
    let capture = |point: &PointFacts| {
        let name = point.point.word();
        let file = folder.file(&format!("capture-{name}.pcapng"))?;
        let points = [(point.id, name)];
        let writer = PcapWriter::create(&file, &points, Snap::Bytes(bytes));
        let writer = writer.map_err(RunFailure::Capture)?;
        let writer = match (point.point, inventory::paths(scenario, facts)) {
            (PcapPoint::S1, Some(paths)) => writer.to_cells(paths),
            (PcapPoint::X2, Some(paths)) => writer.between_cells(paths),
            _ => writer,
        };
        Ok(Capture::Point(Box::new(writer)))
    };
    let mut captures: Vec<Capture> =
        facts.points.iter().map(capture).collect::<Result<_, RunFailure>>()?;
    if let Some(layers) = inventory::layers(facts) {
        for (name, text) in wireshark_profile(&layers) {
            folder.write_text(&format!("wireshark/{name}"), &text)?;
        }
        let out = folder.file("capture-mac.pcapng")?.create().map_err(RunFailure::Capture)?;
        let writer = RadioCapture::new(BufWriter::new(out), layers, bytes);
        captures.push(Capture::Radio(Box::new(writer.map_err(RunFailure::Capture)?)));
    }
    Ok(captures)
}
