//! Steps of the radio's layers towards a transport block, in their order. The events are made only
//! if the engine [reports layers](crate::Engine::tell_layers), as there is one for each packet and
//! PDU.
//!
//! A channel is a bearer in one direction. It numbers its SDUs, packets with PDCP's header, from 0
//! in the order in which RLC takes them; PDUs name bytes of SDUs by these numbers.

use airpath_base::{BearerId, CellId, Time, UeId};
use airpath_wire::radio::bsr::GROUPS;

use crate::{Direction, Packet};

/// Something that a layer did.
#[derive(Debug)]
pub enum LayerEvent<'a> {
    /// RLC took a packet from PDCP.
    Sdu {
        /// Bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// Number of the SDU.
        number: u64,
        /// Number of the packet's QoS flow within the bearer, 0 for the first: its queue.
        flow: u16,
        /// The packet.
        packet: &'a Packet,
    },
    /// RLC of a bearer was re-established at both ends, or released: its sequence numbers begin anew
    /// (TS 36.322, 5.4; TS 38.322, 5.1.2).
    Restarted {
        /// Bearer.
        bearer: BearerId,
    },
    /// RLC made a PDU for the block that is being filled.
    Pdu {
        /// Bearer.
        bearer: BearerId,
        /// Direction of the PDU.
        direction: Direction,
        /// Bytes: with RLC's header, and with MAC's in NR.
        size: u32,
        /// Content of the PDU.
        pdu: RlcPdu,
        /// No SDU before this number will be carried by a later PDU of the channel.
        keep: u64,
    },
    /// MAC made a transport block of the PDUs made since the one before.
    Block {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
        /// HARQ process that holds it until it is decoded or given up.
        process: u16,
        /// Number of the transport block among two of the process, 0 or 1.
        transport_block: u8,
        /// Bytes.
        bytes: u32,
        /// Buffer status report in it.
        report: Option<BufferReport>,
    },
    /// A message of a random access.
    Access {
        /// Cell to which the UE has its random access.
        cell: CellId,
        /// UE.
        ue: UeId,
        /// Message.
        message: AccessMessage<'a>,
    },
    /// A UE has a new C-RNTI, of this cell, by the command of a handover (TS 36.331, 5.3.5.4; TS 38.331, 5.3.5.5.2). So
    /// it has by a re-establishment in a cell that it has selected, and with its next connection after a reselection.
    Assigned {
        /// Cell.
        cell: CellId,
        /// UE.
        ue: UeId,
    },
}

/// Message of a random access (TS 36.321, 5.1; TS 38.321, 5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AccessMessage<'a> {
    /// The UE begins to send a preamble in an occasion.
    Preamble {
        /// Index of the preamble, 0 to 63.
        preamble: u8,
        /// Number of preambles so far in this random access, this one included.
        attempt: u32,
    },
    /// The response to the preambles of an occasion is received, of all preambles that the cell has detected there. It is
    /// reported once for each UE that receives it.
    Response {
        /// Begin of the occasion.
        occasion: Time,
        /// Preambles, in the order of their indices.
        detected: &'a [DetectedPreamble],
    },
    /// The end of message 3.
    Message3 {
        /// Begin of the occasion of its preamble.
        occasion: Time,
        /// Index of its preamble.
        preamble: u8,
        /// Begin of the message.
        begin: Time,
        /// True with contention: the UE has chosen the preamble itself.
        contention: bool,
        /// True unless it has collided.
        decoded: bool,
    },
}

/// A preamble that a cell has detected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedPreamble {
    /// Index, 0 to 63.
    pub preamble: u8,
    /// Distance of its UE in metres; of several UEs that of the first. None of a UE without a route.
    pub distance_m: Option<f64>,
}

/// Content of a PDU of RLC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RlcPdu {
    /// A PDU of LTE, or a segment of one (TS 36.322, 6.2.1.3 to 6.2.1.5).
    Data {
        /// Sequence number, not wrapped.
        sn: u64,
        /// The SDUs of the whole PDU.
        sdus: SduRange,
        /// Bytes of the data field of the whole PDU.
        length: u32,
        /// The part of it that is here, from a byte on and up to one.
        part: (u32, u32),
        /// True if the PDU requests a status report.
        poll: bool,
    },
    /// PDUs of NR beside each other, one for each SDU (TS 38.322, 6.2.2.3 and 6.2.2.4).
    Run {
        /// Their SDUs.
        sdus: SduRange,
        /// True if the last PDU requests a status report.
        poll: bool,
    },
    /// A status report about the other direction (TS 36.322, 6.2.1.6; TS 38.322, 6.2.2.5).
    Status {
        /// ACK_SN, not wrapped.
        ack: u64,
        /// Missing PDUs or parts of them, in order.
        nacks: Vec<Nack>,
    },
    /// Bytes of a full buffer.
    Full,
}

/// A stretch of consecutive SDUs' bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SduRange {
    /// Number of the first SDU.
    pub first: u64,
    /// Its first byte that is carried.
    pub start: u32,
    /// Number of the last SDU.
    pub last: u64,
    /// Its byte after the last that is carried.
    pub end: u32,
}

/// Gap in a status report: a missing PDU or part of a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nack {
    /// NACK_SN, not wrapped.
    pub sn: u64,
    /// From which byte up to which, unless all is missing.
    pub part: Option<(u32, u32)>,
}

/// A buffer status report (TS 36.321, 6.1.3.1; TS 38.321, 6.1.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferReport {
    /// Its format.
    pub format: ReportFormat,
    /// The group of logical channels of a short or truncated report.
    pub group: u8,
    /// Bytes that wait in each group; LTE has the first four.
    pub bytes: [u32; GROUPS],
}

/// Format of a buffer status report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// One group; the others have nothing.
    Short,
    /// One group of several.
    Truncated,
    /// All groups.
    Long,
}
