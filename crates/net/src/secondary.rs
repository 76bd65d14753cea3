//! Records of secondary cells of UEs that go from cell to cell (carrier aggregation: TS 36.300, 7.5; TS 38.300, 6.7).

use airpath_base::{CellId, Time, UeId};

/// The time for which a UE has a secondary cell, from its addition to its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondaryStay {
    /// UE.
    pub ue: UeId,
    /// The secondary cell.
    pub cell: CellId,
    /// Addition (TS 36.331, 5.3.10.3b; TS 38.331, 5.3.5.5.9).
    pub added: Time,
    /// First time from which on it may carry data; none if it was never activated.
    pub first_active: Option<Time>,
    /// Activations (TS 36.321, 5.13; TS 38.321, 5.9).
    pub activations: u32,
    /// Release, and its cause; none while the UE has it.
    pub ended: Option<(Time, SecondaryEnd)>,
}

impl SecondaryStay {
    /// A stay that begins.
    pub const fn begin(ue: UeId, cell: CellId, added: Time) -> SecondaryStay {
        SecondaryStay { ue, cell, added, first_active: None, activations: 0, ended: None }
    }
}

/// Cause of the release of a secondary cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecondaryEnd {
    /// Handover of the UE: its command (TS 36.331, 5.3.5.4; TS 38.331, 5.3.5.5).
    Handover,
    /// Failure of the radio link (TS 36.331 and TS 38.331, 5.3.7.2).
    Failure,
    /// End of the connection by RRC (TS 36.331, 5.3.12; TS 38.331, 5.3.8 and 5.3.11).
    Connection,
    /// Change to another secondary cell of the carrier, by a report of event A6 (TS 36.331, 5.5.4.6a; TS 38.331, 5.5.4.7).
    Change,
}

impl SecondaryEnd {
    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            SecondaryEnd::Handover => "handover",
            SecondaryEnd::Failure => "link_failed",
            SecondaryEnd::Connection => "connection_ended",
            SecondaryEnd::Change => "changed",
        }
    }
}
