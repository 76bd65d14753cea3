//! Round robin: each UE in turn.

use airpath_base::UeId;

use super::{Grants, Scheduler, Slot};
use crate::config::Allocation;

/// Each UE in turn, beginning behind the one that was served last.
///
/// By need, each gets what it wants as long as there is any; otherwise all get
/// equal parts, and those who find nothing left come first in the next TTI.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    allocation: Allocation,
    group: u16,
    least: u16,
    next: UeId,
}

impl RoundRobin {
    /// Grants come in multiples of `group` resource blocks and have at least
    /// `least`.
    pub fn new(allocation: Allocation, group: u16, least: u16) -> RoundRobin {
        RoundRobin { allocation, group, least: least.max(1), next: UeId(0) }
    }

    fn part(&self, free: u16, candidates: usize) -> u16 {
        let equal = free / u16::try_from(candidates).unwrap_or(u16::MAX).max(1);
        (equal / self.group * self.group).max(self.least)
    }
}

impl Scheduler for RoundRobin {
    #[inline(always)]
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let candidates = slot.candidates;
        let count = candidates.len();
        let start = candidates.partition_point(|candidate| candidate.ue < self.next);
        let part = self.part(grants.free(), count);
        for n in (0..count).map(|n| (start + n) % count) {
            let left = grants.free();
            let resource_blocks = match self.allocation {
                Allocation::Whole => part,
                Allocation::ByNeed => candidates[n].needed(self.group, left).max(self.least),
            };
            if left == 0 || resource_blocks > left || grants.elements() == Some(0) {
                break;
            }
            if grants.give(&candidates[n], resource_blocks) {
                self.next = UeId(candidates[n].ue.0 + 1);
            }
        }
    }
}
