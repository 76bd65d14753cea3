//! Whole studies.

mod as_ns3;
mod fifth;
mod short_tti;
