//! Tables of link adaptation: rates by MCS, levels by MCS and CQI, capacity by SINR.

use std::sync::Arc;

use airpath_base::math;
use airpath_net::Direction;

use crate::config::CellConfig;
use crate::phy::{Capacity, Levels};
use crate::rates::RateTable;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// Rates and levels of a cell. Cells with the same configuration share one, since a processor's cache is small.
#[derive(Debug)]
pub(super) struct Tables {
    pub rates: RateTable,
    /// Downlink and uplink.
    pub levels: [Arc<Levels>; 2],
    pub capacity: Capacity,
    /// Decibels of a number of resource blocks over one, by that number.
    pub counts_db: Vec<f32>,
}

impl Tables {
    fn new(cell: &CellConfig) -> Tables {
        let [down, up] = &cell.technology;
        let downlink = Arc::new(Levels::new(cell, DOWN));
        let uplink = match down == up {
            true => downlink.clone(),
            false => Arc::new(Levels::new(cell, UP)),
        };
        let counts_db = |count| 10.0 * math::log10(f64::from(count)) as f32;
        Tables {
            rates: RateTable::new(cell),
            levels: [downlink, uplink],
            capacity: Capacity::new(),
            counts_db: (0..=cell.resource_blocks).map(counts_db).collect(),
        }
    }

    /// Tables of each of these cells.
    pub fn of(cells: &[CellConfig]) -> Vec<Arc<Tables>> {
        let mut all: Vec<Arc<Tables>> = Vec::with_capacity(cells.len());
        for (n, cell) in cells.iter().enumerate() {
            let own =
                |other: &CellConfig| CellConfig { secondary: cell.secondary, ..other.clone() };
            // Cells of a carrier are beside each other.
            let alike = cells[..n].iter().rposition(|other| own(other) == *cell);
            all.push(alike.map_or_else(|| Arc::new(Tables::new(cell)), |n| all[n].clone()));
        }
        all
    }
}
