//! Intervals, tests and stopping rules for results of runs.
//!
//! A run gives one value of a metric, and runs with different seeds give independent values. Users
//! of one run (a drop) share what happened to it. Hence the methods:
//!
//! - over runs: [`mean_interval`], [`prediction_interval`], [`wilson`];
//! - two arms that were run on the same seeds: [`paired_difference`] and [`paired_ratio`], whose
//!   [`Effect`] has an interval, a p, a test of equality, and how many runs would resolve it;
//! - users within runs: [`quantile_interval`], and for two arms [`quantile_difference`] and
//!   [`quantile_ratio`];
//! - the mean of such effects over conditions: [`mean_effect`] and [`mean_quantile_effect`];
//! - many comparisons at once: [`holm`], and [`everywhere`] for a statement about all loads and arms;
//! - a claim: its [`Verdict`];
//! - how many runs: [`Until`] stops when an interval is narrow enough;
//! - a distribution in bounded memory: [`Histogram`];
//! - one long run: [`mser`] says where its beginning ends, [`batch_means`] has an interval.
//!
//! How often the intervals hold what they are about was measured: `docs/statistics.md`, and
//! [`coverage()`] where that is clearly less than they say.
//!
//! Values that are not finite are refused: every method then answers with none. How far the
//!
//! Distributions come from `statrs`, which uses the platform's transcendental functions where
//! the standard library is there. Results may differ in the last bit between platforms; no model
//! uses them.

mod clusters;
mod conditions;
mod coverage;
mod critical;
mod effect;
mod histogram;
mod interval;
mod many;
mod paired;
mod pool;
mod sample;
mod steady;
mod until;
mod verdict;

pub use clusters::{Resampling, quantile_difference, quantile_interval, quantile_ratio};
pub use conditions::{Condition, mean_effect, mean_quantile_effect};
pub use coverage::{Method, coverage};
pub use critical::{normal_quantile, t_critical, t_quantile, t_tail, z_critical};
pub use effect::{Effect, MOST_RUNS, POWER, Scale};
pub use histogram::Histogram;
pub use interval::{CONFIDENCE, Interval, mean_interval, prediction_interval, wilson};
pub use many::{everywhere, holm};
pub use paired::{paired_difference, paired_ratio};
pub use sample::{Welford, nearest_rank, percentile, quantile, quartiles, rank};
pub use steady::{batch_means, mser};
pub use until::{Next, Until};
pub use verdict::Verdict;
