//! Changes in the course of a run: by the scenario's schedule, and by hand.

use std::collections::VecDeque;

use airpath_base::{NodeId, Time};
use airpath_net::Change;
use airpath_results::ChangeSummary;
use airpath_scenario::change::{Controls, Resolved};
use airpath_scenario::world::Facts;
use airpath_scenario::{Errors, Scenario, TimedChange};

/// The changes of a run.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    /// The scenario as it is by now; none before the first change, for most runs have none.
    controls: Option<Controls>,
    due: VecDeque<TimedChange>,
    made: Vec<ChangeSummary>,
    /// Nodes of links whose rates have changed.
    rated: Vec<NodeId>,
}

impl Schedule {
    pub fn new(scenario: &Scenario) -> Schedule {
        Schedule { due: scenario.change.in_order().into(), ..Schedule::default() }
    }

    /// Time of the next planned change.
    pub fn next(&self) -> Option<Time> {
        self.due.front().map(|change| Time::ZERO + change.at)
    }

    /// The next planned change, if it is not after `end`, and what it makes different.
    pub fn take(
        &mut self,
        end: Time,
        (scenario, facts): (&Scenario, &Facts),
    ) -> Option<(Time, Result<Resolved, Errors>)> {
        let at = self.next().filter(|at| *at <= end)?;
        let change = self.due.pop_front()?;
        let changes = self.controls(scenario, facts).timed(&change);
        if let Ok(changes) = &changes {
            self.note(at, change.set.shown(), changes);
        }
        Some((at, changes))
    }

    /// Changes that `KEY=VALUE` makes at `at`.
    pub fn by_hand(
        &mut self,
        at: Time,
        text: &str,
        (scenario, facts): (&Scenario, &Facts),
    ) -> Result<Resolved, Errors> {
        let changes = self.controls(scenario, facts).resolve(text)?;
        self.note(at, vec![text.trim().to_owned()], &changes);
        Ok(changes)
    }

    /// Turns keys with values into changes.
    pub fn controls(&mut self, scenario: &Scenario, facts: &Facts) -> &mut Controls {
        self.controls.get_or_insert_with(|| Controls::new(scenario, facts))
    }

    fn note(&mut self, at: Time, set: Vec<String>, changes: &[(NodeId, Change)]) {
        self.made.push(ChangeSummary { at_s: at.as_secs_f64(), set });
        let rated = changes.iter().filter(|(_, change)| matches!(change, Change::Rate(_)));
        self.rated.extend(rated.map(|(node, _)| *node));
    }

    /// Changes so far.
    pub fn made(&self) -> &[ChangeSummary] {
        &self.made
    }

    /// Names of the links whose rates have changed.
    pub fn rated<'f>(&self, facts: &'f Facts) -> Vec<&'f str> {
        let links = facts.links.iter().filter(|link| self.rated.contains(&link.node));
        links.map(|link| link.name.as_str()).collect()
    }
}
