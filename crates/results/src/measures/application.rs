//! Quantities of applications: requests, pages, playback and frames of media.

use airpath_base::measure::{BPS, MS, PACKETS, S};
use airpath_base::{Duration, Time, measured};
use serde::{Deserialize, Serialize};

use super::nulls;
use crate::{DelaySummary, MediaCounts, PageCounts, PlaybackCounts, RequestCounts};

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
        /// Frames that did not although a later one did.
        pub frames_lost: u64 = media.lost(),
        /// Complete frames that came after their deadline.
        pub frames_late: u64 = media.late,
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
