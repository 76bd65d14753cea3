//! TCP (RFC 9293) without I/O.
//!
//! A [`Connection`] is one end. It is handed segments, the time and what the application writes. It
//! answers with segments, the time at which it wants to be called next, and
//! [events](ConnectionEvent). Data are lengths: no payload is kept.
//!
//! Modules: opening in `handshake`, effects of an acknowledgement in `ack`, congestion marks in
//! `ecn` and `accurate`, pacing in `pacing`. Fast recovery and timeouts are in `recovery` (others
//! in `ns3`, `rack`, `prr`, `duplicates`), the choice of the next segment in `send`. The sender's
//! memory of its segments is in `scoreboard`. The receiver with reassembly, delayed
//! acknowledgements and SACK is in `receiver`.
//!
//! Standards: RFC 9293, 5681, 6298, 6582, 6675, 2018, 3042, 3465, 3522, 6691, 6928, 7323, 3168,
//! 8985, 9768, 9937. Left out: F-RTO, D-SACK, PAWS (positions have 64 bits), Nagle's algorithm,
//! urgent data, simultaneous open, TIME-WAIT (a closed end goes on answering). Giving up on data
//! after many timeouts, and a peer that takes back window that it had offered, are left out, too.

mod accurate;
mod ack;
mod application;
mod config;
mod connection;
mod duplicates;
mod ecn;
mod handshake;
mod ns3;
mod pacing;
mod prr;
mod rack;
mod ranges;
mod rate;
mod receiver;
mod recovery;
mod rtt;
mod scoreboard;
mod send;

pub use config::{
    CodePoint, DelayedAck, DelayedAckOption, FlightMeasure, LossRecovery, Opener, RecoveryTimer,
    RttSource, TcpConfig, TcpConfigError,
};
pub use connection::{Connection, ConnectionEvent, Segment, SenderState, earliest};
pub use ecn::EcnMode;
pub use pacing::Pacing;
pub use prr::Reduction;
pub use rack::LossDetection;
pub use rate::{RateSampler, Snapshot};

#[cfg(test)]
mod connection_tests;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rates;
#[cfg(test)]
mod response;
#[cfg(test)]
mod steady;
