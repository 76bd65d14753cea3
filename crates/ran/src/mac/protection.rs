//! Protection from starving: who has waited too long for a turn goes first, for one slot.
//!
//! The scheduler in the thesis of D. Brunello ("L4S in 5G networks", 2020, chapter 4.5) raises the
//! priority of users that are not served for a long time. The thesis gives no rule. Here a UE that
//! has had data, and no grant, for longer than a limit goes before all others until it has one. Of
//! several the one that has waited longest goes first. None thus waits for longer than the limit
//! and a slot for each of the others. Retransmissions are no grants here.

use airpath_base::Duration;

use super::levels::Subset;
use super::round_robin::Portions;
use super::{Grants, Scheduler, Slot};
use crate::config::Allocation;

/// A scheduler, and UEs that go before it.
#[derive(Debug)]
pub struct Protection<S> {
    inner: S,
    limit: Duration,
    portions: Portions,
    /// Waits by the indices of UEs in their cell.
    waits: Vec<Wait>,
    /// Slots that it has seen.
    slots: u64,
    /// Empty between calls, to be used again: since when each starving UE has waited, and its
    /// position.
    starving: Vec<(u64, usize)>,
    subset: Subset,
}

/// Wait of a UE for a turn.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    /// TTI since which it has had data, and no grant.
    since: u64,
    /// The last slot in which it was a candidate, counted from 1.
    seen: u64,
}

impl<S: Scheduler> Protection<S> {
    /// Protects those that `inner` has not served for longer than `limit`. What they get is
    /// as with [`RoundRobin`](super::RoundRobin::new).
    pub fn new(
        inner: S,
        limit: Duration,
        (allocation, group): (Allocation, u16),
        ues_per_slot: Option<u16>,
    ) -> Protection<S> {
        let portions = Portions::new(allocation, group, group, ues_per_slot);
        let (waits, starving, subset) = (Vec::new(), Vec::new(), Subset::default());
        Protection { inner, limit, portions, waits, slots: 0, starving, subset }
    }

    /// UEs that starve, those that have waited longest first.
    fn find_starving(&mut self, slot: &Slot<'_>) {
        self.slots += 1;
        self.starving.clear();
        for (n, candidate) in slot.candidates.iter().enumerate() {
            if candidate.index.index() >= self.waits.len() {
                self.waits.resize(candidate.index.index() + 1, Wait::default());
            }
            let wait = &mut self.waits[candidate.index.index()];
            if wait.seen + 1 != self.slots {
                // The UE's present data came while it was away, at the earliest.
                let waited = candidate.head_of_line.as_nanos() / slot.tti_length.as_nanos().max(1);
                wait.since = wait.since.max(slot.tti.saturating_sub(waited));
            }
            wait.seen = self.slots;
            if slot.tti_length * slot.tti.saturating_sub(wait.since) > self.limit {
                self.starving.push((wait.since, n));
            }
        }
        self.starving.sort_unstable();
    }

    fn note_served(&mut self, slot: &Slot<'_>, grants: &Grants) {
        for grant in grants.list() {
            let found = slot.candidates.binary_search_by_key(&grant.ue, |candidate| candidate.ue);
            if let Ok(n) = found {
                self.waits[slot.candidates[n].index.index()].since = slot.tti;
            }
        }
    }
}

impl<S: Scheduler> Scheduler for Protection<S> {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        self.find_starving(slot);
        let Protection { inner, portions, starving, subset, .. } = self;
        if starving.is_empty() {
            inner.schedule(slot, grants);
        } else {
            portions.serve(slot, starving.iter().copied().map(|(_, n)| (n, n)), grants);
            let fed = |n: usize| starving.iter().all(|(_, other)| *other != n);
            if grants.free() > 0 && starving.len() < slot.candidates.len() {
                subset.of(slot, fed, |slot| inner.schedule(slot, grants));
            }
        }
        self.note_served(slot, grants);
    }

    fn ranks_by_reports(&self) -> bool {
        self.inner.ranks_by_reports()
    }
}

#[cfg(test)]
#[path = "protection_tests.rs"]
mod tests;
