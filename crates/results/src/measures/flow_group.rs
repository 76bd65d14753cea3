//! Quantities of a group of flows: metrics of a run.

use airpath_base::measure::{BPS, MS, Measure, PLAIN, SHARE};

use super::{STATISTICS, Statistic, of_times};
use crate::{Delays, FlowCounts, FlowInfo, FlowSummary, MediaCounts, Metric, MetricInfo};

/// A flow with all that is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
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

use Read::{Number, Times};

/// Statistics of times that are metrics.
const PERCENTILES: &[Statistic] = STATISTICS.split_at(4).0;

const MEASURES: &[Measure<Read>] = &[
    Measure::new("goodput_bps", BPS.more(), "Goodput of all its flows together.", Number(goodput)),
    Measure::new(
        "fairness",
        SHARE.more(),
        "Jain's index of the flows' goodputs: 1 if all are equal, 1/n if one of n has all (R. Jain et al., DEC-TR-301, 1984). Of two flows or more.",
        Number(fairness),
    ),
    Measure::new(
        "delay",
        MS.less(),
        "one-way delay of data packets, from birth to arrival.",
        Times(|m| m.info.has_packets().then_some(&m.counts.delays)),
    ),
    Measure::new(
        "queue_delay",
        MS.less(),
        "time of data packets in queues: of links, and of PDCP and RLC at cell and UE.",
        Times(|m| m.info.has_packets().then_some(&m.counts.queueing)),
    ),
    Measure::new(
        "jitter_ms",
        MS.less(),
        "Mean of |d(i+1) - d(i)| of the delays of a flow; mean over flows.",
        Number(jitter),
    ),
    Measure::new(
        "loss_rate",
        SHARE.less(),
        "Data packets dropped, of those sent.",
        Number(|m| rate(m, |f| f.lost_packets, |f| f.sent_packets)),
    ),
    Measure::new(
        "ce_rate",
        SHARE,
        "Data packets that arrived with congestion experienced, of those that arrived.",
        Number(ce_rate),
    ),
    Measure::new(
        "retransmission_rate",
        SHARE.less(),
        "TCP segments sent again, of the packets sent.",
        Number(|m| tcp(m, |f| f.retransmissions)),
    ),
    Measure::new(
        "timeouts",
        PLAIN.less(),
        "Retransmission timeouts of TCP.",
        Number(|m| count(m, |f| f.timeouts)),
    ),
    Measure::new(
        "rtt_mean_ms",
        MS.less(),
        "Mean of TCP's RTT samples; mean over flows.",
        Number(|m| mean(m.iter().filter_map(|m| m.summary.rtt_ms))),
    ),
    Measure::new(
        "finished",
        PLAIN.more(),
        "TCP flows that were complete before the end.",
        Number(finished),
    ),
    Measure::new(
        "completion_time_mean_ms",
        MS.less(),
        "Time from the start of a transfer to its completion, of those that were complete.",
        Number(|m| mean(completions(m))),
    ),
    Measure::new(
        "completion_time_max_ms",
        MS.less(),
        "The longest of these times.",
        Number(|m| completions(m).reduce(f64::max)),
    ),
    Measure::new(
        "request",
        MS.less(),
        "time from asking to the last byte of the response, of all requests that were answered.",
        Times(|m| Some(&m.counts.requests.as_ref()?.durations)),
    ),
    Measure::new(
        "answered_share",
        SHARE.more(),
        "Requests that were answered in full, of those asked.",
        Number(|m| share(m, |m| m.counts.requests.as_ref().map(|r| (r.answered, r.asked)))),
    ),
    Measure::new(
        "page",
        MS.less(),
        "time from asking for a page to the last byte of its last object, of finished pages.",
        Times(|m| Some(&m.counts.pages.as_ref()?.delays)),
    ),
    Measure::new(
        "pages_finished_share",
        SHARE.more(),
        "Pages that came with all their objects, of those asked for.",
        Number(|m| share(m, |m| m.counts.pages.as_ref().map(|p| (p.finished, p.asked)))),
    ),
    Measure::new(
        "frame_delay",
        MS.less(),
        "time from the encoder to the picture, of frames that arrived whole.",
        Times(|m| Some(&m.counts.media.as_ref()?.delays)),
    ),
    Measure::new(
        "rtp_queue",
        MS.less(),
        "time from the encoder to the network, of the packets that arrived.",
        Times(|m| Some(&m.counts.media.as_ref()?.sender)),
    ),
    Measure::new(
        "frames_late_share",
        SHARE.less(),
        "Frames that came whole but late, of those made.",
        Number(|m| frames(m, |media| media.late)),
    ),
    Measure::new(
        "frames_lost_share",
        SHARE.less(),
        "Frames that did not arrive whole although a later one did, of those made.",
        Number(|m| frames(m, MediaCounts::lost)),
    ),
    Measure::new(
        "target_bps",
        BPS.more(),
        "Mean target bitrate of the media controller; mean over flows.",
        Number(|m| mean(m.iter().filter_map(|m| m.summary.media.as_ref()?.target_bps))),
    ),
    Measure::new(
        "startup_mean_ms",
        MS.less(),
        "Time until a player first played.",
        Number(|m| mean(playback(m).filter_map(|p| p.startup_s).map(|s| s * 1e3))),
    ),
    Measure::new(
        "stalls",
        PLAIN.less(),
        "Times that players stopped for want of media.",
        Number(|m| total(playback(m).map(|p| p.stalls as f64))),
    ),
    Measure::new(
        "stalled_share",
        SHARE.less(),
        "Time that players stood still for want of media, of the time since they first played.",
        Number(stalled),
    ),
];

/// The metrics of these flows, at least one, each name behind `prefix`.
pub(crate) fn metrics(prefix: &str, members: &Members<'_>) -> Vec<Metric> {
    let metric = |name: &str, value| Metric { name: format!("{prefix}{name}"), value };
    let of = |measure: &Measure<Read>| -> Vec<Metric> {
        match measure.read {
            Number(read) => read(members).map(|v| metric(&measure.name, v)).into_iter().collect(),
            Times(read) => {
                let all: Vec<&Delays> = members.iter().filter_map(read).collect();
                let together = Delays::together(&all);
                let names = of_times(measure, PERCENTILES);
                names.zip(&together).map(|((name, _, of), all)| metric(&name, of(all))).collect()
            }
        }
    };
    MEASURES.iter().flat_map(of).collect()
}

/// All metrics, with their names in no group.
pub(crate) fn declared() -> impl Iterator<Item = (String, MetricInfo)> {
    MEASURES.iter().flat_map(|measure| {
        let info = |meaning| MetricInfo::of(measure.scale, meaning);
        match measure.read {
            Number(_) => vec![(measure.name.to_string(), info(measure.meaning.to_string()))],
            Times(_) => {
                of_times(measure, PERCENTILES).map(|(name, text, _)| (name, info(text))).collect()
            }
        }
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
