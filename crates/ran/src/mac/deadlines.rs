//! Deadlines: the UE whose oldest packet or PDU set has the least time left goes first.

use airpath_base::Duration;

use super::levels::Subset;
use super::round_robin::Portions;
use super::{Grants, Scheduler, Slot};
use crate::config::Allocation;

/// UEs with deadlines before all others, each with the resource blocks that its data need.
///
/// The least remaining time goes first. UEs whose oldest data are late come behind those whose data may still be in
/// time. Of equal times, the order of the UEs decides. The other UEs get what is left, from a scheduler of their own.
#[derive(Debug)]
pub struct ByDeadline<S> {
    portions: Portions,
    others: S,
    subset: Subset,
    /// Empty between calls, to be used again: UEs with deadlines. True if late, time left, position.
    order: Vec<(bool, Duration, usize)>,
}

impl<S: Scheduler> ByDeadline<S> {
    /// Grants come in multiples of `group` resource blocks and have at least `least`. No more than `ues_per_slot` UEs
    /// with deadlines are served, if that is given. `others` serves those without.
    pub fn new(others: S, (group, least): (u16, u16), ues_per_slot: Option<u16>) -> ByDeadline<S> {
        let portions = Portions::new(Allocation::ByNeed, group, least, ues_per_slot);
        ByDeadline { portions, others, subset: Subset::default(), order: Vec::new() }
    }
}

impl<S: Scheduler> Scheduler for ByDeadline<S> {
    #[inline]
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let ByDeadline { portions, others, subset, order } = self;
        order.clear();
        let with = slot.candidates.iter().enumerate();
        order.extend(with.filter_map(|(n, own)| {
            let left = own.remaining?;
            Some((left.is_zero(), left, n))
        }));
        if order.is_empty() {
            return others.schedule(slot, grants);
        }
        order.sort_unstable();
        portions.serve(slot, order.iter().map(|&(.., n)| (n, n)), grants);
        if order.len() < slot.candidates.len() && grants.free() > 0 && grants.elements() != Some(0)
        {
            let without = |n: usize| slot.candidates[n].remaining.is_none();
            subset.of(slot, without, |slot| others.schedule(slot, grants));
        }
    }

    fn ranks_by_reports(&self) -> bool {
        self.others.ranks_by_reports()
    }
}

#[cfg(test)]
#[path = "deadlines_tests.rs"]
mod tests;
