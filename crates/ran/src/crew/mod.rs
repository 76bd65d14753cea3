//! Threads that do the work of a stage together.
//!
//! [`Crew`] is written for two sets of threads, locks and atomics: those of the standard library,
//! and those of loom, with which a test goes through the orders in which threads may act.

mod hand_off;
mod sync;

#[cfg(test)]
mod crew_tests;
#[cfg(test)]
mod model_tests;

pub(crate) use hand_off::{Crew, Job};
