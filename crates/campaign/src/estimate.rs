//! The mean of a metric over the runs of an arm, and how well it is known.

use airpath_results::{Table, TableError};
use airpath_stats::{CONFIDENCE, Interval, Method, Welford, coverage, mean_interval};

/// A metric over the runs of an arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Index of the arm.
    pub arm: usize,
    /// The metric.
    pub metric: String,
    /// Runs that have a value.
    pub runs: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (divisor n - 1); none of one run.
    pub stddev: Option<f64>,
    /// The 95% interval of the mean by Student's t; none of one run.
    pub interval: Option<Interval>,
}

impl Estimate {
    /// Share of intervals like this one that were measured to hold the mean, 0 to 1. None where it
    /// is about the 95% of the interval.
    pub fn coverage(&self) -> Option<f64> {
        self.interval?;
        let variation = self.stddev? / self.mean.abs();
        coverage(Method::Mean { variation }, self.runs).filter(|_| variation.is_finite())
    }

    /// Of these values; none without any.
    pub(crate) fn of(arm: usize, metric: &str, values: &[f64]) -> Option<Estimate> {
        let mut moments = Welford::default();
        values.iter().for_each(|value| moments.add(*value));
        let interval = mean_interval(values, CONFIDENCE);
        Some(Estimate {
            arm,
            metric: metric.to_owned(),
            runs: values.len(),
            // To the bit the mean that the interval is around.
            mean: interval.map_or(moments.mean()?, |interval| interval.estimate),
            stddev: moments.stddev_sample(),
            interval,
        })
    }
}

/// Adds the columns of estimates to a table that has a row for each.
pub(crate) fn add_to(table: Table, of: &[Estimate], unit: impl Fn(&str) -> String) -> Table {
    table
        .utf8("metric", of.iter().map(|e| &e.metric))
        .doc("Name of the metric.")
        .utf8("unit", of.iter().map(|e| unit(&e.metric)))
        .doc("Its unit; empty for counts, 1 for shares.")
        .u64("runs", of.iter().map(|e| e.runs as u64))
        .doc("Runs that have a value.")
        .f64("mean", of.iter().map(|e| e.mean))
        .doc("Their mean.")
        .optional_f64("stddev", of.iter().map(|e| e.stddev))
        .doc("Their standard deviation (divisor n - 1).")
        .optional_f64("low", of.iter().map(|e| Some(e.interval?.low)))
        .doc("Lower end of the 95% interval of the mean (Student's t over runs).")
        .optional_f64("high", of.iter().map(|e| Some(e.interval?.high)))
        .doc("Upper end of it.")
        .optional_f64("coverage", of.iter().map(Estimate::coverage))
        .doc("Share of such intervals that were measured to hold the mean, of values that spread like these; null where it is 0.93 or more.")
}

/// Reads estimates back, with the names of the arms in order.
pub(crate) fn read(table: &Table, arms: &[&str]) -> Result<Vec<Estimate>, TableError> {
    let lost = |column: &str| TableError::Missing(column.to_owned());
    let texts = |name: &str| table.texts(name).ok_or_else(|| lost(name));
    let numbers = |name: &str| table.numbers(name).ok_or_else(|| lost(name));
    let (arm, metric) = (texts("arm")?, texts("metric")?);
    let (runs, mean, stddev) = (numbers("runs")?, numbers("mean")?, numbers("stddev")?);
    let (low, high) = (numbers("low")?, numbers("high")?);
    let row = |n: usize| {
        let estimate = mean[n]?;
        let interval = low[n].zip(high[n]).map(|(low, high)| Interval { estimate, low, high });
        Some(Estimate {
            arm: arms.iter().position(|name| Some(*name) == arm[n])?,
            metric: metric[n]?.to_owned(),
            runs: runs[n]? as usize,
            mean: estimate,
            stddev: stddev[n],
            interval,
        })
    };
    Ok((0..table.rows()).filter_map(row).collect())
}
