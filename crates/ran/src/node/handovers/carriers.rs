//! Carriers of a network's cells: their cells, positions and offsets.

use std::ops::Range;

use airpath_base::CellId;

use super::Handovers;
use crate::node::cell::Cell;

/// Cells by carrier. Those of a carrier have numbers one after another.
#[derive(Clone, Debug)]
pub(super) struct Carriers {
    cells: Vec<Range<usize>>,
}

impl Carriers {
    /// Those of a network's cells in their order; one without a [`Frequency`](crate::Frequency).
    pub fn of_cells<'a>(all: impl Iterator<Item = &'a Cell>) -> Carriers {
        let mut cells: Vec<Range<usize>> = Vec::new();
        for (n, cell) in all.enumerate() {
            let carrier = cell.config.frequency.map_or(0, |own| usize::from(own.carrier));
            cells.resize(cells.len().max(carrier + 1), n..n);
            cells[carrier].end = n + 1;
        }
        Carriers { cells }
    }

    /// Cells of each carrier.
    pub fn cells(&self) -> &[Range<usize>] {
        &self.cells
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        self.cells.last().map_or(0, |last| last.end)
    }

    /// Carrier of a cell, and the cell's number there.
    pub fn of(&self, cell: CellId) -> (usize, CellId) {
        let n = cell.index();
        let carrier = self.cells.iter().position(|own| own.contains(&n)).unwrap_or(0);
        (carrier, CellId((n - self.cells[carrier].start) as u16))
    }

    /// All cells on the carrier of a cell.
    pub fn beside(&self, cell: usize) -> Range<usize> {
        self.cells[self.of(CellId(cell as u16)).0].clone()
    }
}

impl Handovers {
    /// Offsets of carriers in dB by their numbers; 0 behind the last.
    pub(in crate::node) fn carrier_offsets(&self) -> Vec<f64> {
        self.config.handover.other_carriers.offsets.clone()
    }

    /// Offset of the carrier of a cell in dB.
    pub(super) fn carrier_offset(&self, cell: usize) -> f64 {
        let (carrier, _) = self.carriers.of(CellId(cell as u16));
        self.config.handover.other_carriers.offsets.get(carrier).copied().unwrap_or(0.0)
    }

    /// True if two cells are on different carriers.
    pub(super) fn differ(&self, one: CellId, other: CellId) -> bool {
        self.carriers.of(one).0 != self.carriers.of(other).0
    }
}
