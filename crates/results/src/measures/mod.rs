//! Quantities of a run, each declared once: name, unit, meaning, better direction and reader.
//!
//! A struct of [`measured!`](airpath_base::measured) is an object of `summary.json`, with a field for
//! each quantity and the expression that reads it from counters. The columns of a table are listed
//! behind the struct: fields by name, and statistics of fields with texts of their own. Measures of
//! users, of groups of flows and of the whole network are lists. Tables with their texts,
//! `docs/results.md` and the metrics of campaigns follow from these declarations.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use airpath_base::measure::{Measure, Scale};

use crate::{DelaySummary, metric_info, reference};

mod application;
pub mod bearer;
pub(crate) mod block;
pub mod cell;
pub mod flow;
pub(crate) mod flow_group;
pub(crate) mod frame;
pub mod link;
pub(crate) mod network;
mod nulls;
pub(crate) mod packet;
pub mod queue;
pub mod radio;
mod radio_link;
pub(crate) mod request;
pub(crate) mod series;
pub(crate) mod source;
pub(crate) mod state;
pub(crate) mod ue;
pub(crate) mod user;

pub use application::{MediaSummary, PageSummary, PlaybackSummary, RequestSummary};
pub use bearer::BearerSummary;
pub use cell::CellSummary;
pub use flow::FlowSummary;
pub use link::LinkSummary;
pub use queue::QueueSummary;
pub use radio::{OutOfRangeSummary, RadioSummary};
pub use ue::{NoServiceSummary, RadioLinkSummary, RrcSummary, UeSummary};

/// Statistic of a set of times: ending, words, value.
pub(crate) type Statistic = (&'static str, &'static str, fn(&DelaySummary) -> f64);

pub(crate) const STATISTICS: [Statistic; 5] = [
    ("mean", "Mean of the", |d| d.mean),
    ("p50", "Median of the", |d| d.p50),
    ("p95", "95th percentile of the", |d| d.p95),
    ("p99", "99th percentile of the", |d| d.p99),
    ("max", "Largest of the", |d| d.max),
];

/// Name, meaning and value of each of these statistics of a measure of times.
pub(crate) fn of_times<Read>(
    measure: &Measure<Read>,
    statistics: &[Statistic],
) -> impl Iterator<Item = (String, String, fn(&DelaySummary) -> f64)> {
    statistics.iter().map(|(end, words, of)| {
        (format!("{}_{end}_ms", measure.name), format!("{words} {}", measure.meaning), *of)
    })
}

/// Whether a name is that of a declared quantity: a column of a table, a metric of a run, or a metric
/// of the time series.
pub fn is_declared(name: &str) -> bool {
    let of_series = series::declared().any(|(metric, _)| metric == name);
    of_series || COLUMNS.contains_key(name) || metric_info(name).is_some()
}

/// Unit of a metric of the time series; empty if it has none or is not declared.
pub fn series_unit(metric: &str) -> &'static str {
    series::declared().find(|(name, _)| *name == metric).map_or("", |(_, unit)| unit)
}

/// Unit of a column of a file, which carries no unit itself: the unit of the declared column of this
/// name, or else the unit that the name ends in.
pub fn unit(column: &str) -> &'static str {
    COLUMNS.get(column).copied().unwrap_or_else(|| Scale::of_name(column).unit)
}

/// Units of the columns of all tables.
static COLUMNS: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    let tables = reference::all_tables();
    let columns = tables.iter().flat_map(|(_, table)| table.described());
    columns.map(|(name, _, unit, _)| (name.to_owned(), unit)).collect()
});

#[cfg(test)]
#[path = "measures_tests.rs"]
mod tests;
