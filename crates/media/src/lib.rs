//! Media streams: RTP, video, and their congestion control.
//!
//! [`RtpSource`] and [`RtpSink`] are nodes of a stream of packets at a fixed rate. [`MediaSource`]
//! and [`MediaSink`] are nodes of video, whose frames a [`video::Encoder`] makes and whose rate
//! [`scream`] may decide. Port 0 of each of them is the network.

mod give_up;
mod pattern;
mod rtp;
mod rtp_answer;
mod rtp_media;
pub mod scream;
pub mod video;

pub use give_up::GiveUp;
pub use pattern::Pattern;
pub use rtp::{Marker, RtpConfig, RtpError, RtpSink, RtpSource};
pub use rtp_answer::Answer;
pub use rtp_media::{MediaConfig, MediaError, MediaSink, MediaSource};
