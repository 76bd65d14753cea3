//! SCReAM: congestion control of RTP media that clocks itself by its feedback.
//!
//! [`Sender`] keeps the RTP queue, the window, the pace and the encoder's target bitrate, without
//! I/O. Its receiver reports by [`Config::reports`]. There are two generations, [`Version::V1`] (RFC 8298 with the L4S
//! extension of 2020) and [`Version::V2`] (draft-ietf-ccwg-rfc8298bis-screamv2).
//!
//! Left out: several streams that share a window, the queue delay target that rises
//! against competing flows, and clocks that drift.

mod config;
mod delay;
mod flight;
mod sender;
mod shared;
mod v1;
mod v2;
mod window;

pub use config::{Config, ConfigError, Marking, Options, Pacing, StallFrom, Version};
pub use sender::{Poll, Sender, State};

#[cfg(test)]
mod properties;
