//! Refusals of targets without room, with [`AdmissionConfig`](crate::handover::AdmissionConfig).
//!
//! - A target decides when its preparation would be complete. After a failure of the preparation (TS 36.423 and TS 38.423,
//!   8.2.1.3) the source prepares the next best cell of the same report. A cell is tried once for a report.
//! - Behind the last one the UE stays in its cell until its event reports again.
//! - A candidate of a conditional handover without room is none. The next report leaves it out once, so that other cells
//!   are prepared.
//! - A cell that has admitted a UE keeps room for it, until the UE is there or goes elsewhere.
//! - A re-establishment in a full cell is rejected (TS 36.331, 5.3.7.8): the UE is idle there, and its bearers are
//!   released. In NR the cell would answer with a set-up (TS 38.331, 5.3.7.8), which has no room either.

use airpath_base::{CellId, Time, UeId};
use airpath_net::{Cx, Event, Handover, HandoverCause, HandoverOutcome};

use super::messages::report_assigned;
use super::{Handovers, Phase, UeHandover};
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

impl UeHandover {
    /// Cells that have admitted the UE and do not serve it yet.
    fn admitted_to(&self, serving: CellId) -> Vec<CellId> {
        let on_its_way = matches!(
            self.phase,
            Phase::Commanding { .. }
                | Phase::Commanded { .. }
                | Phase::Executing { .. }
                | Phase::Switching { .. }
                | Phase::Accessing { .. }
        );
        let candidates = self.conditional.iter().flat_map(|own| own.candidates.all());
        let candidates = candidates.map(|one| CellId(one.cell as u16));
        let all = on_its_way.then(|| self.aim()).into_iter().chain(candidates);
        let mut all: Vec<CellId> = all.filter(|cell| *cell != serving).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

impl Handovers {
    /// Record of a target that has refused to prepare itself.
    fn refusal(
        &self,
        (now, ue): (Time, UeId),
        (source, target): (CellId, CellId),
        (cause, report): (HandoverCause, Option<Time>),
    ) -> Handover {
        Handover {
            ue,
            source,
            target,
            reached: Some(source),
            cause,
            outcome: HandoverOutcome::Refused,
            problem: None,
            ping_pong: false,
            report,
            command_sent: None,
            command_received: None,
            access: None,
            completed: None,
            path_switched: None,
            failed: None,
            refused: Some(now),
            inter_frequency: self.differ(source, target),
            preambles: 0,
            geometry_db: [Some(self.geometry_db(ue, source.index())), None],
            forwarded: 0,
            lost: 0,
            conditional: None,
            daps: None,
        }
    }
}

impl Ran {
    /// The target of a UE has no room: the source prepares the next best cell, if the report has one and the link is up.
    pub(super) fn take_refusal(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let own = all.ue(ue);
        let (target, cause, report) = (own.steps.target, own.cause, own.steps.report);
        let record = all.refusal((now, ue), (cell, target), (cause, report));
        cx.emit(|| Event::Handover(&record));
        let has_link = self.cells[cell.index()].has_link(index);
        let own = all.ue(ue);
        if !has_link || own.next_targets.is_empty() {
            own.phase = Phase::Served;
            return;
        }
        let next = CellId(own.next_targets.remove(0) as u16);
        all.prepare((now, ue), (cell, next), report.unwrap_or(now));
    }

    /// Cells that have no room for a UE refuse to be candidates. Gives those that have room, of these.
    pub(super) fn refuse_candidates(
        &self,
        all: &Handovers,
        (now, ue): (Time, UeId),
        (cells, report): (&[usize], Time),
        cx: &mut Cx<'_>,
    ) -> Vec<usize> {
        let Serving { cell: source, ue: index } = self.serving[ue.index()];
        let (kept, refused): (Vec<usize>, Vec<usize>) =
            cells.iter().partition(|cell| self.cells[**cell].has_room_for(index));
        for cell in refused {
            let (cells, cause) = ((source, CellId(cell as u16)), HandoverCause::Conditional);
            let record = all.refusal((now, ue), cells, (cause, Some(report)));
            cx.emit(|| Event::Handover(&record));
        }
        kept
    }

    /// The cell of a re-establishment has no room: the UE is idle in it. False if it has room.
    pub(super) fn refuse_reestablishment(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        target: CellId,
        cx: &mut Cx<'_>,
    ) -> bool {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        if target == cell || self.cells[target.index()].has_room_for(index) {
            return false;
        }
        let at = &mut Moment { now, common: &self.common, cx };
        self.cells[cell.index()].become_idle(index, at);
        let own = all.ue(ue);
        (own.path.old, own.phase, own.reached) = (false, Phase::Served, None);
        if own.cause == HandoverCause::Reestablishment {
            own.steps.target = target;
        }
        self.move_idle_ue(now, (ue, target), cx);
        report_assigned(target, ue, cx);
        self.follow_idle(all, ue, cx);
        let record = all.record(ue, HandoverOutcome::Refused);
        all.ue(ue).failure = None;
        Ran::report_handover(all, ue, Handover { refused: Some(now), ..record }, cx);
        true
    }

    /// Cells keep room for a UE that they have admitted.
    pub(super) fn keep_rooms(&mut self, all: &mut Handovers, ue: UeId) {
        if all.config.handover.admission.is_none() {
            return;
        }
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let own = all.ue(ue);
        let rooms = own.admitted_to(cell);
        if rooms == own.rooms {
            return;
        }
        for cell in std::mem::replace(&mut own.rooms, rooms) {
            self.cells[cell.index()].keep_room(index, false);
        }
        for cell in &all.ue(ue).rooms {
            self.cells[cell.index()].keep_room(index, true);
        }
    }
}
