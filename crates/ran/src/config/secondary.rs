//! Secondary cells.

use airpath_base::{CellId, Duration};

/// A secondary cell: a further carrier downlink of the UEs of another cell, their primary cell (TS
/// 36.300, 7.5; TS 38.300, 6.7). It has no UEs of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Secondary {
    /// The primary cell.
    pub of: CellId,
    /// Conditions of its activation for a UE; `None`: it is always active.
    pub activation: Option<Activation>,
}

/// Activation of a secondary cell for a UE by its traffic (TS 36.321, 5.13; TS 38.321, 5.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Activation {
    /// Bytes that wait for the UE downlink from which on it is activated.
    pub bytes: u32,
    /// From the decision to activate it to the first decision that may use it.
    pub delay: Duration,
    /// sCellDeactivationTimer, from the last assignment; `None` never deactivates it.
    pub timer: Option<Duration>,
}
