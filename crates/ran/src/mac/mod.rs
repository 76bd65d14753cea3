//! MAC: who is served in a TTI, and what a transport block carries.

mod fill;
mod proportional_fair;
mod round_robin;
mod scheduler;

pub use fill::{Bucket, Filled, Filler};
pub use proportional_fair::ProportionalFair;
pub use round_robin::RoundRobin;
pub(crate) use scheduler::reuse;
pub use scheduler::{Candidate, Grant, Scheduler, SchedulerKind, group_size};
