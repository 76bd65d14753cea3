//! Failures of a radio link, and what comes of them.

use crate::Direction;

/// Change of a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkChange {
    /// Radio link failure (TS 36.331, 5.3.11; TS 38.331, 5.3.10): T311 begins.
    Failed(LinkFailure),
    /// The connection has been re-established (TS 36.331, 5.3.7; TS 38.331, 5.3.7).
    Reestablished,
    /// T311 or T301 has run out, or the selected cell is not suitable any more: the UE is idle,
    /// its bearers are released.
    Lost,
    /// The idle UE has selected the cell again. Without RRC states it is connected by now.
    Returned,
}

/// Cause of a radio link failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkFailure {
    /// T310 ran out.
    OutOfSync,
    /// RLC AM reached maxRetxThreshold in a direction.
    MaxRetransmissions(Direction),
    /// T304 ran out during a handover (TS 36.331, 5.3.5.6; TS 38.331, 5.3.5.8.3).
    Handover,
}

impl LinkChange {
    /// The name in tables and comments.
    pub const fn name(self) -> &'static str {
        match self {
            LinkChange::Failed(LinkFailure::OutOfSync) => "failed: out of sync",
            LinkChange::Failed(LinkFailure::MaxRetransmissions(Direction::Downlink)) => {
                "failed: RLC retransmissions downlink"
            }
            LinkChange::Failed(LinkFailure::MaxRetransmissions(Direction::Uplink)) => {
                "failed: RLC retransmissions uplink"
            }
            LinkChange::Failed(LinkFailure::Handover) => "failed: handover",
            LinkChange::Reestablished => "re-established",
            LinkChange::Lost => "lost",
            LinkChange::Returned => "returned",
        }
    }
}
