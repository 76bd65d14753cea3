//! The packets of one flow over time, for a picture: what was sent, acknowledged and allowed.
//!
//! A flow is traced that is asked for ([`Options::trace`](crate::Options::trace)), usually by a
//! second reading of the captures once its [`FlowRecord`] is known. What is kept is bounded,
//! whatever the flow's length ([`thinned`]).

mod thinned;
#[cfg(test)]
mod trace_tests;
mod tracer;

use airpath_base::Time;
use airpath_wire::Endpoint;

use crate::record::{FlowProtocol, FlowRecord};

pub use thinned::{Course, Range, Ranges};
pub(crate) use tracer::{Before, Tracer};

/// Which flow is to be traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    pub(crate) client: Endpoint,
    pub(crate) server: Endpoint,
    pub(crate) tcp: bool,
    pub(crate) start: Time,
}

/// A flow's packets over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// What the client sent, and what came back for it.
    pub up: Way,
    /// What the server sent, and what came back for it.
    pub down: Way,
}

/// The data of one direction over time, as it passes at the capture point. Times are seconds
/// since the flow's first packet. Places are bytes of payload since the first that was seen:
/// those of TCP by its sequence numbers, those of UDP by adding up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Where segments end that were sent for the first time, or datagrams.
    pub sent: Course,
    /// Where segments end that were sent again.
    pub again: Course,
    /// Where segments end that were overtaken on their way to the capture point.
    pub overtaken: Course,
    /// Up to where all is acknowledged.
    pub acked: Course,
    /// Right edge of the receive window: what is acknowledged, and the window announced with it.
    /// Empty if the window's scale is not known.
    pub window: Course,
    /// What ACKs report behind a gap, the latest block of each (RFC 2018, 4).
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
