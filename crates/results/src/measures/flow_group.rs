//! Quantities of a group of flows: metrics of a run.

use airpath_base::measure::{BPS, MS, Measure, PLAIN, SHARE};
use airpath_base::measures;

use super::{Declared, STATISTICS, Statistic, of_times};
use crate::{Delays, FlowCounts, FlowInfo, FlowSummary, MediaCounts, Metric};

/// A flow with all that is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub info: &'a FlowInfo,
    pub counts: &'a FlowCounts,
    pub summary: &'a FlowSummary,
}

type Members<'a> = [Member<'a>];

/// Reader of a measure.
enum Read {
    Number(fn(&Members<'_>) -> Option<f64>),
    /// Mean and percentiles of times of all flows together, each with an ending of its own.
    Times(for<'a> fn(&Member<'a>) -> Option<&'a Delays>),
}

use Read::{Number, Times};

/// Statistics of times that are metrics.
const PERCENTILES: &[Statistic] = STATISTICS.split_at(4).0;

const MEASURES: &[Measure<Read>] = measures! {
    /// Sum of its flows' goodputs, each a second of the time that the flow was active. Where flows are active one
    /// after another, it is more than they carry at any time.
    goodput_bps [BPS.more()] = Number(goodput),
    /// Jain's index of the flows' goodputs: 1 if all are equal, 1/n if one of n has all (R. Jain et
    /// al., DEC-TR-301, 1984). Of two flows or more.
    fairness [SHARE.more()] = Number(fairness),
    /// one-way delay of data packets, from birth to arrival.
    delay [MS.less()] = Times(|m| m.info.has_packets().then_some(&m.counts.delays)),
    /// time of data packets in queues: of links, and of PDCP and RLC at cell and UE.
    queue_delay [MS.less()] = Times(|m| m.info.has_packets().then_some(&m.counts.queueing)),
    /// Mean of |d(i+1) - d(i)| of the delays of a flow; mean over flows.
    jitter_ms [MS.less()] = Number(jitter),
    /// Data packets dropped, of those sent.
    loss_rate [SHARE.less()] = Number(|m| rate(m, |f| f.lost_packets, |f| f.sent_packets)),
    /// Data packets that arrived with congestion experienced, of those that arrived.
    ce_rate [SHARE] = Number(ce_rate),
    /// TCP segments sent again, of the packets sent.
    retransmission_rate [SHARE.less()] = Number(|m| tcp(m, |f| f.retransmissions)),
    /// Retransmission timeouts of TCP.
    timeouts [PLAIN.less()] = Number(|m| count(m, |f| f.timeouts)),
    /// Mean of TCP's RTT samples; mean over flows.
    rtt_mean_ms [MS.less()] = Number(|m| mean(m.iter().filter_map(|m| m.summary.rtt_ms))),
    /// TCP flows that were complete before the end.
    finished [PLAIN.more()] = Number(finished),
    /// Time from the start of a transfer to its completion, of those that were complete.
    completion_time_mean_ms [MS.less()] = Number(|m| mean(completions(m))),
    /// The longest of these times.
    completion_time_max_ms [MS.less()] = Number(|m| completions(m).reduce(f64::max)),
    /// time from asking to the last byte of the response, of all requests that were answered.
    #[label = "request delay"]
    request [MS.less()] = Times(|m| Some(&m.counts.requests.as_ref()?.durations)),
    /// Requests that were answered in full, of those sent.
    answered_share [SHARE.more()] =
        Number(|m| share(m, |m| m.counts.requests.as_ref().map(|r| (r.answered, r.asked)))),
    /// time from asking for a page to the last byte of its last object, of finished pages.
    #[label = "page delay"]
    page [MS.less()] = Times(|m| Some(&m.counts.pages.as_ref()?.delays)),
    /// time from asking for a page to the last byte of its first object behind the index.
    first_object [MS.less()] = Times(|m| Some(&m.counts.pages.as_ref()?.first_objects)),
    /// Pages that came with all their objects, of those requested.
    pages_finished_share [SHARE.more()] =
        Number(|m| share(m, |m| m.counts.pages.as_ref().map(|p| (p.finished, p.asked)))),
    /// time from the encoder to the picture, of frames that arrived whole.
    frame_delay [MS.less()] = Times(|m| Some(&m.counts.media.as_ref()?.delays)),
    /// time from the encoder to the network, of the packets that arrived.
    rtp_queue [MS.less()] = Times(|m| Some(&m.counts.media.as_ref()?.sender)),
    /// Frames that came whole after their deadline, or had not at the end although it was over, of those made. Lost ones are
    /// left out.
    frames_late_share [SHARE.less()] = Number(|m| frames(m, |media| media.late)),
    /// Frames that did not arrive whole although a later one did, or as a packet was dropped, of those made.
    frames_lost_share [SHARE.less()] = Number(|m| frames(m, MediaCounts::lost)),
    /// Frames that came whole within `output.within`, or else within their deadline, of those whose time was over at the
    /// end. With `output.within` also RTP packets of flows without frames.
    within_share [SHARE.more()] = Number(within),
    /// Frames that came whole behind a newer one, of those made.
    frames_overtaken_share [SHARE.less()] = Number(|m| frames(m, |media| media.shown.overtaken)),
    /// Times without a new picture for at least three means of the 30 intervals before. They are also at least that mean and 150 ms.
    freezes [PLAIN.less()] =
        Number(|m| total(m.iter().filter_map(|m| Some(m.summary.media.as_ref()?.freezes? as f64)))),
    /// Duration of these, of the time from the first picture to the last; mean over flows.
    frozen_share [SHARE.less()] =
        Number(|m| mean(m.iter().filter_map(|m| m.summary.media.as_ref()?.frozen_share))),
    /// time from the making of an input to the picture of a frame that shows it.
    input_to_picture [MS.less()] = Times(|m| Some(&m.counts.media.as_ref()?.from_input)),
    /// Mean opinion score of voice by the E-model (ITU-T G.107, annex B); mean over flows.
    #[label = "mean opinion score"]
    mos [PLAIN.more()] =
        Number(|m| mean(m.iter().filter_map(|m| Some(m.summary.voice.as_ref()?.mos)))),
    /// Mean target bitrate of the media controller; mean over flows.
    target_bps [BPS.more()] =
        Number(|m| mean(m.iter().filter_map(|m| m.summary.media.as_ref()?.target_bps))),
    /// Time until a player first played.
    startup_mean_ms [MS.less()] =
        Number(|m| mean(playback(m).filter_map(|p| p.startup_s).map(|s| s * 1e3))),
    /// Times that players stopped for want of media.
    stalls [PLAIN.less()] = Number(|m| total(playback(m).map(|p| p.stalls as f64))),
    /// Time that players stood still for want of media, of the time since they first played.
    stalled_share [SHARE.less()] = Number(stalled),
    /// time without a delivered packet at a handover or a re-establishment in another cell, of flows that sent then.
    #[label = "gap of handovers"]
    handover_gap [MS.less()] = Times(|m| Some(&m.counts.handovers.as_ref()?.gaps)),
    /// Data packets dropped by handovers, of those sent.
    #[label = "loss by handovers"]
    handover_loss_share [SHARE.less()] = Number(|m| {
        share(m, |m| {
            let lost = m.counts.handovers.as_ref().filter(|_| m.info.has_packets())?.lost;
            Some((lost, m.summary.sent_packets))
        })
    }),
    /// Retransmission timeouts of TCP from a handover until a second after it.
    handover_timeouts [PLAIN.less()] = Number(|m| timeouts(m, 0)),
    /// Of these, spurious ones.
    handover_spurious_timeouts [PLAIN.less()] = Number(|m| timeouts(m, 1)),
    /// Frames that missed their deadline from a handover until a second after it, of those made.
    handover_late_frames_share [SHARE.less()] = Number(|m| {
        share(m, |m| {
            let late = m.counts.handovers.as_ref()?.late_frames?;
            Some((late, m.counts.media.as_ref()?.made))
        })
    }),
};

/// The metrics of these flows, at least one, each name behind `prefix`.
pub(crate) fn metrics(prefix: &str, members: &Members<'_>) -> Vec<Metric> {
    let metric = |name: &str, value| Metric { name: format!("{prefix}{name}"), value };
    let of = |measure: &Measure<Read>| -> Vec<Metric> {
        match measure.read {
            Number(read) => read(members).map(|v| metric(&measure.name, v)).into_iter().collect(),
            Times(read) => {
                let all: Vec<&Delays> = members.iter().filter_map(read).collect();
                let together = Delays::together(&all);
                let each = of_times(measure, PERCENTILES);
                each.filter_map(|(name, (.., of), _)| Some(metric(&name, of(together.as_ref()?))))
                    .collect()
            }
        }
    };
    MEASURES.iter().flat_map(of).collect()
}

/// All metrics, with their names in no group.
pub(crate) fn declared() -> impl Iterator<Item = Declared> {
    MEASURES.iter().flat_map(|measure| match measure.read {
        Number(_) => Declared::of(measure, &[]),
        Times(_) => Declared::of(measure, PERCENTILES),
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

/// Share within a time, of the frames and packets of all flows together.
fn within(members: &Members<'_>) -> Option<f64> {
    share(members, |member| {
        let own = match &member.counts.media {
            Some(media) => &media.share,
            None => &member.counts.within,
        };
        Some((own.within, own.within + own.outside))
    })
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

fn timeouts(members: &Members<'_>, which: usize) -> Option<f64> {
    let own = members.iter().filter_map(|m| m.counts.handovers.as_ref()?.timeouts);
    total(own.map(|both| both[which] as f64))
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
