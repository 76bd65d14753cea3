//! Which cell serves which UE, and in which order cells act.

use super::Cell;

/// The cell of a UE, and its place there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Serving {
    pub cell: usize,
    pub place: usize,
}

/// The cells in the order of their first UEs; those without any last.
pub(super) fn order(cells: &[Cell]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_by_key(|&c| (cells[c].members.is_empty(), cells[c].members.first().copied()));
    order
}

/// Where each of so many UEs is served.
pub(super) fn serving(cells: &[Cell], ues: usize) -> Vec<Serving> {
    let mut serving = vec![Serving { cell: 0, place: 0 }; ues];
    for (n, cell) in cells.iter().enumerate() {
        for (place, ue) in cell.members.iter().enumerate() {
            serving[ue.index()] = Serving { cell: n, place };
        }
    }
    serving
}
