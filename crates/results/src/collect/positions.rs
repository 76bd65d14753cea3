//! Positions of UEs that move.

use airpath_base::{CellId, Time, UeId};
use airpath_net::RadioEvent;

/// A sample of a UE that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionRow {
    /// Time of the sample.
    pub at: Time,
    /// The UE.
    pub ue: UeId,
    /// Position to the east in metres.
    pub x_m: f64,
    /// Position to the north in metres.
    pub y_m: f64,
    /// Speed in metres a second.
    pub speed_mps: f64,
    /// Cell that serves it.
    pub cell: CellId,
    /// Power of that cell for each resource element in dBm, without fading.
    pub rsrp_dbm: f32,
    /// Ratio of that cell to noise and all other cells in dB, with all sending and without fading.
    pub sinr_db: f32,
}

/// Samples up to a limit.
pub(super) struct Positions {
    limit: usize,
    pub(super) rows: Vec<PositionRow>,
    pub(super) truncated: Option<Time>,
}

impl Positions {
    pub(super) fn new(limit: usize) -> Positions {
        Positions { limit, rows: Vec::new(), truncated: None }
    }

    /// Adds the sample of an event of this kind.
    pub(super) fn add(&mut self, at: Time, event: &RadioEvent) {
        let RadioEvent::Position { ue, x_m, y_m, speed_mps, cell, rsrp_dbm, sinr_db } = *event
        else {
            return;
        };
        if self.rows.len() == self.limit {
            self.truncated.get_or_insert(at);
            return;
        }
        let row = PositionRow { at, ue, x_m, y_m, speed_mps, cell, rsrp_dbm, sinr_db };
        self.rows.push(row);
    }
}
