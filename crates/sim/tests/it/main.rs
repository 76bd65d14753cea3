//! Whole runs.

mod determinism;
mod lab;
mod little;
mod own_scheduler;
mod properties;
mod rrc;
mod sharing;
mod steady;
