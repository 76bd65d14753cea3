//! The whole radio access network as one node.
//!
//! Time moves in two ways: **jobs** at any instant (a block is received, a grant or
//! a report arrives, a timer runs out); and **TTIs** of the cell,
//! at whose start the scheduler decides. At one instant jobs come first, then
//! whatever they make other nodes send back in that instant, then the TTI: a wake-up does
//! one of the two, and the engine wakes the node again for the other. A cell
//! with nothing to decide has no next TTI and costs nothing.

mod cell;
mod change;
mod check;
mod configured;
mod control;
mod decoding;
mod downlink;
mod free;
mod full_buffer;
mod harq;
mod headroom;
mod jobs;
mod links;
mod prediction;
mod radio_link;
mod reach;
mod requests;
mod rrc;
mod serving;
mod steps;
mod tables;
mod telling;
mod transfer;
mod uplink;

use std::collections::VecDeque;

use airpath_base::random::{Keyed, Seed};
use airpath_base::{BearerId, CellId, FlowId, Port, Time, UeId};
use airpath_net::queue::{QueueKind, Ramp};
use airpath_net::{Change, ChangeError, Cx, Direction, Held, Node, Packet};

use crate::air::OnAir;
use crate::bearer::Bearer;
use crate::block::Blocks;
use crate::bsr::BytesByGroup;
use crate::config::{CellConfig, QosFlow, RanConfig, UeConfig};
use crate::harq::UplinkProcesses;
use crate::mac::{
    Candidate, Grants, MakeScheduler, MeanRates, Placement, RoundRobin, SchedulerKind,
};
use crate::rlc::earlier;
use crate::rrc::Entity;
use crate::ue::{Ue, UeSet};
pub use check::RanError;
use control::ControlChannel;
use downlink::Waiting;
use free::FreeBlocks;
use harq::Harq;
use jobs::Jobs;
use links::Links;
use radio_link::RadioLinks;
pub use reach::Reach;
use serving::Serving;
use steps::{Steps, Work};
use tables::Tables;

/// TTIs over which mean rates are taken where the scheduler names no window: that of ns-3's
/// proportional fair scheduler.
const MEAN_RATE_WINDOW: f64 = 99.0;

/// The radio access network.
pub struct Ran {
    cells: Vec<Cell>,
    /// Positions in `cells`, in the order in which they act at one instant: that of their
    /// first UEs, so that it does not follow from how cells are numbered.
    order: Vec<usize>,
    ues: Vec<Ue>,
    /// Where each UE is served.
    serving: Vec<Serving>,
    /// RRC of each UE; empty if none has any.
    rrc: Vec<Option<Box<Entity>>>,
    radio_links: RadioLinks,
    bearers: Vec<Bearer>,
    /// QoS flows by TEID, which stands for that and the QoS flow identifier.
    teids: Vec<(u32, QosFlow)>,
    ecn: airpath_wire::tunnel::EcnMode,
    blocks: Blocks,
    /// What is on the air, where links of a network hear it.
    air: Option<OnAir>,
    /// Empty between calls, to be used again.
    sinrs: Vec<f32>,
    errors: Keyed,
    /// Draws whether grants are missed.
    missed: Keyed,
    /// Packets that RLC handed up in the present call.
    up: Vec<(BearerId, Direction, Packet)>,
    grants: Grants,
    /// Empty between calls, to be used again.
    candidates: Vec<Candidate<'static>>,
}

/// A cell, what it decides with, and what it knows of its UEs, by their places.
struct Cell {
    id: CellId,
    config: CellConfig,
    /// Its UEs.
    members: Vec<UeId>,
    /// UEs that may have downlink data.
    backlogged: UeSet,
    /// What waits for each UE downlink, where that is not stale.
    waiting: Vec<Waiting>,
    /// UEs whose bearers have been used since their entry in `waiting` was made.
    stale: UeSet,
    /// Link adaptation.
    links: Links,
    /// HARQ of each UE.
    harq: Vec<Harq>,
    /// UEs with a pending buffer status report, where reports need no grant.
    pending_bsr: UeSet,
    /// UEs whose reported buffer is not empty.
    reported: UeSet,
    /// What it and its UEs have to do.
    jobs: Jobs<Job>,
    down: SchedulerKind,
    up: RoundRobin,
    control: ControlChannel,
    /// HARQ processes of a UE downlink.
    down_processes: u64,
    /// And uplink.
    up_processes: UplinkProcesses,
    /// From decisions to what they are about.
    steps: Steps,
    /// The next TTI in which there is something to decide.
    next: Option<Time>,
    /// The number of the first TTI that has not been decided.
    undecided: u64,
    /// Failed blocks by direction, and from when on they may be sent again.
    failed: [VecDeque<(Time, u32)>; 2],
    /// Resource blocks uplink that are set aside in each TTI of a period, if any are.
    reserved: Vec<u16>,
    /// Those that are set aside for UEs before each in the same TTI.
    configured_before: Vec<u16>,
    /// Mean rates, downlink and uplink.
    means: [MeanRates; 2],
    /// Which resource blocks a UE may have downlink.
    placement: Placement,
    /// Retransmission debt: a TTI of decision, and the resource blocks uplink that
    /// retransmissions have taken in a TTI that was granted before, to be taken off it.
    retransmission_debt: (u64, u16),
    /// Whom it tells of free resource blocks downlink.
    free: FreeBlocks,
}

/// Something that happens at its time.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// A block has been received and is decoded.
    Decode { block: u32 },
    /// A grant for the TTI of this number has been decoded by its UE.
    Grant { ue: UeId, tti: u64 },
    /// A grant of so many bytes has brought nothing: its UE missed it.
    Absent { ue: UeId, bytes: u32 },
    /// A UE may fill its configured grant for the TTI of this number.
    Configured { ue: UeId, tti: u64 },
    /// A UE's opportunity for a scheduling request.
    Opportunity { ue: UeId },
    /// A scheduling request has been detected.
    Request { ue: UeId },
    /// A buffer status report has come without a grant.
    Report { ue: UeId, bytes: BytesByGroup },
    /// retxBSR-Timer of a UE may have run out.
    Retry { ue: UeId },
    /// A bearer's timer may have run out.
    Timer { bearer: BearerId },
    /// A UE's radio state may change.
    Rrc { ue: UeId },
    /// A UE's radio link is to be looked at.
    Link { ue: UeId },
    /// A full buffer of this flow begins, or that of the bearer ends.
    FullBuffer { bearer: BearerId, direction: Direction, flow: Option<FlowId> },
}

impl Ran {
    /// Where packets come from the core and go there, in GTP-U.
    pub const CORE: Port = Port(0);

    /// Where packets come from a UE's hosts and go there.
    pub const fn ue(ue: UeId) -> Port {
        Port(1 + ue.0)
    }

    /// A network; block errors are drawn from `seed`.
    ///
    /// # Errors
    ///
    /// See [`RanError`].
    pub fn new(config: RanConfig, seed: Seed) -> Result<Ran, RanError> {
        check::check(&config)?;
        let rrc = rrc::entities(&config);
        let radio_links = RadioLinks::new(&config.ues);
        let cell = |ue: &UeConfig| &config.cells[ue.cell.index()];
        let ues = (0..).map(UeId).zip(&config.ues);
        let ues = ues.map(|(id, ue)| Ue::new(id, ue.clone(), cell(ue), &config.bearers));
        let ues: Vec<Ue> = ues.collect();
        let ids = (0..).map(BearerId);
        let teids = config.bearers.iter().map(|bearer| bearer.teid);
        let teids = teids.zip(ids.clone().map(QosFlow::first));
        let flows = config.ues.iter().flat_map(|ue| ue.flows.iter().copied());
        let mut teids: Vec<(u32, QosFlow)> = teids.chain(flows).collect();
        teids.sort_unstable();
        if let Some(pair) = teids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(RanError::Teid(pair[0].0));
        }
        let (cells, owners) = (&config.cells, &config.ues);
        let bearers = ids.zip(config.bearers).map(|(id, bearer)| {
            let cell = owners[bearer.ue.index()].cell;
            let mut entity = Bearer::new(id, bearer, cells[cell.index()].mac_header);
            entity.cell = cell;
            entity
        });
        let bearers: Vec<Bearer> = bearers.collect();
        let tables = Tables::of(&config.cells);
        let cells = (0..).map(CellId).zip(config.cells).zip(tables);
        let cells = cells.map(|((id, cell), tables)| Cell::new(id, cell, &ues, tables));
        let cells: Vec<Cell> = cells.collect();
        let mut ran = Ran {
            rrc,
            radio_links,
            bearers,
            teids,
            ecn: config.ecn,
            blocks: Blocks::default(),
            air: harq::on_air(&cells, &ues),
            sinrs: Vec::new(),
            errors: seed.keyed("radio / block errors"),
            missed: seed.keyed("radio / missed grants"),
            up: Vec::new(),
            grants: Grants::new(),
            candidates: Vec::new(),
            order: serving::order(&cells),
            serving: serving::serving(&cells, ues.len()),
            cells,
            ues,
        };
        (0..ran.cells.len()).for_each(|c| ran.begin_configured(c));
        ran.begin_rrc();
        ran.begin_radio_links();
        ran.expect_full_buffers();
        Ok(ran)
    }

    /// A network whose cells have downlink schedulers of the user's own, in place of those of
    /// its configuration: one for each cell.
    ///
    /// # Errors
    ///
    /// See [`RanError`].
    pub fn with_scheduler(
        config: RanConfig,
        seed: Seed,
        make: MakeScheduler<'_>,
    ) -> Result<Ran, RanError> {
        let mut ran = Ran::new(config, seed)?;
        for cell in &mut ran.cells {
            cell.down = SchedulerKind::Custom(make(cell.id, &cell.config));
        }
        Ok(ran)
    }

    /// Marks the uplink packets of a bearer at the cell, by the time that they wait in the UE as
    /// far as the cell can know it: reported bytes over the UE's mean rate.
    pub fn set_uplink_marker(&mut self, bearer: BearerId, marker: Ramp) {
        self.bearers[bearer.index()].set_uplink_marker(marker);
    }

    /// Gives a QoS flow of a bearer a queue of its own in a direction: of kind and parameters that
    /// the bearer's configuration does not know. To be done before anything waits there.
    pub fn set_queue(&mut self, flow: QosFlow, direction: Direction, queue: QueueKind) {
        let (c, _) = self.serving(self.bearers[flow.bearer.index()].config.ue);
        self.cells[c].free.add(flow.bearer, direction, &queue);
        let bearer = &mut self.bearers[flow.bearer.index()];
        bearer.set_queue(direction, usize::from(flow.number), queue);
    }

    #[inline(always)]
    fn schedule(&mut self, c: usize, due: Time, job: Job) {
        self.cells[c].jobs.push(due, job);
    }

    /// The cell of a UE, and its place there.
    #[inline(always)]
    fn serving(&self, ue: UeId) -> (usize, usize) {
        let Serving { cell, place } = self.serving[ue.index()];
        (cell, place)
    }

    /// A UE's bearers have been used: their timers are looked at in time, and what waits in
    /// them is looked up again.
    #[inline(always)]
    fn bearers_used(&mut self, ue: UeId) {
        let Serving { cell, place } = self.serving[ue.index()];
        let cell = &mut self.cells[cell];
        cell.stale.set(place, true);
        for &id in &self.ues[ue.index()].config.bearers {
            self.bearers[id.index()].arm(id, &mut cell.jobs);
        }
    }

    fn next_job(&self) -> Option<Time> {
        self.cells.iter().filter_map(|cell| cell.jobs.next_due()).min()
    }

    /// What a cell decides at the beginning of a TTI, if it has asked for it.
    #[inline(always)]
    fn begin_tti(&mut self, c: usize, now: Time, cx: &mut Cx<'_>) {
        let cell = &mut self.cells[c];
        if cell.next.is_none_or(|next| next > now) {
            return;
        }
        cell.next = None;
        let tti = cell.tti_number(now);
        cell.undecided = tti + 1;
        self.report_buffers(c, now, cx);
        let Cell { control, steps, .. } = &mut self.cells[c];
        let order = control.begin(steps.control(tti));
        let free = self.repeat_downlink(c, now, cx);
        for direction in order {
            match direction {
                Direction::Downlink => self.decide_downlink(c, now, free, cx),
                Direction::Uplink => self.decide_uplink(c, now, cx),
            }
        }
        self.end_control(c, cx);
    }

    #[inline(always)]
    fn act(&mut self, now: Time, job: Job, cx: &mut Cx<'_>) {
        match job {
            Job::Decode { block } => self.decode(now, block, cx),
            Job::Grant { ue, tti } => self.use_grant(now, ue, tti, cx),
            Job::Absent { ue, bytes } => self.return_grant(now, ue, bytes),
            Job::Configured { ue, tti } => self.use_configured(now, ue, tti, cx),
            Job::Opportunity { ue } => self.request(now, ue, cx),
            Job::Request { ue } => self.take_request(now, ue),
            Job::Report { ue, bytes } => self.take_report(now, ue, bytes),
            Job::Retry { ue } => self.retry(now, ue),
            Job::Timer { bearer } => self.timer(now, bearer, cx),
            Job::Rrc { ue } => self.look_at_rrc(now, ue, cx),
            Job::Link { ue } => self.look_at_link(now, ue, cx),
            Job::FullBuffer { bearer, direction, flow } => {
                self.change_full_buffer(now, (bearer, direction), flow, cx);
            }
        }
    }

    #[inline(never)]
    fn timer(&mut self, now: Time, bearer: BearerId, cx: &mut Cx<'_>) {
        let entity = &mut self.bearers[bearer.index()];
        // A status report that waits for no timer any more was due in the past.
        if entity.armed.is_none_or(|armed| armed > now) {
            return; // an earlier one has taken its place
        }
        entity.armed = None;
        if entity.next_wake().is_some_and(|due| due <= now) {
            let up = &mut self.up;
            entity.wake(now, cx, &mut |direction, packet| up.push((bearer, direction, packet)));
            self.hand_up(now, cx);
            self.look_for_failure(now, bearer, cx);
            self.notice(now, bearer);
        }
        self.bearers_used(self.bearers[bearer.index()].config.ue);
    }
}

impl Bearer {
    /// Sees to it that its timers are looked at in time.
    #[inline(always)]
    fn arm(&mut self, id: BearerId, jobs: &mut Jobs<Job>) {
        let Some(due) = self.next_wake() else { return };
        if self.armed.is_none_or(|armed| due < armed) {
            self.armed = Some(due);
            jobs.push_timer(due, Job::Timer { bearer: id });
        }
    }
}

impl Node for Ran {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        match port {
            Ran::CORE => self.enter_downlink(now, packet, cx),
            Port(n) => self.enter_uplink(now, UeId(n - 1), packet, cx),
        }
    }

    /// Does what is due at this instant, in two stages: jobs, or else TTIs. What the jobs
    /// set off in other nodes belongs to the instant too and comes between them, as the node
    /// is woken once more for the TTIs.
    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        if self.next_job().is_some_and(|due| due <= now) {
            for n in 0..self.order.len() {
                let c = self.order[n];
                while let Some(job) = self.cells[c].jobs.pop_due(now) {
                    self.act(now, job, cx);
                }
            }
        } else {
            for n in 0..self.order.len() {
                self.begin_tti(self.order[n], now, cx);
            }
        }
    }

    fn next_wake(&self) -> Option<Time> {
        let next = |cell: &Cell| earlier(cell.jobs.next_due(), cell.next);
        self.cells.iter().filter_map(next).min()
    }

    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        self.alter(now, change, cx)
    }

    fn held(&self) -> Held {
        let in_bearers = self.bearers.iter().map(Bearer::held);
        let idle = self.rrc.iter().flatten().map(|rrc| rrc.held());
        let idle = idle.chain(self.radio_links.iter().map(|link| link.held()));
        in_bearers.chain(idle).fold(Held::default(), |sum, held| Held {
            packets: sum.packets + held.packets,
            bytes: sum.bytes + held.bytes,
        })
    }

    /// PDCP, RLC and HARQ of each bearer.
    fn audit(&self) -> Result<(), String> {
        (0..)
            .map(BearerId)
            .zip(&self.bearers)
            .try_for_each(|(id, bearer)| bearer.audit(|direction| self.blocks.pdus(id, direction)))
    }
}

#[cfg(test)]
#[path = "../node_tests.rs"]
mod tests;

#[cfg(test)]
mod cells_tests;

#[cfg(test)]
mod range_tests;

#[cfg(test)]
mod tdd_tests;

#[cfg(test)]
#[path = "../node_share_tests.rs"]
mod share_tests;
