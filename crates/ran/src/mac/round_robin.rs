//! Round robin: each UE in turn.

use airpath_base::UeId;

use super::{Grants, Outcome, Scheduler, Slot};
use crate::config::Allocation;

/// Each UE in turn, beginning behind the one that was served last.
///
/// By need, each UE gets the resource blocks for its data as long as there are any. The last one may get
/// fewer than it needs. If it then has fewer than one before it, it is the first in the next TTI. Otherwise all
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
            let ue = slot.candidates[last.turn].ue;
            self.next = if last.is_cut { ue } else { UeId(ue.0 + 1) };
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

/// The last turn of a slot.
pub(super) struct Last {
    turn: usize,
    /// True if UEs before it left it less than it needs, and less than one of them has.
    is_cut: bool,
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
    ) -> Option<Last> {
        let part = self.part(grants.free(), slot.candidates.len());
        let (mut last, mut served, mut largest) = (None, 0, 0);
        for (turn, n) in order {
            let left = grants.free();
            if left == 0 || grants.elements() == Some(0) || served == self.ues_per_slot {
                break;
            }
            let (mut count, mut is_cut) = (0, false);
            let outcome = slot.attempt(n, &mut |candidate, rates| {
                count = match self.allocation {
                    Allocation::Whole => part.min(candidate.most).max(self.least),
                    Allocation::ByNeed => candidate.needed(self.group, left).max(self.least),
                };
                is_cut = count < largest && self.lacks(candidate, left);
                match count > left {
                    true => Outcome::Full,
                    false if grants.give_best(candidate, count, rates) => Outcome::Granted,
                    false => Outcome::Passed,
                }
            });
            match outcome {
                Outcome::Granted => {
                    (last, served) = (Some(Last { turn, is_cut }), served + 1);
                    largest = largest.max(count);
                }
                Outcome::Passed => {}
                Outcome::Full => break,
            }
        }
        last
    }

    /// True if a candidate needs more resource blocks than are left.
    fn lacks(&self, candidate: &super::Candidate<'_>, left: u16) -> bool {
        let needs = || candidate.needed(self.group, left + 1) > left;
        self.allocation == Allocation::ByNeed
            && usize::from(left) < candidate.bytes.len() - 1
            && needs()
    }

    fn part(&self, free: u16, candidates: usize) -> u16 {
        let equal = free / u16::try_from(candidates).unwrap_or(u16::MAX).max(1);
        (equal / self.group * self.group).max(self.least)
    }
}

#[cfg(test)]
#[path = "round_robin_tests.rs"]
mod tests;
