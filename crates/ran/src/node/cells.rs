//! The cells of a network, by their numbers.

use std::ops::{Index, IndexMut};

use super::cell::Cell;

/// Cells, each in its slot. During a stage on several threads, cells are away.
pub(super) struct Cells(Vec<Option<Box<Cell>>>);

impl Cells {
    pub fn new(cells: Vec<Cell>) -> Cells {
        Cells(cells.into_iter().map(|cell| Some(Box::new(cell))).collect())
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter().flatten().map(|cell| &**cell)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Cell> {
        self.0.iter_mut().flatten().map(|cell| &mut **cell)
    }

    /// Takes a cell out of its slot, for a stage.
    pub fn take(&mut self, cell: usize) -> Option<Box<Cell>> {
        self.0[cell].take()
    }

    /// Puts a cell back into its slot.
    pub fn put(&mut self, cell: Box<Cell>) {
        let slot = cell.id.index();
        self.0[slot] = Some(cell);
    }
}

impl Index<usize> for Cells {
    type Output = Cell;

    #[inline]
    fn index(&self, cell: usize) -> &Cell {
        self.0[cell].as_deref().expect("between stages no cell is away")
    }
}

impl IndexMut<usize> for Cells {
    #[inline]
    fn index_mut(&mut self, cell: usize) -> &mut Cell {
        self.0[cell].as_deref_mut().expect("between stages no cell is away")
    }
}
