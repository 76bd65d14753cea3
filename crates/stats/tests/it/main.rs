//! Coverage of intervals, by simulation.

mod cases;
mod measure;
mod page;
