//! Options of Google Congestion Control.

use airpath_base::{BitRate, Duration};
use airpath_schema::{above, between, choice, record};

choice! {
    /// Edition of Google Congestion Control.
    pub enum Variant: Libwebrtc {
        /// The draft draft-ietf-rmcat-gcc-02: a Kalman filter, and a pace of the target.
        Draft = "draft",
        /// libwebrtc since 2017: a line through delays, a Bayesian receiving rate, and a pace of 2.5 targets.
        Libwebrtc = "libwebrtc",
    }
}

record! {
    /// Options of Google Congestion Control.
    #[derive(Copy)]
    pub struct Options: Default {
        /// Edition. Default: "libwebrtc", the newer.
        variant: Variant = Variant::Libwebrtc;
        /// First target bitrate. Default: the lowest of the video.
        start_rate: Option<BitRate> => above(BitRate::from_bps(0));
        /// Time between reports of the receiver. Default: 50 ms, that of libwebrtc above 218 kbit/s.
        feedback_interval: Duration = Duration::from_millis(50)
            => between(Duration::from_millis(5), Duration::from_millis(500));
    }
}
