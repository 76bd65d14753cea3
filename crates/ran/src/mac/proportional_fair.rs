//! Proportional fair: the UE whose rate now is largest in proportion to its mean rate goes
//! first (Jalali, Padovani and Pankaj, 2000). The mean rates are [the cell's](super::MeanRates).

use super::{Grants, Scheduler, Slot};
use crate::config::Allocation;

/// A proportional fair scheduler.
#[derive(Clone, Debug)]
pub struct ProportionalFair {
    allocation: Allocation,
    group: u16,
    /// By position among the candidates of this slot.
    served: Vec<bool>,
}

impl ProportionalFair {
    /// Grants come in multiples of `group` resource blocks.
    pub fn new(allocation: Allocation, group: u16) -> ProportionalFair {
        ProportionalFair { allocation, group, served: Vec::new() }
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
}

impl Scheduler for ProportionalFair {
    #[inline(always)]
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        let candidates = slot.candidates;
        self.served.clear();
        self.served.resize(candidates.len(), false);
        let mut left = grants.free();
        while left > 0 {
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
}
