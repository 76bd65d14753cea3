//! Stages of a network, in which cells act at the same time.
//!
//! A cell acts on its own state and reads the common state, which changes between stages only. Its
//! transmissions wait in it, and so do its other actions. They are performed in the
//! order of cells, so that nothing depends on the number of threads.

use std::mem;
use std::sync::Arc;

use airpath_base::{CellId, Time};
use airpath_net::Cx;

use super::cell::Cell;
use super::cells::Cells;
use super::common::{Common, Moment};
use crate::crew::{Crew, Job};

/// Work of a stage that is worth while to share: it takes about 40 µs, where a stage on two threads
/// costs 10 µs more in all. Builds with debug assertions share any work of two cells, so that tests of
/// small networks see threads.
const LEAST_WORK: usize = if cfg!(debug_assertions) { 2 } else { 80 };

/// A stage of an instant.
#[derive(Clone, Copy)]
pub(super) enum Stage {
    /// Jobs that are due.
    Jobs,
    /// The decision about the TTI that begins.
    Tti,
}

/// Threads that act for cells.
pub(super) struct Team {
    crew: Crew<Turn>,
    /// Work from which on a stage is shared.
    least_work: usize,
    /// For reuse.
    turns: Vec<Turn>,
}

/// A cell's turn in a stage.
struct Turn {
    /// Its position in the order of cells.
    rank: usize,
    stage: Stage,
    now: Time,
    common: Arc<Common>,
    cell: Box<Cell>,
}

impl Job for Turn {
    /// A cell has the same desk in each stage, so that its state stays in the caches of a core.
    fn desk(&self) -> usize {
        self.cell.id.index()
    }

    fn run(&mut self) {
        let mut actions = mem::take(&mut self.cell.actions);
        let at = &mut Moment { now: self.now, common: &self.common, cx: &mut actions.cx() };
        self.cell.act_in(self.stage, at);
        self.cell.actions = actions;
    }
}

impl Team {
    /// So many threads.
    pub fn new(threads: usize) -> Team {
        Team { crew: Crew::new(threads), least_work: LEAST_WORK, turns: Vec::new() }
    }

    /// True if cells have enough work to share a stage.
    pub fn is_worth_while(&self, stage: Stage, now: Time, cells: &Cells) -> bool {
        let work = cells.iter().map(|cell| cell.work(stage, now));
        work.sum::<usize>() >= self.least_work
    }

    /// Lets the cells that have work act in a stage.
    pub fn act(
        &mut self,
        (stage, now): (Stage, Time),
        (cells, order): (&mut Cells, &[CellId]),
        common: &Arc<Common>,
        cx: &mut Cx<'_>,
    ) {
        for (rank, id) in order.iter().enumerate() {
            if !cells[id.index()].is_due(stage, now) {
                continue;
            }
            let Some(mut cell) = cells.take(id.index()) else { continue };
            cx.defer(&mut cell.actions);
            self.turns.push(Turn { rank, stage, now, common: Arc::clone(common), cell });
        }
        self.crew.run(&mut self.turns);
        self.turns.sort_unstable_by_key(|turn| turn.rank);
        for mut turn in self.turns.drain(..) {
            cx.perform(&mut turn.cell.actions);
            cells.put(turn.cell);
        }
    }
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
