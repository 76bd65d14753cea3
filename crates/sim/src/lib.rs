//! Runs of scenarios, from file to results.
//!
//! [`run`] builds the world of a scenario, lets it go on in slices of simulated time,
//! checks that no packet appeared or vanished unseen, and writes the results. Nothing
//! here looks at a clock: what wall time there is to report comes from the caller.
//!
//! [`execute`] makes many runs in parallel and gives their outputs in an order that does not
//! depend on threads. A [`RunCache`] holds finished runs on disk: what was interrupted goes
//! on, and several processes share the work. What a campaign is made of
//! is said elsewhere.

mod cache;
mod conservation;
mod course;
mod execute;
mod inventory;
mod run;
mod schedule;

pub use cache::RunCache;
pub use course::{Course, NotChanged};
pub use execute::{
    ExecuteOptions, Interrupted, Job, Outputs, Panicked, execute, execute_each, make,
};
pub use run::{Live, Outcome, Progress, RunFailure, RunOptions, run};
