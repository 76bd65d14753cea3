//! Proportional fair: the UE whose rate now is largest in proportion to its mean rate goes
//! first (Jalali, Padovani and Pankaj, 2000). The mean rates are [the cell's](super::MeanRates).
//!
//! If the channel differs along the carrier, each group of resource blocks goes to the UE whose
//! rate in it is largest in that proportion. A UE gets groups until its data fit.

use super::{Grants, ResourceBlocks, Scheduler, Slot, group_size};
use crate::config::Allocation;

/// A proportional fair scheduler.
#[derive(Clone, Debug)]
pub struct ProportionalFair {
    allocation: Allocation,
    group: u16,
    /// By position among the candidates of this slot.
    served: Vec<bool>,
    /// Likewise: what each is to get, and how many resource blocks it needs at most.
    chosen: Vec<(ResourceBlocks, u16)>,
    /// Likewise: one over the mean rate.
    weights: Vec<f32>,
}

impl ProportionalFair {
    /// Grants come in multiples of `group` resource blocks.
    pub fn new(allocation: Allocation, group: u16) -> ProportionalFair {
        let (served, chosen, weights) = (Vec::new(), Vec::new(), Vec::new());
        ProportionalFair { allocation, group, served, chosen, weights }
    }

    /// The best candidate that has no grant yet; the first of equals.
    fn best(&self, slot: &Slot<'_>) -> Option<usize> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for (n, candidate) in slot.candidates.iter().enumerate() {
            if self.served[n] {
                continue;
            }
            let rate = f64::from(candidate.bytes[usize::from(self.group)]);
            let metric = rate / slot.relative_mean_rate(candidate);
            if metric > most {
                (best, most) = (Some(n), metric);
            }
        }
        best
    }

    /// One candidate after the other, where the channel is the same along the carrier.
    fn schedule_in_time(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let candidates = slot.candidates;
        self.served.clear();
        self.served.resize(candidates.len(), false);
        let mut left = grants.free();
        while left > 0 && grants.elements() != Some(0) {
            let Some(n) = self.best(slot) else { break };
            self.served[n] = true;
            let resource_blocks = match self.allocation {
                Allocation::Whole => left,
                Allocation::ByNeed => candidates[n].needed(self.group, left),
            };
            grants.give(&candidates[n], resource_blocks);
            left = grants.free();
        }
    }

    /// One group of resource blocks after the other.
    fn schedule_in_frequency(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let (free, most, mut elements) = (grants.free_blocks(), grants.free(), grants.elements());
        self.chosen.clear();
        self.weights.clear();
        for candidate in slot.candidates {
            let needed = match self.allocation {
                Allocation::Whole => u16::MAX,
                Allocation::ByNeed => candidate.needed(self.group, most),
            };
            self.chosen.push((ResourceBlocks::EMPTY, needed));
            self.weights.push((1.0 / slot.mean_rate(candidate)) as f32);
        }
        let width = group_size(slot.carrier);
        for (g, first) in (0..slot.carrier).step_by(usize::from(width)).enumerate() {
            let blocks = ResourceBlocks::range(first, width).common(&free);
            if blocks.is_empty() {
                continue;
            }
            let Some(n) = self.best_with_elements(slot, g, &mut elements, grants) else { break };
            let (own, needed) = &mut self.chosen[n];
            *own = own.with(&blocks);
            *needed = needed.saturating_sub(blocks.count());
        }
        for (candidate, (blocks, _)) in slot.candidates.iter().zip(&self.chosen) {
            if !blocks.is_empty() {
                grants.give_blocks(candidate, *blocks);
            }
        }
    }

    /// The best candidate in a group that has control channel elements or finds some.
    fn best_with_elements(
        &mut self,
        slot: &Slot<'_>,
        group: usize,
        left: &mut Option<u16>,
        grants: &mut Grants,
    ) -> Option<usize> {
        loop {
            let n = self.best_in(slot, group)?;
            let (candidate, (own, needed)) = (&slot.candidates[n], &mut self.chosen[n]);
            let Some(there) = left.filter(|_| own.is_empty()) else { return Some(n) };
            match there.checked_sub(u16::from(candidate.control_elements)) {
                Some(rest) => {
                    *left = Some(rest);
                    return Some(n);
                }
                None => {
                    grants.refuse(candidate);
                    *needed = 0;
                }
            }
        }
    }

    /// The best candidate in a group that needs more; the first of equals.
    #[inline]
    fn best_in(&self, slot: &Slot<'_>, group: usize) -> Option<usize> {
        let (mut best, mut most) = (None, f32::NEG_INFINITY);
        for (n, ((_, needed), weight)) in self.chosen.iter().zip(&self.weights).enumerate() {
            let metric = slot.group_rates(n)[group] * weight;
            if *needed > 0 && metric > most {
                (best, most) = (Some(n), metric);
            }
        }
        best
    }
}

impl Scheduler for ProportionalFair {
    #[inline(always)]
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        match slot.group_rates.is_empty() {
            true => self.schedule_in_time(slot, grants),
            false => self.schedule_in_frequency(slot, grants),
        }
    }
}

#[cfg(test)]
#[path = "proportional_fair_tests.rs"]
mod tests;
