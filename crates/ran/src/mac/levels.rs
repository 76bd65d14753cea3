//! Levels of priority around a scheduler.
//!
//! A rule sorts the UEs of a slot into levels. Each level has a scheduler of its own, with its own
//! turns and means, which sees the UEs of its level only. The first level is served first, and each
//! other one gets the rest of the levels before it. A limit of UEs a slot, if a scheduler has one,
//! holds in each level.
//!
//! A UE with several bearers is one candidate, in the level of its most urgent bearer. The
//! priorities of its logical channels then fill its transport block.

use airpath_base::Duration;

use super::slot::reuse;
use super::{Candidate, Grants, Scheduler, Slot, TrafficClass, TrafficClasses};

/// Says in which level a UE is served.
pub trait Rule: Send {
    /// Number of levels, at least 1.
    fn levels(&self) -> usize;

    /// The level of a candidate of this slot; 0 is served first.
    fn level(&self, slot: &Slot<'_>, candidate: &Candidate<'_>) -> usize;
}

/// Absolute priority: UEs with data of the first class, then those of the second, and so on. UEs
/// with data of none of the classes come last.
#[derive(Clone, Debug)]
pub struct Priority(pub Vec<TrafficClass>);

impl Rule for Priority {
    fn levels(&self) -> usize {
        self.0.len() + 1
    }

    #[inline]
    fn level(&self, _slot: &Slot<'_>, candidate: &Candidate<'_>) -> usize {
        let found = self.0.iter().position(|class| candidate.traffic.contains(*class));
        found.unwrap_or(self.0.len())
    }
}

/// Raised priority of UEs whose packets are old (D. Brunello, "L4S in 5G networks", 2020,
/// chapter 4.5): they go first until none of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raise {
    /// Classes of the packets that count.
    pub classes: TrafficClasses,
    /// Packets that have waited longer are old.
    pub beyond: Duration,
}

impl Rule for Raise {
    fn levels(&self) -> usize {
        2
    }

    #[inline]
    fn level(&self, _slot: &Slot<'_>, candidate: &Candidate<'_>) -> usize {
        let old = candidate.waited(self.classes).is_some_and(|waited| waited > self.beyond);
        usize::from(!old)
    }
}

/// Minimum bit rate: UEs go first whose [mean rate](Slot::mean_rate) is below the [guaranteed
/// rates](Candidate::guaranteed) of their bearers with data, together.
///
/// The mean counts all that a UE is given, on other bearers too: within the UE a bearer gets
/// its part by logical channel prioritisation.
#[derive(Clone, Copy, Debug)]
pub struct MinimumRate;

impl Rule for MinimumRate {
    fn levels(&self) -> usize {
        2
    }

    #[inline]
    fn level(&self, slot: &Slot<'_>, candidate: &Candidate<'_>) -> usize {
        if candidate.guaranteed.is_zero() {
            return 1;
        }
        let bits = candidate.guaranteed.as_bps() as f64 * slot.tti_length.as_secs_f64();
        usize::from(slot.mean_rate(candidate) * 8.0 >= bits)
    }
}

/// Schedulers of the levels of a rule.
#[derive(Debug)]
pub struct Levels<R, S> {
    rule: R,
    schedulers: Vec<S>,
    /// Empty between calls, to be used again: the level of each candidate.
    levels: Vec<usize>,
    subset: Subset,
}

impl<R: Rule, S: Scheduler> Levels<R, S> {
    /// The levels of `rule`, each with a scheduler that `make` makes.
    pub fn new(rule: R, make: impl Fn() -> S) -> Levels<R, S> {
        let schedulers = (0..rule.levels()).map(|_| make()).collect();
        Levels { rule, schedulers, levels: Vec::new(), subset: Subset::default() }
    }
}

impl<R: Rule, S: Scheduler> Scheduler for Levels<R, S> {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let Levels { rule, schedulers, levels, subset } = self;
        let all = slot.candidates;
        levels.clear();
        levels.extend(all.iter().map(|candidate| rule.level(slot, candidate)));
        for (level, scheduler) in schedulers.iter_mut().enumerate() {
            let count = levels.iter().filter(|of| **of == level).count();
            if count == all.len() {
                return scheduler.schedule(slot, grants);
            }
            if count > 0 && grants.free() > 0 && grants.elements() != Some(0) {
                subset.of(slot, |n| levels[n] == level, |slot| scheduler.schedule(slot, grants));
            }
        }
    }

    fn ranks_by_reports(&self) -> bool {
        self.schedulers.iter().any(S::ranks_by_reports)
    }
}

/// Room for a part of a slot's candidates.
#[derive(Debug, Default)]
pub(super) struct Subset {
    candidates: Vec<Candidate<'static>>,
}

impl Subset {
    /// Calls `serve` with a slot of those candidates, by their positions, that are kept; their
    /// order stays.
    pub fn of(
        &mut self,
        slot: &Slot<'_>,
        keep: impl Fn(usize) -> bool,
        serve: impl FnOnce(&Slot<'_>),
    ) {
        let mut candidates: Vec<Candidate<'_>> = std::mem::take(&mut self.candidates);
        let kept = slot.candidates.iter().enumerate().filter(|(n, _)| keep(*n));
        candidates.extend(kept.map(|(_, candidate)| *candidate));
        serve(&Slot { candidates: &candidates, ..*slot });
        self.candidates = reuse(candidates);
    }
}

#[cfg(test)]
#[path = "levels_tests.rs"]
mod tests;
