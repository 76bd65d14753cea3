//! Mobility load balancing (TS 36.300, 22.4.1; TS 38.300, 15.5.1): offsets of pairs of cells by the difference of their
//! loads.
//!
//! - Cells exchange their loads in periods (TS 36.423, 8.3.6 and 8.3.7).
//! - While the difference of a pair is above the threshold, its offset moves by a step toward the lighter cell, within the
//!   limit. Below a lower difference it moves back by a step, until it is zero. Between both it stays.
//! - Both cells move together (mobility settings change: TS 36.423, 8.3.8). What the one adds to the offset of the other,
//!   the other takes off. So the hysteresis between them stays, and a UE does not come back by the move.
//! - A pair has a neighbour relation from the first time that a cell is the best neighbour of a connected UE of the other
//!   (reports of the strongest cells: TS 36.300, 22.3.2a). Other pairs have no offset.

use super::{BalancingConfig, Offsets};

/// A neighbour relation of two cells, and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Relation {
    /// Numbers of the cells, the lower first.
    cells: [usize; 2],
    /// Steps that the first adds to the offset of the second, and the second takes off that of the first.
    steps: i32,
}

/// A move of the offset of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetMove {
    /// Numbers of the cells, the lower first.
    pub cells: [usize; 2],
    /// Addition of the first cell to the cell individual offset of the second from now on, dB. The second takes as much off
    /// that of the first.
    pub offset: f64,
}

/// Load balancing of all cells.
#[derive(Clone, Debug)]
pub struct Balancing {
    config: BalancingConfig,
    /// Offsets without balancing, by serving cell.
    fixed: Vec<Offsets>,
    /// In the order of their cells.
    relations: Vec<Relation>,
}

impl Balancing {
    /// No relation. `fixed` has offsets by serving cell, to which those by load are added.
    pub fn new(config: &BalancingConfig, fixed: &[Offsets]) -> Balancing {
        Balancing { config: *config, fixed: fixed.to_vec(), relations: Vec::new() }
    }

    /// A cell is the best neighbour of a connected UE of another.
    pub fn relate(&mut self, one: usize, other: usize) {
        let cells = [one.min(other), one.max(other)];
        if let Err(n) = self.relations.binary_search_by_key(&cells, |own| own.cells) {
            self.relations.insert(n, Relation { cells, steps: 0 });
        }
    }

    /// Cells exchange their loads. Gives the offsets that move.
    pub fn exchange(&mut self, loads: &[f64]) -> Vec<OffsetMove> {
        let BalancingConfig { threshold, back, step, limit, .. } = self.config;
        // The last step may be shorter.
        let most = (limit / step - 1e-9).ceil().max(1.0) as i32;
        let mut moves = Vec::new();
        for own in &mut self.relations {
            let [one, other] = own.cells.map(|cell| loads.get(cell).copied().unwrap_or(0.0));
            let more = one - other;
            let way = if own.steps == 0 { more.signum() as i32 } else { own.steps.signum() };
            let steps = match f64::from(way) * more {
                heavier if heavier > threshold => (own.steps + way).clamp(-most, most),
                heavier if heavier < back && own.steps != 0 => own.steps - way,
                _ => own.steps,
            };
            if steps != own.steps {
                own.steps = steps;
                let offset = (f64::from(steps) * step).clamp(-limit, limit);
                moves.push(OffsetMove { cells: own.cells, offset });
            }
        }
        moves
    }

    /// Enters a move into offsets by serving cell, of so many cells.
    pub fn enter(&self, one: &OffsetMove, cells: usize, offsets: &mut Vec<Offsets>) {
        offsets.resize_with(cells, Offsets::default);
        let [first, second] = one.cells;
        for (serving, cell, more) in [(first, second, one.offset), (second, first, -one.offset)] {
            let own = &mut offsets[serving].cell;
            own.resize(cells.max(own.len()), 0.0);
            own[cell] = Offsets::of(&self.fixed, serving).cell(cell) + more;
        }
    }
}

#[cfg(test)]
mod tests {
    use airpath_base::Duration;

    use super::*;
    use crate::handover::CellLoad;

    fn config(threshold: f64, step: f64, limit: f64) -> BalancingConfig {
        let (load, period) = (CellLoad::ResourceBlocks, Duration::from_secs(1));
        BalancingConfig { load, threshold, back: 0.0, period, step, limit }
    }

    /// Offsets of a pair over exchanges with these loads.
    fn course(config: &BalancingConfig, loads: &[[f64; 2]]) -> Vec<f64> {
        let mut own = Balancing::new(config, &[]);
        own.relate(1, 0);
        let mut last = 0.0;
        let each = |loads: &[f64; 2]| {
            last = own.exchange(loads).first().map_or(last, |one| one.offset);
            last
        };
        loads.iter().map(each).collect()
    }

    #[test]
    fn offsets_move_toward_the_lighter_cell_and_back() {
        let own = config(0.25, 1.5, 4.0);
        let heavy = [[1.0, 0.5]; 4];
        assert_eq!(course(&own, &heavy), [1.5, 3.0, 4.0, 4.0]);
        // A difference at the threshold is not above it, and one of zero is not below that for the way back.
        let stays = [&heavy[..], &[[0.75, 0.5], [0.5, 0.5]]].concat();
        assert_eq!(course(&own, &stays)[4..], [4.0, 4.0]);
        let back = [&heavy[..], &[[0.5, 0.6]; 4]].concat();
        assert_eq!(course(&own, &back)[4..], [3.0, 1.5, 0.0, 0.0]);
        // The other is heavier: first back, then beyond zero.
        let other = [&heavy[..2], &[[0.0, 1.0]; 6]].concat();
        assert_eq!(course(&own, &other)[2..], [1.5, 0.0, -1.5, -3.0, -4.0, -4.0]);
        // Without a band in which it stays.
        let hunts = BalancingConfig { back: 3.0, ..config(3.0, 1.0, 6.0) };
        let loads = [[9.0, 5.0], [7.0, 5.0], [5.0, 9.0], [5.0, 7.0], [5.0, 5.0]];
        assert_eq!(course(&hunts, &loads), [1.0, 0.0, -1.0, 0.0, 0.0]);
    }

    #[test]
    fn both_cells_move_together_beside_fixed_offsets() {
        let fixed = |cell: [f64; 3]| Offsets { cell: cell.to_vec(), frequency: Vec::new() };
        let mut own = Balancing::new(&config(0.2, 2.0, 6.0), &[fixed([0.0, 3.0, 0.0])]);
        own.relate(0, 1);
        let mut offsets = vec![fixed([0.0, 3.0, 0.0])];
        for one in own.exchange(&[1.0, 0.1, 0.0]) {
            own.enter(&one, 3, &mut offsets);
        }
        // Cell 2 has no relation, although it is lighter.
        let cells: Vec<&[f64]> = offsets.iter().map(|own| &own.cell[..]).collect();
        assert_eq!(cells, [&[0.0, 5.0, 0.0][..], &[-2.0, 0.0, 0.0], &[]]);
        assert_eq!(own.exchange(&[0.1, 0.2, 0.0]), [OffsetMove { cells: [0, 1], offset: 0.0 }]);
        assert_eq!(own.exchange(&[0.1, 0.2, 0.0]), []);
    }
}
