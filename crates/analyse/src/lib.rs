//! Passive analysis of captures: why was this flow slow?
//!
//! [`Analyser`] reads captures (pcap and pcapng) and hands out a [`FlowRecord`] for each
//! flow when it is over; what it keeps is bounded by the flows that live. The methods of
//! the study behind it are in [`methods`], each on its own.
//!
//! The crate cannot see the simulator, so that it can judge it.

mod analyser;
mod decode;
mod finish;
mod flow;
mod fragments;
mod handshake;
mod input;
mod key;
pub mod methods;
mod options;
mod quic;
mod record;
mod sketch;
mod table;
mod tcp;
#[cfg(test)]
mod testing;
mod warnings;

pub use analyser::{Analyser, Totals};
pub use input::OpenError;
pub use options::{Net, NotANet, Options};
pub use record::{Direction, EndReason, FlowProtocol, FlowRecord, Handshake, LimitedBy};
pub use sketch::Spread;
pub use warnings::Warning;
