//! The flows of a report, each drawn as `--flow N` draws one.
//!
//! No packet is kept while captures are read, so each flow takes another reading. The largest flows
//! are drawn, as many as captures of their size allow.

use std::cmp::Reverse;
use std::fs;

use airpath_analyse::{FlowRecord, Options};
use airpath_plot::{Block, Chart, Section, plural};

use super::{AnalyseArgs, drawn, is_stdin};

/// Flows that are drawn at most.
const MOST: usize = 16;
/// Bytes of captures that are read again for all flows together, at most.
const MOST_BYTES: u64 = 256 << 20;

/// The flows with most payload.
#[derive(Default)]
pub struct Largest(Vec<FlowRecord>);

fn payload(flow: &FlowRecord) -> u64 {
    flow.up.payload_bytes + flow.down.payload_bytes
}

impl Largest {
    /// A flow has ended.
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

    /// Section of a report with a picture of each of the largest flows. It states which flows lack
    /// a picture.
    pub fn section(self, args: &AnalyseArgs, options: &Options, flows: u64) -> Section {
        let Largest(largest) = self;
        let mut blocks = Vec::new();
        let lead = match readings(args) {
            Ok(0) | Err(()) => "Captures that are large, or no files, are not read again for a \
                                picture of each flow: --flow N -o FILE draws one."
                .to_owned(),
            Ok(most) => {
                let charts: Vec<Chart> = largest
                    .iter()
                    .take(most)
                    .filter_map(|flow| drawn(flow, args, options.clone()).ok())
                    .map(named)
                    .collect();
                let lead = match flows {
                    all if charts.len() as u64 == all => String::new(),
                    all => format!(
                        "The {} with most payload, of {all}; --flow N -o FILE draws any other.",
                        plural(charts.len(), "flow")
                    ),
                };
                if !charts.is_empty() {
                    blocks.push(Block::Choice("Flow".into(), charts));
                }
                lead
            }
        };
        match blocks.is_empty() {
            true => Section::new("each", "Each flow", vec![Block::Text(lead)]),
            false => Section { lead, ..Section::new("each", "Each flow", blocks) },
        }
    }
}

/// The chart of a flow as one of several: its title names the flow, its sentence says the rest.
fn named(chart: Chart) -> Chart {
    let number = chart.id.trim_start_matches("flow-").to_owned();
    let ends = chart.panels.first().map(|panel| panel.title.clone()).unwrap_or_default();
    let sentence = format!("{} {}", chart.title, chart.sentence);
    Chart { title: format!("Flow {number}: {ends}"), sentence, ..chart }
}

/// Number of times that the captures may be read again. An error if one of them cannot be read
/// twice.
fn readings(args: &AnalyseArgs) -> Result<usize, ()> {
    let mut bytes = 1;
    for path in &args.captures {
        let file = fs::metadata(path).ok().filter(|found| found.is_file() && !is_stdin(path));
        bytes += file.ok_or(())?.len();
    }
    Ok(usize::try_from(MOST_BYTES / bytes).unwrap_or(MOST).min(MOST))
}
