//! Directions of the radio, and its two ends.

use airpath_base::{CellId, UeId};

/// Downlink or uplink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the cell to the UE.
    Downlink,
    /// From the UE to the cell.
    Uplink,
}

impl Direction {
    /// The other one.
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Downlink => Direction::Uplink,
            Direction::Uplink => Direction::Downlink,
        }
    }

    /// Both.
    pub const ALL: [Direction; 2] = [Direction::Downlink, Direction::Uplink];

    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Downlink => "down",
            Direction::Uplink => "up",
        }
    }
}

/// An end of the radio. One node holds the cells and their UEs, so a drop says at which end it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RadioEnd {
    /// A cell.
    Cell(CellId),
    /// A UE.
    Ue(UeId),
}
