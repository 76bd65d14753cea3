//! QUIC by quinn-proto 0.11 (RFC 9000, 9001, 9002).
//!
//! An end is an endpoint of quinn-proto with its connections, and an application that writes or reads streams. Its own
//! congestion control, timers, ACK frequency and path MTU discovery count. Segmentation offload is off: it would send
//! several packets with one ECN field.
//!
//! Seams of determinism:
//!
//! - the seed of the endpoint, connection identifiers, reset keys and token keys;
//! - random numbers and the key exchange of TLS (`provider`), and the time of its certificate;
//! - a fixed Ed25519 certificate, whose signature has always the same length.

mod adapted;
mod application;
mod config;
mod connection;
mod control;
mod end;
mod identity;
mod logs;
mod provider;
pub mod tls;
mod watched;

pub use application::{Application, LEAST_REQUEST};
pub use config::{EcnUse, QuicConfig, Side};
pub use control::{Congestion, MakeControl, MakeQuinnControl};
pub use end::Quic;
pub use logs::{KeyLines, Logs, OpenLog};
pub use quinn_proto;
