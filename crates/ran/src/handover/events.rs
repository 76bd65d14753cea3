//! Measurement events A1 to A6, with time to trigger and reports (TS 36.331 and TS 38.331, 5.5.4 and
//! 5.5.5).
//!
//! - A cell whose measurements all fulfil the entering condition for the time to trigger is
//!   triggered, and causes a report. One whose measurements all fulfil the leaving condition for as
//!   long is not any more.
//! - The time runs from the first such measurement, and a measurement at its end counts.
//! - Reports are repeated while a cell is triggered, up to their amount. A further triggered cell
//!   begins them anew.
//! - A change of the serving cell, and of A6 of the secondary cell, ends all of it (TS
//!   36.331, 5.5.6.1; TS 38.331, 5.5.6.1).
//!
//! Simplified: reports of A1 and A2 have the best measured neighbours, as with `reportAddNeighMeas`.

use airpath_base::Time;

use super::{Event, EventConfig, Offsets};

/// Measured cells of a UE.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Number of the serving cell; beyond the last if none of these cells serves.
    pub serving: usize,
    /// Number of the secondary cell, for A6.
    pub secondary: Option<usize>,
    /// Filtered values by cell, dBm or dB.
    pub values: &'a [f64],
    /// Offsets that the serving cell has configured.
    pub offsets: &'a Offsets,
}

/// A cell and its filtered value, dBm or dB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Number of the cell.
    pub cell: usize,
    /// Value.
    pub value: f64,
}

/// A measurement report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Serving cell.
    pub serving: Measured,
    /// Triggered neighbours, the best first; of A1 and A2 all neighbours. At most `max_cells`.
    pub neighbours: Vec<Measured>,
}

/// State of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Out,
    /// The entering condition holds; the cell is triggered at this time.
    Entering(Time),
    Triggered,
    /// The leaving condition holds; the cell is out at this time.
    Leaving(Time),
}

/// Trigger of measurement reports by one event.
#[derive(Clone, Debug)]
pub struct Trigger {
    config: EventConfig,
    /// Serving cell, and of A6 the secondary cell.
    reference: Option<(usize, Option<usize>)>,
    phases: Vec<Phase>,
    reports: u32,
    /// Time of the next repeated report.
    repeat: Option<Time>,
}

impl Trigger {
    /// A trigger without triggered cells.
    pub fn new(config: &EventConfig) -> Trigger {
        let (reference, phases) = (None, Vec::new());
        Trigger { config: *config, reference, phases, reports: 0, repeat: None }
    }

    /// Ends times to trigger and reports, and forgets triggered cells.
    pub fn reset(&mut self) {
        *self = Trigger::new(&self.config);
    }

    /// Time of the next [poll](Trigger::poll), if nothing is measured before.
    pub fn next_due(&self) -> Option<Time> {
        let time = |phase: &Phase| match *phase {
            Phase::Entering(at) | Phase::Leaving(at) => Some(at),
            Phase::Out | Phase::Triggered => None,
        };
        self.phases.iter().filter_map(time).chain(self.repeat).min()
    }

    /// True if a cell is triggered.
    pub fn is_triggered(&self, cell: usize) -> bool {
        matches!(self.phases.get(cell), Some(Phase::Triggered | Phase::Leaving(_)))
    }

    /// New filtered values. Gives a report, if one is due.
    pub fn measure(&mut self, now: Time, view: &View<'_>) -> Option<Report> {
        self.measure_some(now, view, |_| true)
    }

    /// New filtered values, of which those of some cells count. Other cells are not triggered.
    pub fn measure_some(
        &mut self,
        now: Time,
        view: &View<'_>,
        counts: impl Fn(usize) -> bool,
    ) -> Option<Report> {
        let reference = self.reference_of(view);
        if self.reference != reference {
            self.reset();
            self.reference = reference;
        }
        self.phases.resize(view.values.len(), Phase::Out);
        let at = now.saturating_add(self.config.time_to_trigger);
        for cell in 0..view.values.len() {
            if !counts(cell) {
                self.phases[cell] = Phase::Out;
                continue;
            }
            let Some(margins) = self.margins(cell, view) else { continue };
            let enters = margins.iter().all(|margin| *margin > self.config.hysteresis);
            let leaves = margins.iter().any(|margin| *margin < -self.config.hysteresis);
            let phase = &mut self.phases[cell];
            *phase = match *phase {
                Phase::Out if enters => Phase::Entering(at),
                Phase::Entering(_) if !enters => Phase::Out,
                Phase::Triggered if leaves => Phase::Leaving(at),
                Phase::Leaving(_) if !leaves => Phase::Triggered,
                phase => phase,
            };
        }
        self.poll(now, view)
    }

    /// Ends times to trigger that are over. Gives a report, if one is due.
    pub fn poll(&mut self, now: Time, view: &View<'_>) -> Option<Report> {
        if self.reference != self.reference_of(view) {
            self.reset();
            return None;
        }
        let (mut entered, mut left) = (false, false);
        for phase in &mut self.phases {
            match *phase {
                Phase::Entering(at) if at <= now => (*phase, entered) = (Phase::Triggered, true),
                Phase::Leaving(at) if at <= now => (*phase, left) = (Phase::Out, true),
                _ => {}
            }
        }
        if entered {
            self.reports = 0;
        }
        let any = (0..self.phases.len()).any(|cell| self.is_triggered(cell));
        if !any {
            self.repeat = None;
        }
        let repeats = self.repeat.is_some_and(|at| at <= now);
        let leaves = left && self.config.report_on_leave;
        (entered || repeats || leaves).then(|| self.report(now, any, view))
    }

    /// Cells with which neighbours are compared.
    fn reference_of(&self, view: &View<'_>) -> Option<(usize, Option<usize>)> {
        let is_a6 = matches!(self.config.event, Event::A6 { .. });
        Some((view.serving, view.secondary.filter(|_| is_a6)))
    }

    /// A report now, and the time of the next one.
    fn report(&mut self, now: Time, any: bool, view: &View<'_>) -> Report {
        self.reports = self.reports.saturating_add(1);
        let more = self.config.report_amount.is_none_or(|most| self.reports < most);
        let next = now.saturating_add(self.config.report_interval);
        // An interval of zero would never end.
        self.repeat = (more && any && next > now).then_some(next);
        let measured = |cell| Measured {
            cell,
            value: view.values.get(cell).copied().unwrap_or(f64::NEG_INFINITY),
        };
        let own = matches!(self.config.event, Event::A1 { .. } | Event::A2 { .. });
        let of_report = |cell: &usize| *cell != view.serving && (own || self.is_triggered(*cell));
        let mut neighbours: Vec<Measured> =
            (0..view.values.len()).filter(of_report).map(measured).collect();
        neighbours.sort_by(|a, b| b.value.total_cmp(&a.value));
        neighbours.truncate(usize::from(self.config.max_cells));
        Report { serving: measured(view.serving), neighbours }
    }

    /// Margins of a cell, dB. It enters if all are above the hysteresis, and leaves if one is below
    /// the negative hysteresis. `None` if the event is not about this cell.
    fn margins(&self, cell: usize, view: &View<'_>) -> Option<[f64; 2]> {
        let is_serving = cell == view.serving;
        let own = view.values[cell];
        let neighbour = own + view.offsets.sum(cell);
        if let Event::A4 { threshold } = self.config.event {
            // Without a serving cell on the carrier it is B1 (TS 36.331, 5.5.4.7).
            return (!is_serving).then_some([neighbour - threshold; 2]);
        }
        let serving = *view.values.get(view.serving)?;
        let margins = match self.config.event {
            Event::A1 { threshold } if is_serving => [own - threshold; 2],
            Event::A2 { threshold } if is_serving => [threshold - own; 2],
            Event::A1 { .. } | Event::A2 { .. } | Event::A4 { .. } => return None,
            _ if is_serving => return None,
            Event::A3 { offset } => {
                [neighbour - (serving + view.offsets.sum(view.serving) + offset); 2]
            }
            Event::A5 { serving: first, neighbour: second } => {
                [first - serving, neighbour - second]
            }
            Event::A6 { offset } => {
                let secondary = view.secondary.filter(|secondary| *secondary != cell)?;
                let other = *view.values.get(secondary)? + view.offsets.cell(secondary);
                [own + view.offsets.cell(cell) - (other + offset); 2]
            }
        };
        Some(margins)
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
