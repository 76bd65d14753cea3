//! Selection of a cell after a failure, and cell reselection of idle and inactive UEs.
//!
//! - **Selection** (TS 36.331, 5.3.7; TS 38.331, 5.3.7): a UE whose link has failed selects the strongest suitable
//!   cell, until T311 expires. A cell is suitable if its mean SINR with all cells active allows the least CQI.
//! - A UE whose own cell stays the strongest is re-established there by its cell
//!   ([`radio_link`](crate::node::radio_link)).
//! - **Reselection** (TS 36.304, 5.2.4.6; TS 38.304, 5.2.4.6): an idle or inactive UE goes to a cell that has ranked
//!   above its own by Qhyst for Treselection. Paging follows it.
//!
//! Simplified: a re-establishment has one duration, which includes its random access. Context and data go to any
//! cell.

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::{Cx, Handover, HandoverCause, HandoverOutcome, Stage};

use super::messages::report_assigned;
use super::{Handovers, Phase, SHORT_STAY, UeHandover};
use crate::handover::{Failure, FailureKind, Outcome, Problem, Steps, classify};
use crate::node::Ran;
use crate::node::common::Moment;
use crate::node::serving::Serving;

/// Time between looks for a suitable cell: a radio frame.
const LOOK: Duration = Duration::from_millis(10);

impl Ran {
    /// New measurements of a UE whose link may have failed, or that may be idle.
    pub(super) fn follow_link(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let source = &mut self.cells[cell.index()];
        if all.ue(ue).is_between() {
            return;
        }
        if source.has_link(index) && source.is_bad_on_its_way(index) {
            source.arm_link(now, index);
        }
        if all.ue(ue).keeps_source {
            return;
        }
        if source.is_idle_in_cell(index) {
            self.follow_idle(all, ue, cx);
            return self.reselect(all, (now, ue), cx);
        }
        let Some((failed, t311)) = source.seeks_since_failure(index, now) else { return };
        let best = all.strongest(ue, |target| self.is_suitable_for(all, ue, target));
        if best.is_none_or(|best| best == cell.index()) {
            return;
        }
        all.begin_reestablishment(ue, cell, failed);
        self.begin_handover(now, ue, cx);
        all.ue(ue).phase = Phase::Seeking { next: now, t311 };
    }

    /// An idle UE has no tunnel: the next connection has one to its cell. A suspended connection keeps its own.
    pub(super) fn follow_idle(&self, all: &mut Handovers, ue: UeId, cx: &mut Cx<'_>) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        if !self.cells[cell.index()].is_suspended(index) {
            self.switch_tunnels(all, ue, (cell, false), cx);
        }
    }

    /// True if a cell is suitable for a UE: its mean SINR downlink allows the least CQI.
    fn is_suitable_for(&self, all: &Handovers, ue: UeId, cell: usize) -> bool {
        self.cells[cell].suits(all.ratio(ue, cell))
    }

    /// A UE without a cell looks for one, or is connected to the one that it has selected.
    pub(super) fn select(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        match all.ue(ue).phase {
            Phase::Seeking { t311, .. } if now >= t311 => self.give_up(all, (now, ue), cx),
            Phase::Seeking { t311, .. } => {
                let best = all.strongest(ue, |target| self.is_suitable_for(all, ue, target));
                if best.is_some_and(|best| self.recover(all, (now, ue), best)) {
                    return;
                }
                let own = all.ue(ue);
                own.phase = match best {
                    None => Phase::Seeking { next: (now + LOOK).min(t311), t311 },
                    Some(best) => {
                        own.reached = Some(CellId(best as u16));
                        let link = self.cells[cell.index()].radio_link_config(index);
                        Phase::Reestablishing { done: now + link.reestablishment, t311 }
                    }
                };
            }
            Phase::Reestablishing { t311, .. } => {
                let target = all.ue(ue).selected(cell);
                match self.is_suitable_for(all, ue, target.index()) {
                    true if self.refuse_reestablishment(all, (now, ue), target, cx) => {}
                    true => self.end_reestablishment(all, (now, ue), cx),
                    false => all.ue(ue).phase = Phase::Seeking { next: now, t311: t311.max(now) },
                }
            }
            _ => {}
        }
    }

    /// The connection is re-established in the selected cell.
    pub(super) fn end_reestablishment(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let target = all.ue(ue).selected(self.serving[ue.index()].cell);
        let forwarding = all.config.forwarding.is_some();
        let returns = self.serving[ue.index()].cell == target;
        report_assigned(target, ue, cx);
        if all.ue(ue).forwards_to() != Some(target) {
            self.forward_waiting(all, ue, target, cx);
        }
        let stage = (Stage::Reestablishment, forwarding || returns);
        let lost = self.move_ue(now, (ue, target), stage, cx);
        self.arrive(all, (now, ue), lost);
        self.cells[target.index()].report_reestablished(ue, cx);
        let own = all.ue(ue);
        if returns {
            // The path is still that of this cell.
            (own.path.old, own.path.switched, own.steps.path_switched) = (false, None, None);
            self.switch_tunnels(all, ue, (target, true), cx);
        }
        let own = all.ue(ue);
        own.phase = Phase::Served;
        if own.cause == HandoverCause::Reestablishment {
            own.steps.target = target;
        }
        own.steps.completed = Some(now);
        let failure =
            own.failure.take().map(|failure| Failure { reestablished: target, ..failure });
        let problem = failure.and_then(|failure| classify(own.last.as_ref(), &failure, SHORT_STAY));
        own.failure = failure;
        let outcome = match own.steps.outcome {
            Some((_, Outcome::T304Expired)) => HandoverOutcome::T304Expired,
            Some((_, Outcome::CommandLost)) => HandoverOutcome::CommandLost,
            _ => HandoverOutcome::Success,
        };
        let record = Handover { problem: problem.map(in_net), ..all.record(ue, outcome) };
        let own = all.ue(ue);
        (own.last, own.failure) = (None, None);
        Ran::report_handover(all, ue, record, cx);
    }

    /// T311 has expired: the UE is idle, in the cell that it has come from.
    fn give_up(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let at = &mut Moment { now, common: &self.common, cx };
        self.cells[cell.index()].become_idle(index, at);
        let own = all.ue(ue);
        own.path.old = false;
        own.phase = Phase::Served;
        own.reached = None;
        report_assigned(cell, ue, cx);
        let record = all.record(ue, HandoverOutcome::Idle);
        all.ue(ue).failure = None;
        Ran::report_handover(all, ue, record, cx);
    }

    /// An idle or inactive UE may go to a cell that ranks higher.
    fn reselect(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let (hysteresis, time) = (all.config.reselection_hysteresis, all.config.reselection_time);
        let cell = self.serving[ue.index()].cell;
        let best = all.strongest(ue, |_| true);
        let higher = |best: &usize| all.rank(ue, *best) > all.rank(ue, cell.index()) + hysteresis;
        let best = best.filter(|best| *best != cell.index()).filter(higher);
        let own = all.ue(ue);
        let Some(best) = best else {
            own.better = None;
            return;
        };
        match own.better {
            Some((other, since)) if other == best && now >= since + time => {
                own.better = None;
                (own.cause, own.phase) = (HandoverCause::Reselection, Phase::Served);
                own.steps = Steps { completed: Some(now), ..Steps::default() };
                (own.steps.ue, own.steps.source) = (ue, cell);
                own.steps.target = CellId(best as u16);
                own.reached = Some(own.steps.target);
                self.move_idle_ue(now, (ue, CellId(best as u16)), cx);
                report_assigned(CellId(best as u16), ue, cx);
                self.follow_idle(all, ue, cx);
                let record = all.record(ue, HandoverOutcome::Success);
                Ran::report_handover(all, ue, record, cx);
            }
            Some((other, _)) if other == best => {}
            _ => own.better = Some((best, now)),
        }
    }
}

impl UeHandover {
    /// The cell of the re-establishment of a UE that comes from this one.
    fn selected(&self, from: CellId) -> CellId {
        self.reached.unwrap_or(from)
    }
}

impl Handovers {
    /// A UE whose link has failed in a cell looks for another.
    fn begin_reestablishment(&mut self, ue: UeId, cell: CellId, failed: Time) {
        let geometry = self.geometry_db(ue, cell.index());
        let own = self.ue(ue);
        own.conditional.iter_mut().for_each(|own| own.executed = None);
        own.daps = None;
        let lost = own.steps.outcome.filter(|(_, outcome)| *outcome == Outcome::CommandLost);
        let lost = lost.filter(|_| own.steps.source == cell && own.steps.completed.is_none());
        if lost.is_none() {
            own.cause = HandoverCause::Reestablishment;
            own.steps = Steps { ue, source: cell, target: cell, ..Steps::default() };
        }
        own.geometry_db = Some(geometry);
        own.path.old = true;
        let kind = FailureKind::RadioLink { cell };
        own.failure = Some(Failure { at: failed, kind, reestablished: cell });
    }
}

/// A mobility problem as reports have it.
fn in_net(problem: Problem) -> airpath_net::MobilityProblem {
    match problem {
        Problem::TooLate => airpath_net::MobilityProblem::TooLate,
        Problem::TooEarly => airpath_net::MobilityProblem::TooEarly,
        Problem::WrongCell => airpath_net::MobilityProblem::WrongCell,
    }
}
