//! How often intervals hold what they are about, by simulation.

mod cases;
mod measure;
mod page;
