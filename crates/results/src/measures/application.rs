//! Quantities of applications: requests, pages, playback and frames of media.

use airpath_base::measure::{BPS, MS, PACKETS, PLAIN, S, SHARE};
use airpath_base::{Duration, Time, measured};
use serde::{Deserialize, Serialize};

use super::nulls;
use crate::{
    DelaySummary, MediaCounts, PageCounts, PlaybackCounts, RequestCounts, ShownCounts, StackCounts,
    Voice,
};

measured! {
    from |requests: &RequestCounts|
    /// Requests of a flow and their responses.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct RequestSummary {
        /// Requests sent.
        pub asked: u64 = requests.asked,
        /// Of these, answered in full.
        pub answered: u64 = requests.answered,
        /// From asking to the first byte of the response, in milliseconds.
        #[serde(with = "nulls")]
        pub first_byte_ms: Option<DelaySummary> [MS] = requests.first_byte.summary(),
        /// From asking to its last byte, in milliseconds.
        #[serde(with = "nulls")]
        pub duration_ms: Option<DelaySummary> [MS] = requests.durations.summary(),
    }
}

measured! {
    from |pages: &PageCounts|
    /// Pages of a flow.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct PageSummary {
        /// Requested pages.
        pub asked: u64 = pages.asked,
        /// Of these, complete.
        pub finished: u64 = pages.finished,
        /// From asking to the last byte of the last object, in milliseconds.
        #[serde(with = "nulls")]
        pub delay_ms: Option<DelaySummary> [MS] = pages.delays.summary(),
        /// From asking to the last byte of the first object behind the index, or of the index alone, in milliseconds.
        #[serde(default, with = "nulls")]
        pub first_object_ms: Option<DelaySummary> [MS] = pages.first_objects.summary(),
    }
}

measured! {
    from |voice: &Voice|
    /// Quality of voice by the E-model (ITU-T G.107), with the best of three play-out buffers. Packets that have not come at the end
    /// although they were sent longer before it than the buffer holds are lost.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct VoiceSummary {
        /// Transmission rating factor R, 0 to 100. It is 0 if nothing has come of a call that sent packets more than 400 ms
        /// before the end.
        pub rating: f64 [PLAIN.more()] = voice.rating,
        /// Mean opinion score that annex B of G.107 expects for it.
        pub mos: f64 [PLAIN.more()] = voice.mos,
    }
}

measured! {
    from |playback: &PlaybackCounts|
    /// Playback as the viewer saw it.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct PlaybackSummary {
        /// From the start of the application until it first played, in seconds.
        pub startup_s: Option<f64> [S] = playback.startup.map(Duration::as_secs_f64),
        /// Times that it stopped for want of media.
        pub stalls: u64 = playback.stalls,
        /// Duration of all stalls then, in seconds.
        pub stalled_s: f64 [S] = playback.stalled.as_secs_f64(),
        /// Time that it played, in seconds.
        pub played_s: f64 [S] = playback.played.as_secs_f64(),
    }
}

measured! {
    from |at: &(&StackCounts, Option<u64>)|
    /// Connections of a flow of QUIC.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct QuicSummary {
        /// Connections that have completed their handshake.
        pub connections: u64 = at.0.connections,
        /// Mean time from the first packet of a connection to the end of its handshake at the UE, in milliseconds.
        pub handshake_ms: Option<f64> [MS.less()] = at.0.mean_handshake().map(ms),
        /// Largest of these times.
        pub handshake_max_ms: Option<f64> [MS.less()] =
            at.0.mean_handshake().map(|_| ms(at.0.handshakes.1)),
        /// Streams whose data have all come to the application.
        pub streams: u64 = at.0.streams,
        /// Packets that the sender of the data declared lost (RFC 9002, 6.1), without probes of path MTU discovery.
        pub declared_lost_packets: u64 [PACKETS] = at.0.lost,
        /// Of these, packets beyond those that were dropped on the way: at least so many were declared lost and arrived. None
        /// with a warm-up.
        pub spurious_packets: Option<u64> [PACKETS] =
            at.1.map(|dropped| at.0.lost.saturating_sub(dropped.saturating_sub(at.0.lost_probes))),
        /// Frames DATA_BLOCKED and STREAM_DATA_BLOCKED of that sender: its application had more data than flow control let it
        /// write (RFC 9000, 4.1). It writes ahead by twice the congestion window and 64 KiB.
        pub blocked_frames: u64 = at.0.blocked,
        /// Reason for which an end has given up; none if no end has.
        pub failed: Option<String> = at.0.failed.map(Into::into),
    }
}

measured! {
    from |stack: &StackCounts|
    /// A call of a flow of WebRTC. Packets are those of the flow's media.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct WebrtcSummary {
        /// Time from the begin of the flow until ICE has a path, at the end that sends the media, in milliseconds. None if it
        /// has not found any.
        pub ice_ms: Option<f64> [MS.less()] = stack.path.map(ms),
        /// Time from the begin of the flow to the end of the handshake of ICE and DTLS there. None if it has not ended.
        pub handshake_ms: Option<f64> [MS.less()] = stack.mean_handshake().map(ms),
        /// Packets that NACKs of the receiver named (RFC 4585, 6.2.1), each time that they did.
        pub nacked_packets: u64 [PACKETS] = stack.nacked,
        /// Packets that were sent again, for a NACK or as padding of the bandwidth estimation (RFC 4588).
        pub repeated_packets: u64 [PACKETS] = stack.repeated,
        /// Reason for which an end has given up; none if no end has.
        pub failed: Option<String> = stack.failed.map(Into::into),
    }
}

/// A span in milliseconds.
fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

measured! {
    from |media: &MediaCounts|
    /// Frames of a flow of media, and what its controller showed.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct MediaSummary {
        /// Frames made.
        pub frames: u64 = media.made,
        /// Of these, key frames.
        pub key_frames: u64 = media.keys,
        /// Frames that arrived whole.
        pub frames_complete: u64 = media.complete,
        /// Frames that did not although a later one did, or as a packet of them was dropped.
        pub frames_lost: u64 = media.lost(),
        /// Frames that came whole after their deadline, or had not come whole at the end of the run although it was over. Lost
        /// frames are left out. Without a deadline none is late.
        pub frames_late: u64 = media.late,
        /// Complete frames that came behind a newer one, and so are not shown.
        #[serde(default)]
        pub frames_overtaken: u64 = media.shown.overtaken,
        /// Times without a new picture for at least three means of the 30 intervals before. They are also at least that mean and 150 ms
        /// (W3C, Identifiers for WebRTC's Statistics API, `freezeCount`). None for the models `ftp-3`, `pose` and `audio` of `xr`, which are
        /// no pictures.
        #[serde(default)]
        pub freezes: Option<u64> = media.viewed().map(|shown| shown.freezes),
        /// Duration of these intervals, of the time from the first picture to the last.
        #[serde(default)]
        pub frozen_share: Option<f64> [SHARE.less()] = media.viewed().and_then(ShownCounts::frozen_share),
        /// From the making of an input to the picture of a frame that shows it, in milliseconds, with `input` only. It is motion
        /// to photon of extended reality and input to frame of games.
        #[serde(default, with = "nulls")]
        pub input_to_picture_ms: Option<DelaySummary> [MS] = media.from_input.summary(),
        /// From encoder to picture, in milliseconds, of complete frames.
        #[serde(with = "nulls")]
        pub frame_delay_ms: Option<DelaySummary> [MS] = media.delays.summary(),
        /// From encoder to network, of the packets that arrived: the RTP queue.
        #[serde(with = "nulls")]
        pub rtp_queue_ms: Option<DelaySummary> [MS] = media.sender.summary(),
        /// The controller's estimates of the queue delay in the network, one a feedback.
        #[serde(with = "nulls")]
        pub network_queue_ms: Option<DelaySummary> [MS] = media.network.summary(),
        /// Packets thrown out of the RTP queue.
        pub discarded_packets: u64 [PACKETS] = media.discarded_packets(),
        /// Packets that the sender declared lost.
        #[serde(default)]
        pub declared_lost_packets: u64 [PACKETS] = media.declared_lost_packets(),
        /// Of these, packets that later feedback reported as arrived.
        #[serde(default)]
        pub declared_lost_arrived_packets: u64 [PACKETS] = media.declared_lost_arrived_packets(),
        /// Mean target bitrate in bit/s, one value a feedback.
        pub target_bps: Option<f64> [BPS] = media.target.mean(),
        /// Time at which the source ended its session for a poor rate, in seconds; goodput counts
        /// until the last delivery then. Absent if it did not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ended_early_s: Option<f64> [S] = media.gave_up.map(Time::as_secs_f64),
    }
}
