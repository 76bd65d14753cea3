//! WebRTC by str0m 0.25 (RFC 8825): a call of one video stream in one direction or in both.
//!
//! An end has ICE (RFC 8445), DTLS (RFC 6347), SRTP (RFC 7714), transport-wide feedback, NACK, RTX (RFC 4588), and the pacer
//! and bandwidth estimation of str0m. Its video is that of airpath's encoder, whose target is str0m's estimate. str0m has
//! neither ECN nor RFC 8888.
//!
//! Signalling is done before the call (`session`). Frames begin at a fixed time. Frames that are made before the handshake
//! is complete are thrown away, and count as lost.
//!
//! Seams of determinism:
//!
//! - keys and random numbers of DTLS (`crypto`); a fixed certificate; signatures of one length;
//! - the fraction of the time of day at time zero (`epoch`);
//! - the stream of probes, which is forgotten behind each probe, as the order of a hash map would count;
//! - identifiers of str0m, which come from the state of fastrand in the thread: that of an end counts during its calls.
//!
//! Times and sizes of packets are the same in each run. Encrypted bytes are not: sender reports and DTLS have the time of day.
//!
//! Left out: audio, data channels, simulcast, requests for key frames, and packets of a frame beyond one MTU.

mod config;
mod crypto;
mod end;
mod epoch;
mod packet;
mod session;
mod source;
mod watch;

pub use config::{LARGEST_PACKET, Role, VideoSource, WebrtcConfig};
pub use end::Webrtc;
