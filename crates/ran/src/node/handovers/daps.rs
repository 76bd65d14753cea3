//! Handover with a dual active protocol stack (DAPS): TS 38.300, 9.2.3.2; TS 36.300, 10.1.2.1b; TS 38.331, 5.3.5.5 and
//! 5.3.5.8.3; TS 38.323, 5.13.
//!
//! - From the command on, the UE keeps its source cell, with data in both directions. Random access to the target runs
//!   beside.
//! - The source sends downlink packets to the UE, and forwards a copy of each to the target (TS 38.300, 9.2.3.2.3).
//! - With the completed random access data go on in the target. The source is released.
//! - If T304 expires while the source is there, the UE goes on in it, without a re-establishment. Its event may report
//!   again.
//! - Secondary cells of the source are released with the command (TS 38.300, 9.2.3.2.1). A fallback adds them again.
//! - If the link to the source fails first, the UE goes on with its random access. Its packets wait for the target.
//!
//! Simplified: the target sends no packet that the source has delivered, and discards its copy. A copy is there when the
//! source is released, also if it has been on its way for less than the delay of forwarding. Left out: reception from
//! both cells behind the completion. What RLC had on the air then, AM sends again in the target, and UM loses.

use airpath_base::{Time, UeId};
use airpath_net::{Cx, DapsHandover, Direction, Event, HandoverOutcome, SecondaryEnd};

use super::messages::report_assigned;
use super::{Handovers, Phase, UeHandover};
use crate::handover::{Failure, FailureKind, Outcome};
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

impl UeHandover {
    /// True if the UE has left the source cell and is not in another.
    pub(super) fn is_between(&self) -> bool {
        self.phase.is_between() && !self.keeps_source
    }
}

impl Ran {
    /// True if a UE keeps its source cell when it has a command.
    pub(super) fn can_keep_source(&self, all: &Handovers, ue: UeId) -> bool {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        all.config.handover.daps && self.cells[cell.index()].has_link(index)
    }

    /// The UE has the command and keeps its source cell; its random access begins at `access`.
    pub(super) fn keep_source(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        access: Time,
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let t304 = now + all.config.handover.procedure.t304;
        let (geometry, forwarding) = (all.geometry_db(ue, cell.index()), all.config.forwarding);
        let source = &mut self.cells[cell.index()];
        source.keep_link(index, true);
        let at = &mut Moment { now, common: &self.common, cx };
        source.release_secondaries(index, (now, SecondaryEnd::Handover), at);
        self.settle_guests(now, cx);
        let source = &mut self.cells[cell.index()];
        let mut copies = 0;
        if forwarding.is_some() {
            for bearer in &mut source.ues[index.index()].bearers {
                bearer.for_each_undelivered(Direction::Downlink, &mut |_| copies += 1);
            }
        }
        let own = all.ue(ue);
        own.geometry_db = Some(geometry);
        own.path.count.copies = copies;
        own.keeps_source = true;
        own.daps = Some(DapsHandover::default());
        own.phase = Phase::Switching { access, t304 };
        cx.emit(|| Event::LeavesCell(ue));
    }

    /// The source cell is released, if the UE has kept it until now. What the UE has not received goes to the target.
    pub(super) fn release_source(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        if !all.ue(ue).keeps_source {
            return;
        }
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let target = all.ue(ue).steps.target;
        let source = &mut self.cells[cell.index()];
        let failed = source.abandoned_since(index);
        source.keep_link(index, false);
        self.forward_waiting(all, ue, target, cx);
        let own = all.ue(ue);
        (own.keeps_source, own.path.old) = (false, true);
        own.daps.iter_mut().for_each(|own| own.source_failed = failed);
        self.begin_handover(now, ue, cx);
        report_assigned(target, ue, cx);
    }

    /// T304 has expired: the UE goes on in the source cell, if it still has it, and reports the failure (TS 38.331,
    /// 5.3.5.8.3). False if it has not.
    pub(super) fn fall_back(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) -> bool {
        let Serving { cell: source, ue: index } = self.serving[ue.index()];
        let cell = &mut self.cells[source.index()];
        if !all.ue(ue).keeps_source || !cell.has_link(index) {
            return false;
        }
        cell.keep_link(index, false);
        cell.add_secondaries(now, index);
        let target = all.ue(ue).steps.target;
        all.occasions[target.index()].release(ue);
        let own = all.ue(ue);
        own.steps.end(now, Outcome::T304Expired);
        let kind = FailureKind::Handover { source, target };
        own.failure = Some(Failure { at: now, kind, reestablished: source });
        own.daps.iter_mut().for_each(|own| own.fallback = true);
        (own.keeps_source, own.phase) = (false, Phase::Served);
        own.reached = Some(source);
        let record = all.record(ue, HandoverOutcome::T304Expired);
        all.ue(ue).failure = None;
        Ran::report_handover(all, ue, record, cx);
        true
    }
}
