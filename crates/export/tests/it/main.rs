//! Recordings of paths whose capacity, delay and loss are known, and their formats.

mod paths;
mod script;
#[path = "../../../../tests/skipped.rs"]
mod skipped;
