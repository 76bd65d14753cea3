//! Round robin: each UE in turn.

use airpath_base::UeId;

use super::{Grants, Outcome, Scheduler, Slot};
use crate::config::Allocation;

/// Each UE in turn, beginning behind the one that was served last.
///
/// By need, each UE gets the resource blocks for its data as long as there are any. Otherwise all
/// get equal parts, and UEs that find nothing left come first in the next TTI. If the channel
/// differs along the carrier, a UE that needs less than is free gets its best groups.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    portions: Portions,
    next: UeId,
}

impl RoundRobin {
    /// Grants come in multiples of `group` resource blocks and have at least
    /// `least`. No more than `ues_per_slot` are served in a slot, if that is given, and what
    /// they leave is left; it counts as at least 1.
    pub fn new(
        allocation: Allocation,
        group: u16,
        least: u16,
        ues_per_slot: Option<u16>,
    ) -> RoundRobin {
        let portions = Portions::new(allocation, group, least, ues_per_slot);
        RoundRobin { portions, next: UeId(0) }
    }

    /// Positions of the candidates in the order of their turns.
    pub(super) fn turns(&self, slot: &Slot<'_>) -> impl Iterator<Item = usize> + use<> {
        let (next, count) = (self.next, slot.candidates.len());
        let start = slot.candidates.partition_point(|candidate| candidate.ue < next);
        (0..count).map(move |n| (start + n) % count)
    }

    /// Serves in turns; `serve` says for the candidate at a position whose turn it is which one
    /// takes it.
    #[inline(always)]
    pub(super) fn take_turns(
        &mut self,
        slot: &Slot<'_>,
        grants: &mut Grants,
        mut serve: impl FnMut(usize) -> usize,
    ) {
        let turns = self.turns(slot);
        let order = turns.map(|turn| (turn, serve(turn)));
        if let Some(last) = self.portions.serve(slot, order, grants) {
            self.next = UeId(slot.candidates[last].ue.0 + 1);
        }
    }
}

impl Scheduler for RoundRobin {
    #[inline(always)]
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        self.take_turns(slot, grants, |turn| turn);
    }

    fn ranks_by_reports(&self) -> bool {
        self.portions.allocation == Allocation::Whole
    }
}

/// Grants of UEs that are served one after another.
#[derive(Clone, Debug)]
pub(super) struct Portions {
    allocation: Allocation,
    group: u16,
    least: u16,
    ues_per_slot: usize,
}

impl Portions {
    /// Turns with the parameters of [`RoundRobin::new`].
    pub fn new(
        allocation: Allocation,
        group: u16,
        least: u16,
        ues_per_slot: Option<u16>,
    ) -> Portions {
        let ues_per_slot = ues_per_slot.map_or(usize::MAX, |most| usize::from(most.max(1)));
        Portions { allocation, group, least: least.max(1), ues_per_slot }
    }

    /// Serves candidates in this order, each as a turn and a position; gives the turn that was
    /// the last to be served.
    #[inline(always)]
    pub fn serve(
        &self,
        slot: &Slot<'_>,
        order: impl Iterator<Item = (usize, usize)>,
        grants: &mut Grants,
    ) -> Option<usize> {
        let part = self.part(grants.free(), slot.candidates.len());
        let (mut last, mut served) = (None, 0);
        for (turn, n) in order {
            let left = grants.free();
            if left == 0 || grants.elements() == Some(0) || served == self.ues_per_slot {
                break;
            }
            let outcome = slot.attempt(n, &mut |candidate, rates| {
                let resource_blocks = match self.allocation {
                    Allocation::Whole => part.min(candidate.most).max(self.least),
                    Allocation::ByNeed => candidate.needed(self.group, left).max(self.least),
                };
                match resource_blocks > left {
                    true => Outcome::Full,
                    false if grants.give_best(candidate, resource_blocks, rates) => {
                        Outcome::Granted
                    }
                    false => Outcome::Passed,
                }
            });
            match outcome {
                Outcome::Granted => (last, served) = (Some(turn), served + 1),
                Outcome::Passed => {}
                Outcome::Full => break,
            }
        }
        last
    }

    fn part(&self, free: u16, candidates: usize) -> u16 {
        let equal = free / u16::try_from(candidates).unwrap_or(u16::MAX).max(1);
        (equal / self.group * self.group).max(self.least)
    }
}

#[cfg(test)]
#[path = "round_robin_tests.rs"]
mod tests;
