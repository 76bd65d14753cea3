//! Score of a cell in a span of time.

use airpath_base::{CellId, Duration, Time};
use airpath_stats::nearest_rank;

use crate::Inventory;

/// Wait of a cell's packets in a span, and use of the cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The cell.
    pub cell: CellId,
    /// Beginning of the span.
    pub from: Time,
    /// Its end.
    pub to: Time,
    /// 95th percentile (nearest rank) of the time that packets waited at PDCP and RLC, both
    /// directions together. Packets count that left that queue in the span; none without such.
    pub wait_p95: Option<Duration>,
    /// Share of the resource blocks of both directions that was used.
    pub used: f64,
}

impl Score {
    /// True if this is worse than `other`: its packets waited longer, or it was fuller and they
    /// waited as long. Of equal scores the earlier one stays.
    pub fn is_worse(&self, other: &Score) -> bool {
        match self.wait_p95.cmp(&other.wait_p95) {
            std::cmp::Ordering::Equal => self.used > other.used,
            order => order.is_gt(),
        }
    }
}

/// Counts in the span that goes on.
#[derive(Debug)]
pub(super) struct Scorer {
    cells: Vec<Counts>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    /// Nanoseconds.
    waits: Vec<u64>,
    resource_blocks: u64,
    /// Resource blocks in a second.
    per_second: f64,
}

impl Scorer {
    pub fn new(inventory: &Inventory) -> Scorer {
        let cells = inventory.cells.iter().map(|info| {
            let [down, up] = info.resource_blocks.map(f64::from);
            let slots = 1.0 / info.slot.as_secs_f64().max(1e-9);
            let per_second = (down * info.shares[0] + up * info.shares[1]) * slots;
            Counts { per_second, ..Counts::default() }
        });
        Scorer { cells: cells.collect() }
    }

    pub fn waited(&mut self, cell: CellId, waited: Duration) {
        let cell = self.cells.get_mut(cell.index());
        cell.into_iter().for_each(|cell| cell.waits.push(waited.as_nanos()));
    }

    pub fn used(&mut self, cell: CellId, resource_blocks: u64) {
        let cell = self.cells.get_mut(cell.index());
        cell.into_iter().for_each(|cell| cell.resource_blocks += resource_blocks);
    }

    /// The scores of the span, which ends; the next begins.
    pub fn take(&mut self, from: Time, to: Time) -> Vec<Score> {
        let seconds = to.since(from).as_secs_f64();
        let cells = self.cells.iter_mut().zip((0..).map(CellId));
        let scores = cells.map(|(cell, id)| {
            let mut waits = std::mem::take(&mut cell.waits);
            waits.sort_unstable();
            let used = std::mem::take(&mut cell.resource_blocks) as f64;
            Score {
                cell: id,
                from,
                to,
                wait_p95: nearest_rank(&waits, 950).map(Duration::from_nanos),
                used: used / (cell.per_second * seconds).max(1.0),
            }
        });
        scores.collect()
    }
}
