//! The latency of an air interface in closed form.
//!
//! A [`Setting`] names a transmission time interval ([`Tti`]), the uplink [`Access`] and the length
//! of each [`Step`]. It has the HARQ round trip and the share of first transmissions that fail,
//! too. [`Latency::of`] adds the steps up, downlink and uplink, in TTIs and in nanoseconds, without
//! rounding ([`Rational`]).
//!
//! With time division duplex ([`Tdd`]) delays depend on the phase of an arrival: [`Delays`] has their
//! distribution.
//!
//! An [`Interface`] adds times of processing by their distributions and several retransmissions: its
//! [`Distribution`] reaches to 99.999%. [`fit`] finds the interfaces that explain measured delays.
//!
//! The crate does not see the packet-level model (`airpath-ran`), nor the model this crate, so that
//! each can judge the other. [`Setting::mean_delay`] is the mean delay that the packets of a
//! simulation must have.
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
//! Left out: queueing, segmentation, errors of control channels, random access, DRX.
//!
//! Source of the steps and of their times: a contribution to 3GPP TSG RAN WG2's study on latency
//! reduction (Release 13, 2015). It is about shorter TTIs and TCP slow start; TR 36.881 is the
//! study's report. Its appendix A.1 has the downlink, its table A.1 the uplink, and its table 2 the
//! figures, with which `published_tests.rs` compares this crate. Downlink it follows TR 36.912,
//! B.2.1.

mod distribution;
mod fit;
mod grid;
mod latency;
mod measured;
mod parse;
mod phases;
mod processing;
mod rational;
mod setting;
mod span;
mod step;
mod tdd;
mod tti;

#[cfg(test)]
mod published_tests;

pub use distribution::{Distribution, Interface, PartStage};
pub use fit::{Explanation, FEWEST_DELAYS, Fitted, Group, Share, fit};
pub use grid::{Candidate, Grid};
pub use latency::{Errors, Figure, Latency, Line};
pub use measured::delays;
pub use parse::ParseError;
pub use phases::Delays;
pub use processing::Processing;
pub use rational::Rational;
pub use setting::{Access, Bler, Convention, Setting};
pub use span::Span;
pub use step::{Step, Steps};
pub use tdd::Tdd;
pub use tti::{Length, Numerology, Tti};
