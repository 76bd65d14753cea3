//! Flows of a report, each with its packets over time.
//!
//! No packet is kept while captures are read, so each flow takes another reading. The largest flows
//! are drawn, as many as captures of their size allow.

use airpath_analyse::{Captures, FlowProtocol, FlowRecord, LargestFlows, Options, traced};
use airpath_plot::{Block, Chart, Section, plural};

use super::chart;
use super::tables::notes;

/// Packets of each kind of note that a chart names.
const NOTED: usize = 8;
/// Bytes of captures that are read again for all flows together, at most.
const MOST_BYTES: u64 = 256 << 20;

/// Section of a report with a chart of each of the largest flows, of `flows` in all. It states
/// which flows lack a chart. `bytes` is the size of the captures, or none if they cannot be read
/// again.
pub fn each_flow(
    largest: &LargestFlows,
    captures: &Captures<'_>,
    bytes: Option<u64>,
    options: &Options,
    flows: u64,
) -> Section {
    let readings = bytes.map_or(0, |bytes| MOST_BYTES / (bytes + 1));
    if readings == 0 {
        let lead = "Captures that are large, or no files, are not read again for a picture of \
                    each flow: --flow N -o FILE draws one.";
        return Section::new("each", "Each flow", vec![Block::Text(lead.into())]);
    }
    let most = usize::try_from(readings).unwrap_or(usize::MAX);
    let largest = largest.flows().iter().take(most);
    let drawn = |flow| flow_chart(flow, captures, options.clone()).ok().map(named);
    let charts: Vec<Chart> = largest.filter_map(drawn).collect();
    let lead = match flows {
        all if charts.len() as u64 == all => String::new(),
        all => format!(
            "The {} with most payload, of {all}; --flow N -o FILE draws any other.",
            plural(charts.len(), "flow")
        ),
    };
    if charts.is_empty() {
        return Section::new("each", "Each flow", vec![Block::Text(lead)]);
    }
    let blocks = vec![Block::Choice("Flow".into(), charts)];
    Section { lead, ..Section::new("each", "Each flow", blocks) }
}

/// The chart of a flow as one of several: its title names the flow, its sentence says the rest.
fn named(chart: Chart) -> Chart {
    let number = chart.id.trim_start_matches("flow-").to_owned();
    let ends = chart.panels.first().map(|panel| panel.title.clone()).unwrap_or_default();
    let sentence = format!("{} {}", chart.title, chart.sentence);
    Chart { title: format!("Flow {number}: {ends}"), sentence, ..chart }
}

/// A flow over time, for which the captures are read again.
///
/// # Errors
///
/// The reason why there is nothing to draw.
pub fn flow_chart(
    flow: &FlowRecord,
    captures: &Captures<'_>,
    options: Options,
) -> Result<Chart, String> {
    let options = Options { notes: options.notes.max(NOTED), ..options };
    let (flow, trace) = traced(flow, captures, options)?;
    let chart = match flow.protocol {
        FlowProtocol::Tcp => chart::of_segments(&flow, &trace),
        _ => chart::of_datagrams(&flow, &trace),
    };
    let noted = [("Up", &flow.up), ("Down", &flow.down)].map(|(way, direction)| {
        notes(&direction.notes).map_or(String::new(), |notes| format!(" {way}: {notes}."))
    });
    Ok(Chart { sentence: chart.sentence + &noted.concat(), ..chart })
}
