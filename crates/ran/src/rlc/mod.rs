//! RLC (TS 36.322): queues, segmentation and concatenation, reordering, and
//! retransmission.
//!
//! A [`Channel`] is one bearer's RLC at both ends, the cell's and the UE's, in
//! both directions. The MAC asks what waits ([`Channel::buffer_status`]), offers
//! room ([`Channel::build`]), and hands each PDU to the other end
//! ([`Channel::receive`]) or reports it lost ([`Channel::lost`]).
//!
//! **Where packets are.** A packet must exist once. It stays in the channel's
//! store for its direction from its arrival until the receiver hands it up or
//! it is dropped; PDUs name bytes of SDUs and carry none. A PDU thus costs no
//! allocation, both modes share queue, segmentation and bookkeeping, and
//! [`Channel::held`] counts what is on the air as well. The two ends know of
//! each other only what PDUs tell them, with two exceptions: sequence numbers
//! do not wrap (a real receiver would take a gap of more than half the numbers
//! for old data), and a PDU that AM gives up is passed over by the receiver at
//! once, where a real stack would re-establish the bearer.
//!
//! **Where time goes.** [`Stage::Rlc`] ends when the last byte of an SDU is in
//! a PDU for the first time. When its last missing byte arrives, the time since
//! is booked to [`Stage::Radio`] up to the end of the first HARQ attempt and to
//! [`Stage::Harq`] from there; before both, to [`Stage::Arq`], if RLC itself had
//! to send that PDU again. From there to its delivery is [`Stage::Reordering`].
//!
//! Left out: transparent mode; the 16-bit sequence numbers and 15-bit length
//! indicators of later releases; re-establishment.
//!
//! [`Stage::Rlc`]: airpath_net::Stage::Rlc
//! [`Stage::Radio`]: airpath_net::Stage::Radio
//! [`Stage::Harq`]: airpath_net::Stage::Harq
//! [`Stage::Arq`]: airpath_net::Stage::Arq
//! [`Stage::Reordering`]: airpath_net::Stage::Reordering

pub mod am;
mod channel;
mod pdu;
mod status;
mod store;
pub mod um;

pub(crate) use channel::earlier;
pub use channel::{BufferStatus, Channel};
pub use pdu::{HeaderModel, Pdu};

/// Configuration of a bearer's RLC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Mode, with its parameters.
    pub mode: Mode,
    /// How PDUs are filled.
    pub header: HeaderModel,
    /// Limit of the cell's queue.
    pub downlink_queue: QueueLimit,
    /// Limit of the UE's queue.
    pub uplink_queue: QueueLimit,
}

/// RLC mode (TS 36.322, 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Unacknowledged: what HARQ loses is lost.
    Um(um::Config),
    /// Acknowledged: what HARQ loses is sent again.
    Am(am::Config),
}

/// How much may wait at the transmitter, in whole or partly sent SDUs. An
/// arriving SDU that would exceed it is refused whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueLimit {
    /// As much as comes.
    #[default]
    Unlimited,
    /// Bytes, PDCP headers included and RLC headers not.
    Bytes(u64),
    /// SDUs.
    Packets(u32),
}

impl QueueLimit {
    /// Whether one more SDU of `size` bytes may join those waiting.
    const fn admits(self, sdus: u32, bytes: u64, size: u32) -> bool {
        match self {
            QueueLimit::Unlimited => true,
            QueueLimit::Bytes(limit) => bytes + size as u64 <= limit,
            QueueLimit::Packets(limit) => sdus < limit,
        }
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod queue_tests;
