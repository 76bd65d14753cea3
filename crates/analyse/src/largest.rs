//! Flows with most payload, and their packets, for which captures are read again.
//!
//! No packet is kept while captures are read, so each flow takes another reading.

use std::cmp::Reverse;
use std::io::Read;

use crate::{Analyser, FlowRecord, Options, Sink, Trace, Traced};

/// Flows that are kept at most.
const MOST: usize = 16;

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
    let options = Options { trace, notes: options.notes, ..options };
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
