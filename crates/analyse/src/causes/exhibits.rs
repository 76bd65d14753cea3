//! Exhibits: of each cause the evidence, and the longest time in which it held.

use airpath_base::Time;

use super::Cause;
use super::hypotheses::{Case, Measure};
use super::stretch::Stretch;

/// Exhibits of all causes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exhibits {
    of: [Exhibit; Cause::COUNT],
    /// Cause of the last stretch, and its time so far.
    present: Option<Cause>,
    run: Run,
}

/// Exhibit of a cause.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exhibit {
    /// Nanoseconds of the cause, and those times its probability and its measure.
    nanos: f64,
    trust: f64,
    measured: f64,
    /// Longest time with the cause.
    pub(crate) run: Run,
}

/// Time with one cause, and numbers of its first and its last packet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Run {
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) packets: [u32; 2],
}

impl Run {
    fn nanos(&self) -> u64 {
        self.to.saturating_since(self.from).as_nanos()
    }
}

impl Exhibits {
    /// Adds a stretch that has a cause.
    pub(crate) fn add(&mut self, cause: Cause, case: &Case<'_>) {
        let stretch = case.stretch;
        let (rule, exhibit) = (cause.rule(), &mut self.of[cause as usize]);
        let nanos = stretch.nanos() as f64;
        exhibit.nanos += nanos;
        exhibit.trust += nanos * (rule.trust)(case);
        exhibit.measured += nanos * case.measured(rule.measure);
        if self.present == Some(cause) {
            self.run.to = stretch.to;
            self.run.packets[1] = stretch.packets[1].max(self.run.packets[1]);
        } else {
            let Stretch { from, to, packets, .. } = *stretch;
            (self.present, self.run) = (Some(cause), Run { from, to, packets });
        }
        if self.run.nanos() > exhibit.run.nanos() {
            exhibit.run = self.run;
        }
    }

    /// Exhibit of a cause.
    pub(crate) fn of(&self, cause: Cause) -> &Exhibit {
        &self.of[cause as usize]
    }
}

impl Exhibit {
    /// Mean probability that the stretches with the cause have it.
    pub(crate) fn trust(&self) -> f64 {
        self.trust / self.nanos.max(1.0)
    }

    /// Evidence in the unit of the measure.
    pub(crate) fn value(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Time => self.run.nanos() as f64 / 1e9,
            _ => self.measured / self.nanos.max(1.0),
        }
    }
}
