//! Effects of RRC and DRX in the cell: packets that wait for a connection, and UEs that do not
//! listen. A UE without RRC is always connected and awake.

use airpath_base::rrc::State;
use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::{Cx, Direction, Event, Packet, RadioEvent, SecondaryEnd, Stage};

use super::cell::Cell;
use super::common::Moment;
use super::jobs::{Job, Jobs};
use super::steps::Work;
use crate::bearer::Bearer;
use crate::config::{Access, CellConfig};
use crate::index::{FlowIndex, UeIndex};
use crate::rrc::{Entity, RrcConfig};
use crate::ue::Ue;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// A UE whose connection is resumed in another cell than the one of its suspension.
pub(super) struct Resumed {
    pub ue: UeId,
    /// The cell of the last serving gNB.
    pub anchor: CellId,
    /// Transport of a message between the gNBs.
    pub transport: Duration,
    /// Downlink packets that have waited there.
    pub packets: Vec<(FlowIndex, Packet)>,
}

/// RRC of each UE; nothing at all if none has any. A UE without service is idle.
pub(super) fn entities(ues: &[Ue]) -> Vec<Option<Box<Entity>>> {
    let entity = |ue: &Ue| {
        let rrc = ue.config.rrc.as_ref().filter(|_| !ue.is_absent())?;
        let connected = rrc.connected && ue.config.served;
        Some(Box::new(Entity::new(&RrcConfig { connected, ..rrc.clone() })))
    };
    match ues.iter().any(|ue| ue.config.rrc.is_some()) {
        true => ues.iter().map(entity).collect(),
        false => Vec::new(),
    }
}

fn report(ue: UeId, at: Time, state: State, cx: &mut Cx<'_>) {
    cx.emit(|| Event::Radio(RadioEvent::Rrc { ue, at, state }));
}

fn arm(rrc: &mut Entity, jobs: &mut Jobs<Job>, ue: UeIndex) {
    let Some(due) = rrc.next_due() else { return };
    if rrc.armed.is_none_or(|armed| due < armed) {
        rrc.armed = Some(due);
        jobs.push_timer(due, Job::Rrc { ue });
    }
}

/// True if a UE does not listen `lead` after a decision about the downlink at `decided`. It
/// is looked at again when it does.
pub(super) fn sleeps(
    all: &mut [Option<Box<Entity>>],
    jobs: &mut Jobs<Job>,
    (decided, lead): (Time, Duration),
    ue: UeIndex,
) -> bool {
    match all.get_mut(ue.index()).and_then(Option::as_deref_mut) {
        Some(rrc) => sleeps_by_drx(rrc, jobs, (decided, lead), ue),
        None => false,
    }
}

#[inline(never)]
fn sleeps_by_drx(
    rrc: &mut Entity,
    jobs: &mut Jobs<Job>,
    (decided, lead): (Time, Duration),
    ue: UeIndex,
) -> bool {
    let sleeps = !rrc.listens(decided + lead, lead);
    if sleeps {
        arm(rrc, jobs, ue);
    }
    sleeps
}

/// True if a UE listens when a grant that is decided `now` is on the air.
#[inline]
pub(super) fn hears_grant(
    all: &[Option<Box<Entity>>],
    cell: &CellConfig,
    now: Time,
    ue: UeIndex,
) -> bool {
    let (air, access) = (now + cell.timing.grant_preparation, cell.uplink.access);
    let rrc = all.get(ue.index()).and_then(Option::as_deref);
    rrc.is_none_or(|rrc| match access {
        Access::Instant | Access::Reported { .. } => rrc.is_connected(),
        _ => rrc.machine.is_awake(air),
    })
}

impl Cell {
    fn rrc(&self, ue: UeIndex) -> Option<&Entity> {
        self.rrc.get(ue.index())?.as_deref()
    }

    #[inline]
    fn rrc_mut(&mut self, ue: UeIndex) -> Option<&mut Entity> {
        self.rrc.get_mut(ue.index())?.as_deref_mut()
    }

    /// Begins the timers of UEs that are connected from the beginning.
    pub fn begin_rrc(&mut self) {
        UeIndex::all(self.rrc.len()).for_each(|ue| self.arm_rrc(ue));
    }

    /// Makes a job for the UE's next timer.
    pub fn arm_rrc(&mut self, ue: UeIndex) {
        if let Some(rrc) = self.rrc.get_mut(ue.index()).and_then(Option::as_deref_mut) {
            arm(rrc, &mut self.jobs, ue);
        }
    }

    /// Lets `change` change the RRC of a UE, and reports the state that it gives. Then the UE's
    /// next timer has a job.
    fn change_rrc(
        &mut self,
        ue: UeIndex,
        cx: &mut Cx<'_>,
        change: impl FnOnce(&mut Entity) -> Option<(Time, State)>,
    ) {
        let id = self.ues[ue.index()].id;
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if let Some((at, state)) = change(rrc) {
            report(id, at, state, cx);
        }
        self.arm_rrc(ue);
    }

    /// True if a UE has a connection.
    #[inline]
    pub fn is_connected(&self, ue: UeIndex) -> bool {
        self.rrc(ue).is_none_or(Entity::is_connected)
    }

    /// Gives a packet back if its UE is connected; otherwise it waits until it is.
    #[inline(never)]
    pub fn admit(
        &mut self,
        ue: UeIndex,
        (flow, direction): (FlowIndex, Direction),
        packet: Packet,
        at: &mut Moment<'_, '_>,
    ) -> Option<Packet> {
        let packet = self.admit_to_link(ue, (flow, direction), packet)?;
        let Some(rrc) = self.rrc_mut(ue) else { return Some(packet) };
        if rrc.is_connected() {
            rrc.machine.arrival(at.now);
            return Some(packet);
        }
        rrc.wait(flow, direction, packet);
        self.request_connection(ue, direction, at);
        None
    }

    /// A UE without a connection needs one.
    #[inline(never)]
    pub fn request_connection(
        &mut self,
        ue: UeIndex,
        direction: Direction,
        at: &mut Moment<'_, '_>,
    ) {
        if !self.radio_links.is_up(ue) || !self.is_idle(ue) || !self.finds_cell(ue, at) {
            return;
        }
        if self.radio_links.t302(ue).is_some() {
            return;
        }
        let (page, now) = ((self.id, self.config.tti.length()), at.now);
        let calls = self.rrc_mut(ue).is_some_and(|rrc| rrc.calls(now, direction, page));
        if calls && !self.has_room_for(ue) {
            return self.reject(ue, at);
        }
        self.change_rrc(ue, at.cx, |rrc| calls.then(|| (now, rrc.promote(now, page.0))));
    }

    /// The time of a UE's timer, page or on-duration may have come.
    #[inline(never)]
    pub fn look_at_rrc(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let (now, id, cell) = (at.now, self.ues[ue.index()].id, self.id);
        let carries = self.carries(now, ue) || !self.radio_links.is_up(ue) || self.keeps_link(ue);
        let refused = self.refuses_page(ue, now);
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if rrc.armed.is_none_or(|armed| armed > now) {
            return; // an earlier one has replaced it
        }
        rrc.armed = None;
        if carries || rrc.waits_inactive() {
            rrc.machine.arrival(now);
        }
        match rrc.is_paged(now) {
            true if refused => rrc.end_page(),
            true => report(id, now, rrc.promote(now, cell), at.cx),
            false => {}
        }
        let before = rrc.machine.state();
        while let Some((since, state)) = rrc.machine.advance(now) {
            report(id, since, state, at.cx);
        }
        let (state, awake) = (rrc.machine.state(), rrc.take_wake(now));
        match state {
            State::Inactive => rrc.suspend(cell),
            State::Idle => drop(rrc.leave_anchor()),
            _ => {}
        }
        if before.is_connecting() && state.is_connected() && !self.finds_cell(ue, at) {
            self.release_rrc(now, ue, at.cx);
        } else if before.is_connecting() && state.is_connected() {
            self.connect(ue, before == State::Resume, at);
        } else if state.is_paged() {
            self.forget(now, ue);
        }
        if awake && self.queued(DOWN, ue, now) > 0 {
            self.notice_downlink(now, ue);
        }
        if refused {
            self.reject(ue, at);
        }
        self.arm_rrc(ue);
    }

    /// True if a connection is still needed: something is queued, granted, on the air or
    /// unacknowledged.
    pub fn carries(&self, now: Time, ue: UeIndex) -> bool {
        let own = &self.ues[ue.index()];
        let has_data = |bearer: &Bearer| {
            let queued = |direction| bearer.queued(direction, now) > 0;
            bearer.held().packets > 0 || queued(DOWN) || queued(UP)
        };
        own.uplink.reported.all() > 0
            || own.uplink.granted > 0
            || self.rrc(ue).is_some_and(|rrc| rrc.on_air > 0)
            || own.bearers.iter().any(has_data)
    }

    /// Packets that have waited for the connection go to PDCP (TS 36.331, 5.3.10.3). A resume
    /// re-establishes RLC and PDCP first (TS 38.331, 5.3.13.4). Downlink packets of another gNB are left to the
    /// node.
    #[inline(never)]
    fn connect(&mut self, ue: UeIndex, resumes: bool, at: &mut Moment<'_, '_>) {
        self.begin_monitoring(ue, at);
        if resumes {
            self.resume_bearers(ue, at);
        }
        while let Some((flow, direction, mut packet)) =
            self.rrc_mut(ue).and_then(Entity::next_waiting)
        {
            packet.charge(Stage::Rrc, at.now);
            self.enqueue(ue, flow, direction, packet, at);
        }
        self.notice(at.now, ue);
    }

    /// The bearers of a suspended connection begin anew.
    fn resume_bearers(&mut self, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let (now, id) = (at.now, self.id);
        self.for_each_bearer(ue, at, |bearer, cx, out| {
            bearer.reestablish((now, Stage::Rrc), cx, &mut |way, packet| out(way, packet));
        });
        let Some(rrc) = self.rrc_mut(ue) else { return };
        let Some(anchor) = rrc.leave_anchor().filter(|anchor| *anchor != id) else { return };
        let (transport, mut packets) = (rrc.transport(), rrc.take_downlink());
        packets.iter_mut().for_each(|(_, packet)| packet.charge(Stage::Rrc, now));
        self.resumed.push(Resumed { ue: self.ues[ue.index()].id, anchor, transport, packets });
    }

    /// A UE becomes idle by a failure of its link, or of its promotion.
    pub fn release_rrc(&mut self, now: Time, ue: UeIndex, cx: &mut Cx<'_>) {
        if self.has_rrc(ue) {
            self.change_rrc(ue, cx, |rrc| rrc.fail(now).then_some((now, State::Idle)));
            self.forget(now, ue);
        }
    }

    /// True if a UE has received a page by now.
    pub fn is_paged_now(&self, ue: UeIndex, now: Time) -> bool {
        self.rrc(ue).is_some_and(|rrc| rrc.is_paged(now))
    }

    /// True if a UE has RRC states.
    pub fn has_rrc(&self, ue: UeIndex) -> bool {
        self.rrc(ue).is_some()
    }

    /// True if a UE's connection is suspended, or its resume goes on.
    pub fn is_suspended(&self, ue: UeIndex) -> bool {
        self.rrc(ue).is_some_and(Entity::is_suspended)
    }

    /// True if a UE is idle or inactive, and no connection is on its way.
    pub fn is_idle(&self, ue: UeIndex) -> bool {
        self.rrc(ue).is_some_and(|rrc| rrc.machine.state().is_paged())
    }

    /// True if packets in a direction wait for a connection of a UE with RRC states, or a full
    /// buffer does.
    pub fn waits_for_connection(&self, ue: UeIndex, direction: Direction) -> bool {
        let full = |bearer: &Bearer| bearer.rlc().is_full(direction);
        self.rrc(ue).is_some_and(|rrc| rrc.waits(direction))
            || self.ues[ue.index()].bearers.iter().any(full)
    }

    /// With the connection its scheduling requests end (TS 36.331, 5.3.12).
    #[inline(never)]
    pub fn forget(&mut self, now: Time, ue: UeIndex) {
        self.backlogged.set(ue, false);
        self.pending_bsr.set(ue, false);
        self.for_each_secondary(|cell| cell.forget(now, ue));
        self.deactivate(ue, (now, SecondaryEnd::Connection));
        let uplink = &mut self.ues[ue.index()].uplink;
        (uplink.sr_pending, uplink.retx_bsr) = (false, None);
    }

    /// True if a UE does not listen when the assignment that is decided next is on the air.
    /// It is looked at again when it does.
    #[inline]
    pub fn sleeps(&mut self, now: Time, ue: UeIndex) -> bool {
        if self.rrc.is_empty() {
            return false;
        }
        let (lead, tti) = (self.config.timing.downlink_preparation, self.config.tti);
        let decided = self.steps.next_decision(Work::Serve(DOWN), tti.number_from(now));
        sleeps(&mut self.rrc, &mut self.jobs, (tti.start(decided), lead), ue)
    }

    /// An assignment or a grant for new data, which is on the air from `air` on.
    #[inline]
    pub fn schedules(&mut self, air: Time, ue: UeIndex, direction: Direction, cx: &mut Cx<'_>) {
        if !self.rrc.is_empty() {
            self.keep_awake(air, ue, direction, cx);
        }
    }

    #[inline(never)]
    fn keep_awake(&mut self, air: Time, ue: UeIndex, direction: Direction, cx: &mut Cx<'_>) {
        let received = air + self.config.tti.length();
        let ends = direction == DOWN && self.has_nothing_more(air, ue);
        self.change_rrc(ue, cx, |rrc| {
            let woken = match direction {
                Direction::Downlink => rrc.machine.activity(received),
                Direction::Uplink => rrc.machine.grant(received),
            };
            if ends && rrc.commands() {
                rrc.machine.command(received);
            }
            woken.then_some((received, State::Active))
        });
        if ends {
            self.change_skipping(ue, cx, |rrc| rrc.machine.skip(received));
        }
    }

    /// True if a UE may skip PDCCH monitoring or gets a DRX command, as its cell has nothing more for it. There are no data
    /// downlink or reported uplink, and no data burst goes on.
    fn has_nothing_more(&self, now: Time, ue: UeIndex) -> bool {
        let own = &self.ues[ue.index()];
        let heeds = |rrc: &Entity| rrc.machine.config().skipping.is_some() || rrc.commands();
        self.rrc(ue).is_some_and(heeds)
            && self.queued(DOWN, ue, now) == 0
            && own.uplink.reported.all() == 0
            && own.uplink.granted == 0
            && !own.bearers.iter().any(Bearer::expects_more)
    }

    /// Lets `change` change a UE's skipping of PDCCH monitoring, and reports it.
    fn change_skipping(
        &mut self,
        ue: UeIndex,
        cx: &mut Cx<'_>,
        change: impl FnOnce(&mut Entity) -> Option<(Time, Time)>,
    ) {
        let id = self.ues[ue.index()].id;
        if let Some((from, until)) = self.rrc_mut(ue).and_then(change) {
            cx.emit(|| Event::Radio(RadioEvent::Skipping { ue: id, from, until }));
        }
    }

    /// A UE has sent a NACK, and monitors PDCCH again (pdcch-MonitoringResumptionAfterNack: TS 38.213, 10.4).
    pub fn resume_monitoring(&mut self, now: Time, ue: UeIndex, cx: &mut Cx<'_>) {
        if !self.rrc.is_empty() {
            self.change_skipping(ue, cx, |rrc| rrc.machine.resume(now));
        }
    }

    /// A UE wakes to send a scheduling request and listens until it has a grant (TS 36.321, 5.7).
    pub fn wake_for_request(&mut self, now: Time, ue: UeIndex, cx: &mut Cx<'_>) {
        self.resume_monitoring(now, ue, cx);
        self.change_rrc(ue, cx, |rrc| rrc.machine.request(now).then_some((now, State::Active)));
    }

    /// A block has been made, and will be received by `received`.
    #[inline]
    pub fn carries_block(&mut self, received: Time, ue: UeIndex) {
        if let Some(rrc) = self.rrc_mut(ue) {
            rrc.on_air += 1;
            rrc.machine.arrival(received);
        }
    }

    /// A UE sends or reports without a scheduling request, and counts as active by that.
    pub fn acts_without_request(&mut self, now: Time, ue: UeIndex, cx: &mut Cx<'_>) {
        let requests = matches!(self.config.uplink.access, Access::SchedulingRequest { .. });
        if !requests && !self.rrc.is_empty() {
            self.count_as_active(now, ue, cx);
        }
    }

    #[inline(never)]
    fn count_as_active(&mut self, now: Time, ue: UeIndex, cx: &mut Cx<'_>) {
        self.change_rrc(ue, cx, |rrc| rrc.machine.activity(now).then_some((now, State::Active)));
    }

    /// A block has been decoded or given up.
    #[inline]
    pub fn ends_block(&mut self, ue: UeIndex) {
        if let Some(rrc) = self.rrc_mut(ue) {
            rrc.on_air -= 1;
        }
    }
}

#[cfg(test)]
#[path = "rrc_tests.rs"]
mod tests;
