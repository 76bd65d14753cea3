//! The scheduler of one direction of a cell.

use airpath_base::CellId;

use super::{Grants, ProportionalFair, RoundRobin, Slot};
use crate::config::{Allocation, CellConfig, SchedulerConfig};

/// Decides who is served in a slot.
///
/// It sees the slot and grants what is free in it. It must be a pure function of its inputs
/// and its own past.
pub trait Scheduler: Send {
    /// Grants resource blocks to candidates of the slot.
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants);
}

/// Makes a downlink scheduler of the user's own for a cell: cells decide apart, so each has one.
pub type MakeScheduler<'a> = &'a dyn Fn(CellId, &CellConfig) -> Box<dyn Scheduler>;

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
    /// The configured scheduler for a cell of so many resource blocks.
    pub fn new(
        config: SchedulerConfig,
        allocation: Allocation,
        resource_blocks: u16,
    ) -> SchedulerKind {
        let group = group_size(resource_blocks);
        match config {
            SchedulerConfig::ProportionalFair { .. } => {
                SchedulerKind::ProportionalFair(ProportionalFair::new(allocation, group))
            }
            SchedulerConfig::RoundRobin => {
                SchedulerKind::RoundRobin(RoundRobin::new(allocation, group, group))
            }
        }
    }
}

impl Scheduler for SchedulerKind {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        match self {
            SchedulerKind::ProportionalFair(s) => s.schedule(slot, grants),
            SchedulerKind::RoundRobin(s) => s.schedule(slot, grants),
            SchedulerKind::Custom(s) => s.schedule(slot, grants),
        }
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
