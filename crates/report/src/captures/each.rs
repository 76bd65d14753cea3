//! Flows of a report, each with its packets over time.
//!
//! No packet is kept while captures are read, so each flow takes another reading. The largest flows
//! are drawn, as many as captures of their size allow.

use std::cmp::Reverse;
use std::io::Read;

use airpath_analyse::{Analyser, FlowProtocol, FlowRecord, Options, Sink, Trace, Traced};
use airpath_plot::{Block, Chart, Section, plural};

use super::chart;
use super::tables::notes;

/// Packets of each kind of note that a chart names.
const NOTED: usize = 8;
/// Flows that are drawn at most.
const MOST: usize = 16;
/// Bytes of captures that are read again for all flows together, at most.
const MOST_BYTES: u64 = 256 << 20;

/// Opens captures in their order, one after the other. It can be called several times.
pub type Captures<'a> = dyn Fn() -> Box<dyn Iterator<Item = Box<dyn Read + 'a>> + 'a> + 'a;

/// The flows with most payload.
#[derive(Debug, Default)]
pub struct LargestFlows(Vec<FlowRecord>);

fn payload(flow: &FlowRecord) -> u64 {
    flow.up.payload_bytes + flow.down.payload_bytes
}

impl LargestFlows {
    /// Adds a flow that has ended.
    pub fn flow(&mut self, flow: &FlowRecord) {
        let least = self.0.last().map_or(0, payload);
        if payload(flow) == 0 || self.0.len() == MOST && payload(flow) <= least {
            return;
        }
        let at = self.0.partition_point(|known| Reverse(payload(known)) <= Reverse(payload(flow)));
        self.0.insert(at, flow.clone());
        self.0.truncate(MOST);
    }

    /// The flows, the largest first.
    pub fn flows(&self) -> &[FlowRecord] {
        &self.0
    }

    /// Section of a report with a chart of each of the largest flows, of `flows` in all. It states
    /// which flows lack a chart. `bytes` is the size of the captures, or none if they cannot be read
    /// again.
    pub fn section(
        &self,
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
        let most = usize::try_from(readings).unwrap_or(MOST).min(MOST);
        let largest = self.0.iter().take(most);
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

/// The packets of a flow, for which the captures are read again.
///
/// # Errors
///
/// If the flow has no payload or no times, or is not in the captures any more.
pub fn traced(
    flow: &FlowRecord,
    captures: &Captures<'_>,
    options: Options,
) -> Result<(Box<FlowRecord>, Trace), String> {
    let number = flow.number;
    if payload(flow) == 0 {
        let protocol = flow.protocol.name();
        let advice = "there is nothing to draw over time";
        return Err(format!("flow {number} ({protocol}) carried no payload: {advice}"));
    }
    let trace = Traced::of(flow);
    if trace.is_none() {
        return Err(format!(
            "flow {number} has packets without a time (Simple Packet Blocks): there is nothing to \
             draw over time"
        ));
    }
    let options = Options { trace, notes: options.notes.max(NOTED), ..options };
    let mut found = Found::default();
    let mut analyser = Analyser::with_sink(options, &mut found);
    for input in captures() {
        // The first reading reported faults of the capture.
        let _ = analyser.read("again", input);
    }
    analyser.finish();
    let changed = || format!("flow {number} was not found again: did the capture change?");
    found.both.ok_or_else(changed)
}

/// The flow that is traced; its packets come right behind it.
#[derive(Default)]
struct Found {
    last: Option<Box<FlowRecord>>,
    both: Option<(Box<FlowRecord>, Trace)>,
}

impl Sink for &mut Found {
    fn flow(&mut self, flow: &FlowRecord) {
        if self.both.is_none() {
            self.last = Some(Box::new(flow.clone()));
        }
    }

    fn trace(&mut self, trace: &Trace) {
        if let Some(flow) = self.last.take() {
            self.both = Some((flow, trace.clone()));
        }
    }
}
