//! What is measured of a run.

use airpath_net::Stage;
use airpath_results::stat::{DelaySummary, jitter, jitter_from_first, whole_millis};
use airpath_sim::Outcome;

use crate::Form;

/// A measure of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Mean delay in ms.
    DelayMean,
    /// Smallest delay in ms.
    DelayMin,
    /// Largest delay in ms.
    DelayMax,
    /// Sample standard deviation of delays in ms.
    DelayStddev,
    /// Jitter in ms.
    Jitter,
    /// Bytes delivered while the flow was to send, in Mbit/s.
    Throughput,
    /// The same of all TCP flows of the run together.
    TotalThroughput,
    /// Segments sent again.
    Retransmissions,
    /// Rate of its packets with IP headers while it sent, in kbit/s.
    IpRate,
    /// Mean size of the cell's downlink transport blocks, in Mbit/s at one a millisecond.
    BlockRate,
    /// Least time from the cell to the UE, in whole ms.
    RadioDelay,
}

/// Names of measures in tables.
const NAMES: [(&str, Measure); 11] = [
    ("delay-mean", Measure::DelayMean),
    ("delay-min", Measure::DelayMin),
    ("delay-max", Measure::DelayMax),
    ("delay-stddev", Measure::DelayStddev),
    ("jitter", Measure::Jitter),
    ("throughput", Measure::Throughput),
    ("total-throughput", Measure::TotalThroughput),
    ("retransmissions", Measure::Retransmissions),
    ("ip-rate", Measure::IpRate),
    ("block-rate", Measure::BlockRate),
    ("radio-delay", Measure::RadioDelay),
];

impl Measure {
    pub(crate) fn named(name: &str) -> Option<Measure> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure)
    }
}

/// What is kept of a run.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub(crate) flows: Vec<FlowMeasured>,
    pub(crate) block_mbps: Option<f64>,
}

/// What is kept of a flow of one UE.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowMeasured {
    /// Name in the scenario.
    pub(crate) flow: String,
    /// Name with the UE's.
    pub(crate) name: String,
    pub(crate) tcp: bool,
    /// Delays in nanoseconds in order of arrival.
    pub(crate) delays: Vec<u64>,
    pub(crate) mbps: Option<f64>,
    pub(crate) retransmissions: u64,
    pub(crate) ip_kbps: Option<f64>,
    /// Mean time in the radio access network, in ms.
    pub(crate) radio_ms: Option<f64>,
    pub(crate) sent: u64,
}

impl Measured {
    /// Reads off what a run came to.
    pub(crate) fn of(outcome: &Outcome, flows: &[String]) -> Measured {
        let end = outcome.summary.duration_s;
        let mut kept = Measured::default();
        for (facts, counts) in outcome.facts.flows.iter().zip(0u32..).filter_map(|(facts, n)| {
            Some((facts, outcome.collector.flow(airpath_base::FlowId(n))?))
        }) {
            let from = facts.start.as_secs_f64();
            let to = facts.stop.map_or(end, |stop| stop.as_secs_f64().min(end));
            let span = (to - from > 0.0).then_some(to - from);
            let data = &counts.data;
            let sending = data.first_sent.zip(data.last_sent);
            let sending = sending.map(|(first, last)| last.saturating_since(first).as_secs_f64());
            let gaps = data.sent_packets.saturating_sub(1) as f64;
            let mean_size = data.sent_bytes as f64 / data.sent_packets.max(1) as f64;
            let rate = sending.filter(|s| *s > 0.0).map(|s| gaps * mean_size * 8e-3 / s);
            kept.flows.push(FlowMeasured {
                flow: flows.get(facts.entry).cloned().unwrap_or_default(),
                name: facts.name.clone(),
                tcp: facts.kind == "tcp",
                delays: counts.delays.exact().unwrap_or_default().to_vec(),
                mbps: span.map(|span| counts.delivered_bytes() as f64 * 8e-6 / span),
                retransmissions: counts.tcp.retransmissions(),
                ip_kbps: rate,
                radio_ms: mean_stage(data, Stage::Radio),
                sent: data.sent_packets,
            });
        }
        kept.block_mbps = outcome.collector.cell(airpath_base::CellId(0)).and_then(|cell| {
            let down = &cell.blocks[0];
            let blocks: u64 = down.attempts.iter().map(|attempt| attempt.decoded).sum();
            (blocks > 0).then(|| down.bytes as f64 * 8e-3 / blocks as f64)
        });
        kept
    }

    /// A measure of a flow: the mean over the UEs that have it; none if nobody has.
    pub(crate) fn value(&self, measure: Measure, flow: &str, form: Form) -> Option<f64> {
        match measure {
            Measure::BlockRate => return self.block_mbps,
            Measure::TotalThroughput => {
                let rates = self.flows.iter().filter(|flow| flow.tcp).map(|flow| flow.mbps);
                return rates.sum();
            }
            _ => {}
        }
        let of = |flow: &FlowMeasured| flow.value(measure, form);
        let values: Vec<f64> =
            self.flows.iter().filter(|f| f.flow == flow).filter_map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}

impl FlowMeasured {
    /// A measure of this flow; none if it does not apply.
    pub(crate) fn value(&self, measure: Measure, form: Form) -> Option<f64> {
        let cut = match form {
            Form::Published => cut(&self.delays),
            Form::True => Vec::new(),
        };
        let delays: &[u64] = if form == Form::Published { &cut } else { &self.delays };
        let summary = || DelaySummary::of(delays);
        match measure {
            Measure::DelayMean => summary().map(|s| s.mean),
            Measure::DelayMin => summary().map(|s| s.min),
            Measure::DelayMax => summary().map(|s| s.max),
            Measure::DelayStddev => summary().and_then(|s| s.stddev_sample),
            Measure::Jitter if form == Form::Published => jitter_from_first(delays),
            Measure::Jitter => jitter(delays),
            Measure::Throughput => self.mbps,
            Measure::Retransmissions => Some(self.retransmissions as f64),
            Measure::IpRate => self.ip_kbps,
            Measure::RadioDelay => self.radio_ms,
            Measure::TotalThroughput | Measure::BlockRate => None,
        }
    }
}

/// Delays as a receiver sees that gets each packet a nanosecond before the subframe's
/// end and whose clock has whole milliseconds, cut down.
fn cut(delays: &[u64]) -> Vec<u64> {
    let early: Vec<u64> = delays.iter().map(|delay| delay.saturating_sub(1)).collect();
    whole_millis(&early)
}

fn mean_stage(leg: &airpath_results::LegCounts, stage: Stage) -> Option<f64> {
    let nanos = leg.stage_nanos[stage as usize] as f64;
    (leg.received_packets > 0).then(|| nanos / leg.received_packets as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(delays: &[u64]) -> Measured {
        let flow = |name: &str| FlowMeasured {
            flow: "voice".into(),
            name: name.into(),
            delays: delays.to_vec(),
            ..FlowMeasured::default()
        };
        Measured { flows: vec![flow("voice a"), flow("voice b")], block_mbps: None }
    }

    #[test]
    fn the_published_form_cuts_and_measures_from_the_first() {
        let run = measured(&[5_000_000, 7_300_000, 6_000_001]);
        let value = |measure, form| run.value(measure, "voice", form).expect("a value");
        // 4, 7 and 6 ms; the true ones are 5, 7.3 and 6.000001 ms.
        assert_eq!(value(Measure::DelayMin, Form::Published), 4.0);
        assert_eq!(value(Measure::DelayMean, Form::Published), 17.0 / 3.0);
        assert_eq!(value(Measure::Jitter, Form::Published), 2.5);
        assert_eq!(value(Measure::DelayMin, Form::True), 5.0);
        assert!((value(Measure::Jitter, Form::True) - 1.799_999_5).abs() < 1e-9);
        assert_eq!(run.value(Measure::DelayMin, "video", Form::True), None);
    }
}
