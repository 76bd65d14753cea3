//! Threads that do the work of a stage together.
//!
//! [`Crew`] is written for threads, locks and atomics of two libraries: the standard one, and loom.
//! With loom a test goes through the orders in which threads may act.

/// The hand-off of work between threads.
///
/// Work moves: a job is owned by the caller, by a desk or by the thread that does it. Each thread
/// has a desk with its share of the jobs. A thread whose desk is empty takes from other desks, so
/// a stage waits for no thread that sleeps. A thread that waits looks for a while, giving its core
/// away now and then, and then sleeps.
mod hand_off;
mod sync;

#[cfg(test)]
mod crew_tests;
#[cfg(test)]
mod model_tests;

pub(crate) use hand_off::{Crew, Job};
