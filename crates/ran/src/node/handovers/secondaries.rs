//! Events of secondary cells, and their change by event A6 (TS 36.331, 5.5.4.6a; TS 38.331, 5.5.4.7).
//!
//! 1. A UE measures the carriers of its secondary cells with the samples of its own, as these are serving cells, too.
//! 2. The report of A6 leads to a reconfiguration by the cell, sent as the command of a handover.
//! 3. With its reception the UE leaves the secondary cell. It has the other one once it has processed the message, without
//!    random access. The primary cell goes on.
//! 4. The report of A2 deactivates the secondary cell, and that of A1 lets data activate it again.
//!
//! Simplified: a deactivated secondary cell is measured as often as an active one (`measCycleSCell`, TS 36.133, 8.3.3.2),
//! and control elements of MAC take no time.

use std::sync::Arc;

use airpath_base::random::Seed;
use airpath_base::{CellId, Dbm, Time, UeId};
use airpath_net::Cx;

use super::Handovers;
use super::procedure::Transmitted;
use crate::air::Channel;
use crate::handover::{
    HandoverConfig, Measuring, Offsets, Report, Sample, SecondaryEvents, Trigger, View,
};
use crate::node::Ran;
use crate::node::serving::Serving;
use crate::ue::Ue;

/// Measurements and events of a UE on the carrier of a secondary cell.
pub(super) struct Watch {
    channel: Arc<dyn Channel>,
    measuring: Measuring,
    change: Option<Trigger>,
    begin: Option<Trigger>,
    end: Option<Trigger>,
    phase: Phase,
}

/// Step of a change of the secondary cell.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// No change goes on.
    Still,
    /// The cell sends the reconfiguration, for this time.
    Commanding { due: Time, attempt: u32, to: Way },
    /// It is on the air.
    Commanded { received: Time, to: Way },
    /// The UE processes it.
    Processing { ready: Time, to: Way },
}

/// The primary cell of a change, and the cell whose secondary cell it brings.
#[derive(Clone, Copy, Debug)]
struct Way {
    home: CellId,
    target: CellId,
}

/// Wish of the report of an event of a secondary cell.
enum Wish {
    Change(CellId),
    Bar(bool),
}

impl Watch {
    /// Those of a UE on each carrier of secondary cells, among so many cells; none without events.
    pub fn all(config: &HandoverConfig, (ue, seed): (&Ue, Seed), cells: usize) -> Vec<Watch> {
        let own = &config.secondary;
        let of = |(n, channel): (usize, Arc<dyn Channel>)| Watch {
            channel,
            measuring: Measuring::new(&config.measurement, ue.id, cells, seed)
                .numbered_from((n + 1) * cells),
            change: own.change.as_ref().map(Trigger::new),
            begin: own.begin.as_ref().map(Trigger::new),
            end: own.end.as_ref().map(Trigger::new),
            phase: Phase::Still,
        };
        let carriers = if own.any() { &ue.config.carriers[..] } else { &[] };
        carriers.iter().filter_map(|own| own.channel.clone()).enumerate().map(of).collect()
    }

    /// Time of the next work.
    pub fn due(&self) -> Option<Time> {
        let triggers = self.change.iter().chain(&self.begin).chain(&self.end);
        self.phase_due().into_iter().chain(triggers.filter_map(Trigger::next_due)).min()
    }

    fn phase_due(&self) -> Option<Time> {
        match self.phase {
            Phase::Still => None,
            Phase::Commanding { due, .. } => Some(due),
            Phase::Commanded { received, .. } => Some(received),
            Phase::Processing { ready, .. } => Some(ready),
        }
    }

    fn reset(&mut self) {
        let triggers = self.change.iter_mut().chain(&mut self.begin).chain(&mut self.end);
        triggers.for_each(Trigger::reset);
    }

    /// Takes a sample of all cells.
    fn measure(&mut self, now: Time, ue: UeId, (cells, rsrp): (usize, &mut Vec<f64>)) {
        rsrp.clear();
        let mut noise = Dbm(-200.0);
        for n in 0..cells {
            let Some(link) = self.channel.mean_link(ue, CellId(n as u16)) else { continue };
            rsrp.push(link.rsrp.0);
            noise = link.noise;
        }
        self.measuring.sample(now, &Sample { rsrp, noise: noise.0 });
    }

    /// Reports of events now: of the secondary cell of a UE, and of this primary cell.
    fn report(
        &mut self,
        (now, sampled): (Time, bool),
        (home, secondary): (usize, usize),
        events: &SecondaryEvents,
    ) -> Vec<Wish> {
        let values = self.measuring.values();
        // Offsets of cells are those of the first carrier.
        let offsets = Offsets::of(&[], secondary);
        let view = View { serving: secondary, secondary: Some(secondary), values, offsets };
        if !self.measuring.is_complete() {
            self.reset();
            return Vec::new();
        }
        let may_be = |cell: usize| cell == secondary || events.are_together(cell, home);
        let report = |trigger: &mut Trigger| match sampled {
            true => trigger.measure_some(now, &view, may_be),
            false => trigger.poll(now, &view),
        };
        let best =
            |report: Report| Some(Wish::Change(CellId(report.neighbours.first()?.cell as u16)));
        let end = self.end.as_mut().and_then(report).map(|_| Wish::Bar(false));
        let begin = self.begin.as_mut().and_then(report).map(|_| Wish::Bar(true));
        let change = self.change.as_mut().and_then(report).and_then(best);
        [end, begin, change].into_iter().flatten().collect()
    }
}

impl Handovers {
    /// True if event A6 may change secondary cells.
    pub(in crate::node) fn changes_secondaries(&self) -> bool {
        self.config.handover.secondary.change.is_some()
    }
}

impl Ran {
    /// Measurements, reports and changes of a UE's secondary cells. `sampled` says whether its own carrier has a sample.
    pub(super) fn follow_secondaries(
        &mut self,
        all: &mut Handovers,
        (now, sampled): (Time, bool),
        ue: UeId,
        cx: &mut Cx<'_>,
    ) {
        for n in 0..all.ue(ue).watches.len() {
            let cells = all.carriers.count();
            let Serving { cell: home, ue: index } = self.serving[ue.index()];
            let Handovers { ues, rsrp, config, .. } = all;
            let own = &mut ues[ue.index()];
            let is_served = matches!(own.phase, super::Phase::Served);
            let watch = &mut own.watches[n];
            if sampled {
                watch.measure(now, ue, (cells, rsrp));
            }
            let present = self.secondary_of(ue, n).filter(|_| is_served);
            let source = &self.cells[home.index()];
            match present.filter(|_| source.has_link(index)) {
                None => watch.reset(),
                Some(secondary) => {
                    let (pair, events) =
                        ((home.index(), secondary.index()), &config.handover.secondary);
                    let wishes = watch.report((now, sampled), pair, events);
                    let heard = source.hears(index);
                    for wish in wishes.into_iter().filter(|_| heard) {
                        self.take_wish(all, (now, ue), (n, home), wish, cx);
                    }
                }
            }
            while all.ue(ue).watches[n].phase_due().is_some_and(|due| due <= now) {
                self.step_secondary(all, (now, ue), n, cx);
            }
        }
    }

    /// The cell of a UE has a report of an event of the secondary cell on a carrier.
    fn take_wish(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        (n, home): (usize, CellId),
        wish: Wish,
        cx: &mut Cx<'_>,
    ) {
        let watch = &mut all.ue(ue).watches[n];
        match (wish, watch.phase) {
            (Wish::Bar(barred), _) => self.bar_secondary((now, ue), (n, barred), cx),
            (Wish::Change(target), Phase::Still) => {
                watch.phase = Phase::Commanding { due: now, attempt: 0, to: Way { home, target } };
            }
            (Wish::Change(_), _) => {}
        }
    }

    /// Does the step of a change whose time has come. It ends where the primary cell or the link is another.
    fn step_secondary(
        &mut self,
        all: &mut Handovers,
        (now, ue): (Time, UeId),
        n: usize,
        cx: &mut Cx<'_>,
    ) {
        let Serving { cell, ue: index } = self.serving[ue.index()];
        let has_link = self.cells[cell.index()].has_link(index);
        let is_between = all.ue(ue).phase.is_between();
        let phase = all.ue(ue).watches[n].phase;
        let goes_on = |to: Way| to.home == cell && has_link && !is_between;
        let next = match phase {
            Phase::Commanding { attempt, to, .. } if goes_on(to) => {
                match self.transmit_command((now, ue), attempt, cx) {
                    Transmitted::Received(received) => Phase::Commanded { received, to },
                    Transmitted::Again { due, attempt } => Phase::Commanding { due, attempt, to },
                    Transmitted::Lost => Phase::Still,
                }
            }
            Phase::Commanded { to, .. } if goes_on(to) && self.secondary_of(ue, n).is_some() => {
                self.release_for_change((now, ue), n, cx);
                Phase::Processing { ready: now + all.config.handover.secondary.rrc_processing, to }
            }
            Phase::Processing { to, .. } if goes_on(to) && self.secondary_of(ue, n).is_none() => {
                self.add_secondary_of((now, ue), (n, to.target), cx);
                Phase::Still
            }
            _ => Phase::Still,
        };
        all.ue(ue).watches[n].phase = next;
    }
}
