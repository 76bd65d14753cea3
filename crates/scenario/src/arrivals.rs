//! The UEs that arrive in a run.

use std::borrow::Cow;

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};

use crate::file::{Flow, Scenario, Ue};
use crate::resolve::UeRef;

/// Most UEs of a scenario.
pub(crate) const MOST_UES: u64 = 10_000;

impl Scenario {
    /// The scenario with the UEs that arrive in the run of this seed; as it is, if all UEs are
    /// there from the beginning. Until then a group whose UEs arrive counts as one UE.
    ///
    /// Times are keyed by the group's name, so that another group moves none.
    pub fn with_arrivals(&self, seed: Seed) -> Cow<'_, Scenario> {
        let undrawn = |ue: &Ue| ue.arrivals.as_ref().is_some_and(|all| all.times().is_none());
        if !self.ue.iter().any(undrawn) {
            return Cow::Borrowed(self);
        }
        let mut drawn = self.clone();
        for group in &mut drawn.ue {
            let Some(arrivals) = &mut group.arrivals else { continue };
            let draws = seed.keyed(&format!("{} / arrivals", group.name));
            arrivals.draw(self.duration, draws, MOST_UES as usize + 1);
        }
        Cow::Owned(drawn)
    }

    /// UEs that there may be in a run.
    pub(crate) fn most_ues(&self) -> u64 {
        self.ue.iter().map(|group| group.most(self.duration)).sum()
    }

    /// UEs that a flow may have in a run.
    pub(crate) fn most_flows(&self, flow: &Flow) -> u64 {
        let arriving = self.ue.iter().filter(|group| flow.ue.0.contains(&group.name));
        let arriving = arriving.filter(|group| group.arrivals.is_some());
        // Each of these groups has one member until they have been drawn.
        let more: u64 = arriving.map(|group| group.most(self.duration) - 1).sum();
        self.members(&flow.ue, flow.only.as_ref()).len() as u64 + more
    }

    /// True if a flow has one UE, whatever is drawn.
    pub(crate) fn is_of_one(&self, flow: &Flow) -> bool {
        let arrive = |name: &String| {
            self.ue.iter().any(|group| group.name == *name && group.arrivals.is_some())
        };
        !flow.ue.0.iter().any(arrive) && self.members(&flow.ue, flow.only.as_ref()).len() <= 1
    }
}

impl Ue {
    /// Number of members: those that have been drawn. It is one before that, where UEs arrive.
    pub fn size(&self) -> u32 {
        match &self.arrivals {
            None => self.count,
            Some(arrivals) => arrivals.times().map_or(1, |times| times.len() as u32),
        }
    }

    /// Largest number of members in a run.
    pub(crate) fn most(&self, duration: Duration) -> u64 {
        match &self.arrivals {
            None => u64::from(self.count),
            Some(arrivals) => arrivals.most(duration),
        }
    }

    /// True if they have numbers in their names.
    pub(crate) fn is_numbered(&self) -> bool {
        self.count > 1 || self.arrivals.is_some()
    }
}

impl UeRef<'_> {
    /// Time of its arrival; none if it is there from the beginning.
    pub fn arrival(&self) -> Option<Time> {
        self.group.arrivals.as_ref()?.times()?.get(self.index as usize).copied()
    }
}
