//! Table `flow.webrtc` of the scenario file: a call of a real stack.

use airpath_base::{BitRate, Duration};
use airpath_schema::{above, between, choice, record};

use super::Video;

record! {
    /// WebRTC by str0m (RFC 8825): ICE, DTLS, SRTP, transport-wide feedback, NACK and RTX, with its own pacer and bandwidth
    /// estimation. The UE opens; the server is ICE-lite.
    pub struct Webrtc : Default {
        /// Video of the flow's direction, and of the other one, too. Its keys are those of `flow.rtp.video`; a packet has at
        /// most 1350 B. Default: the defaults of its keys.
        video: Option<Video>;
        /// True for a call with video in both directions. The results then have a second flow, named "NAME back".
        /// Default: true.
        both_directions: bool = true;
        /// Time from the start of the flow to the first frame, whether or not the handshake is complete. Frames before the end
        /// of the handshake are lost. Default: 1 s.
        media_after: Duration = Duration::from_secs(1) => between(Duration::ZERO, Duration::from_secs(3_600));
        /// Bandwidth estimation and pacing of str0m. Without them, the encoder has its `max_rate`, and frames leave at once.
        /// Default: true.
        bandwidth_estimation: bool = true;
        /// First target of the bandwidth estimation. Default: the lowest rate of the video.
        start_rate: Option<BitRate> => above(BitRate::from_bps(0));
        /// ECN field of its packets. Default: "off"; str0m neither sets nor reads the field.
        ecn: WebrtcEcn = WebrtcEcn::Off;
    }
}

choice! {
    /// ECN field of packets of WebRTC.
    pub enum WebrtcEcn {
        /// Not ECT (RFC 3168).
        Off = "off",
        /// ECT(0) (RFC 3168), which str0m cannot send.
        Classic = "classic",
        /// ECT(1) (RFC 9331), which str0m cannot send.
        L4s = "l4s",
    }
}
