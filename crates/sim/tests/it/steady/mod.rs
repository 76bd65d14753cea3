//! Congestion controllers and queues in steady state, on a grid of rates and round trips:
//! utilisation and queue of the link, shares of the flows.
//!
//! `cargo test --release -p airpath-sim --test it steady::table -- --ignored --nocapture`
//! measures longer and prints the tables of `docs/steady.md`.

mod alone;
mod lab;
mod shares;
mod short;
mod table;
