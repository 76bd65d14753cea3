//! The latency of an air interface in closed form.
//!
//! A [`Setting`] names a transmission time interval ([`Tti`]), how a UE gets to send
//! ([`Access`]), how long each [`Step`] takes, the HARQ round trip and the share of
//! first transmissions that fail. [`Latency::of`] adds the steps up, downlink and uplink,
//! in TTIs and in nanoseconds, without rounding ([`Rational`]).
//!
//! The crate sees the packet-level model (`airpath-ran`) as little as that sees this
//! crate, so that each can judge the other: [`Setting::mean_delay`] says which mean the
//! packets of a simulation must show.
//!
//! ```
//! use airpath_latency::{Access, Errors, Figure, Latency, Rational, Setting};
//!
//! let access = Access::SchedulingRequest { period: "1 tti".parse()? };
//! let latency = Latency::of(&Setting { tti: "0.5 ms".parse()?, access, ..Setting::default() });
//! let nanos = latency.figure(Figure::Uplink, Errors::None);
//! assert_eq!(nanos, Rational::whole(5_250_000));
//! # Ok::<(), airpath_latency::ParseError>(())
//! ```
//!
//! Left out: queueing, segmentation, errors of control channels, more than one
//! retransmission, random access, DRX.
//!
//! Source of the steps and of their times: a contribution to 3GPP TSG RAN WG2's study on
//! latency reduction (Release 13, 2015; TR 36.881 is what came of the study) about
//! shorter TTIs and TCP slow start. Its appendix A.1 has the downlink, its table A.1 the
//! uplink, its table 2 the figures, which `published_tests.rs` holds this crate
//! against. Downlink it follows TR 36.912, B.2.1.

mod latency;
mod parse;
mod rational;
mod setting;
mod span;
mod step;
mod tti;

#[cfg(test)]
mod published_tests;

pub use latency::{Errors, Figure, Latency, Line};
pub use parse::ParseError;
pub use rational::Rational;
pub use setting::{Access, Bler, Convention, Setting};
pub use span::Span;
pub use step::{Step, Steps};
pub use tti::{Length, Numerology, Tti};
