//! The scheduler of one direction of a cell.

use airpath_base::CellId;

use super::{
    ByDeadline, DelayBased, Grants, Levels, MinimumRate, Priority, ProportionalFair, Protection,
    RoundRobin, Slot,
};
use crate::config::{CellConfig, Precedence, SchedulerConfig};

/// Decides who is served in a slot.
///
/// It sees the slot and grants what is free in it. It must be a pure function of its inputs
/// and its own past.
pub trait Scheduler: Send {
    /// Grants resource blocks to candidates of the slot.
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants);

    /// True if the order of UEs follows from their rates or control channel elements. Then all UEs
    /// with data have a present report. If false, a UE has one when it is tried.
    fn ranks_by_reports(&self) -> bool {
        true
    }
}

/// Makes a downlink scheduler of the user's own for a cell: cells decide apart, so each has one.
pub type MakeScheduler<'a> = &'a dyn Fn(CellId, &CellConfig) -> Box<dyn Scheduler>;

impl<S: Scheduler + ?Sized> Scheduler for Box<S> {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        (**self).schedule(slot, grants);
    }

    fn ranks_by_reports(&self) -> bool {
        (**self).ranks_by_reports()
    }
}

/// The schedulers that come with airpath, and others.
pub enum SchedulerKind {
    /// Proportional fair.
    ProportionalFair(ProportionalFair),
    /// Round robin.
    RoundRobin(RoundRobin),
    /// Delay-based.
    DelayBased(DelayBased),
    /// One within levels of priority, or another.
    Custom(Box<dyn Scheduler>),
}

impl SchedulerKind {
    /// The downlink scheduler of a cell.
    pub fn new(cell: &CellConfig) -> SchedulerKind {
        match cell.precedence == Precedence::default() {
            true => SchedulerKind::alone(cell),
            false => SchedulerKind::Custom(protected(cell)),
        }
    }

    /// The downlink scheduler of a cell without levels of priority.
    fn alone(cell: &CellConfig) -> SchedulerKind {
        let (allocation, group) = (cell.allocation, group_size(cell.resource_blocks));
        let turns = RoundRobin::new(allocation, group, group, cell.scheduler.ues_per_slot());
        match cell.scheduler {
            SchedulerConfig::ProportionalFair { .. } => {
                SchedulerKind::ProportionalFair(ProportionalFair::new(allocation, group))
            }
            SchedulerConfig::RoundRobin { .. } => SchedulerKind::RoundRobin(turns),
            SchedulerConfig::DelayBased { by_age, .. } => {
                SchedulerKind::DelayBased(DelayBased::new(turns, by_age))
            }
        }
    }
}

impl Scheduler for SchedulerKind {
    fn schedule(&mut self, slot: &Slot<'_>, grants: &mut Grants) {
        match self {
            SchedulerKind::ProportionalFair(s) => s.schedule(slot, grants),
            SchedulerKind::RoundRobin(s) => s.schedule(slot, grants),
            SchedulerKind::DelayBased(s) => s.schedule(slot, grants),
            SchedulerKind::Custom(s) => s.schedule(slot, grants),
        }
    }

    fn ranks_by_reports(&self) -> bool {
        match self {
            SchedulerKind::ProportionalFair(s) => s.ranks_by_reports(),
            SchedulerKind::RoundRobin(s) => s.ranks_by_reports(),
            SchedulerKind::DelayBased(s) => s.ranks_by_reports(),
            SchedulerKind::Custom(s) => s.ranks_by_reports(),
        }
    }
}

/// A cell's scheduler with all that goes before others; the steps of [`Precedence`] from the
/// first to the last.
fn protected(cell: &CellConfig) -> Box<dyn Scheduler> {
    let inner = guaranteed(cell);
    let Some(limit) = cell.precedence.starvation else { return inner };
    let portion = (cell.allocation, group_size(cell.resource_blocks));
    Box::new(Protection::new(inner, limit, portion, cell.scheduler.ues_per_slot()))
}

fn guaranteed(cell: &CellConfig) -> Box<dyn Scheduler> {
    match cell.precedence.minimum_rate {
        true => Box::new(Levels::new(MinimumRate, || prioritised(cell))),
        false => prioritised(cell),
    }
}

fn prioritised(cell: &CellConfig) -> Box<dyn Scheduler> {
    match &cell.precedence.priority[..] {
        [] => by_deadline(cell),
        classes => Box::new(Levels::new(Priority(classes.to_vec()), || by_deadline(cell))),
    }
}

fn by_deadline(cell: &CellConfig) -> Box<dyn Scheduler> {
    let group = group_size(cell.resource_blocks);
    match cell.precedence.deadlines {
        true => {
            Box::new(ByDeadline::new(raised(cell), (group, group), cell.scheduler.ues_per_slot()))
        }
        false => raised(cell),
    }
}

fn raised(cell: &CellConfig) -> Box<dyn Scheduler> {
    match cell.precedence.raise {
        Some(raise) => Box::new(Levels::new(raise, || SchedulerKind::alone(cell))),
        None => Box::new(SchedulerKind::alone(cell)),
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
#[path = "scheduler_tests.rs"]
mod tests;
