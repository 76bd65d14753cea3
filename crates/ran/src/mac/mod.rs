//! MAC: who is served in a TTI, and what a transport block carries.

mod fill;
mod mean_rate;
mod proportional_fair;
mod resource_blocks;
mod round_robin;
mod scheduler;
mod slot;
mod traffic_class;

pub use fill::{Bucket, Filled, Filler};
pub use mean_rate::MeanRates;
pub use proportional_fair::ProportionalFair;
pub use resource_blocks::{ResourceAllocation, ResourceBlocks, SLOT_SYMBOLS};
pub use round_robin::RoundRobin;
pub use scheduler::{MakeScheduler, Scheduler, SchedulerKind, group_size};
pub(crate) use slot::{Buffers, place, reuse};
pub use slot::{Candidate, Class, Grant, Grants, Placement, Slot};
pub use traffic_class::{TrafficClass, TrafficClasses};
