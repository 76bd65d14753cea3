//! Measures of flows, each declared once.

use super::Metric;
use crate::{DelaySummary, Delays, FlowCounts, FlowInfo, FlowSummary, MediaCounts};

/// A flow with all that is known of it.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    pub info: &'a FlowInfo,
    pub counts: &'a FlowCounts,
    pub summary: &'a FlowSummary,
}

type Members<'a> = [Member<'a>];

/// How a measure is read off flows.
enum Read {
    Number(fn(&Members<'_>) -> Option<f64>),
    /// Mean and percentiles of times of all flows together, each with an ending of its own.
    Times(for<'a> fn(&Member<'a>) -> Option<&'a Delays>),
}

struct Measure {
    name: &'static str,
    read: Read,
    /// Of times, what stands behind "mean of".
    meaning: &'static str,
    more_is_better: Option<bool>,
}

type Statistic = (&'static str, &'static str, fn(&DelaySummary) -> f64);

const STATISTICS: [Statistic; 4] = [
    ("mean", "Mean of the", |d| d.mean),
    ("p50", "Median of the", |d| d.p50),
    ("p95", "95th percentile of the", |d| d.p95),
    ("p99", "99th percentile of the", |d| d.p99),
];

const fn more(
    name: &'static str,
    read: fn(&Members<'_>) -> Option<f64>,
    meaning: &'static str,
) -> Measure {
    Measure { name, read: Read::Number(read), meaning, more_is_better: Some(true) }
}

const fn less(
    name: &'static str,
    read: fn(&Members<'_>) -> Option<f64>,
    meaning: &'static str,
) -> Measure {
    Measure { name, read: Read::Number(read), meaning, more_is_better: Some(false) }
}

const fn times(
    name: &'static str,
    read: for<'a> fn(&Member<'a>) -> Option<&'a Delays>,
    meaning: &'static str,
) -> Measure {
    Measure { name, read: Read::Times(read), meaning, more_is_better: Some(false) }
}

const MEASURES: &[Measure] = &[
    more("goodput_bps", goodput, "Goodput of all its flows together."),
    more(
        "fairness",
        fairness,
        "Jain's index of the flows' goodputs: 1 if all are equal, 1/n if one of n has all (R. Jain et al., DEC-TR-301, 1984). Of two flows or more.",
    ),
    times(
        "delay",
        |m| m.info.has_packets().then_some(&m.counts.delays),
        "one-way delay of data packets, from birth to arrival.",
    ),
    times(
        "queue_delay",
        |m| m.info.has_packets().then_some(&m.counts.queueing),
        "time of data packets in queues: of links, and of PDCP and RLC at cell and UE.",
    ),
    less("jitter_ms", jitter, "Mean of |d(i+1) - d(i)| of the delays of a flow; mean over flows."),
    less(
        "loss_rate",
        |m| rate(m, |f| f.lost_packets, |f| f.sent_packets),
        "Data packets dropped, of those sent.",
    ),
    Measure {
        name: "ce_rate",
        read: Read::Number(ce_rate),
        meaning: "Data packets that arrived with congestion experienced, of those that arrived.",
        more_is_better: None,
    },
    less(
        "retransmission_rate",
        |m| tcp(m, |f| f.retransmissions),
        "TCP segments sent again, of the packets sent.",
    ),
    less("timeouts", |m| count(m, |f| f.timeouts), "Retransmission timeouts of TCP."),
    less(
        "rtt_mean_ms",
        |m| mean(m.iter().filter_map(|m| m.summary.rtt_ms)),
        "Mean of TCP's RTT samples; mean over flows.",
    ),
    more("finished", finished, "TCP flows that were complete before the end."),
    less(
        "completion_time_mean_ms",
        |m| mean(completions(m)),
        "Time from the start of a transfer to its completion, of those that were complete.",
    ),
    less(
        "completion_time_max_ms",
        |m| completions(m).reduce(f64::max),
        "The longest of these times.",
    ),
    times(
        "request",
        |m| Some(&m.counts.requests.as_ref()?.durations),
        "time from asking to the last byte of the response, of all requests that were answered.",
    ),
    more(
        "answered_share",
        |m| share(m, |m| m.counts.requests.as_ref().map(|r| (r.answered, r.asked))),
        "Requests that were answered in full, of those asked.",
    ),
    times(
        "page",
        |m| Some(&m.counts.pages.as_ref()?.delays),
        "time from asking for a page to the last byte of its last object, of finished pages.",
    ),
    more(
        "pages_finished_share",
        |m| share(m, |m| m.counts.pages.as_ref().map(|p| (p.finished, p.asked))),
        "Pages that came with all their objects, of those asked for.",
    ),
    times(
        "frame_delay",
        |m| Some(&m.counts.media.as_ref()?.delays),
        "time from the encoder to the picture, of frames that arrived whole.",
    ),
    times(
        "rtp_queue",
        |m| Some(&m.counts.media.as_ref()?.sender),
        "time from the encoder to the network, of the packets that arrived.",
    ),
    less(
        "frames_late_share",
        |m| frames(m, |media| media.late),
        "Frames that came whole but late, of those made.",
    ),
    less(
        "frames_lost_share",
        |m| frames(m, MediaCounts::lost),
        "Frames that did not arrive whole although a later one did, of those made.",
    ),
    more(
        "target_bps",
        |m| mean(m.iter().filter_map(|m| m.summary.media.as_ref()?.target_bps)),
        "Mean target bitrate of the media controller; mean over flows.",
    ),
    less(
        "startup_mean_ms",
        |m| mean(playback(m).filter_map(|p| p.startup_s).map(|s| s * 1e3)),
        "Time until a player first played.",
    ),
    less(
        "stalls",
        |m| total(playback(m).map(|p| p.stalls as f64)),
        "Times that players stopped for want of media.",
    ),
    less(
        "stalled_share",
        stalled,
        "Time that players stood still for want of media, of the time since they first played.",
    ),
];

/// The metrics of these flows, at least one, each name behind `prefix`.
pub(super) fn metrics(prefix: &str, members: &Members<'_>) -> Vec<Metric> {
    let mut metrics = Vec::new();
    let mut add =
        |name: &str, value| metrics.push(Metric { name: format!("{prefix}{name}"), value });
    for measure in MEASURES {
        match measure.read {
            Read::Number(read) => read(members).into_iter().for_each(|v| add(measure.name, v)),
            Read::Times(read) => {
                let all: Vec<&Delays> = members.iter().filter_map(read).collect();
                let together = if all.is_empty() { None } else { Delays::together(&all) };
                for (end, _, of) in together.iter().flat_map(|_| &STATISTICS) {
                    let value = together.as_ref().map(of);
                    value.into_iter().for_each(|v| add(&format!("{}_{end}_ms", measure.name), v));
                }
            }
        }
    }
    metrics
}

/// What a measure says, and whether more of it is better.
pub(super) fn info(name: &str) -> Option<(String, Option<bool>)> {
    MEASURES.iter().find_map(|measure| {
        let meaning = match measure.read {
            Read::Number(_) => (measure.name == name).then(|| measure.meaning.to_owned()),
            Read::Times(_) => {
                let end =
                    name.strip_prefix(measure.name)?.strip_prefix('_')?.strip_suffix("_ms")?;
                let (_, words, _) = STATISTICS.iter().find(|(known, ..)| *known == end)?;
                Some(format!("{words} {}", measure.meaning))
            }
        };
        Some((meaning?, measure.more_is_better))
    })
}

fn total(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(|a, b| a + b)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

fn goodput(members: &Members<'_>) -> Option<f64> {
    total(members.iter().filter_map(|member| member.summary.goodput_bps))
}

fn fairness(members: &Members<'_>) -> Option<f64> {
    let rates: Vec<f64> = members.iter().filter_map(|member| member.summary.goodput_bps).collect();
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(s, q), r| (s + r, q + r * r));
    (rates.len() > 1 && squares > 0.0).then(|| sum * sum / (rates.len() as f64 * squares))
}

fn jitter(members: &Members<'_>) -> Option<f64> {
    mean(members.iter().filter_map(|member| member.summary.jitter_ms))
}

fn rate(
    members: &Members<'_>,
    part: fn(&FlowSummary) -> u64,
    whole: fn(&FlowSummary) -> u64,
) -> Option<f64> {
    share(&members.iter().filter(|m| m.info.has_packets()).copied().collect::<Vec<_>>(), |member| {
        Some((part(member.summary), whole(member.summary)))
    })
}

fn share(members: &Members<'_>, of: impl Fn(&Member<'_>) -> Option<(u64, u64)>) -> Option<f64> {
    let (part, whole) =
        members.iter().filter_map(of).fold((0, 0), |(p, w), (part, whole)| (p + part, w + whole));
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn of_tcp<'a, 'b>(members: &'b Members<'a>) -> impl Iterator<Item = &'b Member<'a>> {
    members.iter().filter(|member| member.info.kind == FlowInfo::TCP)
}

fn tcp(members: &Members<'_>, part: fn(&FlowSummary) -> u64) -> Option<f64> {
    let members: Vec<Member<'_>> = of_tcp(members).copied().collect();
    share(&members, |member| Some((part(member.summary), member.summary.sent_packets)))
}

fn count(members: &Members<'_>, of: fn(&FlowSummary) -> u64) -> Option<f64> {
    total(of_tcp(members).map(|member| of(member.summary) as f64))
}

fn ce_rate(members: &Members<'_>) -> Option<f64> {
    share(members, |member| {
        let data = &member.counts.data;
        Some((data.received_ce, data.received_packets))
    })
}

fn completions<'a>(members: &'a Members<'_>) -> impl Iterator<Item = f64> + 'a {
    members
        .iter()
        .filter_map(|member| Some((member.summary.finish_s? - member.summary.start_s?) * 1e3))
}

fn finished(members: &Members<'_>) -> Option<f64> {
    total(of_tcp(members).map(|member| f64::from(u8::from(member.summary.finish_s.is_some()))))
}

fn frames(members: &Members<'_>, part: fn(&MediaCounts) -> u64) -> Option<f64> {
    share(members, |member| {
        let media = member.counts.media.as_deref()?;
        Some((part(media), media.made))
    })
}

fn playback<'a>(members: &'a Members<'_>) -> impl Iterator<Item = &'a crate::PlaybackSummary> + 'a {
    members.iter().filter_map(|member| member.summary.playback.as_ref())
}

fn stalled(members: &Members<'_>) -> Option<f64> {
    let (stalled, played) = playback(members)
        .fold((0.0, 0.0), |(s, p), player| (s + player.stalled_s, p + player.played_s));
    (stalled + played > 0.0).then(|| stalled / (stalled + played))
}
