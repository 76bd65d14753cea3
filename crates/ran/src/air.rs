//! What is on the air, and the links that see it.
//!
//! A slot has two phases. All cells decide, and what they and their UEs will send is written
//! into [`OnAir`], a ring of the last slots with a row for each cell. A block is decoded when it
//! has been received, against what the ring says was on the air in its resource blocks. So it
//! does not matter in which order the cells decide.

use std::fmt::Debug;
use std::sync::Arc;

use airpath_base::{CellId, UeId};
use airpath_net::Direction;

use crate::mac::{ResourceAllocation, ResourceBlocks};

/// The link between a UE and its cell.
#[derive(Clone, Debug)]
pub enum Link {
    /// Signal to noise ratios that never change and that nobody disturbs.
    Fixed {
        /// Downlink, as a factor.
        downlink: f64,
        /// Uplink, as a factor.
        uplink: f64,
    },
    /// One of a network, where others are heard too.
    Network(Arc<dyn Channel>),
}

/// The channel of a network: what its receivers hear.
///
/// A pure function of its arguments, so that neither the order of calls nor what is never
/// asked for changes anything.
pub trait Channel: Debug + Send + Sync {
    /// The signal to interference and noise ratio, as a factor, that a UE and its cell expect
    /// of each other over the whole carrier: what link adaptation begins with.
    fn expected_sinr(&self, ue: UeId, direction: Direction) -> f64;

    /// Appends to `sinr` the ratio, as a factor, in each resource block of a transmission, in
    /// their order; `air` says what else was sent.
    fn sinr(&self, transmission: &Transmission, air: &OnAir, sinr: &mut Vec<f64>);
}

/// A transmission that has been received.
#[derive(Clone, Copy, Debug)]
pub struct Transmission {
    /// The UE that sends it or to which it is sent.
    pub ue: UeId,
    /// Its cell.
    pub cell: CellId,
    /// Direction.
    pub direction: Direction,
    /// Number of the TTI on the air, from 0.
    pub tti: u64,
    /// What it was sent in.
    pub allocation: ResourceAllocation,
}

/// What is sent in some resource blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sent {
    /// The UE that sends it or to which it is sent.
    pub ue: UeId,
    /// Resource blocks.
    pub blocks: ResourceBlocks,
    /// Power in each of them, as a share of the most that the sender has there: a cell's power
    /// spread over the carrier, all of a UE's power in these resource blocks.
    pub power: f32,
}

/// What cells and their UEs send, in a ring of the last slots.
#[derive(Clone, Debug)]
pub struct OnAir {
    cells: usize,
    depth: u64,
    /// The row of cell c in TTI n is at (n modulo depth) times the number of cells, plus c.
    rows: Vec<Row>,
}

/// What a cell and its UEs send in a TTI.
#[derive(Clone, Debug, Default)]
struct Row {
    tti: u64,
    /// Downlink and uplink.
    sent: [Vec<Sent>; 2],
}

impl OnAir {
    /// Of so many cells, for so many TTIs.
    pub(crate) fn new(cells: usize, depth: u64) -> OnAir {
        OnAir { cells, depth, rows: vec![Row::default(); cells * depth as usize] }
    }

    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// What is sent in TTI `tti` in a cell, in no particular order. Nothing, if that is
    /// longer ago than a block takes to be decoded.
    pub fn sent(&self, cell: CellId, direction: Direction, tti: u64) -> &[Sent] {
        let row = &self.rows[self.row(cell, tti)];
        if row.tti == tti { &row.sent[direction as usize] } else { &[] }
    }

    /// Writes what will be sent in TTI `tti`.
    pub(crate) fn write(&mut self, cell: CellId, direction: Direction, tti: u64, sent: Sent) {
        let n = self.row(cell, tti);
        let row = &mut self.rows[n];
        if row.tti != tti {
            row.tti = tti;
            row.sent.iter_mut().for_each(Vec::clear);
        }
        row.sent[direction as usize].push(sent);
    }

    fn row(&self, cell: CellId, tti: u64) -> usize {
        (tti % self.depth) as usize * self.cells + cell.index()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_forgets_what_is_too_long_ago() {
        let mut air = OnAir::new(2, 4);
        let sent = |ue| Sent { ue: UeId(ue), blocks: ResourceBlocks::range(0, 3), power: 1.0 };
        let down = Direction::Downlink;
        air.write(CellId(1), down, 5, sent(0));
        air.write(CellId(1), down, 5, sent(1));
        air.write(CellId(0), down, 6, sent(2));
        assert_eq!(air.sent(CellId(1), down, 5), [sent(0), sent(1)]);
        assert_eq!(air.sent(CellId(0), down, 5), []);
        assert_eq!(air.sent(CellId(1), Direction::Uplink, 5), []);
        air.write(CellId(1), down, 9, sent(3));
        assert_eq!(air.sent(CellId(1), down, 5), []);
        assert_eq!(air.sent(CellId(1), down, 9), [sent(3)]);
    }
}
