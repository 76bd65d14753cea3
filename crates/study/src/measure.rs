//! Measures: figures of what is kept of a run.

use airpath_latency::Figure;
use airpath_net::Stage;
use airpath_results::stat::{DelaySummary, jitter, jitter_from_first, whole_millis};

use crate::Form;
use crate::observe::{FlowMeasured, Measured};
use crate::ramp::Risen;
use crate::span::{Span, SpanMeasure};
use crate::wired::WiredMeasure;

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
    /// Bytes delivered by all TCP flows of the run together while they were to send, in Mbit/s.
    TotalThroughput,
    /// Segments sent again.
    Retransmissions,
    /// Times that the retransmission timer ran out.
    Timeouts,
    /// Share of its packets that did not arrive by the end of the run, in percent.
    Lost,
    /// Rate of its packets with IP headers while it sent, in kbit/s.
    IpRate,
    /// Rate of what is in them after RTP's header, in kbit/s.
    PayloadRate,
    /// Mean size of the cell's downlink transport blocks, in Mbit/s at one a millisecond.
    BlockRate,
    /// Least time from the cell to the UE, in whole ms.
    RadioDelay,
    /// Time until a download has its rate, in ms.
    RampTime,
    /// Bytes that the download has delivered by `RampTime`, in KB.
    RampSize,
    /// Time until user-perceived throughput has that rate, in ms.
    UptTime,
    /// Bytes that the download has delivered by `UptTime`, in KB.
    UptSize,
    /// Rate that it settles at, in Mbit/s.
    Saturation,
    /// Mean round trip until it has its rate, in ms.
    RoundTrip,
    /// Share of the radio access network in that.
    AirShare,
    /// Latency of the run's air interface in closed form, in ms; the flow is `errors` or
    /// `no-errors`.
    Latency(Figure),
    /// A figure that the run has by name; the flow is the name.
    Figure,
    /// A figure of a path without a radio.
    Wired(WiredMeasure),
    /// A figure of a span of the run; the flow has flows and span.
    Span(SpanMeasure),
}

/// Names of measures in tables.
const NAMES: [(&str, Measure); 26] = [
    ("delay-mean", Measure::DelayMean),
    ("delay-min", Measure::DelayMin),
    ("delay-max", Measure::DelayMax),
    ("delay-stddev", Measure::DelayStddev),
    ("jitter", Measure::Jitter),
    ("throughput", Measure::Throughput),
    ("total-throughput", Measure::TotalThroughput),
    ("retransmissions", Measure::Retransmissions),
    ("timeouts", Measure::Timeouts),
    ("lost", Measure::Lost),
    ("ip-rate", Measure::IpRate),
    ("payload-rate", Measure::PayloadRate),
    ("block-rate", Measure::BlockRate),
    ("radio-delay", Measure::RadioDelay),
    ("ramp-up-time", Measure::RampTime),
    ("ramp-up-size", Measure::RampSize),
    ("upt-time", Measure::UptTime),
    ("upt-size", Measure::UptSize),
    ("saturation", Measure::Saturation),
    ("round-trip", Measure::RoundTrip),
    ("air-share", Measure::AirShare),
    ("latency-downlink", Measure::Latency(Figure::Downlink)),
    ("latency-uplink-access", Measure::Latency(Figure::UplinkAccess)),
    ("latency-uplink-data", Measure::Latency(Figure::UplinkData)),
    ("latency-uplink", Measure::Latency(Figure::Uplink)),
    ("figure", Measure::Figure),
];

/// Latencies in the order in which [`Measured`] has them.
pub(crate) const LATENCIES: [Figure; 4] =
    [Figure::Downlink, Figure::UplinkAccess, Figure::UplinkData, Figure::Uplink];

impl Measure {
    pub(crate) fn named(name: &str) -> Option<Measure> {
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure);
        known
            .or_else(|| WiredMeasure::named(name).map(Measure::Wired))
            .or_else(|| SpanMeasure::named(name).map(Measure::Span))
    }

    /// True for a measure of a flow; false for one of the whole run.
    pub(crate) fn is_of_flow(self) -> bool {
        let whole = [Measure::BlockRate, Measure::TotalThroughput, Measure::Figure];
        !whole.contains(&self) && !matches!(self, Measure::Latency(_) | Measure::Span(_))
    }

    /// True if the text of its flow is one.
    pub(crate) fn has_flow(self, flow: &str) -> bool {
        match self {
            Measure::Span(measure) => Span::parse(measure, flow).is_some(),
            _ => true,
        }
    }

    /// The name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Measure::Wired(measure) => measure.name(),
            Measure::Span(measure) => measure.name(),
            _ => NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name),
        }
    }
}

impl Measured {
    /// A measure of a flow: the mean over the UEs that have it; none if nobody has.
    pub(crate) fn value(&self, measure: Measure, flow: &str, form: Form) -> Option<f64> {
        match measure {
            Measure::BlockRate => {
                let (bytes, blocks) = self.blocks;
                return (blocks > 0).then(|| bytes as f64 * 8e-3 / blocks as f64);
            }
            Measure::TotalThroughput => {
                let rates = self.flows.iter().filter(|flow| flow.tcp).map(FlowMeasured::mbps);
                return rates.sum();
            }
            Measure::Latency(figure) => return self.latency(figure, flow),
            Measure::Figure => return self.figures.get(flow).copied(),
            Measure::Span(measure) => return self.figures.get(&measure.key(flow)).copied(),
            _ => {}
        }
        let of = |flow: &FlowMeasured| flow.value(measure, form);
        let values: Vec<f64> =
            self.flows.iter().filter(|f| f.flow == flow).filter_map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    fn latency(&self, figure: Figure, errors: &str) -> Option<f64> {
        let column = ["no-errors", "errors"].iter().position(|name| *name == errors)?;
        let row = LATENCIES.iter().position(|known| *known == figure)?;
        Some(self.latency_ms?[row][column])
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
            Measure::Wired(measure) => self.wired.value(measure),
            Measure::DelayMean => summary().map(|s| s.mean),
            Measure::DelayMin => summary().map(|s| s.min),
            Measure::DelayMax => summary().map(|s| s.max),
            Measure::DelayStddev => summary().and_then(|s| s.stddev_sample),
            Measure::Jitter if form == Form::Published => jitter_from_first(delays),
            Measure::Jitter => jitter(delays),
            Measure::Throughput => self.mbps(),
            Measure::Retransmissions => Some(self.retransmissions as f64),
            Measure::Timeouts => Some(self.timeouts as f64),
            Measure::Lost => self.lost_percent(),
            Measure::IpRate => self.ip_kbps,
            Measure::PayloadRate => self.payload_kbps,
            Measure::RadioDelay => self.stage_ms(Stage::Radio),
            Measure::RampTime => self.risen(form)?.ramp_ms,
            Measure::RampSize => self.risen(form)?.ramp_kb,
            Measure::UptTime => self.risen(form)?.upt_ms,
            Measure::UptSize => self.risen(form)?.upt_kb,
            Measure::Saturation => Some(self.ramp.as_ref()?.saturation_mbps),
            Measure::RoundTrip => self.ramp.as_ref()?.round_trip_ms,
            Measure::AirShare => self.ramp.as_ref()?.air_share,
            Measure::TotalThroughput
            | Measure::BlockRate
            | Measure::Latency(_)
            | Measure::Span(_)
            | Measure::Figure => None,
        }
    }

    fn risen(&self, form: Form) -> Option<Risen> {
        let ramp = self.ramp.as_ref()?;
        Some(if form == Form::Published { ramp.seen } else { ramp.exact })
    }

    /// Share of its packets that did not arrive by the end, in percent.
    pub(crate) fn lost_percent(&self) -> Option<f64> {
        (self.sent > 0).then(|| (1.0 - self.received as f64 / self.sent as f64) * 100.0)
    }
}

/// Delays as a receiver sees that gets each packet a nanosecond before the subframe's
/// end and whose clock has whole milliseconds, cut down.
fn cut(delays: &[u64]) -> Vec<u64> {
    let early: Vec<u64> = delays.iter().map(|delay| delay.saturating_sub(1)).collect();
    whole_millis(&early)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RampFigures;

    fn measured(delays: &[u64]) -> Measured {
        let flow = |ue: &str| FlowMeasured {
            flow: "voice".into(),
            ue: ue.into(),
            delays: delays.to_vec(),
            ..FlowMeasured::default()
        };
        Measured { flows: vec![flow("a"), flow("b")], ..Measured::default() }
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

    #[test]
    fn latencies_are_without_errors_and_with_them() {
        let latency_ms = Some([[4.0, 4.8], [9.0, 9.0], [4.0, 4.8], [13.0, 13.8]]);
        let run = Measured { latency_ms, ..Measured::default() };
        let value = |figure, errors| run.value(Measure::Latency(figure), errors, Form::True);
        assert_eq!(value(Figure::Uplink, "errors"), Some(13.8));
        assert_eq!(value(Figure::UplinkAccess, "no-errors"), Some(9.0));
        assert_eq!(value(Figure::Uplink, "download"), None);
        assert_eq!(Measured::default().latency(Figure::Uplink, "errors"), None);
    }

    #[test]
    fn the_published_form_of_a_ramp_up_has_the_instants_that_were_looked_at() {
        let risen = |ramp_ms| Risen { ramp_ms: Some(ramp_ms), ..Risen::default() };
        let ramp = RampFigures { seen: risen(20.0), exact: risen(15.9), ..RampFigures::default() };
        let flow = FlowMeasured { ramp: Some(ramp), ..FlowMeasured::default() };
        assert_eq!(flow.value(Measure::RampTime, Form::Published), Some(20.0));
        assert_eq!(flow.value(Measure::RampTime, Form::True), Some(15.9));
        assert_eq!(FlowMeasured::default().value(Measure::RampTime, Form::True), None);
    }
}
