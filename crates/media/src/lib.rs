//! Media streams: RTP, video, and their congestion control.
//!
//! [`RtpSource`] and [`RtpSink`] are nodes of a stream of packets at a fixed rate. [`MediaSource`]
//! and [`MediaSink`] are nodes of video, whose frames a [`video::Encoder`] makes and whose rate
//! a [`Control`] may decide: [`scream`], [`gcc`] or [`nada`]. [`frames`] has frames by a statistical model. Port 0 of each of them is the network.

mod control;
pub mod frames;
pub mod gcc;
mod give_up;
mod key_frame;
pub mod nada;
mod paced;
mod pattern;
mod queue;
mod receiver;
mod rtp;
mod rtp_answer;
mod rtp_media;
pub mod scream;
mod ticks;
mod timetable;
pub mod video;

pub use control::{Control, ControlError};
pub use give_up::{GiveUp, Patience};
pub use paced::Rates;
pub use pattern::Pattern;
pub use receiver::Reports;
pub use rtp::{Marker, RtpConfig, RtpError, RtpSink, RtpSource};
pub use rtp_answer::Answer;
pub use rtp_media::{MediaConfig, MediaError, MediaSink, MediaSource, timestamp};
pub use timetable::Timetable;
