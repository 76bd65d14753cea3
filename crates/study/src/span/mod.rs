//! Figures of a flow in a span of a run: `measure@run.flow[from..to]`.
//!
//! ```text
//! rate@main.media[20..40]          mean over the 20 s from 20 s on
//! rise@main.media[20..40, 3.2]     seconds from 20 s on until the rate is 3.2 Mbit/s
//! jain@main.a+b+c[60..120]         fairness of three flows
//! ```

mod packets;
mod read;
mod trace;

pub use packets::Packets;

use airpath_net::PathPhase;

pub(crate) use read::read;
pub(crate) use trace::SpanTrace;

/// A measure in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanMeasure {
    /// Bytes of IP packets with data that arrived, in Mbit/s.
    Rate,
    /// In-order bytes that the application received, in Mbit/s.
    Goodput,
    /// Mean time in queues of packets that arrived, in ms.
    QueueMean,
    /// Median of these times, in ms.
    QueueMedian,
    /// Their 95th percentile, in ms.
    QueueP95,
    /// Their 99th percentile, in ms.
    QueueP99,
    /// Largest of these times, in ms.
    QueueMax,
    /// Mean one-way delay of packets that arrived, in ms.
    DelayMean,
    /// Its 95th percentile, in ms.
    DelayP95,
    /// Its 99th percentile, in ms.
    DelayP99,
    /// Packets that were dropped, in percent of those that were dropped or arrived.
    Loss,
    /// Packets that arrived with CE, in percent of those that arrived.
    Marks,
    /// Mean congestion window, in kB; one value for each report of the sender.
    WindowMean,
    /// Least congestion window, in kB.
    WindowMin,
    /// Largest congestion window, in kB.
    WindowMax,
    /// Time with a congestion window below a level in kB, in percent of the time since the first report.
    WindowBelow,
    /// Mean pacing rate of BBR's reports, in Mbit/s of payload.
    Pacing,
    /// Mean of BBR.max_bw in these reports, in Mbit/s of payload.
    MaxBw,
    /// Time in a state of BBR, in percent of the time since the first report.
    In(PathPhase),
    /// Least RTT sample, in ms.
    RttMin,
    /// Mean of the RTT samples, in ms.
    RttMean,
    /// Expiries of the retransmission timer.
    Expiries,
    /// Loss recoveries that began.
    Recoveries,
    /// Mean target of a controller of media, in Mbit/s.
    Target,
    /// Seconds from the begin until the rate of a second is at least a level in Mbit/s; the length of the span if never.
    Rise,
    /// Seconds from the begin until the rate of a second is at most a level in Mbit/s; the length of the span if never.
    Fall,
    /// Seconds from the begin until no packet has waited longer in queues than a level in ms.
    Drain,
    /// Standard deviation of the rates of whole seconds over their mean, in percent.
    Variation,
    /// Longest time without an arrival, in ms.
    Gap,
    /// Rate of the first flow over that of all flows that are named, in percent.
    Share,
    /// Rate of all flows that are named together, in Mbit/s.
    Sum,
    /// Jain's index of the rates of the flows that are named (R. Jain et al., DEC-TR-301, 1984).
    Jain,
}

use SpanMeasure as M;

/// Names in tables.
const NAMES: [(&str, SpanMeasure); 38] = [
    ("rate", M::Rate),
    ("goodput", M::Goodput),
    ("queue-mean", M::QueueMean),
    ("queue-p50", M::QueueMedian),
    ("queue-p95", M::QueueP95),
    ("queue-p99", M::QueueP99),
    ("queue-max", M::QueueMax),
    ("span-delay-mean", M::DelayMean),
    ("span-delay-p95", M::DelayP95),
    ("span-delay-p99", M::DelayP99),
    ("loss", M::Loss),
    ("marks", M::Marks),
    ("window-mean", M::WindowMean),
    ("window-min", M::WindowMin),
    ("window-max", M::WindowMax),
    ("window-below", M::WindowBelow),
    ("pacing", M::Pacing),
    ("max-bw", M::MaxBw),
    ("in-startup", M::In(PathPhase::Startup)),
    ("in-drain", M::In(PathPhase::Drain)),
    ("in-down", M::In(PathPhase::Down)),
    ("in-cruise", M::In(PathPhase::Cruise)),
    ("in-refill", M::In(PathPhase::Refill)),
    ("in-up", M::In(PathPhase::Up)),
    ("in-probe-rtt", M::In(PathPhase::ProbeRtt)),
    ("rtt-min", M::RttMin),
    ("rtt-mean", M::RttMean),
    ("expiries", M::Expiries),
    ("recoveries", M::Recoveries),
    ("target", M::Target),
    ("rise", M::Rise),
    ("fall", M::Fall),
    ("drain", M::Drain),
    ("variation", M::Variation),
    ("gap", M::Gap),
    ("share", M::Share),
    ("sum", M::Sum),
    ("jain", M::Jain),
];

impl SpanMeasure {
    pub(crate) fn named(name: &str) -> Option<SpanMeasure> {
        NAMES.iter().find(|(known, _)| *known == name).map(|(_, measure)| *measure)
    }

    pub(crate) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Name of its figure among those of a run.
    pub(crate) fn key(self, flow: &str) -> String {
        format!("{}@{flow}", self.name())
    }

    /// True for a measure that compares with a level.
    fn has_level(self) -> bool {
        matches!(self, M::Rise | M::Fall | M::Drain | M::WindowBelow)
    }
}

/// Flows and a span, as the text behind a measure has them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    /// Names in the scenario.
    flows: Vec<String>,
    /// Begin and end in nanoseconds.
    from: u64,
    to: u64,
    level: f64,
}

impl Span {
    /// Reads `flow[from..to]` or `flow[from..to, level]`; several flows stand with `+` between them.
    pub(crate) fn parse(measure: SpanMeasure, text: &str) -> Option<Span> {
        let (flows, rest) = text.strip_suffix(']')?.split_once('[')?;
        let (span, level) = match rest.split_once(", ") {
            Some((span, level)) => {
                (span, Some(level.parse().ok().filter(|l: &f64| l.is_finite())?))
            }
            None => (rest, None),
        };
        let (from, to) = span.split_once("..")?;
        let nanos = |text: &str| {
            let seconds: f64 = text.parse().ok()?;
            (0.0..1e9).contains(&seconds).then_some((seconds * 1e9) as u64)
        };
        let (from, to) = (nanos(from)?, nanos(to)?);
        let flows: Vec<String> = flows.split('+').map(str::to_owned).collect();
        let many = matches!(measure, M::Share | M::Sum | M::Jain);
        let fits = from < to && level.is_some() == measure.has_level() && many == (flows.len() > 1);
        fits.then(|| Span { flows, from, to, level: level.unwrap_or_default() })
    }

    fn seconds(&self) -> f64 {
        (self.to - self.from) as f64 / 1e9
    }
}

#[cfg(test)]
#[path = "span_tests.rs"]
mod tests;
