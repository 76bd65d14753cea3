//! Frequencies of cells: carriers on which a network has cells of its own.

use airpath_base::CellId;

/// Frequency of a cell that has others of its network on further carriers beside it (TS 36.300, 10.1.3; TS 38.300,
/// 9.2.4). A UE is served by one cell, on one carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// Number of the carrier, from 0.
    pub carrier: u16,
    /// Number of the cell among those of its carrier. The carrier's channel knows it by this number.
    pub position: CellId,
}
