//! Intervals, tests and stopping rules for results of runs.
//!
//! A run gives one value of a metric, runs with different seeds give independent values, and
//! users of one run (a drop) share what happened to it. Methods so far are over runs:
//!
//! - over runs: [`mean_interval`], [`wilson`], [`prediction_interval`], and for two arms that were
//!   run on the same seeds [`paired_difference`] and [`paired_ratio`];
//!
//! Values that are not finite are refused: every method then answers with none. How far the
//!
//! Distributions come from `statrs`, which uses the platform's transcendental functions where
//! the standard library is there. Results may differ in the last bit between platforms; no model
//! uses them.

mod critical;
mod interval;
mod paired;
mod sample;
mod until;

pub use critical::{normal_quantile, t_critical, t_quantile, t_tail, z_critical};
pub use interval::{Interval, mean_interval, prediction_interval, wilson};
pub use paired::{paired_difference, paired_ratio};
pub use sample::{Welford, nearest_rank, percentile, quantile, quartiles, rank};
pub use until::{Next, Until};
