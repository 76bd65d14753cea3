//! Secondary cells.

use std::sync::Arc;

use airpath_base::{CellId, Duration};

use crate::air::Channel;

/// A secondary cell: a further carrier of the UEs of another cell, their primary cell (TS
/// 36.300, 7.5; TS 38.300, 6.7). It has no UEs of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Secondary {
    /// The primary cell.
    pub of: CellId,
    /// Conditions of its activation for a UE; `None`: it is always active.
    pub activation: Option<Activation>,
    /// Time from a connection, with which it is added, to the first decision that may use it, where it is always active.
    /// `None`: UEs keep their cells, and it stays added.
    pub addition: Option<Duration>,
}

/// Activation of a secondary cell for a UE by its traffic (TS 36.321, 5.13; TS 38.321, 5.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// Bytes that wait for the UE downlink, or that it has reported uplink if it sends there, from
    /// which on it is activated.
    pub bytes: u32,
    /// From the decision to activate it to the first decision that may use it.
    pub delay: Duration,
    /// sCellDeactivationTimer, from the last assignment or grant; `None` never deactivates it.
    pub timer: Option<Duration>,
}

/// Link of a UE in a secondary cell.
#[derive(Clone, Debug)]
pub struct UeCarrier {
    /// Ratio of its SNR there to that in its cell, downlink and uplink, as factors.
    pub gains: [f64; 2],
    /// Number of resource blocks uplink there that get the UE's greatest power, as that of
    /// [`Link::Fixed`](crate::Link::Fixed).
    pub full_power: f64,
    /// True if the UE sends there.
    pub uplink: bool,
    /// The channel of the carrier, if the link of the UE is of a network. Its cells have the numbers of
    /// the primary cells.
    pub channel: Option<Arc<dyn Channel>>,
}

impl UeCarrier {
    /// The link of a UE that sends nothing and has the same SNR downlink as in its cell.
    pub const ALIKE: UeCarrier =
        UeCarrier { gains: [1.0; 2], full_power: f64::INFINITY, uplink: false, channel: None };
}
