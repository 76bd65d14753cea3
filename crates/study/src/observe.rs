//! Measured values that are kept of a run.

use std::collections::BTreeMap;

use airpath_base::{Duration, Time};
use airpath_net::Stage;
use airpath_results::FlowCounts;
use airpath_scenario::Scenario;
use airpath_scenario::world::FlowFacts;
use airpath_sim::Outcome;
use serde::{Deserialize, Serialize};

use crate::growth::GrowthTrace;
use crate::wired::WiredFigures;
use crate::{Ramp, RampFigures};

/// IP, UDP and RTP in front of the payload of a real-time packet, in bytes (RFC 791,
/// 768, 3550).
const HEADERS: f64 = 40.0;

/// Measured values of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    pub(crate) flows: Vec<FlowMeasured>,
    /// Bytes of the cell's downlink transport blocks, and how many blocks there were.
    pub(crate) blocks: (u64, u64),
    /// Latencies in closed form in ms: by figure (downlink, uplink's access, its data,
    /// uplink), without errors and with them.
    #[serde(skip)] // of the task, not of the run
    pub(crate) latency_ms: Option<[[f64; 2]; 4]>,
    /// Figures by name, of work that has them.
    pub(crate) figures: BTreeMap<String, f64>,
}

/// Measured values of a flow of one UE.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowMeasured {
    /// Name in the scenario.
    pub(crate) flow: String,
    /// Name of the UE.
    pub(crate) ue: String,
    /// True if packets carry a code point other than best effort's.
    pub(crate) marked: bool,
    pub(crate) tcp: bool,
    /// Delays in nanoseconds in order of arrival.
    pub(crate) delays: Vec<u64>,
    /// Begin and end of the time in which the flow was to send and was measured, in seconds.
    pub(crate) span: (f64, f64),
    /// Bytes that the application received.
    pub(crate) delivered: u64,
    pub(crate) retransmissions: u64,
    pub(crate) timeouts: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Time of the received packets by stage, in nanoseconds.
    pub(crate) stages: [u64; Stage::COUNT],
    /// Rate while the flow sent, with all headers, in kbit/s.
    pub(crate) ip_kbps: Option<f64>,
    /// Rate while the flow sent, without the headers of IP, UDP and RTP, in kbit/s.
    pub(crate) payload_kbps: Option<f64>,
    /// Figures of the whole run for paths without a radio.
    pub(crate) wired: WiredFigures,
    /// Figures of the ramp-up, if a ramp is configured.
    pub(crate) ramp: Option<RampFigures>,
}

impl Measured {
    /// Reads off what a run came to.
    pub(crate) fn of(outcome: &Outcome, scenario: &Scenario) -> Measured {
        let end = outcome.summary.duration_s;
        let flows = outcome.facts.flows.iter().zip(0u32..).filter_map(|(facts, n)| {
            let counts = outcome.collector.flow(airpath_base::FlowId(n))?;
            let ue = outcome.facts.ues.get(facts.ue.0 as usize);
            let name = ue.map(|ue| ue.name.clone()).unwrap_or_default();
            Some(FlowMeasured { ue: name, ..flow(facts, counts, scenario, end) })
        });
        let blocks = outcome.collector.cell(airpath_base::CellId(0)).map(|cell| {
            let down = &cell.blocks[0];
            (down.bytes, down.attempts.iter().map(|attempt| attempt.decoded).sum())
        });
        let blocks = blocks.unwrap_or_default();
        Measured { flows: flows.collect(), blocks, ..Measured::default() }
    }

    /// Nothing but figures.
    pub(crate) fn with_figures(figures: BTreeMap<String, f64>) -> Measured {
        Measured { figures, ..Measured::default() }
    }

    /// With the ramp-ups of its flows.
    pub(crate) fn with_ramps(
        mut self,
        outcome: &Outcome,
        trace: &mut GrowthTrace,
        ramp: &Ramp,
    ) -> Self {
        let ended = Time::ZERO + Duration::from_secs_f64(outcome.summary.duration_s);
        for (n, (flow, facts)) in self.flows.iter_mut().zip(&outcome.facts.flows).enumerate() {
            let growth = trace.growth(n, facts.start, ended);
            flow.ramp = growth.and_then(|growth| growth.read(ramp));
        }
        self
    }

    /// Values measured after `from` seconds. `early` has those of the same run up to that time.
    pub(crate) fn since(mut self, from: f64, early: &Measured) -> Measured {
        for (flow, early) in self.flows.iter_mut().zip(&early.flows) {
            flow.take_away(from, early);
        }
        self.blocks.0 -= early.blocks.0;
        self.blocks.1 -= early.blocks.1;
        self
    }
}

fn flow(facts: &FlowFacts, counts: &FlowCounts, scenario: &Scenario, end: f64) -> FlowMeasured {
    let entry = scenario.flow.get(facts.entry);
    let data = &counts.data;
    let sending = data.first_sent.zip(data.last_sent);
    let sending = sending.map(|(first, last)| last.saturating_since(first).as_secs_f64());
    let gaps = data.sent_packets.saturating_sub(1) as f64;
    let mean_size = data.sent_bytes as f64 / data.sent_packets.max(1) as f64;
    let kbps = |size: f64| sending.filter(|s| *s > 0.0).map(|s| gaps * size * 8e-3 / s);
    let stop = facts.stop.map_or(end, |stop| stop.as_secs_f64().min(end));
    FlowMeasured {
        flow: entry.map(|flow| flow.name.clone()).unwrap_or_default(),
        ue: String::new(),
        marked: entry.is_some_and(|flow| flow.code_point() != 0),
        tcp: facts.kind == "tcp",
        delays: counts.delays.exact().unwrap_or_default().to_vec(),
        span: (facts.start.as_secs_f64(), stop),
        delivered: counts.delivered_bytes(),
        retransmissions: counts.tcp.retransmissions(),
        timeouts: counts.tcp.timeouts,
        sent: data.sent_packets,
        received: data.received_packets,
        stages: data.stage_nanos,
        ip_kbps: kbps(mean_size),
        payload_kbps: kbps(mean_size - HEADERS),
        wired: WiredFigures::of(counts, stop - facts.start.as_secs_f64()),
        ramp: None,
    }
}

impl FlowMeasured {
    fn take_away(&mut self, from: f64, early: &FlowMeasured) {
        self.delays.drain(..early.delays.len().min(self.delays.len()));
        self.span.0 = self.span.0.max(from);
        self.delivered -= early.delivered;
        self.retransmissions -= early.retransmissions;
        self.timeouts -= early.timeouts;
        self.sent -= early.sent;
        self.received -= early.received;
        for (all, early) in self.stages.iter_mut().zip(&early.stages) {
            *all -= early;
        }
    }

    /// Mean time in a stage in ms; none if no packet arrived.
    pub(crate) fn stage_ms(&self, stage: Stage) -> Option<f64> {
        let nanos = self.stages[stage as usize] as f64;
        (self.received > 0).then(|| nanos / self.received as f64 / 1e6)
    }

    /// Bytes delivered while it was to send, in Mbit/s.
    pub(crate) fn mbps(&self) -> Option<f64> {
        let seconds = self.span.1 - self.span.0;
        (seconds > 0.0).then(|| self.delivered as f64 * 8e-6 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_early_is_taken_away() {
        let flow = |delays: &[u64], delivered| FlowMeasured {
            delays: delays.to_vec(),
            delivered,
            span: (1.0, 11.0),
            ..FlowMeasured::default()
        };
        let run = |flow, blocks| Measured { flows: vec![flow], blocks, ..Measured::default() };
        let whole = run(flow(&[4, 5, 6], 3_500_000), (900, 9));
        let late = whole.since(3.0, &run(flow(&[4], 2_500_000), (300, 3)));
        assert_eq!(late.flows[0].delays, [5, 6]);
        // A million bytes in the eight seconds from 3 to 11 are 1 Mbit/s.
        assert_eq!(late.flows[0].mbps(), Some(1.0));
        assert_eq!(late.blocks, (600, 6));
    }
}
