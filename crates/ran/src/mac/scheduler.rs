//! The scheduler of one direction of a cell.

use airpath_base::{Duration, UeId};

use super::{ProportionalFair, RoundRobin};
use crate::config::{Allocation, SchedulerConfig};

/// A UE that has something to send or to be sent in this TTI.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// UE.
    pub ue: UeId,
    /// Bytes that a transport block would need to carry all of it.
    pub wanted: u32,
    /// Time that its oldest packet has waited.
    pub head_of_line: Duration,
    /// Least logical channel priority value with data; lower goes first.
    pub priority: u8,
    /// Bytes of a transport block of n resource blocks at its present MCS, at n.
    pub bytes: &'a [u32],
}

impl Candidate<'_> {
    /// The fewest resource blocks, in whole groups, that carry what is wanted, and
    /// at most `most`.
    pub fn needed(&self, group: u16, most: u16) -> u16 {
        let mut n = group.min(most);
        while n < most && self.bytes[usize::from(n)] < self.wanted {
            n = (n + group).min(most);
        }
        n
    }
}

/// The room of a list of candidates that are no longer needed, for others.
pub(crate) fn reuse<'b>(candidates: Vec<Candidate<'_>>) -> Vec<Candidate<'b>> {
    // The standard library collects in place; a lifetime needs no new memory.
    candidates.into_iter().map_while(|_| None).collect()
}

/// What a UE gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// One of the candidates.
    pub ue: UeId,
    /// Resource blocks; above zero.
    pub resource_blocks: u16,
}

/// Decides who is served in a TTI.
///
/// Candidates come in the order of their UEs. The grants of a TTI must not exceed
/// the resource blocks that are free, and each candidate gets at most one; the run panics
/// where a scheduler of the user's breaks that. Must be a pure function of its inputs and
/// its own past.
pub trait Scheduler: Send {
    /// Appends grants out of `free` resource blocks. `tti` counts from zero; those
    /// in which nothing could be sent may be missing.
    fn schedule(&mut self, tti: u64, free: u16, candidates: &[Candidate<'_>], out: &mut Vec<Grant>);
}

/// The schedulers that come with airpath, and the user's own.
pub enum SchedulerKind {
    /// Proportional fair.
    ProportionalFair(ProportionalFair),
    /// Round robin.
    RoundRobin(RoundRobin),
    /// Another.
    Custom(Box<dyn Scheduler>),
}

impl SchedulerKind {
    /// The configured scheduler for a cell of so many resource blocks and UEs.
    pub fn new(
        config: SchedulerConfig,
        allocation: Allocation,
        resource_blocks: u16,
        ues: usize,
    ) -> SchedulerKind {
        let group = group_size(resource_blocks);
        match config {
            SchedulerConfig::ProportionalFair { window } => SchedulerKind::ProportionalFair(
                ProportionalFair::new(window, allocation, group, ues),
            ),
            SchedulerConfig::RoundRobin => {
                SchedulerKind::RoundRobin(RoundRobin::new(allocation, group, group))
            }
        }
    }
}

impl Scheduler for SchedulerKind {
    fn schedule(
        &mut self,
        tti: u64,
        free: u16,
        candidates: &[Candidate<'_>],
        out: &mut Vec<Grant>,
    ) {
        match self {
            SchedulerKind::ProportionalFair(s) => s.schedule(tti, free, candidates, out),
            SchedulerKind::RoundRobin(s) => s.schedule(tti, free, candidates, out),
            SchedulerKind::Custom(s) => {
                s.schedule(tti, free, candidates, out);
                check(free, candidates, out);
            }
        }
    }
}

/// A scheduler from outside may have mistakes, which would otherwise be met far from it.
fn check(free: u16, candidates: &[Candidate<'_>], grants: &[Grant]) {
    let mut granted = vec![false; candidates.len()];
    let mut left = free;
    for Grant { ue, resource_blocks } in grants {
        let place = candidates.binary_search_by_key(ue, |candidate| candidate.ue).ok();
        let before = place.map(|n| std::mem::replace(&mut granted[n], true));
        assert!(before.is_some(), "the scheduler chose {ue}, which is no candidate");
        assert!(before == Some(false), "the scheduler chose {ue} twice");
        assert!(*resource_blocks > 0, "the scheduler granted no resource block");
        assert!(*resource_blocks <= left, "the scheduler granted more than {free} resource blocks");
        left -= resource_blocks;
    }
}

/// Resource blocks of a group in downlink allocations of type 0 (TS 36.213, table
/// 7.1.6.1-1).
pub const fn group_size(resource_blocks: u16) -> u16 {
    match resource_blocks {
        0..=10 => 1,
        11..=26 => 2,
        27..=63 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_used_again() {
        let mut list: Vec<Candidate<'_>> = Vec::with_capacity(9);
        list.push(Candidate {
            ue: UeId(1),
            wanted: 1,
            head_of_line: Duration::ZERO,
            priority: 1,
            bytes: &[0, 8],
        });
        let place = list.as_ptr();
        let again: Vec<Candidate<'static>> = reuse(list);
        assert_eq!((again.len(), again.capacity(), again.as_ptr()), (0, 9, place));
    }
}
