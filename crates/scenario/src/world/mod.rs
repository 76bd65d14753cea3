//! The world that a scenario describes: nodes, what connects them, and their names.
//!
//! The order is that from the servers to the UEs: the ends of the flows, SGi, the gateway, S5 and
//! IPsec if there are. S1, the radio access network and the ends of the flows at the UEs follow.
//! Without a radio there is nothing but SGi between the ends. Random draws (starts, positions) come
//! from streams named after the flow and the UE, so that one more UE moves nobody else.

mod addresses;
pub(crate) mod applications;
mod bearers;
mod carriers;
mod dropped;
mod dual;
mod facts;
mod full_buffer;
mod handover;
mod hosts;
mod inputs;
mod layers;
pub(crate) mod links;
mod logs;
mod media;
mod moving;
pub(crate) mod network;
mod own;
mod power;
mod processing;
mod proxy;
mod radio;
pub(crate) mod routes;
mod rrc;
mod scheduler;
#[cfg(feature = "stacks")]
mod stacks;
mod survey;
mod technology;
mod traffic;
mod wired;
mod xr;

use core::fmt;

use airpath_base::random::Seed;
use airpath_base::{NodeId, Time, UeId};
use airpath_net::{Class, Engine, PointId};
use airpath_ran::Ran;
use airpath_ran::mac::MakeScheduler;

pub use airpath_ran::{Reach, Surveyed};
pub use facts::{
    BearerFacts, CarrierFacts, CellFacts, Facts, FlowFacts, LinkFacts, PointFacts, RrcFacts,
    TunnelFacts, UeFacts,
};
pub use hosts::Host;
pub(crate) use layers::LogicalChannels;
pub use layers::{BearerLayerFacts, LayerFacts};
pub use logs::{OpenLog, StackLogs};
pub use network::{DroppedUe, NetworkDrop};
pub use own::{MakeController, MakePattern, MakeQueue, OwnParts};
#[cfg(feature = "stacks")]
pub use own::{MakeQuicController, MakeStacks, StackFlow};
pub(crate) use radio::duplex;
pub use routes::routes;
pub use rrc::RadioModel;
pub use survey::survey;

use crate::arrivals::MOST_UES;
use crate::change;
use crate::file::{Bearer, Cell, Flow, PcapPoint, Scenario};
use crate::resolve::UeRef;
use bearers::Bearers;
use hosts::Cast;
use proxy::Splits;
use traffic::{Ends, Traffic};
use wired::Wired;

/// Cells that each thread has at least. With fewer, threads wait for each other most of the time.
const CELLS_OF_A_THREAD: usize = 2;

/// A world at time zero, ready to run.
pub struct World {
    /// Nodes and wires.
    pub engine: Engine,
    /// Names and numbers of all parts.
    pub facts: Facts,
    /// Real hosts, the server first; none where no UE is real.
    pub hosts: Vec<Host>,
    /// Threads on which it runs.
    pub threads: usize,
}

/// Parts of a world that its scenario does not have.
#[derive(Default)]
pub struct WorldOptions<'a> {
    /// Makes a scheduler for the downlink of each cell instead of the scenario's.
    pub scheduler: Option<MakeScheduler<'a>>,
    /// Other parts of the user's own.
    pub own: OwnParts<'a>,
    /// Names of the UEs whose packets come from outside: real hosts.
    pub real: &'a [String],
    /// True if these have their flows beside that; otherwise their flows are left out.
    pub with_flows: bool,
    /// Flows of TCP that real hosts carry between the same ports, by their numbers in the file.
    /// They have their rows in the results, and no simulated ends; their UEs must be real.
    pub carried: &'a [usize],
    /// Most threads on which the world may run; 0 is one. A world with fewer than four cells, with
    /// a scheduler of the user's own, or with captured layers of the radio runs on one.
    pub threads: usize,
    /// Files that real stacks write.
    pub stack_logs: StackLogs,
}

/// Reason for which a scenario that passed all checks could not be built: a mistake in airpath.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldError {
    what: String,
    why: String,
}

/// A world in the making.
struct Builder<'a> {
    engine: Engine,
    facts: Facts,
    watched: Vec<PcapPoint>,
    hosts: Vec<Host>,
    own: OwnParts<'a>,
    threads: usize,
    #[cfg_attr(not(feature = "stacks"), expect(dead_code, reason = "no stack writes"))]
    stack_logs: StackLogs,
}

impl World {
    /// Builds the world of a scenario, with all that is random drawn from `seed`.
    ///
    /// # Errors
    ///
    /// If a model refuses what the checks of the scenario let through.
    pub fn build(scenario: &Scenario, seed: Seed) -> Result<World, WorldError> {
        World::build_with(scenario, seed, WorldOptions::default())
    }

    /// Builds the world of a scenario with options that the scenario does not have.
    ///
    /// # Errors
    ///
    /// As [`build`](World::build), if the scenario has no cell for a scheduler, and if no UE has
    /// one of the names.
    pub fn build_with(
        scenario: &Scenario,
        seed: Seed,
        mut options: WorldOptions<'_>,
    ) -> Result<World, WorldError> {
        let scheduler = options.scheduler.take();
        let stack_logs = core::mem::take(&mut options.stack_logs);
        let arrived = scenario.with_arrivals(seed);
        let scenario = arrived.as_ref();
        check_number(scenario)?;
        let real = hosts::named(scenario, options.real)?;
        let cast = Cast::new(scenario, &real, &options);
        let watched = scenario.output.pcap.clone();
        let (engine, facts, hosts) = (Engine::new(), Facts::default(), Vec::new());
        let (own, threads) = (options.own, options.threads);
        let mut builder = Builder { engine, facts, watched, hosts, own, threads, stack_logs };
        builder.real_hosts(scenario, &real);
        let mut bearers = Bearers::new(scenario)?;
        full_buffer::fill(&cast, &mut bearers, seed)?;
        let splits = Splits::new(&cast, seed)?;
        let wired = Wired::new(scenario, &bearers, &splits, seed, &mut builder)?;
        let ran = match &scenario.cell {
            Some(cell) => Some(builder.radio((scenario, cell), &bearers, seed, scheduler)?),
            None if scheduler.is_some() => {
                return Err(WorldError::new("scheduler", "the path of the scenario has no cell"));
            }
            None => None,
        };
        if ran.is_none() {
            builder.threads = 1;
        }
        match ran {
            Some(ran) => wired.connect((ran, Ran::CORE), &mut builder),
            None => builder.hosts(scenario),
        }
        let traffic = Traffic::new(&cast, &bearers, &splits, seed, &mut builder)?;
        let server = (wired.entrance(), builder.point(PcapPoint::Server));
        traffic.servers.connect(|| "servers".to_owned(), server, wired.exit(), &mut builder);
        let ue_point = builder.point(PcapPoint::Ue);
        if let Some(ran) = ran {
            for (n, (ends, ue)) in traffic.ues.into_iter().zip(scenario.ues()).enumerate() {
                let radio = (ran, Ran::ue(UeId(n as u32)));
                let socket = (processing::at_ue(&ue, radio, seed, &mut builder), ue_point);
                ends.connect(|| ue.name(), socket, socket, &mut builder);
            }
        } else {
            let [from, into] = wired.hosts().map(|socket| (socket, ue_point));
            Ends::joined(traffic.ues).connect(|| "hosts".to_owned(), into, from, &mut builder);
        }
        builder.facts.bearers = core::mem::take(&mut bearers.facts);
        builder.facts.points = builder.points();
        builder.real_flows(scenario);
        builder.begin_paused(scenario)?;
        let Builder { engine, facts, hosts, threads, .. } = builder;
        Ok(World { engine, facts, hosts, threads })
    }
}

/// The checks leave room for what is drawn, but for one run in a thousand millions.
fn check_number(scenario: &Scenario) -> Result<(), WorldError> {
    match scenario.ues().count() as u64 {
        0..=MOST_UES => Ok(()),
        _ => Err(WorldError::new("ue", format!("more than {MOST_UES} UEs arrive in this run"))),
    }
}

impl Builder<'_> {
    /// Adds the radio access network.
    fn radio(
        &mut self,
        (scenario, cell): (&Scenario, &Cell),
        bearers: &Bearers,
        seed: Seed,
        scheduler: Option<MakeScheduler<'_>>,
    ) -> Result<NodeId, WorldError> {
        let (network, mobility) = dropped::network((scenario, cell), seed)
            .map_err(|error| WorldError::new("network", error))?;
        let config = radio::config((scenario, cell), network, bearers, seed, &mut self.facts);
        let layers = self.watched.contains(&PcapPoint::Mac);
        let alone = scheduler.is_some() || layers;
        // A cell acts with its further carriers.
        let cells = config.cells.iter().filter(|cell| cell.secondary.is_none()).count();
        let most = if alone { 1 } else { cells / CELLS_OF_A_THREAD };
        let ran = match scheduler {
            Some(make) => Ran::with_scheduler(config, seed, make),
            None => Ran::new(config, seed),
        };
        let mut ran = ran.map_err(|error| WorldError::new("cell", error))?;
        bearers.set_queues(&mut ran, seed);
        if let Some(mobility) = mobility {
            ran.set_mobility(mobility);
        }
        self.threads = self.threads.min(most).max(1);
        ran.set_threads(self.threads);
        for (facts, ue) in self.facts.ues.iter_mut().zip(0..) {
            facts.reach = Some(ran.reach(UeId(ue)));
            if !facts.carriers.is_empty() {
                let reach = ran.reach_by_carrier(UeId(ue));
                let own = facts.carriers.iter_mut().zip(reach);
                own.for_each(|(carrier, reach)| carrier.reach = reach);
            }
        }
        let ran = self.engine.add("cell", Class::Radio, Box::new(ran));
        self.facts.radio = Some(ran);
        if layers {
            let layers = LayerFacts::of((scenario, cell), bearers);
            let many = || WorldError::new("output.pcap", "too many bearers to capture");
            self.facts.layers = Some(layers.ok_or_else(many)?);
            self.engine.tell_layers();
        }
        Ok(ran)
    }

    /// Flows that are not active and bearers that do not mark begin so.
    fn begin_paused(&mut self, scenario: &Scenario) -> Result<(), WorldError> {
        let usual = scenario.flow.iter().all(Flow::is_active);
        if usual && scenario.bearer.iter().all(Bearer::marks) {
            return Ok(());
        }
        let mut active = scenario.clone();
        active.flow.iter_mut().for_each(|flow| flow.active = None);
        active.bearer.iter_mut().for_each(|bearer| bearer.marking = None);
        for (node, change) in change::between(&active, scenario, &self.facts) {
            let done = self.engine.change(Time::ZERO, node, &change, None);
            done.map_err(|failed| WorldError::new("change", failed))?;
        }
        Ok(())
    }

    /// Names the hosts of a path without a radio.
    fn hosts(&mut self, scenario: &Scenario) {
        let facts = |ue: UeRef<'_>| UeFacts {
            name: ue.name(),
            group: ue.group_index,
            cell: None,
            distance_m: None,
            snr_db: None,
            rsrp_dbm: None,
            served: true,
            reach: None,
            carriers: Vec::new(),
            rrc: None,
            arrival: ue.arrival(),
        };
        self.facts.ues = scenario.ues().map(facts).collect();
    }

    /// The point's number, if it is watched.
    fn point(&self, point: PcapPoint) -> Option<PointId> {
        let found = self.watched.iter().position(|watched| *watched == point)?;
        Some(PointId(found as u32))
    }

    fn points(&self) -> Vec<PointFacts> {
        let points = self.watched.iter().copied().filter(|point| *point != PcapPoint::Mac);
        let points = points.filter_map(|point| Some(PointFacts { id: self.point(point)?, point }));
        let mut points: Vec<PointFacts> = points.collect();
        points.dedup();
        points
    }
}

impl WorldError {
    fn new(what: impl Into<String>, why: impl fmt::Display) -> WorldError {
        WorldError { what: what.into(), why: why.to_string() }
    }
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl core::error::Error for WorldError {}
