//! What RRC and DRX mean for the node: packets that wait for a connection, and UEs that do
//! not listen. A UE without RRC is always connected and awake.

use airpath_base::rrc::State;
use airpath_base::{BearerId, Duration, Time, UeId};
use airpath_net::{Cx, Direction, Event, Packet, RadioEvent, Stage};

use super::jobs::Jobs;
use super::{Job, Ran, Work};
use crate::config::{Access, CellConfig, QosFlow, RanConfig, UeConfig};
use crate::rrc::{Entity, RrcConfig};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// RRC of each UE; nothing at all if none has any. A UE without service is idle.
pub(super) fn entities(config: &RanConfig) -> Vec<Option<Box<Entity>>> {
    let entity = |ue: &UeConfig| {
        let rrc = ue.rrc.as_ref()?;
        let connected = rrc.connected && ue.served;
        Some(Box::new(Entity::new(&RrcConfig { connected, ..rrc.clone() })))
    };
    match config.ues.iter().any(|ue| ue.rrc.is_some()) {
        true => config.ues.iter().map(entity).collect(),
        false => Vec::new(),
    }
}

fn report(ue: UeId, at: Time, state: State, cx: &mut Cx<'_>) {
    cx.emit(|| Event::Radio(RadioEvent::Rrc { ue, at, state }));
}

fn arm(rrc: &mut Entity, jobs: &mut Jobs<Job>, ue: UeId) {
    let Some(due) = rrc.next_due() else { return };
    if rrc.armed.is_none_or(|armed| due < armed) {
        rrc.armed = Some(due);
        jobs.push_timer(due, Job::Rrc { ue });
    }
}

/// Whether a UE does not listen `lead` after a decision about the downlink at `decided`. It
/// is looked at again when it does.
pub(super) fn sleeps(
    all: &mut [Option<Box<Entity>>],
    jobs: &mut Jobs<Job>,
    (decided, lead): (Time, Duration),
    ue: UeId,
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
    ue: UeId,
) -> bool {
    let sleeps = !rrc.listens(decided + lead, lead);
    if sleeps {
        arm(rrc, jobs, ue);
    }
    sleeps
}

/// Whether a UE listens when a grant that is decided `now` is on the air.
#[inline]
pub(super) fn hears_grant(
    all: &[Option<Box<Entity>>],
    cell: &CellConfig,
    now: Time,
    ue: UeId,
) -> bool {
    let (air, access) = (now + cell.timing.grant_preparation, cell.uplink.access);
    let rrc = all.get(ue.index()).and_then(Option::as_deref);
    rrc.is_none_or(|rrc| match access {
        Access::Instant | Access::Reported { .. } => rrc.is_connected(),
        _ => rrc.machine.is_awake(air),
    })
}

impl Ran {
    fn rrc(&self, ue: UeId) -> Option<&Entity> {
        self.rrc.get(ue.index())?.as_deref()
    }

    #[inline]
    fn rrc_mut(&mut self, ue: UeId) -> Option<&mut Entity> {
        self.rrc.get_mut(ue.index())?.as_deref_mut()
    }

    /// Begins the timers of UEs that are connected from the beginning.
    pub(super) fn begin_rrc(&mut self) {
        (0..self.rrc.len() as u32).for_each(|n| self.arm_rrc(UeId(n)));
    }

    /// Sees to it that a UE is looked at in time.
    fn arm_rrc(&mut self, ue: UeId) {
        let c = self.serving(ue).0;
        if let Some(rrc) = self.rrc.get_mut(ue.index()).and_then(Option::as_deref_mut) {
            arm(rrc, &mut self.cells[c].jobs, ue);
        }
    }

    /// Whether a UE has a connection.
    #[inline]
    pub(super) fn is_connected(&self, ue: UeId) -> bool {
        self.rrc(ue).is_none_or(Entity::is_connected)
    }

    /// Gives a packet back if its UE is connected; otherwise it waits until it is.
    #[inline(never)]
    pub(super) fn admit(
        &mut self,
        now: Time,
        (flow, direction): (QosFlow, Direction),
        packet: Packet,
        cx: &mut Cx<'_>,
    ) -> Option<Packet> {
        let packet = self.admit_to_link((flow, direction), packet)?;
        let ue = self.bearers[flow.bearer.index()].config.ue;
        let Some(rrc) = self.rrc_mut(ue) else { return Some(packet) };
        if rrc.is_connected() {
            rrc.machine.arrival(now);
            return Some(packet);
        }
        rrc.wait(flow, direction, packet);
        self.call_for_connection(now, (ue, direction), cx);
        None
    }

    /// A UE without a connection needs one.
    #[inline(never)]
    pub(super) fn call_for_connection(
        &mut self,
        now: Time,
        (ue, direction): (UeId, Direction),
        cx: &mut Cx<'_>,
    ) {
        if !self.radio_links.is_up(ue) || !self.is_idle(ue) || !self.finds_cell(now, ue) {
            return;
        }
        let page = self.cells[self.serving(ue).0].config.tti.length();
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if rrc.calls(now, direction, page) {
            rrc.promote(now);
            report(ue, now, State::Promotion, cx);
        }
        self.arm_rrc(ue);
    }

    /// The time of a UE's timer, page or on-duration may have come.
    #[inline(never)]
    pub(super) fn look_at_rrc(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let carries = self.carries(now, ue) || !self.radio_links.is_up(ue);
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if rrc.armed.is_none_or(|armed| armed > now) {
            return; // an earlier one has taken its place
        }
        rrc.armed = None;
        if carries {
            rrc.machine.arrival(now);
        }
        if rrc.is_paged(now) {
            rrc.promote(now);
            report(ue, now, State::Promotion, cx);
        }
        let before = rrc.machine.state();
        while let Some((at, state)) = rrc.machine.advance(now) {
            report(ue, at, state, cx);
        }
        let (state, awake) = (rrc.machine.state(), rrc.take_wake(now));
        if before == State::Promotion && state.is_connected() && !self.finds_cell(now, ue) {
            self.release_rrc(now, ue, cx);
        } else if before == State::Promotion && state.is_connected() {
            self.connect(now, ue, cx);
        } else if state == State::Idle {
            self.forget(ue);
        }
        if awake && self.queued(DOWN, ue, now) > 0 {
            self.notice_downlink(now, ue);
        }
        self.arm_rrc(ue);
    }

    /// Whether a connection is still needed: something is queued, granted, on the air or
    /// unacknowledged.
    pub(super) fn carries(&self, now: Time, ue: UeId) -> bool {
        let uplink = &self.ues[ue.index()].uplink;
        let in_rlc = |id: &BearerId| {
            let bearer = &self.bearers[id.index()];
            let queued = |direction| bearer.queued(direction, now) > 0;
            bearer.held().packets > 0 || queued(DOWN) || queued(UP)
        };
        uplink.reported.all() > 0
            || uplink.granted > 0
            || self.rrc(ue).is_some_and(|rrc| rrc.on_air > 0)
            || self.ues[ue.index()].config.bearers.iter().any(in_rlc)
    }

    /// What has waited for the connection goes to PDCP (TS 36.331, 5.3.10.3).
    #[inline(never)]
    fn connect(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        self.begin_monitoring(now, ue);
        while let Some((flow, direction, mut packet)) =
            self.rrc_mut(ue).and_then(Entity::next_waiting)
        {
            packet.charge(Stage::Rrc, now);
            self.enqueue(now, flow, direction, packet, cx);
        }
        for n in 0..self.ues[ue.index()].config.bearers.len() {
            self.notice(now, self.ues[ue.index()].config.bearers[n]);
        }
    }

    /// A UE becomes idle by a failure of its link, or of its promotion.
    pub(super) fn release_rrc(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if rrc.fail(now) {
            report(ue, now, State::Idle, cx);
        }
        self.forget(ue);
        self.arm_rrc(ue);
    }

    /// Whether a UE has RRC states.
    pub(super) fn has_rrc(&self, ue: UeId) -> bool {
        self.rrc(ue).is_some()
    }

    fn is_idle(&self, ue: UeId) -> bool {
        self.rrc(ue).is_some_and(|rrc| rrc.machine.state() == State::Idle)
    }

    /// Whether packets in a direction wait for a connection of a UE with RRC states, or a full
    /// buffer does.
    pub(super) fn waits_for_connection(&self, ue: UeId, direction: Direction) -> bool {
        let full = |id: &BearerId| self.bearers[id.index()].rlc().is_full(direction);
        self.rrc(ue).is_some_and(|rrc| rrc.waits(direction))
            || self.ues[ue.index()].config.bearers.iter().any(full)
    }

    /// With the connection its scheduling requests end (TS 36.331, 5.3.12).
    #[inline(never)]
    fn forget(&mut self, ue: UeId) {
        let (c, place) = self.serving(ue);
        self.cells[c].backlogged.set(place, false);
        self.cells[c].pending_bsr.set(place, false);
        let uplink = &mut self.ues[ue.index()].uplink;
        (uplink.sr_pending, uplink.retx_bsr) = (false, None);
    }

    /// Whether a UE does not listen when the assignment that is decided next is on the air.
    /// It is looked at again when it does.
    #[inline]
    pub(super) fn sleeps(&mut self, now: Time, ue: UeId) -> bool {
        if self.rrc.is_empty() {
            return false;
        }
        let cell = &mut self.cells[self.serving[ue.index()].cell];
        let (lead, tti) = (cell.config.timing.downlink_preparation, cell.config.tti);
        let decided = cell.steps.next_decision(Work::Serve(DOWN), tti.number_from(now));
        let decided = tti.start(decided);
        sleeps(&mut self.rrc, &mut cell.jobs, (decided, lead), ue)
    }

    /// An assignment or a grant for new data, which is on the air from `air` on.
    #[inline]
    pub(super) fn schedules(
        &mut self,
        air: Time,
        (ue, direction): (UeId, Direction),
        cx: &mut Cx<'_>,
    ) {
        if !self.rrc.is_empty() {
            self.keep_awake(air, (ue, direction), cx);
        }
    }

    #[inline(never)]
    fn keep_awake(&mut self, air: Time, (ue, direction): (UeId, Direction), cx: &mut Cx<'_>) {
        let heard = air + self.cells[self.serving(ue).0].config.tti.length();
        let Some(rrc) = self.rrc_mut(ue) else { return };
        let woken = match direction {
            Direction::Downlink => rrc.machine.activity(heard),
            Direction::Uplink => rrc.machine.grant(heard),
        };
        if woken {
            report(ue, heard, State::Active, cx);
        }
        self.arm_rrc(ue);
    }

    /// A UE wakes to ask for a grant and listens until it has one (TS 36.321, 5.7).
    pub(super) fn asks(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if rrc.machine.request(now) {
            report(ue, now, State::Active, cx);
        }
        self.arm_rrc(ue);
    }

    /// A block has been made, and will be received by `received`.
    #[inline]
    pub(super) fn carries_block(&mut self, received: Time, ue: UeId) {
        if let Some(rrc) = self.rrc_mut(ue) {
            rrc.on_air += 1;
            rrc.machine.arrival(received);
        }
    }

    /// A UE sends or reports without a scheduling request, and counts as active by that.
    pub(super) fn acts_unasked(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let access = self.cells[self.serving(ue).0].config.uplink.access;
        let asks = matches!(access, Access::SchedulingRequest { .. });
        if !asks && !self.rrc.is_empty() {
            self.count_as_active(now, ue, cx);
        }
    }

    #[inline(never)]
    fn count_as_active(&mut self, now: Time, ue: UeId, cx: &mut Cx<'_>) {
        let Some(rrc) = self.rrc_mut(ue) else { return };
        if rrc.machine.activity(now) {
            report(ue, now, State::Active, cx);
        }
        self.arm_rrc(ue);
    }

    /// A block has been decoded or given up.
    #[inline]
    pub(super) fn ends_block(&mut self, ue: UeId) {
        if let Some(rrc) = self.rrc_mut(ue) {
            rrc.on_air -= 1;
        }
    }
}

#[cfg(test)]
#[path = "rrc_tests.rs"]
mod tests;
