//! Options of an end.

use airpath_base::{Duration, Time};
use airpath_media::GiveUp;
use airpath_media::video::VideoConfig;
use airpath_wire::Endpoint;

/// Side of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The end that checks paths by ICE, and opens DTLS.
    Client,
    /// The end that answers: ICE-lite (RFC 8445, 2.5), as of a media server.
    Server,
}

/// Options of an end of a call.
#[derive(Clone, Debug)]
pub struct WebrtcConfig {
    /// Side of the end.
    pub role: Role,
    /// Its address.
    pub local: Endpoint,
    /// Address of the other end.
    pub remote: Endpoint,
    /// Video that it sends; none for an end that receives alone.
    pub video: Option<VideoSource>,
    /// True if the other end sends video.
    pub receives: bool,
    /// Time at which the call ends; none for never. It is later than the stop of the video, so that lost packets are
    /// repaired.
    pub end: Option<Time>,
}

/// Video of an end.
#[derive(Clone, Debug)]
pub struct VideoSource {
    /// The encoder.
    pub encoder: VideoConfig,
    /// Most bytes of a frame in a packet, 1 to [`LARGEST_PACKET`].
    pub packet: u32,
    /// Time of the first frame, unless `phase` is set.
    pub start: Time,
    /// Position in the encoder's cycle at its start.
    pub phase: Duration,
    /// Time from which on no frame is made.
    pub stop: Option<Time>,
    /// First target of the bandwidth estimation in bit/s of RTP payload. None for a call without pacing and estimation,
    /// whose encoder has its largest bitrate.
    pub start_bps: Option<f64>,
    /// Rule that ends the session for a poor rate.
    pub give_up: Option<GiveUp>,
    /// Time from a frame's last packet to its picture.
    pub processing: Duration,
    /// Frames that take longer from encoder to picture are late.
    pub deadline: Duration,
}

/// Most bytes of a frame in a packet: headers of RTP, SRTP, UDP and IP fit beside them into 1500 bytes.
pub const LARGEST_PACKET: u32 = 1_350;
