//! Transport blocks: allocation, transmission and contents, for listeners that request them.

use airpath_base::{BearerId, CellId, Time, UeId};
use airpath_wire::radio::bsr::GROUPS;

use crate::{Direction, Packet};

/// A transmission of a transport block, reported when it is decided.
///
/// The outcome is a [`Block`](crate::RadioEvent::Block) of the same UE, direction and process, or
/// [`Missed`](crate::RadioEvent::Missed). The run may end before.
#[derive(Clone, Copy, Debug)]
pub struct Transmission<'a> {
    /// Cell.
    pub cell: CellId,
    /// UE.
    pub ue: UeId,
    /// Direction.
    pub direction: Direction,
    /// Number of the TTI in which it is on the air, from 0.
    pub slot: u64,
    /// Begin of the transmission on the air.
    pub start: Time,
    /// End of reception and decoding.
    pub received: Time,
    /// HARQ process of the UE in this direction.
    pub process: u16,
    /// New-data indicator of the process: toggled with each new block.
    pub new_data: bool,
    /// Number of the transport block among two of the process, 0 or 1 (TS 36.321, 5.3.2.1).
    pub transport_block: u8,
    /// First of its layers: above 0 for codeword 1, whose resource blocks are those of codeword 0.
    pub first_layer: u8,
    /// 0 for the first transmission.
    pub attempt: u8,
    /// Resource blocks: the first of each run and the one behind its last, in their order.
    pub resource_blocks: &'a [(u16, u16)],
    /// Its share of them, above 0 to 1: each counts one over the UEs in it.
    pub share: f32,
    /// The first symbol that it takes.
    pub first_symbol: u8,
    /// Symbols that it takes.
    pub symbols: u8,
    /// Layers of spatial multiplexing, with those of another transport block.
    pub layers: u8,
    /// Modulation and coding scheme.
    pub mcs: u8,
    /// Bytes of the transport block.
    pub bytes: u32,
    /// Bytes of the block that carry nothing.
    pub padding: u32,
    /// True if the UE misses the assignment or grant. Downlink the block is then sent in vain,
    /// uplink nothing is sent.
    pub missed: bool,
    /// RLC PDUs in the block, in order; with the first transmission only. Retransmissions carry the
    /// same.
    pub pdus: &'a [CarriedPdu<'a>],
    /// Buffer status that it reports, as the cell reads it: bytes of each group of logical
    /// channels, of which it says something. The last level has no upper end; its lower end is
    /// given.
    pub report: Option<[Option<u32>; GROUPS]>,
}

/// An RLC PDU in a transport block, or, in NR, PDUs of a bearer beside each other.
#[derive(Clone, Copy, Debug)]
pub struct CarriedPdu<'a> {
    /// Bearer.
    pub bearer: BearerId,
    /// Bytes, with headers of RLC, and of MAC where those go with each PDU.
    pub bytes: u32,
    /// Content of the PDU.
    pub content: Content<'a>,
}

/// Content of an RLC PDU.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// Bytes of packets.
    Data {
        /// True if RLC (not HARQ) has sent the bytes before.
        retransmission: bool,
        /// The packets, in order.
        pieces: &'a [Piece<'a>],
    },
    /// A status report of RLC.
    Status,
    /// Bytes of a full buffer.
    Full,
}

/// A stretch of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Number of the packet within the run.
    pub id: u64,
    /// The packet, with its stages booked so far; none if it has been delivered or dropped
    /// already.
    pub packet: Option<&'a Packet>,
    /// Bytes of it, with its PDCP header.
    pub size: u32,
    /// The first of them that is carried.
    pub start: u32,
    /// The one behind the last.
    pub end: u32,
}
