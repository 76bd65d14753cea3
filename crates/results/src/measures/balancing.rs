//! Offsets of cells by load balancing: columns of `cell_offsets.parquet`, and counts of a run.

use std::collections::BTreeMap;

use airpath_base::measure::{DB, PLAIN, S};
use airpath_base::{CellId, Time, documented, row};
use serde::{Deserialize, Serialize};

use super::handover_flow::several;
use crate::collect::OffsetRow;
use crate::{Collector, Inventory};

row! {
    from |(run, row): (&Collector, &OffsetRow)|
    /// A move of the offset of two cells by their loads.
    pub(crate) struct CellOffset {
        /// Time of the exchange of loads.
        time_s: f64 [S] = row.at.as_secs_f64(),
        /// Name of a cell.
        cell: String = run.cell_name(row.cells[0]),
        /// Name of another.
        neighbour: String = run.cell_name(row.cells[1]),
        /// Addition of the first to the cell individual offset of the other from then on, beside
        /// `network.handover.cell_offset`. The other takes as much off that of the first. With a positive one UEs go
        /// earlier to the other, and come back later.
        offset_db: f64 [DB] = row.offset_db,
        /// Load of the first in the period before: share of resource blocks downlink, or number of connected UEs.
        load: f64 [PLAIN] = row.loads[0],
        /// Likewise that of the other.
        neighbour_load: f64 [PLAIN] = row.loads[1],
    }
}

documented! {
    /// Load balancing in a run.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct BalancingSummary {
        /// Moves of offsets behind the warm-up.
        pub changes: u64,
        /// Pairs of cells whose offset moved in the run.
        pub pairs: Vec<PairOffset>,
    }
}

documented! {
    /// Offset of two cells by their loads.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct PairOffset {
        /// Name of a cell.
        pub cell: String,
        /// Name of another.
        pub neighbour: String,
        /// Moves of the offset behind the warm-up.
        pub changes: u64,
        /// Offset at the end. The first cell adds it to the offset of the other, and the other takes it off that of the
        /// first.
        pub offset_db: f64 [DB],
        /// Offset that was farthest from zero behind the warm-up, or that of its end.
        pub greatest_db: f64 [DB],
    }
}

impl BalancingSummary {
    /// Of a run; none without load balancing.
    pub(crate) fn of(run: &Collector) -> Option<BalancingSummary> {
        let rows = run.offset_moves();
        run.inventory().load_balancing.then(|| of_rows(rows, run.counts_from(), run.inventory()))
    }

    /// The offset that was farthest from zero, dB; 0 without a move.
    pub fn greatest_db(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.greatest_db.abs()).fold(0.0, f64::max)
    }

    /// Words on the moves, without a full stop.
    pub fn words(&self) -> String {
        let changes = several(self.changes, "move") + " of offsets by load";
        let farthest = |one: &&PairOffset, other: &&PairOffset| {
            // Of equal ones the first.
            one.greatest_db
                .abs()
                .total_cmp(&other.greatest_db.abs())
                .then(std::cmp::Ordering::Greater)
        };
        let Some(most) = self.pairs.iter().max_by(farthest) else { return changes };
        let (from, to) = match most.greatest_db >= 0.0 {
            true => (&most.cell, &most.neighbour),
            false => (&most.neighbour, &most.cell),
        };
        format!("{changes}, {} dB at most from {from} to {to}", most.greatest_db.abs())
    }
}

fn of_rows(rows: &[OffsetRow], from: Time, inventory: &Inventory) -> BalancingSummary {
    let name = |cell: CellId| {
        inventory.cells.get(cell.index()).map_or(String::new(), |own| own.name.clone())
    };
    let mut pairs: BTreeMap<[CellId; 2], PairOffset> = BTreeMap::new();
    for row in rows {
        let pair = pairs.entry(row.cells).or_insert_with(|| {
            let [cell, neighbour] = row.cells.map(name);
            PairOffset { cell, neighbour, ..PairOffset::default() }
        });
        pair.offset_db = row.offset_db;
        let counts = row.at >= from;
        pair.changes += u64::from(counts);
        if !counts || row.offset_db.abs() > pair.greatest_db.abs() {
            pair.greatest_db = row.offset_db;
        }
    }
    let pairs: Vec<PairOffset> = pairs.into_values().collect();
    BalancingSummary { changes: pairs.iter().map(|pair| pair.changes).sum(), pairs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CellInfo;

    #[test]
    fn offsets_of_pairs_count_behind_the_warm_up() {
        let cells =
            ["a", "b", "c"].map(|name| CellInfo { name: name.into(), ..CellInfo::default() });
        let inventory = Inventory { cells: cells.to_vec(), ..Inventory::default() };
        let row = |second: u64, cells: [u16; 2], offset_db: f64| OffsetRow {
            at: Time::from_millis(1_000 * second),
            cells: cells.map(CellId),
            offset_db,
            loads: [1.0, 0.0],
        };
        let rows = [
            row(1, [0, 1], 5.0),
            row(2, [0, 1], 4.0),
            row(3, [0, 1], 3.0),
            row(3, [1, 2], -1.0),
            row(4, [1, 2], -2.0),
            row(5, [1, 2], -1.0),
        ];
        let own = of_rows(&rows, Time::from_millis(2_500), &inventory);
        let pairs = own.pairs.iter();
        let facts: Vec<_> = pairs
            .map(|p| (&*p.cell, &*p.neighbour, p.changes, p.offset_db, p.greatest_db))
            .collect();
        // Of the warm-up the offset at its end counts.
        assert_eq!(facts, [("a", "b", 1, 3.0, 4.0), ("b", "c", 3, -1.0, -2.0)]);
        assert_eq!((own.changes, own.greatest_db()), (4, 4.0));
        assert_eq!(own.words(), "4 moves of offsets by load, 4 dB at most from a to b");
        let own = of_rows(&rows[3..], Time::ZERO, &inventory);
        assert_eq!(own.words(), "3 moves of offsets by load, 2 dB at most from c to b");
        assert_eq!(BalancingSummary::default().words(), "no moves of offsets by load");
    }
}
