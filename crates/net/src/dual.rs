//! Records of the leg of a UE in dual connectivity (TS 37.340).

use airpath_base::{CellId, Time, UeId};

/// A change of the leg of a UE, or an attempt at it, at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct LegChange {
    /// UE.
    pub ue: UeId,
    /// Cell that serves the UE as its anchor.
    pub anchor: CellId,
    /// Leg before; none with an addition.
    pub source: Option<CellId>,
    /// Leg to be added; none with a release.
    pub target: Option<CellId>,
    /// Kind and end.
    pub outcome: LegOutcome,
    /// End.
    pub at: Time,
    /// The anchor has received the measurement report.
    pub report: Option<Time>,
    /// The anchor begins to send the reconfiguration.
    pub command_sent: Option<Time>,
    /// The UE has received it.
    pub command_received: Option<Time>,
    /// The UE begins its random access to the target.
    pub access: Option<Time>,
    /// The target serves the UE.
    pub completed: Option<Time>,
    /// Preambles that the UE sent.
    pub preambles: u32,
    /// Packets that came back from the leg before, downlink and uplink, to be sent again by the anchor.
    pub recovered: [u64; 2],
}

/// End of a change of the leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LegOutcome {
    /// The leg was added (TS 37.340, 10.2).
    Added,
    /// Another cell is the leg (TS 37.340, 10.5).
    Changed,
    /// The leg was released by a report of event A2 (TS 37.340, 10.4).
    Released,
    /// The leg was released with a handover of the anchor, or with a failure of its link.
    AnchorLeft,
    /// Failure of the leg's link, SCG failure (TS 37.340, 7.7; TS 38.331, 5.7.3).
    LinkFailed,
    /// T304 of the leg expired, SCG failure (TS 38.331, 5.3.5.8.3).
    T304Expired,
    /// The anchor could not send the reconfiguration.
    CommandLost,
}

impl LegOutcome {
    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            LegOutcome::Added => "added",
            LegOutcome::Changed => "changed",
            LegOutcome::Released => "released",
            LegOutcome::AnchorLeft => "anchor_left",
            LegOutcome::LinkFailed => "link_failed",
            LegOutcome::T304Expired => "t304_expired",
            LegOutcome::CommandLost => "command_lost",
        }
    }
}
