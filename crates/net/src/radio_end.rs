//! The two ends of the radio.

use airpath_base::{CellId, UeId};

/// An end of the radio. One node holds the cells and their UEs, so a drop says at which end it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RadioEnd {
    /// A cell.
    Cell(CellId),
    /// A UE.
    Ue(UeId),
}
