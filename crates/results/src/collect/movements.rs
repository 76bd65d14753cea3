//! Positions of UEs that move, and changes of their cells.

use airpath_base::Time;
use airpath_net::{Event, Handover, UePosition};

use super::Collector;

/// A sample of a UE that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionRow {
    /// Time of the sample.
    pub at: Time,
    /// The UE, its position and its link.
    pub position: UePosition,
}

/// Rows of both tables.
pub(super) struct Movements {
    /// Most rows of the table of positions.
    limit: usize,
    positions: Vec<PositionRow>,
    truncated: Option<Time>,
    handovers: Vec<Handover>,
}

impl Movements {
    pub(super) fn new(limit: usize) -> Movements {
        Movements { limit, positions: Vec::new(), truncated: None, handovers: Vec::new() }
    }

    /// Adds what an event says of a UE that moves.
    pub(super) fn add(&mut self, at: Time, event: &Event<'_>) {
        match event {
            Event::Moved(_) if self.positions.len() == self.limit => {
                self.truncated.get_or_insert(at);
            }
            Event::Moved(position) => {
                self.positions.push(PositionRow { at, position: *position });
            }
            Event::Handover(record) => self.handovers.push((*record).clone()),
            _ => {}
        }
    }
}

impl Collector {
    /// Positions of UEs that move, in order of time.
    pub fn positions(&self) -> &[PositionRow] {
        &self.movements.positions
    }

    /// Time at which the table of positions reached its limit of rows, if it did.
    pub fn positions_truncated(&self) -> Option<Time> {
        self.movements.truncated
    }

    /// Handovers, re-establishments in other cells and cell reselections, in the order of their ends.
    pub fn handovers(&self) -> &[Handover] {
        &self.movements.handovers
    }
}
