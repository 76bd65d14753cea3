//! Steps of a handover: preparation, command, interruption, random access, completion (TS 36.331, 5.3.5; TS
//! 38.331, 5.3.5.5).

use airpath_base::{CellId, Db, Duration, Time, UeId, math};
use airpath_net::{Cx, DapsHandover, Direction, Handover, HandoverOutcome, LinkFailure, Stage};

use super::messages::{Attempt, report_access, report_assigned};
use super::{Handovers, Phase, SHORT_STAY, Targets};
use crate::handover::{Access, AccessStep, Failure, FailureKind, Outcome, Reception, Steps};
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

/// t-PollRetransmit of the signalling bearer (TS 36.331, 9.2.1.1): from a command to its repetition.
const POLL_RETRANSMIT: Duration = Duration::from_millis(45);
/// maxRetxThreshold of the signalling bearer (TS 36.331, 9.2.1.1).
const MAX_RETRANSMISSIONS: u32 = 4;
/// Resource blocks of a preamble (TS 36.211, 5.7.1).
pub(in crate::node) const PREAMBLE_BLOCKS: f64 = 6.0;

/// Result of a transmission of a command.
pub(in crate::node) enum Transmitted {
    /// The UE receives it at this time.
    Received(Time),
    /// The UE is out of range: RLC repeats it then.
    Again {
        /// Time of the next transmission.
        due: Time,
        /// Its number.
        attempt: u32,
    },
    /// There is no link to the UE.
    Lost,
}

impl Ran {
    /// A UE sends a measurement report: its cell begins to prepare a handover, if it receives it.
    pub(super) fn take_measurement_report(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        targets: Targets,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let source = &self.cells[cell.index()];
        if !source.has_link(index) || !source.hears(index) {
            return;
        }
        let now = source.after_gap(index, now);
        let own = all.ue(ue);
        (own.cause, own.next_targets) = (targets.cause, targets.others);
        all.prepare((now, ue), (cell, CellId(targets.best as u16)), now);
    }

    /// Does the step of a handover whose time has come.
    pub(super) fn next_step(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        match &mut all.ue(ue).phase {
            Phase::Served => {}
            Phase::Preparing { .. } => self.end_preparation(all, (now, ue), cx),
            Phase::Commanding { attempt, .. } => {
                let attempt = *attempt;
                self.send_command(all, (now, ue), attempt, cx);
            }
            Phase::Commanded { .. } => self.take_command(all, (now, ue), cx),
            Phase::Executing { .. } => self.leave_by_condition(all, (now, ue), cx),
            Phase::Switching { t304, .. } | Phase::Accessing { t304, .. } if now >= *t304 => {
                self.end_by_t304(all, (now, ue), cx);
            }
            Phase::Switching { t304, .. } => {
                let t304 = *t304;
                self.begin_access(all, (now, ue), t304, cx);
            }
            Phase::Accessing { .. } => self.go_on_with_access(all, (now, ue), cx),
            Phase::Seeking { .. } | Phase::Reestablishing { .. } => self.select(all, (now, ue), cx),
        }
    }

    /// The target has prepared itself, or refuses.
    fn end_preparation(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let (target, index) = (all.ue(ue).steps.target, self.serving[ue.index()].ue);
        if !self.cells[target.index()].has_room_for(index) {
            return self.take_refusal(all, (now, ue), cx);
        }
        all.ue(ue).steps.prepared = Some(now);
        all.ue(ue).phase = Phase::Commanding { due: now, attempt: 0 };
    }

    /// The source cell sends the command. It is lost while the UE is out of range.
    fn send_command(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        attempt: u32,
        cx: &mut Cx<'_>,
    ) {
        all.ue(ue).steps.command_sent.get_or_insert(now);
        all.ue(ue).phase = match self.transmit_command((now, ue), attempt, cx) {
            Transmitted::Received(received) => Phase::Commanded { received },
            Transmitted::Again { due, attempt } => Phase::Commanding { due, attempt },
            Transmitted::Lost => {
                all.ue(ue).steps.end(now, Outcome::CommandLost);
                Phase::Served
            }
        };
    }

    /// The serving cell transmits a command for the time of this number, from 0. After the last one the link has failed.
    pub(in crate::node) fn transmit_command(
        &mut self,
        (now, ue): (Time, UeId),
        attempt: u32,
        cx: &mut Cx<'_>,
    ) -> Transmitted {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        let source = &mut self.cells[cell.index()];
        if !source.has_link(index) {
            return Transmitted::Lost; // its failure has its own course
        }
        let timing = &source.config.timing;
        let received = now + timing.downlink_preparation + source.config.tti.length();
        if let Some(due) = source.gap_end(index, (now, received)) {
            return Transmitted::Again { due, attempt };
        }
        if source.reaches(index, at) {
            return Transmitted::Received(received);
        }
        if attempt < MAX_RETRANSMISSIONS {
            return Transmitted::Again { due: now + POLL_RETRANSMIT, attempt: attempt + 1 };
        }
        source.fail_link(index, LinkFailure::MaxRetransmissions(Direction::Downlink), at);
        Transmitted::Lost
    }

    /// The UE has the command: it leaves the source cell, or keeps it with DAPS. A UE that has become idle or inactive
    /// while the command was on the air does not have it.
    fn take_command(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        if !self.cells[cell.index()].is_connected(index) {
            all.ue(ue).steps.end(now, Outcome::CommandLost);
            all.ue(ue).phase = Phase::Served;
            return;
        }
        let target = all.ue(ue).steps.target;
        let procedure = &all.config.handover.procedure;
        let access = now + procedure.rrc_processing + all.synchronisation(cell, target);
        all.ue(ue).steps.command_received = Some(now);
        if self.can_keep_source(all, ue) {
            return self.keep_source(all, (now, ue), access, cx);
        }
        self.leave_source(all, (now, ue), access, cx);
    }

    /// The UE leaves the source cell, as the condition of a candidate is fulfilled. It stays if its link has failed before,
    /// or if it has become idle or inactive.
    fn leave_by_condition(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let source = &self.cells[cell.index()];
        if !source.has_link(index) || !source.is_connected(index) {
            all.ue(ue).phase = Phase::Served;
            return;
        }
        let access = now + all.synchronisation(cell, all.ues[ue.index()].steps.target);
        self.leave_source(all, (now, ue), access, cx);
    }

    /// The UE leaves the source cell; its random access begins at `access`.
    fn leave_source(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        access: Time,
        cx: &mut Cx<'_>,
    ) {
        let source = self.serving[ue.index()].cell;
        let t304 = now + all.config.handover.procedure.t304;
        let geometry = all.geometry_db(ue, source.index());
        let target = all.ue(ue).steps.target;
        self.forward_waiting(all, ue, target, cx);
        let own = all.ue(ue);
        own.geometry_db = Some(geometry);
        own.path.old = true;
        own.phase = Phase::Switching { access, t304 };
        cx.emit(|| airpath_net::Event::LeavesCell(ue));
        self.begin_handover(now, ue, cx);
        report_assigned(target, ue, cx);
    }

    /// The UE begins its random access to the target cell.
    fn begin_access(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        t304: Time,
        cx: &mut Cx<'_>,
    ) {
        let (config, seed) = (all.config.handover.access, all.seed);
        let target = all.ue(ue).aim();
        all.ue(ue).steps.access = Some(now);
        if !all.config.random_access {
            all.ue(ue).steps.enter(now, &AccessStep::Completed);
            return self.complete(all, (now, ue), cx);
        }
        // A candidate has reserved its preamble with its preparation.
        let prepared = all.config.handover.conditional.is_some();
        let reserved = &mut all.occasions[target.index()];
        let preamble = match prepared {
            true => reserved.reserved(ue),
            false => config.dedicated.then(|| reserved.reserve(ue, config.preambles)).flatten(),
        };
        let access = Box::new(Access::begin(&config, ue, seed, now, preamble));
        all.ue(ue).phase = Phase::Accessing { access, t304 };
    }

    /// The random access goes on. After its failure the UE waits for T304.
    fn go_on_with_access(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let own = &mut all.ues[ue.index()];
        let target = own.aim();
        let (carrier, position) = all.carriers.of(target);
        let Some(link) = own.channels.get(carrier).and_then(|own| own.mean_link(ue, position))
        else {
            return;
        };
        let noise = link.noise_at_cell + Db(10.0 * math::log10(PREAMBLE_BLOCKS));
        let reception = Reception { path_loss: link.path_loss, noise };
        let Phase::Accessing { access, .. } = &mut own.phase else { return };
        let occasions = &mut all.occasions[target.index()];
        while let Some((at, step)) = access.poll(now, &reception, occasions) {
            own.steps.enter(at, &step);
            let (sent, message_3) = (access.sent(), own.steps.message_3);
            let attempt =
                Attempt { cell: target, ue, sent, message_3, contention: !access.is_dedicated() };
            report_access(attempt, &step, (occasions, self.mobility.as_ref()), cx);
            if step == AccessStep::Completed {
                return self.complete(all, (now, ue), cx);
            }
        }
    }

    /// The target cell serves the UE.
    fn complete(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let target = all.ue(ue).aim();
        if all.ue(ue).conditional.as_ref().is_some_and(|own| own.recovery.is_some()) {
            all.ue(ue).reached = Some(target);
            return self.end_reestablishment(all, (now, ue), cx);
        }
        self.release_source(all, (now, ue), cx);
        all.occasions[target.index()].release(ue);
        let forwarding = all.config.forwarding.is_some();
        let lost = self.move_ue(now, (ue, target), (Stage::Handover, forwarding), cx);
        self.arrive(all, (now, ue), lost);
        self.hold_downlink(all, (now, ue));
        let own = all.ue(ue);
        own.phase = Phase::Served;
        own.reached = Some(target);
        let ping_pong = own.last.as_ref().is_some_and(|last| own.steps.returns(last, SHORT_STAY));
        own.last = Some(own.steps.clone());
        own.failure = None;
        let record = all.record(ue, HandoverOutcome::Success);
        Ran::report_handover(all, ue, Handover { ping_pong, ..record }, cx);
    }

    /// The UE is connected to another cell, and the core network learns of it.
    pub(super) fn arrive(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), lost: u64) {
        let coordinates = [u64::from(ue.0), all.ue(ue).number, 1];
        let delay = all.config.handover.procedure.path_switch.draw(all.path_switches, coordinates);
        all.ue(ue).path.count.lost += lost;
        Ran::switch_path(all, ue, now + delay);
    }

    /// With late forwarding the target has nothing downlink until the packets of the source have come.
    fn hold_downlink(&mut self, all: &mut Handovers, (now, ue): (Time, UeId)) {
        let Some(delay) = all.late_forwarding() else { return };
        let until = now + delay;
        let path = &mut all.ue(ue).path;
        path.last = path.last.max(until);
        let Serving { cell, ue: index } = self.serving[ue.index()];
        self.cells[cell.index()].hold_downlink(index, until);
    }

    /// T304 has expired: the UE selects a cell to re-establish its connection (TS 36.331, 5.3.5.6; TS 38.331,
    /// 5.3.5.8.3). With DAPS it goes on in the source cell, if it still has it.
    fn end_by_t304(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        if self.fall_back(all, (now, ue), cx) {
            return;
        }
        self.release_source(all, (now, ue), cx);
        let own = all.ue(ue);
        let (source, target) = (own.steps.source, own.aim());
        own.steps.end(now, Outcome::T304Expired);
        let kind = FailureKind::Handover { source, target };
        // The failure before an execution in a candidate counts.
        own.failure.get_or_insert(Failure { at: now, kind, reestablished: target });
        own.conditional.iter_mut().for_each(|own| own.recovery = None);
        all.occasions[target.index()].release(ue);
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let t311 = self.cells[cell.index()].end_handover_by_failure(index, now, cx);
        all.ue(ue).phase = Phase::Seeking { next: now, t311 };
    }
}

impl Handovers {
    /// A source cell begins to prepare a target for a UE, after a report of this time.
    pub(super) fn prepare(
        &mut self,
        (now, ue): (Time, UeId),
        (source, target): (CellId, CellId),
        report: Time,
    ) {
        let coordinates = [u64::from(ue.0), self.ue(ue).number, 0];
        let preparation = self.config.handover.procedure.preparation;
        let ready = now + preparation.draw(self.preparations, coordinates);
        let own = self.ue(ue);
        own.number += 1;
        own.steps = Steps::begin(ue, source, target, report);
        own.phase = Phase::Preparing { ready };
    }

    /// From the processed command to the begin of the random access, by the carriers of both cells.
    pub(super) fn synchronisation(&self, source: CellId, target: CellId) -> Duration {
        match self.differ(source, target) {
            true => self.config.handover.other_carriers.synchronisation,
            false => self.config.handover.procedure.synchronisation,
        }
    }

    /// The record of a UE's handover, which ends like this.
    pub(super) fn record(&self, ue: UeId, outcome: HandoverOutcome) -> Handover {
        let own = &self.ues[ue.index()];
        let steps = &own.steps;
        Handover {
            ue,
            source: steps.source,
            target: steps.target,
            reached: own.reached,
            inter_frequency: self.differ(steps.source, own.reached.unwrap_or(steps.target)),
            cause: own.cause,
            outcome,
            problem: None,
            ping_pong: false,
            report: steps.report,
            command_sent: steps.command_sent,
            command_received: steps.command_received,
            access: steps.access,
            completed: steps.completed,
            path_switched: steps.path_switched,
            failed: own.failure.map(|failure| failure.at),
            refused: None,
            preambles: steps.preambles.len() as u32,
            geometry_db: [
                own.geometry_db,
                own.reached.map(|cell| self.geometry_db(ue, cell.index())),
            ],
            forwarded: own.path.count.forwarded,
            lost: own.path.count.lost,
            conditional: own.conditional.as_ref().and_then(|conditional| {
                let copies = own.path.count.copies;
                conditional.executed.map(|one| airpath_net::ConditionalHandover { copies, ..one })
            }),
            daps: own.daps.map(|one| DapsHandover { copies: own.path.count.copies, ..one }),
        }
    }
}
