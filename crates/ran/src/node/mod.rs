//! The radio access network as one node: packets in and out, and the cells that act.
//!
//! Time moves in two ways:
//!
//! - **Jobs** come at any instant: a block is received, a grant or a report arrives, a timer runs
//!   out.
//! - **TTIs** of a cell begin with the scheduler's decision. A cell with nothing to decide has no
//!   next TTI and costs nothing.
//!
//! At one instant jobs come first. Packets that they make other nodes send back in that instant come
//! next. Then comes the TTI. A wake-up does the jobs or the TTI, and the engine wakes the node again
//! for the other.
//!
//! A cell owns its UEs with their bearers, and acts on its own state. Its stages are `impl Cell` in
//! one file each. [`Ran`] knows the cell of each UE, and no more of it. Threads may share a stage
//! (`stage.rs`).

mod admission;
mod by_need;
mod cancellation;
mod cell;
mod cells;
mod change;
mod check;
mod codewords;
mod common;
mod configured;
mod control;
mod decoding;
mod downlink;
mod events;
mod exposure;
mod free;
mod full_buffer;
mod gaps;
mod guests;
mod handovers;
mod harq;
mod headroom;
mod jobs;
mod legs;
mod links;
mod moved;
mod moving;
mod multi_user;
mod occasions;
mod prediction;
mod proactive;
mod radio_link;
mod reach;
mod reports;
mod requests;
mod rrc;
mod secondary;
mod secondary_uplink;
mod serving;
mod stage;
mod stalls;
mod steps;
mod survey;
mod tables;
mod transfer;
mod tti_bytes;
mod uplink;

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{BearerId, CellId, Port, Time, UeId};
use airpath_net::queue::{QueueKind, Ramp};
use airpath_net::{
    Change, ChangeError, Cx, Direction, DropCause, Held, Node, Packet, TunnelKind, decapsulate,
};

use crate::bearer::Bearer;
use crate::config::{QosFlow, RanConfig};
use crate::index::{BearerIndex, FlowIndex};
use crate::mac::{MakeScheduler, SchedulerKind};
use crate::mobility::Mobility;
use crate::tti::earlier;
use cell::Cell;
use cells::Cells;
pub use check::RanError;
use common::{Common, Moment};
use guests::Guest;
use handovers::Handovers;
use handovers::Route;
use legs::Legs;
pub use reach::Reach;
use secondary_uplink::Amendment;
use serving::Serving;
use stage::{Stage, Team};
pub use survey::Surveyed;
use tables::Tables;

/// The radio access network.
pub struct Ran {
    cells: Cells,
    /// The cells in the order in which they act at one instant.
    order: Vec<CellId>,
    common: Arc<Common>,
    /// The cell of each UE.
    serving: Vec<Serving>,
    /// UE of each bearer, and the bearer's index there.
    bearers: Vec<(UeId, BearerIndex)>,
    /// QoS flows by TEID, which stands for that and the QoS flow identifier.
    teids: Vec<(u32, QosFlow)>,
    /// Threads among which a stage is shared; none if it has one.
    team: Option<Team>,
    /// Handovers; none if UEs stay in their cells.
    handovers: Option<Handovers>,
    /// Legs of UEs; none without dual connectivity.
    legs: Option<Box<Legs>>,
    /// None without UEs that move.
    mobility: Option<Mobility>,
    /// True if UEs that may go from cell to cell have secondary cells.
    aggregates: bool,
    /// UEs with a secondary cell of another cell than their own.
    guests: Vec<Guest>,
}

impl Ran {
    /// Port of packets from the core and to it, in GTP-U.
    pub const CORE: Port = Port(0);

    /// Port of packets from a UE's hosts and to them.
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
        let teids = teids(&config)?;
        let admission = config.handover.as_ref().and_then(|own| own.handover.admission);
        let admission = admission.map(|own| (own, admission::guaranteed(&config)));
        let count = config.ues.len();
        let members = serving::members(
            config.ues,
            (&config.cells, &config.bearers),
            config.handover.is_some(),
        );
        let tables = Tables::of(&config.cells);
        let all = (0..).map(CellId).zip(config.cells).zip(members.into_iter().zip(tables));
        let mut cells: Vec<Cell> = Vec::new();
        for ((id, cell), (ues, tables)) in all {
            match cell.secondary {
                None => cells.push(Cell::new(id, cell, ues, tables)),
                Some(role) => cells[role.of.index()].add_secondary(id, cell, role, tables),
            }
        }
        legs::mark(&mut cells, config.dual.as_ref());
        let owners = config.bearers.iter().map(|bearer| bearer.ue);
        let mut ran = Ran {
            common: Arc::new(Common {
                air: harq::on_air(&cells),
                ecn: config.ecn,
                errors: seed.keyed("radio / block errors"),
                missed: seed.keyed("radio / missed grants"),
            }),
            order: serving::order(&cells),
            serving: serving::serving(&cells, count),
            bearers: owners.zip(serving::bearers(&cells, config.bearers.len())).collect(),
            teids,
            cells: Cells::new(cells),
            team: None,
            handovers: None,
            legs: None,
            mobility: None,
            aggregates: false,
            guests: Vec::new(),
        };
        ran.handovers = config.handover.as_ref().and_then(|config| ran.handovers(config, seed));
        ran.begin_aggregation();
        if let Some(dual) = config.dual {
            ran.begin_legs(dual, seed);
        }
        if let Some((own, guaranteed)) = admission.filter(|_| ran.handovers.is_some()) {
            ran.begin_admission(own, &guaranteed);
        }
        ran.cells.iter_mut().for_each(Cell::begin);
        for &(ue, bearer) in &ran.bearers {
            let Serving { cell, ue } = ran.serving[ue.index()];
            ran.cells[cell.index()].expect_full_buffers(ue, bearer);
        }
        Ok(ran)
    }

    /// A network whose cells have downlink schedulers of the user's own, instead of those of
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
        for cell in ran.cells.iter_mut() {
            cell.down = SchedulerKind::Custom(make(cell.id, &cell.config));
            for cell in &mut cell.secondaries {
                cell.down = SchedulerKind::Custom(make(cell.id, &cell.config));
            }
        }
        Ok(ran)
    }

    /// Shares the stages of the cells among so many threads, the caller's among them. What happens
    /// does not depend on their number.
    pub fn set_threads(&mut self, threads: usize) {
        self.team = (threads > 1).then(|| Team::new(threads));
    }

    /// Marks the uplink packets of a bearer at the cell by their estimated wait in the UE: reported
    /// bytes over the UE's mean rate.
    pub fn set_uplink_marker(&mut self, bearer: BearerId, marker: Ramp) {
        if let Some(bearer) = self.bearer_mut(bearer) {
            bearer.set_uplink_marker(marker);
        }
    }

    /// Reports the congestion of a bearer to the gateway each interval, instead of marking its packets at the cell. The
    /// bearer has one QoS flow, of this identifier.
    pub fn report_congestion(
        &mut self,
        bearer: BearerId,
        interval: airpath_base::Duration,
        qfi: u8,
    ) {
        if let Some(bearer) = self.bearer_mut(bearer) {
            bearer.report_congestion(interval, qfi);
        }
    }

    /// Gives a QoS flow of a bearer a queue of its own in a direction, of any kind. To be done before
    /// anything waits there.
    pub fn set_queue(&mut self, flow: QosFlow, direction: Direction, queue: QueueKind) {
        let (ue, bearer) = self.bearers[flow.bearer.index()];
        let Serving { cell, ue } = self.serving[ue.index()];
        self.cells[cell.index()].set_queue(ue, bearer, (direction, flow.number), queue);
    }

    /// MCS and rate that a UE alone in its cell would have, downlink and uplink.
    pub fn reach(&self, ue: UeId) -> [Reach; 2] {
        let Serving { cell, ue } = self.serving[ue.index()];
        Direction::ALL.map(|direction| self.cells[cell.index()].reach(direction, ue))
    }

    /// MCS and rate that a UE alone in its cell would have in each carrier, that of the cell first: downlink and
    /// uplink. None uplink where the UE does not send or has no power left.
    pub fn reach_by_carrier(&self, ue: UeId) -> Vec<[Option<Reach>; 2]> {
        let Serving { cell, ue } = self.serving[ue.index()];
        self.cells[cell.index()].reach_by_carrier(ue)
    }

    fn bearer_mut(&mut self, bearer: BearerId) -> Option<&mut Bearer> {
        let (ue, bearer) = *self.bearers.get(bearer.index())?;
        let Serving { cell, ue } = self.serving[ue.index()];
        Some(&mut self.cells[cell.index()].ues[ue.index()].bearers[bearer.index()])
    }

    /// A downlink packet, in the tunnel of its bearer or QoS flow.
    fn enter_downlink(&mut self, now: Time, packet: Packet, cx: &mut Cx<'_>) {
        let Some((packet, outer)) = decapsulate(packet, cx) else { return };
        let TunnelKind::Gtpu { teid, .. } = outer.kind else {
            return cx.drop(packet, DropCause::Unexpected);
        };
        let Ok(n) = self.teids.binary_search_by_key(&teid, |&(teid, _)| teid) else {
            return cx.drop(packet, DropCause::NoRoute);
        };
        let flow = self.teids[n].1;
        let (ue, _) = self.bearers[flow.bearer.index()];
        if let Route::Bearer(packet) = self.route(now, (ue, flow), packet, cx) {
            self.enter_bearer(now, (ue, flow), packet, cx);
        }
    }

    /// A downlink packet enters its bearer.
    fn enter_bearer(
        &mut self,
        now: Time,
        (ue, flow): (UeId, QosFlow),
        packet: Packet,
        cx: &mut Cx<'_>,
    ) {
        let (_, bearer) = self.bearers[flow.bearer.index()];
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let flow = FlowIndex { bearer, number: flow.number };
        let cell = &mut self.cells[cell.index()];
        cell.enqueue(index, flow, Direction::Downlink, packet, at);
        cell.share(at);
        self.settle_guests(now, cx);
        if self.legs.is_some() {
            self.feed_leg(now, ue, cx);
        }
    }

    /// An uplink packet; the UE's filters choose its bearer.
    fn enter_uplink(&mut self, now: Time, ue: UeId, packet: Packet, cx: &mut Cx<'_>) {
        let Some(&Serving { cell, ue: index }) = self.serving.get(ue.index()) else {
            return cx.drop(packet, DropCause::NoRoute);
        };
        let (cell, at) =
            (&mut self.cells[cell.index()], &mut Moment { now, common: &self.common, cx });
        let flow = cell.ues[index.index()].classify(&packet);
        cell.enqueue(index, flow, Direction::Uplink, packet, at);
        cell.share(at);
        self.settle_guests(now, cx);
        if self.legs.is_some() {
            self.feed_leg(now, ue, cx);
        }
    }

    /// Adds the transmissions of this call to those on the air.
    #[inline]
    fn transmit(&mut self) {
        let common = Arc::get_mut(&mut self.common).expect("no stage goes on");
        if common.air.is_empty() {
            return;
        }
        let mut load = self.handovers.as_mut().and_then(Handovers::exchanges);
        for cell in &self.order {
            let cell = &mut self.cells[cell.index()];
            let (id, site, air) = (cell.id, cell.site(), cell.air_index());
            let Cell { sent, amended, secondaries, .. } = cell;
            for (slot, sent) in sent.drain(..) {
                if let Some(load) = &mut load {
                    load.count(id, slot, &sent);
                }
                common.air[air].write(site, slot.direction, slot.tti, sent);
            }
            for (n, secondary) in secondaries.iter_mut().enumerate() {
                for (slot, sent) in secondary.sent.drain(..) {
                    common.air[n + 1].write(site, slot.direction, slot.tti, sent);
                }
                amended.append(&mut secondary.amended);
            }
            for Amendment { carrier, tti, ue, power } in amended.drain(..) {
                common.air[carrier].amend(site, tti, (ue, power));
            }
        }
    }

    fn next_job(&self) -> Option<Time> {
        self.cells.iter().filter_map(|cell| cell.next_due(Stage::Jobs)).min()
    }
}

/// QoS flows by TEID.
fn teids(config: &RanConfig) -> Result<Vec<(u32, QosFlow)>, RanError> {
    let ids = (0..).map(BearerId).map(QosFlow::first);
    let bearers = config.bearers.iter().map(|bearer| bearer.teid).zip(ids);
    let flows = config.ues.iter().flat_map(|ue| ue.flows.iter().copied());
    let mut teids: Vec<(u32, QosFlow)> = bearers.chain(flows).collect();
    teids.sort_unstable();
    match teids.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(RanError::Teid(pair[0].0)),
        None => Ok(teids),
    }
}

impl Node for Ran {
    fn receive(&mut self, now: Time, port: Port, packet: Packet, cx: &mut Cx<'_>) {
        match port {
            Ran::CORE => self.enter_downlink(now, packet, cx),
            Port(n) => self.enter_uplink(now, UeId(n - 1), packet, cx),
        }
    }

    /// Does the work that is due at this instant, in two stages: jobs, or else TTIs. Packets that
    /// jobs set off in other nodes come between the stages. The node is woken once more for the
    /// TTIs.
    fn wake(&mut self, now: Time, cx: &mut Cx<'_>) {
        self.move_ues(now, cx);
        if self.handovers.as_ref().is_some_and(|all| all.next_due() <= now) {
            self.act_on_handovers(now, cx);
        }
        if self.legs.as_ref().is_some_and(|legs| legs.next_due() <= now) {
            self.act_on_legs(now, cx);
        }
        let jobs = self.next_job().is_some_and(|due| due <= now);
        let stage = if jobs { Stage::Jobs } else { Stage::Tti };
        match &mut self.team {
            _ if !self.guests.is_empty() => {
                for n in 0..self.order.len() {
                    self.act_with_guests(self.order[n], (stage, now), cx);
                }
            }
            Some(team) if cx.can_defer() && team.is_worth_while(stage, now, &self.cells) => {
                team.act((stage, now), (&mut self.cells, &self.order), &self.common, cx);
            }
            _ => {
                let at = &mut Moment { now, common: &self.common, cx };
                for cell in &self.order {
                    self.cells[cell.index()].act_in(stage, at);
                }
            }
        }
        if self.handovers.is_some() {
            self.act_on_resumes(now, cx);
        }
        if self.legs.is_some() {
            self.follow_legs(now, cx);
        }
        if self.aggregates {
            self.report_secondaries(cx);
        }
        self.transmit();
    }

    fn next_wake(&self) -> Option<Time> {
        let next = |cell: &Cell| earlier(cell.next_due(Stage::Jobs), cell.next_due(Stage::Tti));
        let handovers = self.handovers.as_ref().map(Handovers::next_due);
        let legs = self.legs.as_ref().map(|legs| legs.next_due());
        let others = earlier(earlier(handovers, legs), self.next_move());
        earlier(others, self.cells.iter().filter_map(next).min())
    }

    fn change(&mut self, now: Time, change: &Change, cx: &mut Cx<'_>) -> Result<(), ChangeError> {
        let no_bearer = || ChangeError::new("has no such bearer");
        match *change {
            Change::Snr { ue, direction, snr } => {
                let serving = self.serving.get(ue.index());
                let &Serving { cell, ue } =
                    serving.ok_or_else(|| ChangeError::new("has no such UE"))?;
                let at = &mut Moment { now, common: &self.common, cx };
                self.cells[cell.index()].change_snr(ue, direction, snr, at)
            }
            Change::BearerQueue(queue, change) => {
                let bearer = self.bearer_mut(queue.bearer).ok_or_else(no_bearer)?;
                bearer.change_queue(now, (queue.direction, usize::from(queue.flow)), change)
            }
            Change::UplinkMarker(bearer, change) => {
                self.bearer_mut(bearer).ok_or_else(no_bearer)?.change_marker(change)
            }
            Change::FullBuffer { bearer, direction, active } => {
                let &(ue, bearer) = self.bearers.get(bearer.index()).ok_or_else(no_bearer)?;
                let Serving { cell, ue } = self.serving[ue.index()];
                let at = &mut Moment { now, common: &self.common, cx };
                let change = (direction, !active);
                let cell = &mut self.cells[cell.index()];
                cell.pause_full_buffer(ue, bearer, change, at)?;
                cell.share(at);
                Ok(())
            }
            _ => Err(ChangeError::new("is a radio access network")),
        }
    }

    fn held(&self) -> Held {
        let between = self.handovers.as_ref().map(Handovers::held);
        let legs = self.legs.as_ref().map(|legs| legs.held());
        let held = self.cells.iter().map(Cell::held).chain(between).chain(legs);
        self.once(held.fold(Held::default(), Held::plus))
    }

    fn finish(&mut self, _: Time, cx: &mut Cx<'_>) {
        self.report_copies(cx);
        self.report_going_on(cx);
    }

    /// PDCP, RLC and HARQ of each bearer.
    fn audit(&self) -> Result<(), String> {
        self.audit_with_guests()
    }
}

#[cfg(test)]
#[path = "../node_tests.rs"]
mod tests;

#[cfg(test)]
mod cells_tests;

#[cfg(test)]
mod move_tests;

#[cfg(test)]
mod range_tests;

#[cfg(test)]
mod tdd_tests;

#[cfg(test)]
mod lte_tdd_tests;

#[cfg(test)]
#[path = "../node_share_tests.rs"]
mod share_tests;
