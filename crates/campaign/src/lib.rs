//! Campaigns: each arm of a scenario with several seeds, and what comes of them.
//!
//! [`sweep`] makes the runs of a `Campaign` (of `airpath-scenario`) on all cores, or takes those
//! that are kept. It hands their records out one by one: they are not held in memory. With a folder
//! they become a [`Dataset`]. It has tables with a row for each run and each user, an interval for
//! each arm and metric, and the scenario of each arm.
//!
//! [`compare`](mod@compare) says what one arm has over another on the same seeds.
//!
//! [`capacity`](mod@capacity) finds the largest number of users of whom enough are satisfied.
//!
//! A campaign that is interrupted or killed goes on where it stopped. Processes that write to the
//! same folder share the work. A finished run is not made again, also when more seeds or arms are
//! added later. The same campaign gives the same bytes however it was made.

pub mod capacity;
pub mod compare;
mod dataset;
mod error;
mod estimate;
mod identity;
mod readme;
mod record;
mod sweep;
mod write;

pub use dataset::{ArmData, Dataset};
pub use error::SweepError;
pub use estimate::Estimate;
pub use identity::{ArmIdentity, CampaignSummary, Failure, MetricDoc};
pub use record::{RunRecord, make, work};
pub use sweep::{Elsewhere, Options, Report, Take, sweep};

/// Identity of this build for a [`RunCache`](airpath_sim::RunCache): a fingerprint of `Cargo.lock`,
/// the compiler, its flags without their paths, the profile and all sources. Sources are those that decide the results
/// of a run and its kept figures.
pub const BUILD: &str = env!("AIRPATH_BUILD");

#[cfg(test)]
#[path = "../build/flags.rs"]
mod flags;
