//! Runs of scenarios, from file to results.
//!
//! [`run`] builds the world of a scenario and lets it go on in slices of simulated time. It checks
//! that no packet appeared or vanished unseen, and writes the results. Nothing here looks at a
//! clock: the caller supplies wall times for reports.
//!
//! [`execute`] makes many runs in parallel and gives their outputs in an order that does not depend
//! on threads. A [`RunCache`] holds finished runs on disk, so that interrupted work goes on and
//! several processes share it. Campaigns are a crate of their own.

mod cache;
mod conservation;
mod course;
mod execute;
mod inventory;
mod qlogs;
mod run;
mod schedule;
mod stack_files;

pub use cache::RunCache;
pub use course::{Course, NotChanged};
pub use execute::{
    ExecuteOptions, Interrupted, Job, Outputs, Panicked, execute, execute_each, make,
};
pub use run::{Live, Outcome, Progress, RunFailure, RunOptions, run, threads};
