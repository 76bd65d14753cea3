//! Proportional fair: the UE whose rate now is largest in proportion to its past
//! rate goes first (Jalali, Padovani and Pankaj, 2000).
//!
//! The past rate R of each UE follows R <- (1 - 1/w) R + r/w with w the window and
//! r the rate of this TTI, zero for UEs that are not served. Since all decay alike,
//! what is kept is R times a common growth, so that UEs that are not served cost
//! nothing.

use airpath_base::math;

use super::{Candidate, Grant, Scheduler};
use crate::config::Allocation;

/// Where the common growth is divided out again.
const MOST_GROWTH: f64 = 1e100;

/// A proportional fair scheduler.
#[derive(Clone, Debug)]
pub struct ProportionalFair {
    share: f64,
    allocation: Allocation,
    group: u16,
    /// Past rate in bytes a TTI, times `growth`.
    scaled: Vec<f64>,
    growth: f64,
    tti: u64,
    served: Vec<bool>,
    /// Candidates in the order of their choice in this TTI.
    chosen: Vec<usize>,
}

impl ProportionalFair {
    /// With a window in TTIs, for so many UEs.
    pub fn new(window: f64, allocation: Allocation, group: u16, ues: usize) -> ProportionalFair {
        // A share of one would forget all; stay where the growth is finite.
        let share = (1.0 / window).clamp(1e-9, 1.0 - 1e-9);
        // A UE that was never served starts with next to nothing.
        let scaled = vec![1e-3; ues];
        ProportionalFair {
            share,
            allocation,
            group,
            scaled,
            growth: 1.0,
            tti: 0,
            served: Vec::new(),
            chosen: Vec::new(),
        }
    }

    fn decay(&mut self, tti: u64) {
        let passed = tti.saturating_sub(self.tti);
        self.tti = tti;
        let each = 1.0 / (1.0 - self.share);
        let factor = if passed == 1 { each } else { math::pow(each, passed as f64) };
        self.growth *= factor.min(MOST_GROWTH);
        if self.growth >= MOST_GROWTH {
            let growth = self.growth;
            self.scaled.iter_mut().for_each(|r| *r = (*r / growth).max(1e-150));
            self.growth = 1.0;
        }
    }

    /// The best candidate that has no grant yet; the first of equals.
    fn best(&self, candidates: &[Candidate<'_>]) -> Option<usize> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for (n, candidate) in candidates.iter().enumerate() {
            if self.served[n] {
                continue;
            }
            let rate = f64::from(candidate.bytes[usize::from(self.group)]);
            let metric = rate / self.scaled[candidate.ue.index()];
            if metric > most {
                (best, most) = (Some(n), metric);
            }
        }
        best
    }
}

impl Scheduler for ProportionalFair {
    #[inline(always)]
    fn schedule(
        &mut self,
        tti: u64,
        free: u16,
        candidates: &[Candidate<'_>],
        out: &mut Vec<Grant>,
    ) {
        self.decay(tti);
        self.served.clear();
        self.served.resize(candidates.len(), false);
        self.chosen.clear();
        let (mut left, first) = (free, out.len());
        while left > 0 {
            let Some(n) = self.best(candidates) else { break };
            self.served[n] = true;
            let resource_blocks = match self.allocation {
                Allocation::Whole => left,
                Allocation::ByNeed => candidates[n].needed(self.group, left),
            };
            left -= resource_blocks;
            self.chosen.push(n);
            out.push(Grant { ue: candidates[n].ue, resource_blocks });
        }
        // After the choice: the averages hold still within a TTI.
        for (grant, n) in out[first..].iter().zip(&self.chosen) {
            let bytes = f64::from(candidates[*n].bytes[usize::from(grant.resource_blocks)]);
            self.scaled[grant.ue.index()] += self.share * bytes * self.growth;
        }
    }
}
