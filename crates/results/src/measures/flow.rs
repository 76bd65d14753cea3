//! Quantities of a flow: keys of `summary.json` and columns of `flows.parquet`.

use airpath_base::measure::{BPS, BYTES, Column, MS, PACKETS, PLAIN, S, SHARE};
use airpath_base::{FlowId, Time, fields, measured};
use airpath_net::Stage;
use serde::{Deserialize, Serialize};

use super::nulls;
use super::source::{At, causes, named};
use super::{
    HandoverCostSummary, MediaSummary, PageSummary, PlaybackSummary, QuicSummary, RequestSummary,
    VoiceSummary, WebrtcSummary,
};
use crate::summarise::active_until;
use crate::{DelaySummary, FlowCounts, FlowInfo, LegCounts, Named, Voice};

/// Source of a flow's quantities.
pub(crate) type FlowAt<'a> = At<'a, FlowInfo, FlowCounts>;

measured! {
    from |flow: &FlowAt<'_>|
    /// A flow. Packets, losses and delays are those of its data, not of its feedback.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct FlowSummary {
        /// Name of the flow.
        pub name: String = named(flow.info.map(|info| &*info.name), FlowId(flow.number as u32)),
        /// Transport: `tcp`, `rtp`, `xr`, `quic`, `webrtc` or `full-buffer`.
        pub kind: String = flow.info.map(|info| info.kind.clone()).unwrap_or_default(),
        /// Name of the UE.
        pub ue: Option<String> =
            flow.info.and_then(|info| info.ue).map(|ue| flow.collector.ue_name(ue)),
        /// `down` or `up`.
        pub direction: Option<String> =
            flow.info.and_then(|info| info.direction).map(|way| way.name().into()),
        /// Packets handed to the network, repeated segments too.
        pub sent_packets: u64 [PACKETS] = flow.data().sent_packets,
        /// Packets that arrived.
        pub received_packets: u64 [PACKETS] = flow.data().received_packets,
        /// Packets that were dropped on the way.
        pub lost_packets: u64 [PACKETS] = flow.data().lost_packets(),
        /// Packets that were still on their way at the end.
        pub in_flight_packets: u64 [PACKETS] = flow.data().in_flight_packets(),
        /// Bytes of IP handed to the network.
        pub sent_bytes: u64 [BYTES] = flow.data().sent_bytes,
        /// Bytes of IP that arrived.
        pub received_bytes: u64 [BYTES] = flow.data().received_bytes,
        /// Bytes that reached the application; of a full buffer, those in decoded blocks.
        pub delivered_bytes: u64 [BYTES] = flow.counts.delivered_bytes(),
        /// Bits that reached the application, a second of the time that the flow was active. That
        /// begins at its start, or at the end of the warm-up if that is later. It ends at its
        /// completion, or else at its planned stop or its last delivery, whichever is later, or at
        /// the end of the run.
        pub goodput_bps: Option<f64> [BPS.more()] = flow.goodput(),
        /// One-way delays from birth to arrival in milliseconds.
        #[serde(with = "nulls")]
        pub delay_ms: Option<DelaySummary> [MS] = flow.counts.delays.summary(),
        /// Mean of |d(i+1) - d(i)| in milliseconds.
        pub jitter_ms: Option<f64> [MS.less()] = flow.counts.delays.jitter(),
        /// Mean of |d(i) - d(1)| in milliseconds.
        pub jitter_from_first_ms: Option<f64> [MS] = flow.counts.delays.jitter_from_first(),
        /// Mean time in each stage in milliseconds; they add up to the mean delay.
        pub stages_ms: Named<f64> [MS] =
            flow.stage_means(&flow.data().stage_nanos, flow.data().received_packets),
        /// Mean time of the dropped packets in each stage in milliseconds; they add up to the mean
        /// age of these packets at their drop. Empty if there are none.
        #[serde(default)]
        pub lost_stages_ms: Named<f64> [MS] =
            flow.stage_means(&flow.data().lost_stage_nanos, flow.data().lost_packets()),
        /// Time of a packet in queues in milliseconds: those of links, and of PDCP and RLC at the
        /// cell and in the UE.
        #[serde(default, with = "nulls")]
        pub queue_ms: Option<DelaySummary> [MS] = flow.counts.queueing.summary(),
        /// Drops by cause, causes that occurred only.
        pub dropped: Named<u64> = causes(&flow.data().drops),
        /// Times that an element set congestion experienced.
        pub marks: u64 = flow.data().marks,
        /// TCP segments sent again.
        pub retransmissions: u64 = flow.counts.tcp.retransmissions(),
        /// Of these, for duplicate acknowledgements or SACK.
        pub fast_retransmissions: u64 = flow.counts.tcp.fast_retransmissions,
        /// TCP retransmission timeouts.
        pub timeouts: u64 [PLAIN.less()] = flow.counts.tcp.timeouts,
        /// TCP loss recoveries begun.
        pub recoveries: u64 = flow.counts.tcp.recoveries,
        /// Mean RTT sample of TCP in milliseconds.
        pub rtt_ms: Option<f64> [MS.less()] = flow.counts.tcp.rtt.mean().map(|nanos| nanos / 1e6),
        /// Packets of acknowledgement or report sent.
        pub feedback_packets: u64 [PACKETS] = flow.counts.feedback.sent_packets,
        /// Of these, dropped on the way.
        pub feedback_lost_packets: u64 [PACKETS] = flow.counts.feedback.lost_packets(),
        /// Start in seconds.
        pub start_s: Option<f64> [S] = flow.counts.started.map(Time::as_secs_f64),
        /// Completion of a finite transfer, in seconds.
        pub finish_s: Option<f64> [S] = flow.counts.finished.map(Time::as_secs_f64),
        /// Frames that came whole within `output.within`, or else within their deadline, of those whose time was over at the
        /// end. With `output.within` also RTP packets of flows without frames.
        #[serde(default)]
        pub within_share: Option<f64> [SHARE.more()] = flow.counts.within_share(),
        /// Quality of voice, for flows of RTP with a codec only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub voice: Option<VoiceSummary> = flow.voice().as_ref().map(VoiceSummary::of),
        /// Frames and their controller, for flows of media only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub media: Option<MediaSummary> = flow.counts.media.as_deref().map(MediaSummary::of),
        /// Requests and responses, for applications that ask and packets that are answered only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub requests: Option<RequestSummary> =
            flow.counts.requests.as_deref().map(RequestSummary::of),
        /// Pages, for users of the web only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub pages: Option<PageSummary> = flow.counts.pages.as_deref().map(PageSummary::of),
        /// Cost of handovers, with `network.handover` only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub handovers: Option<HandoverCostSummary> =
            flow.counts.handovers.as_deref().map(HandoverCostSummary::of),
        /// The player, for players only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub playback: Option<PlaybackSummary> =
            flow.counts.playback.as_ref().map(PlaybackSummary::of),
        /// Connections, for flows of QUIC only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub quic: Option<QuicSummary> = flow
            .counts
            .stack
            .as_deref()
            .filter(|_| !is_webrtc(flow))
            .map(|stack| QuicSummary::of(&(stack, flow.dropped_of_all()))),
        /// The call, for flows of WebRTC only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub webrtc: Option<WebrtcSummary> = is_webrtc(flow)
            .then(|| WebrtcSummary::of(&flow.counts.stack.as_deref().copied().unwrap_or_default())),
    }
}

fn is_webrtc(flow: &FlowAt<'_>) -> bool {
    flow.info.is_some_and(|info| info.kind == "webrtc")
}

/// Columns of `flows.parquet`.
pub fn columns() -> Vec<Column<FlowSummary>> {
    let mut all = Vec::from(fields!(FlowSummary:
        name, kind, ue, direction, sent_packets, received_packets, lost_packets, sent_bytes,
        received_bytes, delivered_bytes, goodput_bps
    ));
    all.extend(delays());
    all.extend(fields!(FlowSummary:
        jitter_ms, marks, retransmissions, timeouts, rtt_ms, start_s, finish_s
    ));
    all.extend(stages());
    all
}

/// Column of packets that senders declared lost, for a table with flows of media or QUIC.
pub fn declared_lost() -> Column<FlowSummary> {
    Column::optional_count(
        "declared_lost_packets",
        PACKETS,
        "Packets that the sender of a flow of media or QUIC declared lost. No column without such flows.",
        |flow: &FlowSummary| {
            let media = flow.media.as_ref().map(|media| media.declared_lost_packets);
            media.or(flow.quic.as_ref().map(|quic| quic.declared_lost_packets))
        },
    )
}

/// Column of these packets that arrived all the same, for a table with flows of media.
pub fn declared_lost_arrived() -> Column<FlowSummary> {
    Column::optional_count(
        "declared_lost_arrived_packets",
        PACKETS,
        "Of these, packets that later feedback of media reported as arrived. No column without media.",
        |flow: &FlowSummary| Some(flow.media.as_ref()?.declared_lost_arrived_packets),
    )
}

/// Columns of frames, for a table with flows of media.
pub fn frame_columns() -> Vec<Column<FlowSummary>> {
    let count = |name, meaning, read: fn(&MediaSummary) -> u64| {
        Column::optional_count(name, PLAIN.less(), meaning, move |flow: &FlowSummary| {
            flow.media.as_ref().map(read)
        })
    };
    vec![
        count("frames", "Frames made. No column without media.", |own| own.frames),
        count(
            "frames_lost",
            "Frames that did not arrive whole although a later one did, or as a packet was dropped. No column without media.",
            |own| own.frames_lost,
        ),
        count(
            "frames_late",
            "Frames that came whole after their deadline, or had not at the end although it was over. Lost ones are left out. No column without media.",
            |own| own.frames_late,
        ),
        Column::number(
            "within_share",
            SHARE.more(),
            "Frames that came whole within `output.within`, or else within their deadline. No column without media.",
            |flow: &FlowSummary| flow.within_share,
        ),
    ]
}

/// Columns of connections, for a table with flows of QUIC.
pub fn quic_columns() -> Vec<Column<FlowSummary>> {
    fn quic(flow: &FlowSummary) -> Option<&QuicSummary> {
        flow.quic.as_ref()
    }
    let count = |name, unit, meaning, read: fn(&QuicSummary) -> Option<u64>| {
        Column::optional_count(name, unit, meaning, move |flow| read(quic(flow)?))
    };
    let span = |name, meaning, read: fn(&QuicSummary) -> Option<f64>| {
        Column::number(name, MS.less(), meaning, move |flow| read(quic(flow)?))
    };
    vec![
        count(
            "connections",
            PLAIN,
            "Connections of a flow of QUIC that have completed their handshake. No column without such flows.",
            |own| Some(own.connections),
        ),
        span(
            "handshake_ms",
            "Mean time of these handshakes at the UE. No column without flows of QUIC.",
            |own| own.handshake_ms,
        ),
        span(
            "handshake_max_ms",
            "Largest of these times. No column without flows of QUIC.",
            |own| own.handshake_max_ms,
        ),
        count(
            "streams",
            PLAIN,
            "Streams of a flow of QUIC whose data have all come. No column without such flows.",
            |own| Some(own.streams),
        ),
        count(
            "spurious_packets",
            PACKETS,
            "Of the packets that QUIC declared lost, those that arrived all the same, at least. No column without flows of QUIC.",
            |own| own.spurious_packets,
        ),
        count(
            "blocked_frames",
            PLAIN,
            "Frames DATA_BLOCKED and STREAM_DATA_BLOCKED of that sender. No column without flows of QUIC.",
            |own| Some(own.blocked_frames),
        ),
    ]
}

/// Columns of one-way delays and of times in queues.
fn delays() -> Vec<Column<FlowSummary>> {
    type Read = fn(&DelaySummary) -> Option<f64>;
    let delay = |name, meaning, read: Read| {
        Column::number(name, MS.less(), meaning, move |flow: &FlowSummary| {
            read(flow.delay_ms.as_ref()?)
        })
    };
    let queue = |name, meaning, read: Read| {
        Column::number(name, MS.less(), meaning, move |flow: &FlowSummary| {
            read(flow.queue_ms.as_ref()?)
        })
    };
    vec![
        delay("delay_mean_ms", "Mean one-way delay from birth to arrival.", |d| Some(d.mean)),
        delay("delay_min_ms", "Least of these delays.", |d| Some(d.min)),
        delay("delay_max_ms", "Largest of these delays.", |d| Some(d.max)),
        delay("delay_stddev_ms", "Their standard deviation (divisor n).", |d| Some(d.stddev)),
        delay(
            "delay_stddev_sample_ms",
            "Standard deviation of the one-way delays (divisor n - 1).",
            |d| d.stddev_sample,
        ),
        delay("delay_p50_ms", "Their median.", |d| Some(d.p50)),
        delay("delay_p95_ms", "Their 95th percentile.", |d| Some(d.p95)),
        delay("delay_p99_ms", "Their 99th percentile.", |d| Some(d.p99)),
        queue(
            "queue_mean_ms",
            "Mean time of a packet in queues: those of links, and of PDCP and RLC at the cell and in the UE.",
            |d| Some(d.mean),
        ),
        queue("queue_p50_ms", "Median of these times.", |d| Some(d.p50)),
        queue("queue_p95_ms", "Their 95th percentile.", |d| Some(d.p95)),
        queue("queue_p99_ms", "Their 99th percentile.", |d| Some(d.p99)),
    ]
}

/// Columns of the mean time in each stage but that of handovers: of packets that arrived, then of packets that
/// were dropped.
fn stages() -> impl Iterator<Item = Column<FlowSummary>> {
    let common = || Stage::ALL.into_iter().filter(|stage| *stage != Stage::Handover);
    common().map(arrived).chain(common().map(lost))
}

/// Columns of the mean time in handovers, for runs that have any.
pub(crate) fn handover_columns() -> [Column<FlowSummary>; 2] {
    [arrived(Stage::Handover), lost(Stage::Handover)]
}

/// Column of the mean time of packets that arrived in a stage.
fn arrived(stage: Stage) -> Column<FlowSummary> {
    let stage = stage.name();
    let meaning = format!("Mean time in the stage `{stage}`.");
    Column::number(format!("{stage}_ms"), MS, meaning, move |flow: &FlowSummary| {
        flow.stages_ms.get(stage).copied()
    })
}

/// Column of the mean time of packets that were dropped in a stage.
fn lost(stage: Stage) -> Column<FlowSummary> {
    let stage = stage.name();
    let meaning = format!("Mean time of the dropped packets in the stage `{stage}`.");
    Column::number(format!("lost_{stage}_ms"), MS, meaning, move |flow: &FlowSummary| {
        flow.lost_stages_ms.get(stage).copied()
    })
}

impl FlowAt<'_> {
    /// Quality of voice; none for flows without a codec, and if nothing arrived or is lost.
    fn voice(&self) -> Option<Voice> {
        self.counts.voice(self.info?.codec?, self.window.end)
    }

    /// Data packets that were dropped in the whole run; none with a warm-up.
    fn dropped_of_all(&self) -> Option<u64> {
        (self.window.from == Time::ZERO).then(|| self.data().lost_packets())
    }

    fn data(&self) -> &LegCounts {
        &self.counts.data
    }

    /// Bits a second of the time that the flow was active; none if it was not.
    fn goodput(&self) -> Option<f64> {
        let until = active_until(self.info, self.counts, self.window.end);
        let active = until.saturating_since(self.counts.started?.max(self.window.from));
        let bits = self.counts.delivered_bytes() as f64 * 8.0;
        (!active.is_zero()).then(|| bits / active.as_secs_f64())
    }

    /// Mean time of `packets` in each stage, in milliseconds; empty without packets. The stage `handover` is there in all
    /// flows of a run with handovers, and in none of another.
    fn stage_means(&self, nanos: &[u64; Stage::COUNT], packets: u64) -> Named<f64> {
        let hands_over = self.collector.inventory().handover;
        let is_there = |stage: &Stage| packets > 0 && (hands_over || *stage != Stage::Handover);
        let mean = |stage: Stage| nanos[stage as usize] as f64 / packets as f64 / 1e6;
        Stage::ALL.into_iter().filter(is_there).map(|stage| (stage.name(), mean(stage))).collect()
    }
}
