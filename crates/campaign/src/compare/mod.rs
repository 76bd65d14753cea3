//! Two arms that were run on the same seeds, metric by metric.
//!
//! A metric of a run is compared by pairs of runs. A percentile over users is taken over the users
//! of all runs together, with runs as clusters. Methods and how far they can be trusted are in
//! `airpath-stats` and `docs/statistics.md`. The p of all metrics that are compared are corrected
//! together (Holm).

mod answer;
mod gather;
mod keys;
mod matter;
mod metric;
mod names;
mod row;
mod side;
mod title;
mod words;

use rayon::prelude::*;
use serde::Serialize;

pub use answer::Sentence;
pub use gather::run_both;
pub use keys::{KeyDifference, differences};
pub use names::{Choice, Unknown};
pub use row::{Estimate, Finding, Row};
pub use side::{Run, Side};
pub use title::arm_title;

use airpath_stats::{Resampling, holm};

/// Options of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Metrics to compare.
    pub choice: Choice,
    /// The margin, as 0.1 for 10%, within which two arms are called equal; none if nobody asks.
    pub margin: Option<f64>,
    /// Resampling of the users of runs.
    pub resampling: Resampling,
}

/// Differences of the second arm from the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Name of the first arm.
    pub first: String,
    /// Name of the second arm.
    pub second: String,
    /// True if different builds of one version made them, which may differ as well.
    pub builds_differ: bool,
    /// Seeds that both were run with.
    pub seeds: Vec<u64>,
    /// Seeds that only one of them was run with.
    pub unpaired: usize,
    /// Keys of the scenario that differ.
    pub keys: Vec<KeyDifference>,
    /// Metrics that have a p: so many comparisons share the level of 5%.
    pub comparisons: usize,
    /// The answer in sentences, what matters most to a person first.
    pub answer: Vec<Sentence>,
    /// A row for each metric.
    pub metrics: Vec<Row>,
}

/// Reason why two arms cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// They share no seed.
    #[error(
        "`{first}` has seeds {of_first}, `{second}` {of_second}: none is in both; run both with the same seeds"
    )]
    Seeds {
        /// Name of the first arm.
        first: String,
        /// Its seeds.
        of_first: String,
        /// Name of the second arm.
        second: String,
        /// Its seeds.
        of_second: String,
    },
    /// Different versions of airpath made them.
    #[error(
        "`{first}` was made by airpath {of_first}, `{second}` by {of_second}: the program itself may make the difference; run both with one"
    )]
    Versions {
        /// Name of the first arm.
        first: String,
        /// Its version.
        of_first: String,
        /// Name of the second arm.
        second: String,
        /// Its version.
        of_second: String,
    },
    /// There is no such metric.
    #[error(transparent)]
    Metric(#[from] Unknown),
}

/// Compares two arms.
///
/// # Errors
///
/// If different versions of airpath made them, they share no seed, or there is no such metric.
pub fn compare(first: &Side, second: &Side, options: &Options) -> Result<Comparison, CompareError> {
    if first.version != second.version {
        return Err(CompareError::Versions {
            first: first.name.clone(),
            of_first: first.version.clone(),
            second: second.name.clone(),
            of_second: second.version.clone(),
        });
    }
    let seeds: Vec<u64> =
        first.runs.keys().filter(|seed| second.runs.contains_key(seed)).copied().collect();
    if seeds.is_empty() {
        return Err(CompareError::Seeds {
            first: first.name.clone(),
            of_first: first.seeds(),
            second: second.name.clone(),
            of_second: second.seeds(),
        });
    }
    let names = options.choice.of(first, second)?;
    let pairs: Vec<(&Run, &Run)> =
        seeds.iter().map(|seed| (&first.runs[seed], &second.runs[seed])).collect();
    // Drawing users anew takes a while; the order of metrics is kept.
    let mut found: Vec<metric::Found> =
        names.par_iter().map(|name| metric::Found::of(name, &pairs, options.resampling)).collect();
    let comparisons = correct(&mut found);
    let keys = differences(&first.scenario, &second.scenario);
    let [name, other] = title::of_pair([&first.name, &second.name], &keys);
    let words = words::Words { first: &name, second: &other, comparisons };
    let margin = options.margin;
    let metrics: Vec<Row> =
        found.iter().map(|found| Row::of(found, comparisons, margin, words)).collect();
    let answer = answer::answer(&metrics, first.kinds_differ() || second.kinds_differ(), words);
    Ok(Comparison {
        builds_differ: first.build.is_some()
            && second.build.is_some()
            && first.build != second.build,
        unpaired: first.runs.len() + second.runs.len() - 2 * seeds.len(),
        seeds,
        keys,
        comparisons,
        answer,
        metrics,
        first: name,
        second: other,
    })
}

/// Corrects what has a p for there being several; says how many there are.
fn correct(found: &mut [metric::Found]) -> usize {
    let with_p: Vec<&mut metric::Found> =
        found.iter_mut().filter(|found| found.difference.is_some()).collect();
    let p: Vec<f64> = with_p.iter().filter_map(|f| Some(f.difference?.p())).collect();
    let corrected = holm(&p).unwrap_or_default();
    for (found, p) in with_p.into_iter().zip(&corrected) {
        found.corrected = Some(*p);
    }
    corrected.len()
}

#[cfg(test)]
mod tests;
