//! A run of a scenario, from file to results.
//!
//! [`run`] builds the world of a scenario, lets it go on in slices of simulated time,
//! checks that no packet appeared or vanished unseen, and writes the results. Nothing
//! here looks at a clock: what wall time there is to report comes from the caller.
//! Campaigns of several runs are left out.

mod books;
mod inventory;
mod run;

pub use run::{Outcome, Progress, RunFailure, RunOptions, run};
