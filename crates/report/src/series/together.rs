//! Several courses above each other over the same time, so that one explains the other.

use airpath_plot::{Axis, Block, Chart, Finding, Panel, Series};

use super::Course;
use crate::words::counted;
use crate::{Results, What, chart};

/// What a report shows at first, from above: what arrives, what is sent, what waits, why.
const FIRST: [What; 7] = [
    What::Over(Course::Rate),
    What::Over(Course::Cwnd),
    What::Over(Course::QueueDelay),
    What::Marks,
    What::Over(Course::Mcs),
    What::Over(Course::Sinr),
    What::Over(Course::ResourceBlocks),
];
/// What it has beside, on demand.
const MORE: [What; 5] = [
    What::Over(Course::Arrivals),
    What::Over(Course::InFlight),
    What::Over(Course::Rtt),
    What::Over(Course::Queue),
    What::Over(Course::Buffer),
];

/// What explains a run over time, with a sentence for each measure; nothing if none was recorded.
pub fn first(results: &Results) -> Vec<Block> {
    together(results, &FIRST, "over-time", "What happened over time")
}

/// What else there is over time.
pub fn more(results: &Results) -> Vec<Block> {
    together(results, &MORE, "more-over-time", "More over time")
}

fn together(results: &Results, all: &[What], id: &str, title: &str) -> Vec<Block> {
    let charts: Vec<Chart> =
        all.iter().filter_map(|what| chart(*what, results, None).ok()).collect();
    let said = charts.iter().map(|chart| Finding {
        head: chart.title.clone(),
        text: chart.sentence.clone(),
        ..Finding::default()
    });
    let said: Vec<Finding> = said.collect();
    let waits = charts.iter().find(|chart| chart.id == Course::QueueDelay.name());
    let waits = waits.map(|chart| format!(" {}", chart.sentence)).unwrap_or_default();
    let count = counted(charts.len(), "measure");
    let sentence = format!("{count} over the same time; what zooms one zooms all.{waits}");
    let mut names = Vec::new();
    let panels: Vec<Panel> =
        charts.into_iter().flat_map(|chart| panel(chart, &mut names)).collect();
    let (id, title) = (id.into(), title.into());
    if panels.is_empty() {
        return Vec::new();
    }
    let chart = Chart { id, title, sentence, panels, columns: 1, shared_x: true };
    vec![Block::Chart(Box::new(chart)), Block::Findings(said)]
}

/// The panel of a chart, with colours that its series have in all panels.
fn panel(chart: Chart, names: &mut Vec<String>) -> Option<Panel> {
    let title = chart.title;
    let mut panel = chart.panels.into_iter().next()?;
    for series in panel.layers.iter_mut().filter_map(|layer| layer.series.as_mut()) {
        let place = names.iter().position(|name| *name == series.name).unwrap_or_else(|| {
            names.push(series.name.clone());
            names.len() - 1
        });
        *series = Series::new(series.name.as_str(), place);
    }
    let y = Axis { label: short(&panel.y.label).into(), ..panel.y };
    Some(Panel { title, y, ..panel })
}

/// What fits beside a low panel; its title says the rest.
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
