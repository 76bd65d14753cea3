//! A cell: its UEs, its decisions, and all that they need.
//!
//! A cell acts on its own state alone. It reads the [common state](Common) of the network, and its
//! transmissions wait in `sent` until the node adds them to those on the air.

use std::collections::VecDeque;
use std::sync::Arc;

use airpath_base::{CellId, Time, UeId};
use airpath_net::{Deferred, Direction, Held, Packet};

use super::admission::Admission;
use super::by_need::Taken;
use super::common::Moment;
use super::configured::Configured;
use super::control::ControlChannel;
use super::downlink::Waiting;
use super::exposure::Exposures;
use super::free::FreeBlocks;
use super::gaps::UeGaps;
use super::guests::GuestBook;
use super::harq::{self, Harq};
use super::jobs::{Job, Jobs};
use super::links::{Expected, Links, Range};
use super::multi_user::knowledge::MultiUserLinks;
use super::radio_link::RadioLinks;
use super::rrc;
use super::secondary::Role;
use super::secondary_uplink::Amendment;
use super::stage::Stage;
use super::steps::{Steps, Work};
use super::tables::Tables;
use crate::air::Sent;
use crate::bearer::Bearer;
use crate::block::{AirSlot, Blocks};
use crate::config::{CellConfig, DownlinkPlacement, SchedulerConfig};
use crate::harq::UplinkProcesses;
use crate::index::{BearerIndex, UeIndex};
use crate::mac::{
    ByDeadline, Candidate, Grants, MeanRates, Placement, ResourceBlocks, RoundRobin, SchedulerKind,
    group_size,
};
use crate::paired::Paired;
use crate::rates::Scheme;
use crate::rrc::Entity;
use crate::ue::{Ue, UeSet};

/// TTIs over which mean rates are taken where the scheduler names no window: that of ns-3's
/// proportional fair scheduler.
const MEAN_RATE_WINDOW: f64 = 99.0;

/// A cell with its UEs. Lists with an entry for each UE are by [`UeIndex`]: a slot reads the same
/// few values of all UEs.
pub(super) struct Cell {
    pub id: CellId,
    pub config: CellConfig,
    pub ues: Vec<Ue>,
    /// RRC of each UE; empty if none has any.
    pub rrc: Vec<Option<Box<Entity>>>,
    /// UEs whose connections were resumed in the present call, suspended in other cells.
    pub resumed: Vec<rrc::Resumed>,
    pub radio_links: RadioLinks,
    /// UEs that may have downlink data.
    pub backlogged: UeSet,
    /// Data that wait for each UE downlink, unless that is stale.
    pub waiting: Vec<Waiting>,
    /// UEs whose bearers have been used since their entry in `waiting` was made.
    pub stale: UeSet,
    /// Link adaptation.
    pub links: Links,
    /// Knowledge for layers to several UEs downlink; none without.
    pub multi_user: Option<Box<MultiUserLinks>>,
    /// Layers to several UEs in the present decision.
    pub paired: Option<Arc<Paired>>,
    /// HARQ of each UE.
    pub harq: Vec<Harq>,
    /// Transport blocks on their way.
    pub blocks: Blocks,
    /// UEs with a pending buffer status report, where reports need no grant.
    pub pending_bsr: UeSet,
    /// UEs whose reported buffer is not empty.
    pub reported: UeSet,
    /// Work at its time.
    pub jobs: Jobs<Job>,
    /// Downlink scheduler.
    pub down: SchedulerKind,
    /// Uplink scheduler.
    pub up: ByDeadline<RoundRobin>,
    pub control: ControlChannel,
    /// HARQ processes of a UE downlink.
    pub down_processes: u64,
    /// HARQ processes of a UE uplink.
    pub up_processes: UplinkProcesses,
    /// Steps from a decision to its transmission.
    pub steps: Steps,
    /// Slots that were given to a direction by need.
    pub taken: Taken,
    /// The next TTI in which there is something to decide.
    pub next: Option<Time>,
    /// The number of the first TTI that has not been decided.
    pub undecided: u64,
    /// Failed blocks by direction, each with the time from which it may be sent again.
    pub failed: [VecDeque<(Time, u32)>; 2],
    /// Configured grants uplink.
    pub configured: Configured,
    /// Mean rates, downlink and uplink.
    pub means: [MeanRates; 2],
    /// Resource blocks that a UE may have downlink.
    pub placement: Placement,
    /// Retransmission debt: a TTI of decision, and resource blocks uplink to be taken off it.
    /// Retransmissions have taken as many in a TTI that was granted before.
    pub retransmission_debt: (u64, u16),
    /// Free resource blocks downlink, for queues that want to know them.
    pub free: FreeBlocks,
    /// Rates that the cell exposes to applications.
    pub exposures: Exposures,
    /// Transmissions of this call.
    pub sent: Vec<(AirSlot, Sent)>,
    /// Transmissions on the air, of any carrier, that get another power after this call.
    pub amended: Vec<Amendment>,
    /// Actions of a stage that have not been performed.
    pub actions: Deferred,
    /// Grants of the present decision.
    pub grants: Grants,
    /// UEs with data and no HARQ process for them in the present decision.
    pub stalled: Vec<UeIndex>,
    /// UEs and TTIs of grants that were cancelled; past ones may remain.
    pub cancelled: Vec<(UeIndex, u64)>,
    /// Empty between calls, to be used again.
    pub candidates: Vec<Candidate<'static>>,
    /// SINR by resource block of the last measurement or reception.
    pub sinrs: Vec<f32>,
    /// UEs that came into range or went out of it in the present decision.
    pub ranges: Vec<(UeId, Range)>,
    /// Packets that RLC and PDCP handed up in the present call.
    pub up_packets: Vec<(BearerIndex, Direction, Packet)>,
    /// Measurement gaps of its UEs.
    pub gaps: UeGaps,
    /// Secondary cells of its UEs.
    pub secondaries: Vec<Cell>,
    /// Its role, if it is a secondary cell itself.
    pub secondary: Option<Role>,
    /// True if it serves UEs beside an anchor, and none alone.
    pub is_leg: bool,
    /// Admission of UEs; none with room for each.
    pub admission: Option<Box<Admission>>,
    /// UEs whose bearers were used and which other carriers have not heeded; none without others.
    pub touched: Option<UeSet>,
    /// Guests; none where UEs have secondary cells of their own cell alone.
    pub guests: Option<Box<GuestBook>>,
}

/// TTIs over which mean rates are taken.
fn window(config: &CellConfig) -> f64 {
    match config.scheduler {
        SchedulerConfig::ProportionalFair { window } => window,
        _ => MEAN_RATE_WINDOW,
    }
}

/// Resource blocks that a UE may have downlink, for grants.
fn allocation_type(config: &CellConfig) -> Placement {
    match config.downlink_placement {
        DownlinkPlacement::Blocks => Placement::Blocks,
        DownlinkPlacement::Groups => Placement::Groups(group_size(config.resource_blocks)),
    }
}

impl Cell {
    pub fn new(id: CellId, config: CellConfig, ues: Vec<Ue>, tables: Arc<Tables>) -> Cell {
        let cell = Cell::without_ues(id, config, (&ues, 0), tables);
        Cell { rrc: rrc::entities(&ues), radio_links: RadioLinks::new(&ues), ues, ..cell }
    }

    /// A cell to which its UEs are lent, as the carrier of another with this number; 0 has UEs of its
    /// own.
    pub fn without_ues(
        id: CellId,
        config: CellConfig,
        (ues, number): (&[Ue], usize),
        tables: Arc<Tables>,
    ) -> Cell {
        let config = with_control(config);
        Cell {
            links: Links::new(&config, links_at_begin(ues, number, &config), tables),
            multi_user: MultiUserLinks::new(&config, ues.len()),
            paired: None,
            down_processes: harq::processes(&config).0,
            up_processes: harq::processes(&config).1,
            steps: Steps::new(&config, harq::round_trips(&config)[0]),
            down: SchedulerKind::new(&config),
            up: uplink_turns(&config),
            control: ControlChannel::new(config.control),
            taken: Taken::default(),
            next: None,
            undecided: 0,
            failed: [VecDeque::new(), VecDeque::new()],
            configured: Configured::new(&config, (ues, number)),
            means: [(); 2].map(|()| MeanRates::new(window(&config), ues.len())),
            placement: allocation_type(&config),
            backlogged: UeSet::new(ues.len()),
            stale: UeSet::new(ues.len()),
            pending_bsr: UeSet::new(ues.len()),
            reported: UeSet::new(ues.len()),
            waiting: vec![Waiting::default(); ues.len()],
            harq: vec![Harq::default(); ues.len()],
            blocks: Blocks::default(),
            rrc: Vec::new(),
            resumed: Vec::new(),
            radio_links: RadioLinks::new(&[]),
            jobs: Jobs::new(config.tti.length()),
            retransmission_debt: (0, 0),
            free: FreeBlocks::default(),
            exposures: Exposures::default(),
            actions: Deferred::default(),
            sent: Vec::new(),
            amended: Vec::new(),
            grants: Grants::new(),
            stalled: Vec::new(),
            cancelled: Vec::new(),
            candidates: Vec::new(),
            sinrs: Vec::new(),
            ranges: Vec::new(),
            up_packets: Vec::new(),
            gaps: Vec::new(),
            secondaries: Vec::new(),
            secondary: None,
            is_leg: false,
            admission: None,
            touched: None,
            guests: None,
            ues: Vec::new(),
            id,
            config,
        }
    }

    /// Begins what goes on from the start: configured grants, RRC timers, looks at bad links.
    pub fn begin(&mut self) {
        self.begin_configured();
        self.want_proactive(Time::ZERO);
        self.begin_rrc();
        self.begin_radio_links();
    }

    /// Acts in a stage.
    pub fn act_in(&mut self, stage: Stage, at: &mut Moment<'_, '_>) {
        match stage {
            Stage::Jobs => self.do_jobs(at),
            Stage::Tti => self.begin_tti(at),
        }
        if !self.secondaries.is_empty() {
            self.act_in_secondaries(stage, at);
        }
    }

    /// True if the cell has work in a stage.
    pub fn is_due(&self, stage: Stage, now: Time) -> bool {
        self.next_due(stage).is_some_and(|due| due <= now)
    }

    /// The next time at which the cell has work in a stage.
    pub fn next_due(&self, stage: Stage) -> Option<Time> {
        match self.secondaries.is_empty() {
            true => self.own_due(stage),
            false => self.due_of_carriers(stage),
        }
    }

    /// The next time at which it has work in a stage itself.
    pub fn own_due(&self, stage: Stage) -> Option<Time> {
        match stage {
            Stage::Jobs => self.jobs.next_due(),
            Stage::Tti => self.next,
        }
    }

    /// Work in a stage, roughly: UEs that have data in a cell that acts.
    pub fn work(&self, stage: Stage, now: Time) -> usize {
        match self.is_due(stage, now) {
            true => 1 + self.backlogged.count() + self.reported.count(),
            false => 0,
        }
    }

    /// Does all jobs that are due.
    fn do_jobs(&mut self, at: &mut Moment<'_, '_>) {
        while let Some(job) = self.jobs.pop_due(at.now) {
            if !self.leaves_to_primary(job) {
                self.act(job, at);
            }
        }
    }

    #[inline(always)]
    fn act(&mut self, job: Job, at: &mut Moment<'_, '_>) {
        match job {
            Job::Decode { block } => self.decode(block, at),
            Job::Grant { ue, tti } => self.use_grant(ue, tti, at),
            Job::Absent { ue, bytes } => self.return_grant(at.now, ue, bytes),
            Job::Configured { ue, tti } => self.use_configured(ue, tti, at),
            Job::Occasions { ue, ahead, unused } => self.take_occasions(at.now, ue, ahead, unused),
            Job::Opportunity { ue } => self.request(ue, at),
            Job::Request { ue } => self.take_request(at.now, ue),
            Job::Report { ue, bytes } => self.take_report(at.now, ue, bytes),
            Job::Retry { ue } => self.retry(at.now, ue),
            Job::Timer { ue, bearer } => self.timer(ue, bearer, at),
            Job::Rrc { ue } => self.look_at_rrc(ue, at),
            Job::Link { ue } => self.look_at_link(ue, at),
            Job::Activate { ue } => self.activate(at.now, ue),
            Job::FullBuffer { ue, bearer, direction, flow } => {
                self.change_full_buffer(ue, bearer, (direction, flow), at);
            }
        }
    }

    /// Decides the TTI that begins now, if there is anything to decide.
    #[inline(always)]
    fn begin_tti(&mut self, at: &mut Moment<'_, '_>) {
        if self.next.is_none_or(|next| next > at.now) {
            return;
        }
        self.next = None;
        let tti = self.tti_number(at.now);
        self.undecided = tti + 1;
        self.report_buffers(at);
        let order = self.control.begin(self.steps.control(tti));
        let free = self.repeat_downlink(at);
        for direction in order {
            match direction {
                Direction::Downlink => self.decide_downlink(free, at),
                Direction::Uplink => self.decide_uplink(at),
            }
        }
        self.end_control(at.cx);
    }

    /// Asks for work in the first TTI that starts at or after `at` and may have such work.
    #[inline(always)]
    pub fn want(&mut self, work: Work, at: Time) {
        let tti = self.config.tti;
        let n = self.steps.next_decision(work, tti.number_from(at).max(self.undecided));
        let due = tti.start(n);
        self.next = Some(self.next.map_or(due, |next| next.min(due)));
    }

    /// The bearers of a UE have been used: their timers are armed, and data that wait in them are
    /// looked up again.
    #[inline(always)]
    pub fn bearers_used(&mut self, ue: UeIndex) {
        self.stale.set(ue, true);
        self.touch(ue);
        let bearers = self.ues[ue.index()].bearers.iter_mut().enumerate();
        for (n, bearer) in bearers {
            let Some(due) = bearer.next_wake() else { continue };
            if bearer.armed.is_none_or(|armed| due < armed) {
                bearer.armed = Some(due);
                self.jobs.push_timer(due, Job::Timer { ue, bearer: BearerIndex::new(n) });
            }
        }
    }

    #[inline(never)]
    fn timer(&mut self, ue: UeIndex, own: BearerIndex, at: &mut Moment<'_, '_>) {
        let bearer = &mut self.ues[ue.index()].bearers[own.index()];
        // A status report that waits for no timer any more was due in the past.
        if bearer.armed.is_none_or(|armed| armed > at.now) {
            return; // an earlier one has replaced it
        }
        bearer.armed = None;
        if bearer.next_wake().is_some_and(|due| due <= at.now) {
            let up = &mut self.up_packets;
            bearer.wake(at.now, at.cx, &mut |direction, packet| up.push((own, direction, packet)));
            self.hand_up(ue, at);
            self.look_for_failure(ue, own, at);
            self.notice(at.now, ue);
        }
        self.bearers_used(ue);
    }

    /// MCS and bytes of a transport block for a TTI on the air that is decided at `decided`.
    pub fn scheme(
        &self,
        decided: Time,
        slot: AirSlot,
        ue: UeIndex,
        blocks: &ResourceBlocks,
    ) -> Scheme {
        let AirSlot { direction, tti } = slot;
        match direction {
            Direction::Uplink if !self.config.uplink.is_sounded(decided) => {
                let symbols = self.steps.symbols(tti, direction);
                self.links.unsounded(symbols).scheme(blocks.count())
            }
            _ => self.links.scheme((direction, self.steps.symbols(tti, direction)), ue, blocks),
        }
    }

    /// Packets in its bearers, and those of idle UEs.
    pub fn held(&self) -> Held {
        let bearers = self.ues.iter().flat_map(|ue| &ue.bearers).map(Bearer::held);
        let idle = self.rrc.iter().flatten().map(|rrc| rrc.held());
        let idle = idle.chain(self.radio_links.iter().map(|link| link.held()));
        bearers.chain(idle).fold(Held::default(), Held::plus)
    }

    /// Checks the books of PDCP, RLC and HARQ of each bearer. Cells beside have so many PDUs of a bearer on their way.
    pub fn audit(
        &self,
        beside: impl Fn(UeIndex, BearerIndex, Direction) -> u64,
    ) -> Result<(), String> {
        for (ue, own) in UeIndex::all(self.ues.len()).zip(&self.ues) {
            for (bearer, entity) in BearerIndex::all(own.bearers.len()).zip(&own.bearers) {
                let pdus = |cell: &Cell, direction| cell.blocks.pdus(ue, bearer, direction);
                let others =
                    |direction| self.secondaries.iter().map(move |cell| pdus(cell, direction));
                entity.audit(|direction| {
                    let own = pdus(self, direction) + others(direction).sum::<u64>();
                    own + beside(ue, bearer, direction)
                })?;
            }
        }
        Ok(())
    }

    /// Resource blocks of the carrier.
    pub fn carrier(&self) -> f32 {
        f32::from(self.config.resource_blocks)
    }

    pub fn tti_number(&self, now: Time) -> u64 {
        self.config.tti.number(now)
    }
}

/// The scheduler uplink.
fn uplink_turns(config: &CellConfig) -> ByDeadline<RoundRobin> {
    let least = config.uplink.min_resource_blocks.min(config.resource_blocks);
    ByDeadline::new(RoundRobin::new(config.allocation, 1, least, None), (1, least), None)
}

/// A cell whose pattern of TDD knows its control symbols.
fn with_control(config: CellConfig) -> CellConfig {
    let control = config.adaptation.control_symbols;
    CellConfig { duplex: config.duplex.with_control(control), ..config }
}

/// The links of a UE in the carrier with this number, 0 for that of the cell: downlink and uplink, without a report.
pub(super) fn links_of(ue: &Ue, carrier: usize, config: &CellConfig) -> [Expected; 2] {
    Direction::ALL.map(|direction| expected(ue, carrier, config, direction))
}

/// Links at the beginning, downlink and uplink, in the carrier with this number.
fn links_at_begin(ues: &[Ue], carrier: usize, config: &CellConfig) -> [Vec<Expected>; 2] {
    Direction::ALL
        .map(|direction| ues.iter().map(|ue| expected(ue, carrier, config, direction)).collect())
}

/// The link of a UE in a direction at the beginning, in the carrier with this number.
fn expected(ue: &Ue, carrier: usize, config: &CellConfig, direction: Direction) -> Expected {
    let (blocks, layers) = (config.resource_blocks, config.layers);
    let (own, number) = (ue.carrier(carrier), ue.config.number);
    let (measured, full_power) = match (ue.channel(carrier), direction) {
        (Some(channel), Direction::Uplink) => (true, channel.full_power(ue.id)),
        (None, Direction::Uplink) => (false, own.full_power as f32),
        (channel, Direction::Downlink) => (channel.is_some(), f32::INFINITY),
    };
    let sinr = match ue.channel(carrier) {
        Some(channel) => channel.expected_sinr(ue.id, direction),
        None => own.gains[direction as usize] * ue.ratio(own.full_power, direction, blocks),
    };
    let [most_bytes, most_tti_bytes] = match direction {
        Direction::Downlink => [ue.config.most_bytes, ue.config.most_tti_bytes],
        Direction::Uplink => [u32::MAX; 2],
    };
    let layers = match direction {
        // Little power in many resource blocks is no power for a second layer.
        Direction::Uplink if full_power < f32::from(blocks) => 1,
        _ => ue.config.layers[direction as usize].min(layers[direction as usize]),
    };
    Expected { number, sinr, measured, full_power, most_bytes, most_tti_bytes, layers }
}
