//! Candidate cells of a conditional handover (TS 38.300, 9.2.3.4; TS 36.300, 10.1.2.1a).
//!
//! - A report of the prepare event lists the neighbours that fulfil it. The source adds the best of them, and
//!   removes candidates that do not fulfil it any more.
//! - With as many candidates as allowed, a neighbour replaces the worst one if it is better by the hysteresis of the
//!   prepare event.
//! - Added candidates are prepared together. One command then adds them to the UE's configuration, and removes others.
//! - The UE evaluates the execution condition of the candidates that it knows ([`Candidates::evaluate`]).

use airpath_base::Time;

use super::{ConditionalConfig, Measured, Trigger, View};

/// A prepared cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Number of the cell.
    pub cell: usize,
    /// Value of the last report, dBm or dB.
    pub value: f64,
    /// Time of the measurement report that made it a candidate.
    pub report: Time,
    /// Time at which its cell had prepared it.
    pub prepared: Time,
    /// Begin of the command that had it first.
    pub sent: Option<Time>,
    /// Time at which the UE received its command.
    pub received: Option<Time>,
    /// Time from which the UE evaluates its condition.
    pub known: Option<Time>,
}

/// Changes of the candidates of a UE that a report asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// New candidates.
    pub add: Vec<Measured>,
    /// Cells that are no candidates any more.
    pub remove: Vec<usize>,
    /// Of these, cells that make room for an added one, each with it.
    pub replaced: Vec<(usize, usize)>,
}

impl Change {
    /// True if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }

    /// A cell that was to be added is none. The candidate that it was to replace stays.
    pub fn refuse(&mut self, cell: usize) {
        self.add.retain(|one| one.cell != cell);
        let replaced = self.replaced.extract_if(.., |(_, by)| *by == cell);
        let stays: Vec<usize> = replaced.map(|(of, _)| of).collect();
        self.remove.retain(|one| !stays.contains(one));
    }
}

/// Candidates of a UE and the evaluation of their condition.
#[derive(Clone, Debug)]
pub struct Candidates {
    config: ConditionalConfig,
    all: Vec<Candidate>,
    trigger: Trigger,
}

impl Candidates {
    /// No candidates.
    pub fn new(config: &ConditionalConfig) -> Candidates {
        let trigger = Trigger::new(&config.condition);
        Candidates { config: *config, all: Vec::new(), trigger }
    }

    /// All candidates, in the order of their preparation.
    pub fn all(&self) -> &[Candidate] {
        &self.all
    }

    /// All candidates, to change their times.
    pub fn all_mut(&mut self) -> &mut [Candidate] {
        &mut self.all
    }

    /// The candidate in a cell that the UE knows at a time.
    pub fn known(&self, cell: usize, now: Time) -> Option<&Candidate> {
        let known = |own: &&Candidate| own.cell == cell && own.known.is_some_and(|at| at <= now);
        self.all.iter().find(known)
    }

    /// Changes that a report asks for: its neighbours fulfil the prepare event, the best first. `margin` is the
    /// hysteresis of a replacement, dB.
    pub fn plan(&mut self, neighbours: &[Measured], margin: f64) -> Change {
        let mut change = Change::default();
        for own in &mut self.all {
            match neighbours.iter().find(|other| other.cell == own.cell) {
                Some(other) => own.value = other.value,
                None => change.remove.push(own.cell),
            }
        }
        let mut kept: Vec<Measured> = Vec::new();
        for own in self.all.iter().filter(|own| !change.remove.contains(&own.cell)) {
            kept.push(Measured { cell: own.cell, value: own.value });
        }
        for one in neighbours {
            if self.all.iter().any(|own| own.cell == one.cell) {
                continue;
            }
            if kept.len() + change.add.len() < usize::from(self.config.max_candidates) {
                change.add.push(*one);
                continue;
            }
            let worst = (0..kept.len()).min_by(|a, b| kept[*a].value.total_cmp(&kept[*b].value));
            if let Some(worst) = worst.filter(|worst| one.value > kept[*worst].value + margin) {
                let worst = kept.swap_remove(worst).cell;
                change.remove.push(worst);
                change.replaced.push((worst, one.cell));
                change.add.push(*one);
            }
        }
        change
    }

    /// A cell has prepared itself for the UE after a report.
    pub fn add(&mut self, one: Measured, report: Time, now: Time) {
        let Measured { cell, value } = one;
        self.all.push(Candidate {
            cell,
            value,
            report,
            prepared: now,
            sent: None,
            received: None,
            known: None,
        });
    }

    /// A cell is no candidate any more.
    pub fn remove(&mut self, cell: usize) {
        self.all.retain(|own| own.cell != cell);
    }

    /// Ends all, and gives the cells that were candidates.
    pub fn end(&mut self) -> Vec<usize> {
        self.trigger.reset();
        self.all.drain(..).map(|own| own.cell).collect()
    }

    /// Time of the next evaluation, if nothing is measured before.
    pub fn next_due(&self) -> Option<Time> {
        self.trigger.next_due().filter(|_| !self.all.is_empty())
    }

    /// Candidates are not measured any more: their condition begins anew.
    pub fn reset(&mut self) {
        self.trigger.reset();
    }

    /// Evaluates the execution condition of the candidates that the UE knows, with new measurements or at the end of
    /// a time to trigger. Gives the best cell that fulfils it.
    pub fn evaluate(&mut self, times: (Time, bool), view: &View<'_>) -> Option<usize> {
        self.evaluate_some(times, view, |_| true)
    }

    /// Evaluates likewise the candidates that count now.
    pub fn evaluate_some(
        &mut self,
        (now, sampled): (Time, bool),
        view: &View<'_>,
        counts: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let all = &self.all;
        let is_known = |cell| {
            let own = all.iter().find(|own| own.cell == cell);
            own.and_then(|own| own.known).is_some_and(|at| at <= now) && counts(cell)
        };
        let report = match sampled {
            true => self.trigger.measure_some(now, view, is_known),
            false => self.trigger.poll(now, view),
        };
        report?.neighbours.iter().map(|one| one.cell).find(|cell| is_known(*cell))
    }
}

#[cfg(test)]
#[path = "candidates_tests.rs"]
mod tests;
