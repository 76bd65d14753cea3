//! Measurement reports of events that cause handovers, of cells on the carrier of the serving cell and on others.

use airpath_base::{Time, UeId};
use airpath_net::HandoverCause;

use super::{Handovers, Targets};
use crate::handover::{Event, EventConfig, HandoverConfig, Offsets, Report, Trigger, View};

/// An event of cells on a carrier, while a cell on another serves the UE.
pub(super) struct Abroad {
    /// Number of the carrier.
    carrier: usize,
    config: EventConfig,
    pub trigger: Trigger,
}

impl Abroad {
    /// Events of cells on each of so many carriers; none with one.
    pub fn all(config: &HandoverConfig, carriers: usize) -> Vec<Abroad> {
        let of = |carrier: usize| {
            let own = config.other_carriers.events.get(carrier).map(std::slice::from_ref);
            let events = own.unwrap_or(&config.events).iter();
            events.map(move |config| Abroad {
                carrier,
                config: *config,
                trigger: Trigger::new(config),
            })
        };
        let carriers = if carriers > 1 { 0..carriers } else { 0..0 };
        carriers.flat_map(of).collect()
    }
}

/// The report of an event, if one is due. Of new values those of some cells count.
fn report_of(
    trigger: &mut Trigger,
    (now, sampled): (Time, bool),
    view: &View<'_>,
    counts: impl Fn(usize) -> bool,
) -> Option<Report> {
    match sampled {
        true => trigger.measure_some(now, view, counts),
        false => trigger.poll(now, view),
    }
}

/// Targets and cause of a handover by a report, further cells only where targets may refuse.
fn targets_of(config: &EventConfig, report: Option<Report>, may_refuse: bool) -> Option<Targets> {
    let cause = match config.event {
        Event::A3 { .. } => HandoverCause::A3,
        Event::A4 { .. } => HandoverCause::A4,
        Event::A5 { .. } => HandoverCause::A5,
        Event::A1 { .. } | Event::A2 { .. } | Event::A6 { .. } => return None,
    };
    let report = report?;
    let mut cells = report.neighbours.iter().map(|one| one.cell);
    let best = cells.next()?;
    let others = if may_refuse { cells.collect() } else { Vec::new() };
    Some(Targets { best, others, cause })
}

impl Handovers {
    /// Targets and cause of a handover, if an event of a UE reports a neighbour now. `sampled` says whether
    /// there are new measurements.
    pub(super) fn report(
        &mut self,
        (now, sampled): (Time, bool),
        ue: UeId,
        serving: usize,
    ) -> Option<Targets> {
        let own = &mut self.ues[ue.index()];
        if !own.neighbours.are_measured() || !own.measuring.is_complete() {
            own.events.iter_mut().for_each(Trigger::reset);
            own.abroad.iter_mut().for_each(|one| one.trigger.reset());
            return None;
        }
        let handover = &self.config.handover;
        let may_refuse = handover.admission.is_some();
        let offsets = Offsets::of(&handover.offsets, serving);
        let view = View { serving, secondary: None, values: own.measuring.values(), offsets };
        let measuring = &own.measuring;
        let mut target = None;
        for (trigger, config) in own.events.iter_mut().zip(&handover.events) {
            let report = report_of(trigger, (now, sampled), &view, |cell| measuring.is_own(cell));
            target = target.or_else(|| targets_of(config, report, may_refuse));
        }
        if !own.others.are_measured() {
            own.abroad.iter_mut().for_each(|one| one.trigger.reset());
            return target;
        }
        for Abroad { carrier, config, trigger } in &mut own.abroad {
            let cells = &self.carriers.cells()[*carrier];
            if cells.contains(&serving) {
                trigger.reset();
                continue;
            }
            let counts = |cell| cell == serving || cells.contains(&cell) && measuring.knows(cell);
            let report = report_of(trigger, (now, sampled), &view, counts);
            target = target.or_else(|| targets_of(config, report, may_refuse));
        }
        target
    }
}
