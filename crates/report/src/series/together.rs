//! Several courses above each other over the same time, so that one explains the other.

use airpath_plot::{Axis, Block, Chart, Panel, plural};

use super::Course;
use crate::page::of_charts;
use crate::{Results, What, chart};

/// Charts that a report shows at first, from above: arrivals, transmissions, queues, their reasons.
const FIRST: [What; 7] = [
    What::Over(Course::Rate),
    What::Over(Course::Cwnd),
    What::Over(Course::QueueDelay),
    What::Marks,
    What::Over(Course::Mcs),
    What::Over(Course::Sinr),
    What::Over(Course::ResourceBlocks),
];
/// Charts on demand.
const MORE: [What; 5] = [
    What::Over(Course::Arrivals),
    What::Over(Course::InFlight),
    What::Over(Course::Rtt),
    What::Over(Course::Queue),
    What::Over(Course::Buffer),
];

/// Charts that explain a run over time, with a sentence for each measure; empty if none was
/// recorded.
pub fn first(results: &Results) -> Vec<Block> {
    together(results, &FIRST, "over-time", "What happened over time")
}

/// Further charts over time.
pub fn more(results: &Results) -> Vec<Block> {
    together(results, &MORE, "more-over-time", "More over time")
}

fn together(results: &Results, all: &[What], id: &str, title: &str) -> Vec<Block> {
    let charts: Vec<Chart> =
        all.iter().filter_map(|what| chart(*what, results, None).ok()).collect();
    let said = of_charts(&charts);
    let waits = charts.iter().find(|chart| chart.id == Course::QueueDelay.name());
    let waits = waits.map(|chart| format!(" {}", chart.sentence)).unwrap_or_default();
    let count = plural(charts.len(), "measure");
    let sentence = format!("{count} over the same time; what zooms one zooms all.{waits}");
    let panels: Vec<Panel> = charts.into_iter().filter_map(panel).collect();
    let (id, title) = (id.into(), title.into());
    if panels.is_empty() {
        return Vec::new();
    }
    let chart = Chart { id, title, sentence, panels, columns: 1, shared_x: true };
    vec![chart.into(), said]
}

/// The panel of a chart. Its series have their colours already, the same in all charts.
fn panel(chart: Chart) -> Option<Panel> {
    let title = chart.title;
    let panel = chart.panels.into_iter().next()?;
    let y = Axis { label: short(&panel.y.label).into(), ..panel.y };
    Some(Panel { title, y, ..panel })
}

/// Part of a label that fits beside a low panel; its title has the rest.
fn short(label: &str) -> &str {
    match label {
        "modulation and coding scheme" => "MCS",
        "resource blocks used" => "used",
        "congestion window" => "window",
        "packets that arrived marked" => "marked",
        "queueing delay" => "delay",
        "media in the buffer" => "buffer",
        label => label,
    }
}
