//! Positions of UEs that move, and records of their handovers.

use airpath_base::{CellId, Time, UeId};

use crate::Packet;

/// Position of a UE that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UePosition {
    /// UE.
    pub ue: UeId,
    /// Position in metres along both axes.
    pub at_m: [f64; 2],
    /// Speed in metres a second.
    pub speed: f64,
    /// Serving cell.
    pub cell: CellId,
    /// RSRP of the serving cell in dBm (TS 36.214, 5.1.1; TS 38.215, 5.1.1), without fading.
    pub rsrp_dbm: f64,
    /// Serving cell over all others and noise at one antenna in dB, without fading, all cells sending.
    pub sinr_db: f64,
}

/// A change of the serving cell of a UE, or an attempt at it, at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Handover {
    /// UE.
    pub ue: UeId,
    /// Cell that served the UE; with [`HandoverCause::Resume`] the one in which its connection was suspended.
    pub source: CellId,
    /// Cell to which the UE was sent; that of the re-establishment where it was sent to none.
    pub target: CellId,
    /// Cell that serves the UE afterwards; none if it is idle.
    pub reached: Option<CellId>,
    /// True if the cell that serves the UE afterwards, or else the target, is on another carrier than the source.
    pub inter_frequency: bool,
    /// Cause.
    pub cause: HandoverCause,
    /// End.
    pub outcome: HandoverOutcome,
    /// Mobility problem behind a failure.
    pub problem: Option<MobilityProblem>,
    /// True if the UE came back to a cell that it had left less than a second before (TR 36.839, 5.2.1).
    pub ping_pong: bool,
    /// The source cell has received the measurement report.
    pub report: Option<Time>,
    /// The source cell begins to send the command.
    pub command_sent: Option<Time>,
    /// The UE has received the command and leaves the source cell. With DAPS it keeps it.
    pub command_received: Option<Time>,
    /// The UE begins its random access.
    pub access: Option<Time>,
    /// The UE is connected to the target cell.
    pub completed: Option<Time>,
    /// The core network sends to the target cell.
    pub path_switched: Option<Time>,
    /// Failure of the radio link, or expiry of T304.
    pub failed: Option<Time>,
    /// The target cell has refused the UE.
    pub refused: Option<Time>,
    /// Preambles that the UE sent.
    pub preambles: u32,
    /// Ratio of a cell to noise and all others in dB, with all sending and without fading. The first is that of the
    /// source at the command or failure, the second that of the reached cell at the end.
    pub geometry_db: [Option<f32>; 2],
    /// Downlink packets that were forwarded: those that the UE had not received from the source, and those that came
    /// there until the end. A packet counts again if it is forwarded again, to the cell of a re-establishment.
    pub forwarded: u64,
    /// Downlink packets of the source that were dropped until the end, as they were not forwarded.
    pub lost: u64,
    /// Conditional handover; none without the execution of a condition.
    pub conditional: Option<ConditionalHandover>,
    /// DAPS handover; none if the UE left its source cell with the command.
    pub daps: Option<DapsHandover>,
}

impl Handover {
    /// Time of its end: the connection, a refusal, or the failure of one that led to no connection.
    pub fn end(&self) -> Option<Time> {
        self.completed.or(self.refused).or(self.failed)
    }

    /// True if the target refused to prepare itself, so that the UE has not left its cell.
    pub fn is_refused_preparation(&self) -> bool {
        self.outcome == HandoverOutcome::Refused && self.failed.is_none()
    }
}

/// Execution of a conditional handover (TS 38.300, 9.2.3.4; TS 36.300, 10.1.2.1a).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConditionalHandover {
    /// The UE has received the conditional command.
    pub received: Time,
    /// Its condition is fulfilled, or the UE has selected the candidate after a failure.
    pub executed: Time,
    /// Candidates at that time.
    pub candidates: u32,
    /// True if the UE executed after a failure, instead of a re-establishment (attemptCondReconfig, TS 38.331, 5.3.7.3).
    pub recovery: bool,
    /// Copies of downlink packets that the source forwarded to candidates before.
    pub copies: u64,
}

/// Handover with a dual active protocol stack, DAPS (TS 38.300, 9.2.3.2; TS 36.300, 10.1.2.1b).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DapsHandover {
    /// Copies of downlink packets that the source forwarded to the target before its release.
    pub copies: u64,
    /// Failure of the link to the source, before the target served the UE.
    pub source_failed: Option<Time>,
    /// True if the UE went on in the source cell after T304 (TS 38.331, 5.3.5.8.3).
    pub fallback: bool,
}

/// Cause of a change of the serving cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandoverCause {
    /// Measurement event A3 (TS 36.331 and TS 38.331, 5.5.4.4).
    A3,
    /// Measurement event A4 (5.5.4.5).
    A4,
    /// Measurement event A5 (5.5.4.6).
    A5,
    /// Execution condition of a conditional handover (TS 38.331, 5.3.5.13; TS 36.331, 5.3.5.9).
    Conditional,
    /// Re-establishment after a failure of the radio link (TS 36.331 and TS 38.331, 5.3.7).
    Reestablishment,
    /// Cell reselection of an idle or inactive UE (TS 36.304, 5.2.4; TS 38.304, 5.2.4).
    Reselection,
    /// Resume of a connection that was suspended in another cell (TS 38.331, 5.3.13).
    Resume,
}

impl HandoverCause {
    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            HandoverCause::A3 => "a3",
            HandoverCause::A4 => "a4",
            HandoverCause::A5 => "a5",
            HandoverCause::Conditional => "conditional",
            HandoverCause::Reestablishment => "reestablishment",
            HandoverCause::Reselection => "reselection",
            HandoverCause::Resume => "resume",
        }
    }
}

/// End of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandoverOutcome {
    /// The target cell serves the UE.
    Success,
    /// The link to the source failed before the UE had received the command.
    CommandLost,
    /// T304 expired (TS 36.331, 5.3.5.6; TS 38.331, 5.3.5.8.3).
    T304Expired,
    /// T311 expired: no cell was suitable, and the UE is idle.
    Idle,
    /// The target cell had no room: a preparation failed (TS 36.423 and TS 38.423, 8.2.1.3), and the UE stays in the
    /// source. Behind a failure of its link the UE is idle.
    Refused,
}

impl HandoverOutcome {
    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            HandoverOutcome::Success => "success",
            HandoverOutcome::CommandLost => "command_lost",
            HandoverOutcome::T304Expired => "t304_expired",
            HandoverOutcome::Idle => "idle",
            HandoverOutcome::Refused => "refused",
        }
    }
}

/// Mobility problem by TS 36.300, 22.4.2, and TS 38.300, 15.5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MobilityProblem {
    /// Another cell serves the UE after a failure in a cell in which it had been for long.
    TooLate,
    /// The UE returns to the source after a failure during a handover or shortly after it.
    TooEarly,
    /// A third cell serves the UE after a failure during a handover or shortly after it.
    WrongCell,
}

impl MobilityProblem {
    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            MobilityProblem::TooLate => "too_late",
            MobilityProblem::TooEarly => "too_early",
            MobilityProblem::WrongCell => "wrong_cell",
        }
    }
}

/// Downlink user plane of a UE that goes to another cell: its tunnels between core network and cells (TS 36.300,
/// 10.1.2; TS 38.300, 9.2.3.2).
#[derive(Clone, Copy, Debug)]
pub enum PathEvent<'a> {
    /// A cell forwards a packet of a bearer to another cell, on X2-U or Xn-U.
    Forwarded {
        /// TEID of the bearer's tunnel on S1-U or N3.
        teid: u32,
        /// Cell that has the packet.
        source: CellId,
        /// Cell to which it goes.
        target: CellId,
        /// The packet, in no tunnel.
        packet: &'a Packet,
    },
    /// A cell passes on the end marker of a bearer, behind the last packet that it forwards (TS 29.281, 7.3.2).
    ForwardingEnds {
        /// TEID of the bearer's tunnel on S1-U or N3.
        teid: u32,
        /// Cell that has forwarded packets.
        source: CellId,
        /// Cell to which they went.
        target: CellId,
    },
    /// The core network sends packets of a tunnel on S1-U or N3 to another cell from now on.
    Switched {
        /// TEID of the tunnel.
        teid: u32,
        /// Cell to which it has sent packets.
        source: CellId,
        /// Cell to which it sends them now.
        target: CellId,
        /// True with an end marker to the source; a UE that was idle has none.
        marked: bool,
    },
}
