//! Rows of the tables of a window.

use airpath_base::{BearerId, CellId, Time, UeId};
use airpath_net::Direction;

/// A transmission of a transport block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockRow {
    /// Number of the transport block within the run: that of all of its transmissions.
    pub number: u64,
    /// Cell.
    pub cell: CellId,
    /// UE.
    pub ue: UeId,
    /// Direction.
    pub direction: Direction,
    /// Number of the TTI in which it is on the air.
    pub slot: u64,
    /// Time at which it was filled, or it was decided to send it again.
    pub sent: Time,
    /// Beginning of its TTI on the air.
    pub start: Time,
    /// Time at which it was received and decoding was tried.
    pub received: Time,
    /// HARQ process.
    pub process: u16,
    /// 0 for the first transmission.
    pub attempt: u8,
    /// Its resource blocks: the first of each run and the one behind its last.
    pub runs: Vec<(u16, u16)>,
    /// First symbol.
    pub first_symbol: u8,
    /// Symbols.
    pub symbols: u8,
    /// Layers.
    pub layers: u8,
    /// Modulation and coding scheme.
    pub mcs: u8,
    /// Bytes of the block.
    pub bytes: u32,
    /// Bytes that carry nothing.
    pub padding: u32,
    /// Effective SINR in dB, if it was received.
    pub sinr_db: Option<f32>,
    /// Result of the transmission; none if the run ended before.
    pub fate: Option<Fate>,
}

impl BlockRow {
    /// Number of its resource blocks.
    pub fn resource_blocks(&self) -> u16 {
        self.runs.iter().map(|(first, behind)| behind - first).sum()
    }

    /// Its resource blocks as text, where they are in several runs: `0-3 8-11`.
    pub fn several_runs(&self) -> Option<String> {
        let run = |&(first, behind): &(u16, u16)| match behind - first {
            1 => first.to_string(),
            _ => format!("{first}-{}", behind - 1),
        };
        let runs = || self.runs.iter().map(run).collect::<Vec<_>>().join(" ");
        (self.runs.len() > 1).then(runs)
    }
}

/// Result of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was decoded.
    Decoded,
    /// It was not.
    Failed,
    /// The UE had missed its assignment or grant.
    Missed,
    /// Its grant was taken back, and nothing was sent.
    Cancelled,
}

impl Fate {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::Decoded => "decoded",
            Fate::Failed => "failed",
            Fate::Missed => "missed",
            Fate::Cancelled => "cancelled",
        }
    }
}

/// Part of a packet, or of anything else, that a transport block carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedRow {
    /// Number of the transport block.
    pub block: u64,
    /// Bearer.
    pub bearer: BearerId,
    /// Kind of contents.
    pub what: Carried,
    /// Bytes of it.
    pub bytes: u32,
}

/// Contents of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// A stretch of a packet.
    Packet {
        /// Its number within the run.
        id: u64,
        /// The first byte, counted from its PDCP header.
        start: u32,
        /// Bytes of all of it, with that header.
        size: u32,
        /// True if RLC had sent these bytes before.
        again: bool,
    },
    /// A status report of RLC.
    Status,
    /// Bytes of a full buffer.
    Full,
}

impl Carried {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Carried::Packet { again: false, .. } => "new",
            Carried::Packet { again: true, .. } => "again",
            Carried::Status => "status",
            Carried::Full => "full",
        }
    }
}

/// Something on the control channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlRow {
    /// Time of the event.
    pub at: Time,
    /// Cell.
    pub cell: CellId,
    /// UE, if it is of one.
    pub ue: Option<UeId>,
    /// Kind of event.
    pub kind: ControlKind,
}

/// Event on the control channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlKind {
    /// Control channel elements that the grants of a TTI take.
    Elements {
        /// Control channel elements that are used.
        used: u16,
        /// All elements.
        elements: u16,
        /// UEs that lacked some.
        blocked: u16,
    },
    /// A UE could have been served but for want of elements.
    Blocked(Direction),
    /// A UE missed a grant uplink and sent nothing.
    Missed,
    /// A UE sent a scheduling request.
    Request,
    /// A buffer status report came to the cell.
    Report {
        /// Bytes that it says to wait.
        bytes: u64,
    },
    /// A UE left a configured grant unused.
    Unused {
        /// Its resource blocks.
        resource_blocks: u16,
    },
}

impl ControlKind {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            ControlKind::Elements { .. } => "elements",
            ControlKind::Blocked(_) => "blocked",
            ControlKind::Missed => "missed",
            ControlKind::Request => "request",
            ControlKind::Report { .. } => "report",
            ControlKind::Unused { .. } => "unused",
        }
    }
}

/// Packets of a UE that wait at PDCP and RLC, from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRow {
    /// From when on.
    pub at: Time,
    /// UE.
    pub ue: UeId,
    /// Direction.
    pub direction: Direction,
    /// Packets, whole or in part.
    pub packets: u32,
    /// Their bytes.
    pub bytes: u64,
}
