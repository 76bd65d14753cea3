//! The packets of one flow over time, for a picture: what was sent, acknowledged and allowed.
//!
//! [`Options::trace`](crate::Options::trace) names the flow, usually for a second reading of the
//! captures after its [`FlowRecord`] is known. The kept data are bounded for any length of the flow
//! ([`thinned`]).

mod packets;
mod thinned;
#[cfg(test)]
mod trace_tests;
mod tracer;

use crate::options::Traced;
use crate::record::{FlowProtocol, FlowRecord};

pub use packets::{Packets, TracedPacket};
pub use thinned::{Course, Range, Ranges};
pub(crate) use tracer::{Before, Tracer};

/// A flow's packets over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Data of the client, and the answers to it.
    pub up: Way,
    /// Data of the server, and the answers to it.
    pub down: Way,
    /// Its packets one by one, if these are kept ([`Options::packets`](crate::Options::packets)).
    pub packets: Option<Packets>,
}

/// Data of one direction over time, as it passes at the capture point. Times are seconds since the
/// flow's first packet. Positions are bytes of payload since the first byte that was seen. TCP's
/// positions follow from its sequence numbers, UDP's from adding up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Ends of segments that were sent for the first time, or of datagrams.
    pub sent: Course,
    /// Ends of segments that were sent again.
    pub again: Course,
    /// Ends of segments that were overtaken on their way to the capture point.
    pub overtaken: Course,
    /// Up to where all is acknowledged.
    pub acked: Course,
    /// Right edge of the receive window: what is acknowledged, and the window announced with it.
    /// Empty if the window's scale is not known.
    pub window: Course,
    /// SACK blocks of ACKs, the latest block of each (RFC 2018, 4).
    pub sacked: Ranges,
    /// Round trips in ms from the capture point to the receiver and back.
    pub rtt_ms: Course,
}

impl Traced {
    /// The flow that this record is of; none if it has no times.
    pub fn of(record: &FlowRecord) -> Option<Traced> {
        let FlowRecord { client, server, protocol, start, .. } = *record;
        Some(Traced { client, server, tcp: protocol == FlowProtocol::Tcp, start: start? })
    }
}
