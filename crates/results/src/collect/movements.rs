//! Positions of UEs that move, and changes of their cells.

use std::collections::BTreeMap;

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::{Event, Handover, UePosition};

use super::Collector;
use crate::summarise::active_until;

/// A sample of a UE that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionRow {
    /// Time of the sample.
    pub at: Time,
    /// The UE, its position and its link.
    pub position: UePosition,
}

/// Rows of both tables.
pub(super) struct Movements {
    /// Most rows of the table of positions.
    limit: usize,
    positions: Vec<PositionRow>,
    truncated: Option<Time>,
    handovers: Vec<Handover>,
    /// Candidates of conditional handovers that are prepared, each since a time.
    prepared: BTreeMap<(UeId, CellId), Time>,
    /// Times of candidates that have ended.
    kept: Vec<(Time, Time)>,
}

impl Movements {
    pub(super) fn new(limit: usize) -> Movements {
        Movements {
            limit,
            positions: Vec::new(),
            truncated: None,
            handovers: Vec::new(),
            prepared: BTreeMap::new(),
            kept: Vec::new(),
        }
    }

    /// Adds what an event says of a UE that moves.
    pub(super) fn add(&mut self, at: Time, event: &Event<'_>) {
        match event {
            Event::Moved(_) if self.positions.len() == self.limit => {
                self.truncated.get_or_insert(at);
            }
            Event::Moved(position) => {
                self.positions.push(PositionRow { at, position: *position });
            }
            Event::Handover(record) => self.handovers.push((*record).clone()),
            Event::Candidate { ue, cell, kept: true } => {
                self.prepared.insert((*ue, *cell), at);
            }
            Event::Candidate { ue, cell, kept: false } => {
                let from = self.prepared.remove(&(*ue, *cell));
                self.kept.extend(from.map(|from| (from, at)));
            }
            Event::BehindHandover { ue, forwarded } => {
                let last = self.handovers.iter_mut().rev().find(|record| record.ue == *ue);
                let Some(record) = last else { return };
                record.forwarded += u64::from(*forwarded);
                record.lost += u64::from(!forwarded);
            }
            _ => {}
        }
    }
}

impl Collector {
    /// Positions of UEs that move while they are there, in order of time.
    pub fn positions(&self) -> impl Iterator<Item = &PositionRow> {
        let stays = self.stays();
        let positions = self.movements.positions.iter();
        positions.filter(move |row| is_in(&stays, row.position.ue, row.at))
    }

    /// Time at which the table of positions reached its limit of rows, if it did.
    pub fn positions_truncated(&self) -> Option<Time> {
        self.movements.truncated
    }

    /// Handovers, re-establishments in other cells and cell reselections of UEs that are there, in the order of their
    /// ends.
    pub fn handovers(&self) -> impl Iterator<Item = &Handover> {
        let stays = self.stays();
        let handovers = self.movements.handovers.iter();
        handovers.filter(move |record| is_in(&stays, record.ue, end(record)))
    }

    /// Cells that were prepared for UEs behind the warm-up or kept so since before, and the sum of their times.
    pub(crate) fn candidates(&self) -> (u64, Duration) {
        let open = self.movements.prepared.values().map(|from| (*from, self.end));
        let all = self.movements.kept.iter().copied().chain(open);
        let counted = all.filter(|(_, to)| *to >= self.from);
        counted.fold((0, Duration::ZERO), |(count, sum), (from, to)| {
            (count + 1, sum + to.saturating_since(from.max(self.from)))
        })
    }

    /// Arrival and departure of each UE that arrives: it leaves at the end of its last flow.
    fn stays(&self) -> Vec<Option<(Time, Time)>> {
        let mut stays: Vec<Option<(Time, Time)>> =
            self.inventory.ues.iter().map(|ue| ue.arrival.map(|at| (at, at))).collect();
        for (info, counts) in self.inventory.flows.iter().zip(&self.flows.items) {
            let stay = info.ue.and_then(|ue| stays.get_mut(ue.index())?.as_mut());
            if let Some((_, left)) = stay {
                *left = (*left).max(active_until(Some(info), counts, self.end));
            }
        }
        stays
    }

    /// Those of them that ended behind the warm-up.
    pub(crate) fn counted_handovers(&self) -> impl Iterator<Item = &Handover> {
        self.handovers().filter(|record| end(record) >= self.from)
    }
}

/// True if a UE is there at a time.
fn is_in(stays: &[Option<(Time, Time)>], ue: UeId, at: Time) -> bool {
    let stay = stays.get(ue.index()).copied().flatten();
    stay.is_none_or(|(arrival, left)| (arrival..=left).contains(&at))
}

/// End of a handover.
fn end(record: &Handover) -> Time {
    record.completed.or(record.failed).unwrap_or(Time::ZERO)
}
