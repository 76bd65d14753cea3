//! The direction of a transmission on the radio.

/// The direction of a transmission on the radio (TS 36.300, 3.1; TS 38.300, 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the cell to the UE.
    Downlink,
    /// From the UE to the cell.
    Uplink,
}

impl Direction {
    /// The opposite direction.
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::Downlink => Direction::Uplink,
            Direction::Uplink => Direction::Downlink,
        }
    }

    /// Both directions, downlink first.
    pub const ALL: [Direction; 2] = [Direction::Downlink, Direction::Uplink];

    /// The name in tables and files: `down` or `up`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Downlink => "down",
            Direction::Uplink => "up",
        }
    }
}
