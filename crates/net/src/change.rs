//! Changes of nodes while the world runs.

use core::fmt;

use airpath_base::{BearerId, BitRate, Db, Duration, UeId};

use crate::queue::Threshold;
use crate::{Direction, Pattern, RunError};

/// Something about a node that becomes different at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A link's rate; `None` sends in no time. Zero is refused: what is being sent would never
    /// end.
    Rate(Option<BitRate>),
    /// A link's propagation delay.
    Delay(Duration),
    /// Pattern of packets that a link loses; a period begins anew.
    Loss(Pattern),
    /// Pattern of packets that a link marks; a period begins anew.
    Mark(Pattern),
    /// Queue in front of a link.
    Queue(QueueChange),
    /// A queue of a bearer.
    BearerQueue(BearerQueue, QueueChange),
    /// Marker of a bearer's uplink packets at the cell.
    UplinkMarker(BearerId, QueueChange),
    /// The signal-to-noise ratio of a UE whose link is fixed.
    Snr {
        /// The UE.
        ue: UeId,
        /// Direction.
        direction: Direction,
        /// The ratio on each resource block.
        snr: Db,
    },
    /// True if the source of a flow makes data from now on.
    Active(bool),
    /// Activity of a bearer's full buffer in a direction.
    FullBuffer {
        /// The bearer.
        bearer: BearerId,
        /// Direction.
        direction: Direction,
        /// True if the full buffer makes data from now on.
        active: bool,
    },
}

/// A queue of a bearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BearerQueue {
    /// The bearer.
    pub bearer: BearerId,
    /// QoS flow within it: 0 for all that is of none.
    pub flow: u8,
    /// Direction.
    pub direction: Direction,
}

/// Something about a queue, or about a marker, that becomes different. What waits stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueChange {
    /// True if the queue signals congestion. A queue that does not lets pass what it would have
    /// marked, or dropped instead of marking.
    Marking(bool),
    /// Delay up to which a ramp, as that of DualPI2, marks nothing.
    Low(Duration),
    /// Delay from which a ramp marks everything.
    High(Duration),
    /// Threshold above which a step marks, as that of DualPI2.
    Threshold(Threshold),
    /// Delay for which a controller aims (CoDel, PIE, the classic queue of DualPI2); above zero.
    /// For L4Span, time in which the queue shall be empty.
    Target(Duration),
}

/// Reason for which a node refuses a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeError(String);

/// Reason for which a change did not come about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeFailed {
    /// The node refused it, and all is as it was.
    Refused {
        /// Name of the node.
        node: String,
        /// Reason of the node.
        why: ChangeError,
    },
    /// The run could not go on.
    Run(RunError),
}

impl ChangeError {
    /// A refusal for this reason: what the node is or has, as "has recorded capacity".
    pub fn new(why: impl Into<String>) -> ChangeError {
        ChangeError(why.into())
    }
}

impl From<RunError> for ChangeFailed {
    fn from(error: RunError) -> ChangeFailed {
        ChangeFailed::Run(error)
    }
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ChangeFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChangeFailed::Refused { node, why } => write!(f, "{node} {why}"),
            ChangeFailed::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChangeError {}

impl std::error::Error for ChangeFailed {}
