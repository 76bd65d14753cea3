//! The tables of a window, and what says how it was chosen.

use airpath_base::measure::{MS, RESOURCE_BLOCKS, Row, S};
use airpath_base::{Duration, documented};
use serde::{Deserialize, Serialize};

use super::{BlockOptions, BlockRecorder, Score};
use crate::measures::block::{Block, Content, Control, Waiting, cell_name};
use crate::{CellInfo, Inventory, PacketRow, Table, tables};

documented! {
    /// `window.json`: what the tables of transport blocks are of.
    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
    pub struct BlockWindow {
        /// Beginning of the window: what was sent before is not in it.
        pub from_s: f64 [S],
        /// Its end.
        pub to_s: f64 [S],
        /// The cell, if it is of one only.
        pub cell: Option<String>,
        /// True if it is the worst span of the worst cell, by `scores[]`; otherwise the scenario
        /// names it.
        pub worst: bool,
        /// Time at which the tables reached their limit of rows, if they did: later transmissions
        /// are left out.
        pub truncated_s: Option<f64> [S],
        /// The cells that there are, each with its grid.
        pub cells: Vec<WindowCell>,
        /// The spans that were compared, by cell, in order of time.
        pub scores: Vec<ScoreSummary>,
    }
}

documented! {
    /// A cell and its grid of slots and resource blocks.
    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
    pub struct WindowCell {
        /// The cell.
        pub name: String,
        /// Length of a slot (LTE: subframe; with mini-slots, mini-slot).
        pub slot_ms: f64 [MS],
        /// Resource blocks of a slot downlink.
        pub resource_blocks_down: u64,
        /// Resource blocks of a slot uplink.
        pub resource_blocks_up: u64 [RESOURCE_BLOCKS],
        /// Share of slots that carry data downlink, from 0 to 1.
        pub share_down: f64,
        /// Share of slots that carry data uplink, from 0 to 1.
        pub share_up: f64,
    }
}

documented! {
    /// Score of a cell in a span. The worst is where `wait_p95_ms` is highest; of equal ones that
    /// with the highest `used`, then the first.
    #[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
    pub struct ScoreSummary {
        /// The cell.
        pub cell: String,
        /// Beginning of the span.
        pub from_s: f64 [S],
        /// Its end.
        pub to_s: f64 [S],
        /// 95th percentile of the time that packets waited at PDCP and RLC, both directions
        /// together. Packets count whose last byte left in the span for the air.
        pub wait_p95_ms: Option<f64> [MS],
        /// Share of the resource blocks of both directions that was used, from 0 to 1.
        pub used: f64,
    }
}

impl BlockRecorder {
    /// Summary of the window; none if there is none.
    pub fn summary(&self) -> Option<BlockWindow> {
        let window = self.window()?;
        let cell = self.chosen().map(|score| score.cell);
        let seconds = |time: airpath_base::Time| time.as_secs_f64();
        Some(BlockWindow {
            from_s: seconds(window.from),
            to_s: seconds(window.to),
            cell: cell.map(|cell| cell_name(&self.inventory, cell)),
            worst: self.options.worst,
            truncated_s: window.truncated.map(seconds),
            cells: self.inventory.cells.iter().map(grid).collect(),
            scores: self.scores.iter().map(|score| self.score_summary(score)).collect(),
        })
    }

    fn score_summary(&self, score: &Score) -> ScoreSummary {
        ScoreSummary {
            cell: cell_name(&self.inventory, score.cell),
            from_s: score.from.as_secs_f64(),
            to_s: score.to.as_secs_f64(),
            wait_p95_ms: score.wait_p95.map(Duration::as_millis_f64),
            used: score.used,
        }
    }

    /// The tables by their names: `blocks`, `carried`, `control`, `queues` and `journeys`.
    pub fn tables(&self) -> [(&'static str, Table); 5] {
        let empty = super::Window::default();
        let window = self.window().unwrap_or(&empty);
        let inventory = &self.inventory;
        [
            ("blocks.parquet", table(inventory, &window.blocks, Block::of)),
            ("carried.parquet", table(inventory, &window.carried, Content::of)),
            ("control.parquet", table(inventory, &window.control, Control::of)),
            ("queues.parquet", table(inventory, &window.queues, Waiting::of)),
            ("journeys.parquet", journeys(inventory, &window.packets)),
        ]
    }
}

/// The tables without rows.
pub(crate) fn all_tables() -> [(&'static str, Table); 5] {
    BlockRecorder::new(Inventory::default(), BlockOptions::default()).tables()
}

fn grid(cell: &CellInfo) -> WindowCell {
    let ([down, up], [share_down, share_up, _]) = (cell.resource_blocks, cell.shares);
    WindowCell {
        name: cell.name.clone(),
        slot_ms: cell.slot.as_millis_f64(),
        resource_blocks_down: down.into(),
        resource_blocks_up: up.into(),
        share_down,
        share_up,
    }
}

/// A table of declared rows, each read from a row of the window.
fn table<'a, T, R: Row>(
    inventory: &'a Inventory,
    rows: &'a [T],
    of: fn((&'a Inventory, &'a T)) -> R,
) -> Table {
    Table::of(rows.iter().map(|row| of((inventory, row))))
}

fn journeys(inventory: &Inventory, rows: &[PacketRow]) -> Table {
    tables::packet_rows(inventory, rows).describe(
        "A packet that ended in the window, or was carried in it, in the order in which they ended.",
    )
}
