//! Conditional handover: preparation of candidates, the conditional command, execution and recovery (TS 38.300,
//! 9.2.3.4; TS 38.331, 5.3.5.13; TS 36.300, 10.1.2.1a; TS 36.331, 5.3.5.9).
//!
//! - The source prepares the candidates of a report together, and sends them in one command. It is lost and repeated
//!   as a handover's command is. A candidate keeps a preamble for the UE, if the cell has a free one.
//! - The UE evaluates the execution condition, and leaves the source without a report.
//! - After a failure a UE that selects a candidate executes there, once.
//! - All candidates end with a change of the cell, with a re-establishment, and when the UE becomes idle.
//!
//! Left out: resource blocks that the source sends to a UE that has left it, and handover by command beside.

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::{ConditionalHandover, Cx, Event, HandoverCause};

use super::procedure::Transmitted;
use super::{Handovers, Phase, UeHandover};
use crate::handover::{
    Candidates, Change, ConditionalConfig, Offsets, Outcome, Report, Steps, View,
};
use crate::node::Ran;
use crate::node::serving::Serving;

/// Conditional handover of a UE.
pub(super) struct Conditional {
    pub candidates: Candidates,
    exchange: Exchange,
    /// Last report of the prepare event that the source has not heeded: a change goes on, or the source does not hear the
    /// UE.
    pending: Option<Report>,
    /// Change that goes on, and the time of its report.
    change: Change,
    report: Time,
    /// Facts of the execution that goes on.
    pub executed: Option<ConditionalHandover>,
    /// Cell of an execution after a failure.
    pub recovery: Option<CellId>,
    /// True after an execution that followed a failure.
    recovered: bool,
    /// Cells that have refused to be candidates in the last change.
    refused: Vec<usize>,
}

/// Step of a change of the candidates.
#[derive(Clone, Copy)]
enum Exchange {
    None,
    /// The added cells prepare themselves.
    Preparing {
        ready: Time,
    },
    /// The source sends the command, for this time.
    Commanding {
        due: Time,
        attempt: u32,
    },
    /// The command is on the air.
    Commanded {
        received: Time,
    },
}

impl Conditional {
    pub fn new(config: &ConditionalConfig) -> Conditional {
        Conditional {
            candidates: Candidates::new(config),
            exchange: Exchange::None,
            pending: None,
            change: Change::default(),
            report: Time::ZERO,
            executed: None,
            recovery: None,
            recovered: false,
            refused: Vec::new(),
        }
    }

    /// The source begins to release these candidates, unless a change goes on.
    pub fn release(&mut self, now: Time, cells: Vec<usize>) {
        if matches!(self.exchange, Exchange::None) && !cells.is_empty() {
            self.exchange = Exchange::Commanding { due: now, attempt: 0 };
            (self.change, self.report) = (Change { remove: cells, ..Change::default() }, now);
        }
    }

    /// Time of the next work.
    pub fn due(&self) -> Option<Time> {
        self.exchange_due().into_iter().chain(self.candidates.next_due()).min()
    }

    fn exchange_due(&self) -> Option<Time> {
        match self.exchange {
            Exchange::None => None,
            Exchange::Preparing { ready: due }
            | Exchange::Commanding { due, .. }
            | Exchange::Commanded { received: due } => Some(due),
        }
    }
}

impl UeHandover {
    /// The cell to which the UE goes.
    pub(super) fn aim(&self) -> CellId {
        let recovery = self.conditional.as_ref().and_then(|own| own.recovery);
        recovery.unwrap_or(self.steps.target)
    }

    /// Cells that are prepared for the UE.
    pub(super) fn prepared_cells(&self) -> u64 {
        self.conditional.as_ref().map_or(0, |own| own.candidates.all().len() as u64)
    }
}

impl Handovers {
    fn conditional(&mut self, ue: UeId) -> Option<(ConditionalConfig, &mut Conditional)> {
        let config = self.config.handover.conditional?;
        Some((config, self.ues[ue.index()].conditional.as_deref_mut()?))
    }

    /// The report of the event by which candidates are prepared, if it is due.
    fn prepare_report(
        &mut self,
        (now, sampled): (Time, bool),
        ue: UeId,
        serving: usize,
    ) -> Option<Report> {
        let own = &mut self.ues[ue.index()];
        let offsets = Offsets::of(&self.config.handover.offsets, serving);
        let view = View { serving, secondary: None, values: own.measuring.values(), offsets };
        let event = own.events.first_mut()?;
        if !own.neighbours.are_measured() || !own.measuring.is_complete() {
            event.reset();
            return None;
        }
        let (measuring, others) = (&own.measuring, own.others.are_measured());
        let counts = |cell| measuring.is_own(cell) || others && measuring.knows(cell);
        match sampled {
            true => event.measure_some(now, &view, counts),
            false => event.poll(now, &view),
        }
    }

    /// The candidate whose execution condition is fulfilled now.
    fn fulfilled(
        &mut self,
        (now, sampled): (Time, bool),
        ue: UeId,
        serving: usize,
    ) -> Option<usize> {
        let own = &mut self.ues[ue.index()];
        let offsets = Offsets::of(&self.config.handover.offsets, serving);
        let view = View { serving, secondary: None, values: own.measuring.values(), offsets };
        let candidates = &mut own.conditional.as_mut()?.candidates;
        if !own.neighbours.are_measured() || !own.measuring.is_complete() {
            candidates.reset();
            return None;
        }
        let (measuring, others) = (&own.measuring, own.others.are_measured());
        let counts = |cell| measuring.is_own(cell) || others && measuring.knows(cell);
        candidates.evaluate_some((now, sampled), &view, counts)
    }

    /// A cell prepares itself for a UE, or is no candidate any more.
    fn keep(&mut self, ue: UeId, cell: usize, kept: bool, cx: &mut Cx<'_>) {
        let access = self.config.handover.access;
        let occasions = &mut self.occasions[cell];
        match kept {
            true if self.config.random_access && access.dedicated => {
                occasions.reserve(ue, access.preambles);
            }
            true => {}
            false => occasions.release(ue),
        }
        cx.emit(|| Event::Candidate { ue, cell: CellId(cell as u16), kept });
    }

    /// All candidates of a UE end.
    pub(super) fn end_candidates(&mut self, ue: UeId, cx: &mut Cx<'_>) {
        let Some((_, own)) = self.conditional(ue) else { return };
        (own.executed, own.recovery, own.recovered) = (None, None, false);
        (own.exchange, own.pending) = (Exchange::None, None);
        for cell in own.candidates.end() {
            self.keep(ue, cell, false, cx);
        }
    }

    /// Candidates end that the UE does not know: their command is lost.
    fn end_unknown(&mut self, ue: UeId, cx: &mut Cx<'_>) {
        let Some((_, own)) = self.conditional(ue) else { return };
        own.exchange = Exchange::None;
        let unknown = own.candidates.all().iter().filter(|one| one.received.is_none());
        let unknown: Vec<usize> = unknown.map(|one| one.cell).collect();
        for cell in unknown {
            self.conditional(ue).into_iter().for_each(|(_, own)| own.candidates.remove(cell));
            self.keep(ue, cell, false, cx);
        }
    }

    /// Time for which the target waits for the packets of the source: it reports its success, and they come.
    pub(super) fn late_forwarding(&self) -> Option<Duration> {
        let late = self.config.handover.conditional.is_some_and(|own| !own.early_forwarding);
        self.config.forwarding.filter(|_| late).map(|delay| delay * 2)
    }

    /// Copies of a downlink packet that the source forwards now: to candidates, or with DAPS to the target.
    pub(super) fn copies(&self, ue: UeId) -> u64 {
        let early = self.config.handover.conditional.is_some_and(|own| own.early_forwarding);
        let own = &self.ues[ue.index()];
        match self.config.forwarding {
            Some(_) if early => own.prepared_cells(),
            Some(_) => u64::from(own.keeps_source),
            None => 0,
        }
    }
}

impl Ran {
    /// Does the work of a UE's conditional handover that is due.
    pub(super) fn act_on_conditional(
        &mut self,
        all: &mut Handovers,
        (now, sampled): (Time, bool),
        ue: UeId,
        cx: &mut Cx<'_>,
    ) {
        self.end_old_candidates(all, ue, cx);
        let serving = self.serving[ue.index()].cell.index();
        let report = all.prepare_report((now, sampled), ue, serving);
        if let Some((_, own)) = all.conditional(ue) {
            own.pending = report.or(own.pending.take());
        }
        self.take_prepare_report(all, (now, ue));
        let target = all.fulfilled((now, sampled), ue, serving);
        if let Some(target) = target {
            self.execute(all, (now, ue), target);
        }
        while all
            .conditional(ue)
            .and_then(|(_, own)| own.exchange_due())
            .is_some_and(|due| due <= now)
        {
            self.next_exchange(all, (now, ue), cx);
        }
    }

    /// Candidates end when the UE is idle, or its connection has been re-established in its cell.
    fn end_old_candidates(&mut self, all: &mut Handovers, ue: UeId, cx: &mut Cx<'_>) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let cell = &self.cells[cell.index()];
        let Some((_, own)) = all.conditional(ue) else { return };
        let first = own.candidates.all().iter().map(|one| one.prepared).min();
        let failed = cell.last_failure(index);
        let again = cell.has_link(index) && first.is_some_and(|first| first < failed);
        if again || first.is_some() && cell.is_idle_in_cell(index) {
            all.end_candidates(ue, cx);
        }
    }

    /// A report of the prepare event: the source begins to change the candidates, as soon as it receives the report and
    /// no change goes on.
    fn take_prepare_report(&mut self, all: &mut Handovers, (now, ue): (Time, UeId)) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let source = &self.cells[cell.index()];
        let (served, linked) = (matches!(all.ue(ue).phase, Phase::Served), source.has_link(index));
        let Some((_, own)) = all.conditional(ue) else { return };
        own.pending.take_if(|_| !linked);
        let waits = own.pending.is_none() || !matches!(own.exchange, Exchange::None);
        if waits || !served || !source.hears(index) {
            return;
        }
        let now = source.after_gap(index, now);
        let margin = all.config.handover.events[0].hysteresis;
        let coordinates = [u64::from(ue.0), all.ue(ue).number, 0];
        let preparation = all.config.handover.procedure.preparation;
        let preparation = preparation.draw(all.preparations, coordinates);
        let Some((_, own)) = all.conditional(ue) else { return };
        let Some(Report { mut neighbours, .. }) = own.pending.take() else { return };
        let refused = std::mem::take(&mut own.refused);
        neighbours.retain(|one| !refused.contains(&one.cell));
        let change = own.candidates.plan(&neighbours, margin);
        if change.is_empty() {
            return;
        }
        // A removal alone needs no other cell.
        own.exchange = match change.add.is_empty() {
            true => Exchange::Commanding { due: now, attempt: 0 },
            false => Exchange::Preparing { ready: now + preparation },
        };
        (own.change, own.report) = (change, now);
        all.ue(ue).number += 1;
    }

    /// Does the step of a change whose time has come.
    fn next_exchange(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
        let is_between = all.ue(ue).is_between();
        let Some((_, own)) = all.conditional(ue) else { return };
        match own.exchange {
            Exchange::None => {}
            Exchange::Preparing { .. } => self.prepare_candidates(all, (now, ue), cx),
            Exchange::Commanding { attempt, .. } => {
                self.send_conditional_command(all, (now, ue), attempt, cx);
            }
            Exchange::Commanded { .. } if is_between => all.end_unknown(ue, cx),
            Exchange::Commanded { .. } => take_conditional_command(all, (now, ue), cx),
        }
    }

    /// The added cells of a change have prepared themselves, or refuse.
    fn prepare_candidates(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        cx: &mut Cx<'_>,
    ) {
        let Some((_, own)) = all.conditional(ue) else { return };
        let report = own.report;
        let asked: Vec<usize> = own.change.add.iter().map(|one| one.cell).collect();
        let kept = self.refuse_candidates(all, (now, ue), (&asked, report), cx);
        let Some((_, own)) = all.conditional(ue) else { return };
        own.refused = asked.into_iter().filter(|cell| !kept.contains(cell)).collect();
        for cell in own.refused.clone() {
            own.change.refuse(cell);
        }
        let added = own.change.add.clone();
        added.iter().for_each(|one| own.candidates.add(*one, report, now));
        own.exchange = match own.change.is_empty() {
            true => Exchange::None,
            false => Exchange::Commanding { due: now, attempt: 0 },
        };
        let waiting = self.waiting_at_source(ue);
        for one in added {
            all.keep(ue, one.cell, true, cx);
            let early = all.copies(ue) > 0;
            all.ue(ue).path.count.copies += if early { waiting } else { 0 };
        }
    }

    /// Downlink packets of a UE that wait in its cell.
    fn waiting_at_source(&self, ue: UeId) -> u64 {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        self.cells[cell.index()].waiting_downlink(index)
    }

    /// The source sends the conditional command. It is lost while the UE is out of range.
    fn send_conditional_command(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        attempt: u32,
        cx: &mut Cx<'_>,
    ) {
        let Some((_, own)) = all.conditional(ue) else { return };
        let unknown = own.candidates.all_mut().iter_mut().filter(|one| one.received.is_none());
        unknown.for_each(|one| one.sent = one.sent.or(Some(now)));
        let transmitted = self.transmit_command((now, ue), attempt, cx);
        let Some((_, own)) = all.conditional(ue) else { return };
        match transmitted {
            Transmitted::Received(received) => own.exchange = Exchange::Commanded { received },
            Transmitted::Again { due, attempt } => {
                own.exchange = Exchange::Commanding { due, attempt };
            }
            Transmitted::Lost => {
                let source = self.serving[ue.index()].cell;
                lose_conditional_command(all, (now, ue), source, cx);
            }
        }
    }

    /// The condition of a candidate is fulfilled: the UE begins to leave its cell.
    fn execute(&mut self, all: &mut Handovers, (now, ue): (Time, UeId), target: usize) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let is_served = matches!(all.ue(ue).phase, Phase::Served);
        if !is_served || !self.cells[cell.index()].has_link(index) {
            return;
        }
        let to = (cell, CellId(target as u16));
        let Some(config) = all.begin_execution((now, ue), to, false) else { return };
        all.ue(ue).phase = Phase::Executing { leave: now + config.execution };
    }

    /// A UE without a cell executes in the candidate that it has selected. False if it cannot.
    pub(super) fn recover(
        &self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        best: usize,
    ) -> bool {
        let source = self.serving[ue.index()].cell;
        let synchronisation = all.synchronisation(source, CellId(best as u16));
        let t304 = all.config.handover.procedure.t304;
        let Some((config, own)) = all.conditional(ue) else { return false };
        if !config.recovery || own.recovered || own.candidates.known(best, now).is_none() {
            return false;
        }
        let begin = now + config.search;
        let access = begin + config.execution + synchronisation;
        let to = (self.serving[ue.index()].cell, CellId(best as u16));
        if all.begin_execution((now, ue), to, true).is_none() {
            return false;
        }
        all.ue(ue).phase = Phase::Switching { access, t304: begin + t304 };
        true
    }
}

impl Handovers {
    /// A UE executes its configuration of a candidate.
    fn begin_execution(
        &mut self,
        (now, ue): (Time, UeId),
        (source, target): (CellId, CellId),
        recovery: bool,
    ) -> Option<ConditionalConfig> {
        let (config, own) = self.conditional(ue)?;
        let chosen = *own.candidates.known(target.index(), now)?;
        let candidates = own.candidates.all().len() as u32;
        let received = chosen.received.unwrap_or(now);
        own.executed =
            Some(ConditionalHandover { received, executed: now, candidates, recovery, copies: 0 });
        if recovery {
            (own.recovery, own.recovered) = (Some(target), true);
            return Some(config);
        }
        let own = &mut self.ues[ue.index()];
        own.cause = HandoverCause::Conditional;
        own.steps = Steps {
            prepared: Some(chosen.prepared),
            command_sent: chosen.sent,
            command_received: Some(now),
            ..Steps::begin(ue, source, target, chosen.report)
        };
        Some(config)
    }
}

/// The UE has the conditional command.
fn take_conditional_command(all: &mut Handovers, (now, ue): (Time, UeId), cx: &mut Cx<'_>) {
    let known = now + all.config.handover.procedure.rrc_processing;
    let Some((_, own)) = all.conditional(ue) else { return };
    own.exchange = Exchange::None;
    for one in own.candidates.all_mut().iter_mut().filter(|one| one.received.is_none()) {
        (one.received, one.known) = (Some(now), Some(known));
    }
    for cell in std::mem::take(&mut own.change.remove) {
        all.conditional(ue).into_iter().for_each(|(_, own)| own.candidates.remove(cell));
        all.keep(ue, cell, false, cx);
    }
}

/// The conditional command does not come to the UE: the failure of the link has its own course.
fn lose_conditional_command(
    all: &mut Handovers,
    (now, ue): (Time, UeId),
    source: CellId,
    cx: &mut Cx<'_>,
) {
    let Some((_, own)) = all.conditional(ue) else { return };
    let unknown = own.candidates.all().iter().find(|one| one.received.is_none()).copied();
    let is_served = matches!(all.ue(ue).phase, Phase::Served);
    if let Some(one) = unknown.filter(|_| is_served) {
        let own = all.ue(ue);
        own.cause = HandoverCause::Conditional;
        own.steps = Steps {
            prepared: Some(one.prepared),
            command_sent: one.sent,
            ..Steps::begin(ue, source, CellId(one.cell as u16), one.report)
        };
        own.steps.end(now, Outcome::CommandLost);
    }
    all.end_unknown(ue, cx);
}
