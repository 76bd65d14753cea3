//! Kinds of charts.

use airpath_plot::Chart;

use crate::colours::Colours;
use crate::series::Course;
use crate::{ReportError, Results, arms, cdf, load, map, series, stages, tradeoff};

/// A chart that results can be seen as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A metric of `series.parquet` over time.
    Over(Course),
    /// Packets that arrived marked, over time.
    Marks,
    /// A distribution function.
    Cdf,
    /// Mean delay by stage.
    Stages,
    /// A metric of arms with its interval.
    Metric,
    /// A metric over two axes of a campaign.
    Heat,
    /// Goodput against delay.
    RateDelay,
    /// Users where they are.
    Map,
    /// Load of cells over time.
    Load,
}

impl What {
    /// All, in the order in which a page shows them.
    pub const ALL: [What; 19] = [
        What::Over(Course::QueueDelay),
        What::Over(Course::Queue),
        What::Over(Course::Rate),
        What::Over(Course::Arrivals),
        What::Over(Course::Cwnd),
        What::Over(Course::InFlight),
        What::Over(Course::Rtt),
        What::Over(Course::Buffer),
        What::Over(Course::ResourceBlocks),
        What::Over(Course::Mcs),
        What::Over(Course::Sinr),
        What::Marks,
        What::Cdf,
        What::Stages,
        What::Metric,
        What::Heat,
        What::RateDelay,
        What::Map,
        What::Load,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            What::Over(course) => course.name(),
            What::Marks => "marks",
            What::Cdf => "cdf",
            What::Stages => "stages",
            What::Metric => "metric",
            What::Heat => "heat",
            What::RateDelay => "rate-delay",
            What::Map => "map",
            What::Load => "load",
        }
    }

    /// Meaning for a list.
    pub fn meaning(self) -> &'static str {
        match self {
            What::Over(course) => course.meaning(),
            What::Marks => "packets that arrived with congestion experienced, over time",
            What::Cdf => {
                "distribution of --of: packets, queue, frames, requests, a measure of users, or a metric of runs"
            }
            What::Stages => "mean one-way delay by stage and flow group",
            What::Metric => "the metric --of for each arm of a campaign, with its 95% interval",
            What::Heat => "the metric --of over two axes of a campaign",
            What::RateDelay => "goodput against the delay --of, an ellipse for each arm",
            What::Map => "users on the map of a network, coloured by --of",
            What::Load => "share of its resource blocks that each cell uses, over time",
        }
    }

    /// The chart of this name.
    ///
    /// # Errors
    ///
    /// If there is none; names the nearest.
    pub fn named(name: &str) -> Result<What, ReportError> {
        let found = What::ALL.into_iter().find(|what| what.name() == name);
        let names = What::ALL.map(What::name);
        found.ok_or_else(|| ReportError::unknown("chart", name, names.into_iter().chain(["all"])))
    }

    /// Best first chart of results.
    pub fn default_for(results: &Results) -> What {
        let series = |run: &crate::Run| run.folder.has("series.parquet");
        match (results.runs.iter().any(series), results.runs.is_empty()) {
            (true, _) => What::Over(Course::QueueDelay),
            (false, false) => What::Stages,
            (false, true) => What::Metric,
        }
    }
}

/// The chart of results; `of` names what is measured, where there is a choice.
///
/// # Errors
///
/// If the results do not have what it needs.
pub fn chart(what: What, results: &Results, of: Option<&str>) -> Result<Chart, ReportError> {
    let chart = match what {
        What::Over(course) => series::chart(course, results)?,
        What::Marks => series::marks(results)?,
        What::Cdf => cdf::chart(results, of)?,
        What::Metric => arms::metric(results, of)?,
        What::RateDelay => tradeoff::chart(results, of)?,
        What::Load => load::chart(results)?,
        // Their colours are of stages and of values.
        What::Stages => return stages::chart(results),
        What::Heat => return arms::heat(results, of),
        What::Map => return map::chart(results, of),
    };
    Ok(Colours::of(results).agree(chart))
}

/// Metrics of a campaign that stand beside goodput where all is shown.
const BESIDE: [&str; 4] = ["delay_p99_ms", "frame_delay_p99_ms", "page_p95_ms", "request_p95_ms"];

/// Every chart that the results allow.
///
/// # Errors
///
/// Why the first cannot be made, if none can.
pub fn all(results: &Results, of: Option<&str>) -> Result<Vec<Chart>, ReportError> {
    let mut first = None;
    let mut charts = Vec::new();
    for what in What::ALL {
        match chart(what, results, of) {
            Ok(chart) => charts.push(chart),
            Err(error) => first = first.or(Some(error)),
        }
        if what == What::Metric && of.is_none() {
            charts.extend(BESIDE.iter().filter_map(|of| chart(what, results, Some(of)).ok()));
        }
    }
    match first {
        Some(error) if charts.is_empty() => Err(error),
        _ => Ok(charts),
    }
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        BESIDE.iter().for_each(|name| assert!(is_declared(name), "{name}"));
    }
}
