//! Location of each UE and bearer among the cells, and the order in which cells act.

use airpath_base::{CellId, UeId};

use super::cell::Cell;
use crate::config::{BearerConfig, CellConfig, UeConfig};
use crate::index::{BearerIndex, UeIndex};
use crate::ue::Ue;

/// The cell of a UE, and its index there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Serving {
    pub cell: CellId,
    pub ue: UeIndex,
}

/// The cells in the order of their first UEs; those without any last. So the order does not follow
/// from how cells are numbered.
pub(super) fn order(cells: &[Cell]) -> Vec<CellId> {
    let mut order: Vec<&Cell> = cells.iter().collect();
    let first = |cell: &Cell| cell.ues.iter().find(|ue| !ue.is_absent()).map(|ue| ue.id);
    order.sort_by_key(|cell| (first(cell).is_none(), first(cell)));
    order.into_iter().map(|cell| cell.id).collect()
}

/// The cell of each of so many UEs.
pub(super) fn serving(cells: &[Cell], ues: usize) -> Vec<Serving> {
    let mut serving = vec![Serving { cell: CellId(0), ue: UeIndex::new(0) }; ues];
    for cell in cells {
        let all = UeIndex::all(cell.ues.len()).zip(&cell.ues);
        for (ue, own) in all.filter(|(_, own)| !own.is_absent()) {
            serving[own.id.index()] = Serving { cell: cell.id, ue };
        }
    }
    serving
}

/// The index in its UE of each of so many bearers.
pub(super) fn bearers(cells: &[Cell], bearers: usize) -> Vec<BearerIndex> {
    let mut all = vec![BearerIndex::new(0); bearers];
    for ue in cells.iter().flat_map(|cell| &cell.ues) {
        for (n, bearer) in ue.bearers.iter().enumerate() {
            all[bearer.id().index()] = BearerIndex::new(n);
        }
    }
    all
}

/// UEs of each cell: those that it serves and, with handovers, all others as absent.
pub(super) fn members(
    ues: Vec<UeConfig>,
    (cells, bearers): (&[CellConfig], &[BearerConfig]),
    with_absent: bool,
) -> Vec<Vec<Ue>> {
    let mut members: Vec<Vec<Ue>> = cells.iter().map(|_| Vec::new()).collect();
    for (id, ue) in (0..).map(UeId).zip(ues) {
        let own = ue.cell.index();
        for (c, members) in members.iter_mut().enumerate().filter(|_| with_absent) {
            if c != own {
                members.push(Ue::absent(id, &ue, &cells[c]));
            }
        }
        members[own].push(Ue::new(id, ue, &cells[own], bearers));
    }
    members
}
