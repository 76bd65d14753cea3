//! Congestion controllers and queues in steady state, on a grid of rates and round trips:
//! how full the link is, how long its queue, and who gets how much.
//!
//! `cargo test --release -p airpath-sim --test it steady::table -- --ignored --nocapture`
//! measures longer and prints the tables of `docs/steady.md`.

mod alone;
mod lab;
mod shares;
mod short;
mod table;
