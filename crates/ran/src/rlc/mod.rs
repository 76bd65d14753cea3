//! RLC (TS 36.322, TS 38.322): segmentation and concatenation, reordering, and retransmission.
//!
//! A [`Channel`] is one bearer's RLC at both ends, the cell's and the UE's, in
//! both directions. The MAC asks what waits ([`Channel::queued_by_kind`]), offers
//! room ([`Channel::build`]), and hands each PDU to the other end
//! ([`Channel::receive`]) or reports it lost ([`Channel::lost`]). What waits is
//! [PDCP's](crate::pdcp): RLC takes an SDU from there when it sends its first byte.
//!
//! **Location of packets.** A packet exists once. It stays in the channel's store for its direction
//! until the receiver hands it up or it is dropped. PDUs name bytes of SDUs and carry none. A PDU
//! thus costs no allocation, both modes share queue, segmentation and bookkeeping, and
//! [`Channel::held`] counts packets on the air as well. Each end knows of the other only the
//! content of PDUs, with one exception. Sequence numbers do not wrap, as a real receiver would take
//! a gap of more than half the numbers for old data.
//!
//! **Failure.** A transmitter of AM that reaches maxRetxThreshold [says
//! so](Channel::failed). Both ends are then [re-established](Channel::reestablish)
//! (TS 36.322, 5.4; TS 38.322, 5.1.2), or the bearer is [released](Channel::release).
//!
//! **Stages of time.** [`Stage::Rlc`] is the time from an SDU's first byte in a PDU until its last
//! is in one for the first time. The arrival of its last missing byte books the time since. It goes
//! to [`Stage::Radio`] up to the end of the first HARQ attempt, and to [`Stage::Harq`] from there.
//! If RLC itself had to send that PDU again, the time before both goes to [`Stage::Arq`]. From
//! there to its delivery is [`Stage::Reordering`].
//!
//! Left out: transparent mode; the 16-bit sequence numbers and 15-bit length
//! indicators of later releases.
//!
//! [`Stage::Rlc`]: airpath_net::Stage::Rlc
//! [`Stage::Radio`]: airpath_net::Stage::Radio
//! [`Stage::Harq`]: airpath_net::Stage::Harq
//! [`Stage::Arq`]: airpath_net::Stage::Arq
//! [`Stage::Reordering`]: airpath_net::Stage::Reordering

pub mod am;
mod channel;
pub mod nr;
mod pdu;
mod status;
mod store;
pub mod um;

pub use channel::Channel;
pub use pdu::{HeaderModel, Pdu};
pub(crate) use store::{Copied, Handed};

/// Configuration of a bearer's RLC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Mode, with its parameters.
    pub mode: Mode,
    /// Rule by which PDUs are filled.
    pub header: HeaderModel,
}

/// RLC mode (TS 36.322, 4.2.1; TS 38.322, 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Unacknowledged: what HARQ loses is lost.
    Um(um::Config),
    /// Acknowledged: what HARQ loses is sent again.
    Am(am::Config),
    /// Unacknowledged mode of NR.
    NrUm(nr::um::Config),
    /// Acknowledged mode of NR, with sequence numbers of 12 or 18 bits; its `t_reordering` is
    /// t-Reassembly.
    NrAm(am::Config, nr::SnLength),
}

impl Mode {
    /// True if it is one of NR, which leaves order to PDCP.
    pub const fn is_nr(&self) -> bool {
        matches!(self, Mode::NrUm(_) | Mode::NrAm(..))
    }
}

#[cfg(test)]
pub(crate) mod testing;

#[cfg(test)]
mod queue_tests;
