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

use crate::{DelaySummary, MetricInfo, metric_info, reference};

mod application;
pub(crate) mod balancing;
pub mod bearer;
pub(crate) mod block;
pub(crate) mod carriers;
pub mod cell;
pub mod flow;
pub(crate) mod flow_group;
pub(crate) mod frame;
pub(crate) mod handover;
pub(crate) mod handover_flow;
pub(crate) mod legs;
pub mod link;
pub(crate) mod network;
mod nulls;
pub(crate) mod packet;
pub(crate) mod position;
pub mod queue;
pub mod radio;
mod radio_link;
pub(crate) mod request;
pub(crate) mod secondary;
pub(crate) mod series;
pub(crate) mod source;
pub(crate) mod state;
pub(crate) mod ue;
pub(crate) mod user;

pub use application::{
    MediaSummary, PageSummary, PlaybackSummary, QuicSummary, RequestSummary, VoiceSummary,
    WebrtcSummary,
};
pub use balancing::{BalancingSummary, PairOffset};
pub use bearer::BearerSummary;
pub use carriers::CarrierSummary;
pub use cell::CellSummary;
pub use flow::FlowSummary;
pub use handover::{AdmissionSummary, ConditionalSummary, DapsSummary, HandoverSummary};
pub use handover_flow::{HandoverCost, HandoverCostSummary};
pub use legs::LegSummary;
pub use link::LinkSummary;
pub use queue::QueueSummary;
pub use radio::{OutOfRangeSummary, RadioSummary};
pub use secondary::SecondarySummary;
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

/// Name, statistic and meaning of each of these statistics of a measure of times.
pub(crate) fn of_times<Read>(
    measure: &Measure<Read>,
    statistics: &[Statistic],
) -> impl Iterator<Item = (String, Statistic, String)> {
    statistics.iter().map(|statistic| {
        let (end, words, _) = statistic;
        let name = format!("{}_{end}_ms", measure.name);
        (name, *statistic, format!("{words} {}", measure.meaning))
    })
}

/// A declared metric of a run, or a column of users.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// Name in files.
    pub name: String,
    pub info: MetricInfo,
    /// Name of the measure that it is, or that it is a statistic of.
    pub measure: &'static str,
    /// The measure in words, without unit and statistic.
    pub label: String,
    pub statistic: Option<String>,
}

impl Declared {
    /// The metrics of a measure: one, or one for each statistic of times.
    pub(crate) fn of<Read>(
        measure: &'static Measure<Read>,
        statistics: &'static [Statistic],
    ) -> Vec<Declared> {
        if statistics.is_empty() {
            return vec![Declared::new(measure, &measure.name, &measure.meaning, None)];
        }
        let each = of_times(measure, statistics);
        each.map(|(name, (end, ..), text)| Declared::new(measure, &name, &text, Some(end)))
            .collect()
    }

    fn new<Read>(
        measure: &'static Measure<Read>,
        name: &str,
        meaning: &str,
        statistic: Option<&str>,
    ) -> Declared {
        let mut endings = measure.scale.endings.iter().filter(|end| end.starts_with('_'));
        let bare = endings.find_map(|end| measure.name.strip_suffix(end));
        let bare = bare.unwrap_or(&measure.name);
        let own = STATISTICS
            .iter()
            .find_map(|(end, ..)| Some((bare.strip_suffix(end)?.strip_suffix('_')?, *end)));
        let (front, own) = own.map_or((bare, None), |(front, end)| (front, Some(end)));
        let label = match measure.label {
            "" => front.replace('_', " "),
            label => label.to_owned(),
        };
        Declared {
            name: name.to_owned(),
            info: MetricInfo::of(measure.scale, meaning.to_owned()),
            measure: &measure.name,
            label,
            statistic: statistic.or(own).map(str::to_owned),
        }
    }
}

/// True if a name is declared: a column of a table, or a metric of a run or of the time series.
pub fn is_declared(name: &str) -> bool {
    let of_series = series::declared().any(|[metric, ..]| metric == name);
    of_series || COLUMNS.contains_key(name) || metric_info(name).is_some()
}

/// True if a name is that of a measure of flow groups, of the network or of users.
pub fn is_measure(name: &str) -> bool {
    let mut all = flow_group::declared().chain(network::declared()).chain(user::declared());
    all.any(|declared| declared.measure == name)
}

/// Unit of a metric of the time series; empty if it has none or is not declared.
pub fn series_unit(metric: &str) -> &'static str {
    series::declared().find(|[name, ..]| *name == metric).map_or("", |[_, _, unit, _]| unit)
}

/// Label of a metric of the time series; empty if it has none or is not declared.
pub fn series_label(metric: &str) -> &'static str {
    series::declared().find(|[name, ..]| *name == metric).map_or("", |[_, label, ..]| label)
}

/// Unit of a column of a file, which carries no unit itself: that of the declared column or metric of
/// this name. Of columns that are declared nowhere, the unit that the name ends in.
pub fn unit(column: &str) -> &'static str {
    let declared = COLUMNS.get(column).copied();
    let declared = declared.or_else(|| metric_info(column).map(|info| info.unit));
    declared.unwrap_or_else(|| Scale::of_name(column).unit)
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
