//! MAC: schedulers of a cell, their input and their grants, and the token buckets of logical
//! channels.

mod bucket;
mod deadlines;
mod delay_based;
mod levels;
mod mean_rate;
mod proportional_fair;
mod protection;
mod resource_blocks;
mod round_robin;
mod scheduler;
mod slot;
#[cfg(test)]
mod testing;
mod traffic_class;

pub use bucket::Bucket;
pub use deadlines::ByDeadline;
pub use delay_based::DelayBased;
pub use levels::{Levels, MinimumRate, Priority, Raise, Rule};
pub use mean_rate::MeanRates;
pub use proportional_fair::ProportionalFair;
pub use protection::Protection;
pub use resource_blocks::{ResourceAllocation, ResourceBlocks, SLOT_SYMBOLS};
pub use round_robin::RoundRobin;
pub use scheduler::{MakeScheduler, Scheduler, SchedulerKind, group_size};
pub(crate) use slot::{Attempt, Buffers, Outcome, Trials, WaitingClass, allocate, reuse};
pub use slot::{Candidate, Class, Grant, Grants, Placement, Slot};
pub use traffic_class::{TrafficClass, TrafficClasses};
