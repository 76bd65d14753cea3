//! Whole studies.

mod as_ns3;
mod fifth;
mod lte_in_depth;
mod short_tti;
