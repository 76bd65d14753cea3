//! Positions of UEs that move, and changes of their cells.

use std::collections::BTreeMap;

use airpath_base::{CellId, Duration, Time, UeId};
use airpath_net::{Event, Handover, LegChange, SecondaryStay, UePosition};

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
    /// Throughput in bit/s and delay in ms before each position, NaN for none; empty without handovers.
    carried: Vec<[f32; 2]>,
    truncated: Option<Time>,
    pub(super) handovers: Vec<Handover>,
    /// Candidates of conditional handovers that are prepared, each since a time.
    prepared: BTreeMap<(UeId, CellId), Time>,
    /// Times of candidates that have ended.
    kept: Vec<(Time, Time)>,
    /// Number of measurement gaps behind the warm-up, and their sum.
    gaps: (u64, Duration),
    /// UEs whose connections were rejected, with the times.
    pub(super) rejected: Vec<(UeId, Time)>,
    /// Moves of offsets by load.
    offsets: Vec<OffsetRow>,
    /// Changes of legs.
    legs: Vec<LegChange>,
    /// Packets that PDCP duplicated behind the warm-up, and copies of them that were withdrawn or needless.
    pub(super) copies: [u64; 3],
    /// Stays in secondary cells.
    secondaries: Vec<SecondaryStay>,
}

/// A move of the offset of two cells by their loads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetRow {
    /// Time of the exchange of loads.
    pub at: Time,
    /// Cells, the lower number first.
    pub cells: [CellId; 2],
    /// Addition of the first to the offset of the second, dB; the second takes as much off that of the first.
    pub offset_db: f64,
    /// Their loads: shares of resource blocks, or numbers of UEs.
    pub loads: [f64; 2],
}

impl Movements {
    pub(super) fn new(limit: usize) -> Movements {
        Movements {
            limit,
            positions: Vec::new(),
            carried: Vec::new(),
            truncated: None,
            handovers: Vec::new(),
            prepared: BTreeMap::new(),
            kept: Vec::new(),
            rejected: Vec::new(),
            offsets: Vec::new(),
            legs: Vec::new(),
            copies: [0; 3],
            secondaries: Vec::new(),
            gaps: (0, Duration::ZERO),
        }
    }

    /// Adds a measurement gap behind the warm-up, which ends at `from`.
    pub(super) fn add_gap(&mut self, from: Time, (begin, end): (Time, Time)) {
        if end > from {
            let (count, sum) = self.gaps;
            self.gaps = (count + 1, sum + end.saturating_since(begin.max(from)));
        }
    }

    /// Adds what an event says of a UE that moves, with what its flows carried before its position. Gives the number
    /// of the handover that has been added last.
    pub(super) fn add(
        &mut self,
        at: Time,
        event: &Event<'_>,
        carried: Option<[Option<f32>; 2]>,
    ) -> usize {
        match event {
            Event::Moved(_) if self.positions.len() == self.limit => {
                self.truncated.get_or_insert(at);
            }
            Event::Moved(position) => {
                self.positions.push(PositionRow { at, position: *position });
                let carried = carried.map(|both| both.map(|value| value.unwrap_or(f32::NAN)));
                self.carried.extend(carried);
            }
            Event::Handover(record) => self.handovers.push((*record).clone()),
            Event::Candidate { ue, cell, kept: true } => {
                self.prepared.insert((*ue, *cell), at);
            }
            Event::Candidate { ue, cell, kept: false } => {
                let from = self.prepared.remove(&(*ue, *cell));
                self.kept.extend(from.map(|from| (from, at)));
            }
            Event::OffsetByLoad { cells, offset_db, loads } => {
                let (cells, offset_db, loads) = (*cells, *offset_db, *loads);
                self.offsets.push(OffsetRow { at, cells, offset_db, loads });
            }
            Event::Leg(change) => self.legs.push((*change).clone()),
            Event::Secondary(stay) => self.secondaries.push(**stay),
            Event::BehindHandover { ue, forwarded } => {
                let is_own =
                    |record: &&mut Handover| record.ue == *ue && !record.is_refused_preparation();
                let last = self.handovers.iter_mut().rev().find(is_own);
                if let Some(record) = last {
                    record.forwarded += u64::from(*forwarded);
                    record.lost += u64::from(!forwarded);
                }
            }
            _ => {}
        }
        self.handovers.len().saturating_sub(1)
    }
}

impl Collector {
    /// Positions of UEs that move while they are there, in order of time.
    pub fn positions(&self) -> impl Iterator<Item = &PositionRow> {
        let stays = self.stays();
        let positions = self.movements.positions.iter();
        positions.filter(move |row| is_in(&stays, row.position.ue, row.at))
    }

    /// Throughput in bit/s and mean delay in ms of the UE's flows before each of these positions, NaN for none; empty
    /// without handovers.
    pub(crate) fn carried_before(&self) -> impl Iterator<Item = &[f32; 2]> {
        let stays = self.stays();
        let positions = self.movements.positions.iter().zip(&self.movements.carried);
        let own = positions.filter(move |(row, _)| is_in(&stays, row.position.ue, row.at));
        own.map(|(_, carried)| carried)
    }

    /// Time at which the table of positions reached its limit of rows, if it did.
    pub fn positions_truncated(&self) -> Option<Time> {
        self.movements.truncated
    }

    /// Handovers, re-establishments in other cells and cell reselections of UEs that are there, in the order of their
    /// ends.
    pub fn handovers(&self) -> impl Iterator<Item = &Handover> {
        self.numbered_handovers().map(|(_, record)| record)
    }

    /// These with their numbers among all.
    pub(super) fn numbered_handovers(&self) -> impl Iterator<Item = (usize, &Handover)> {
        let stays = self.stays();
        let handovers = self.movements.handovers.iter().enumerate();
        handovers.filter(move |(_, record)| is_in(&stays, record.ue, end(record)))
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

    /// Number of measurement gaps behind the warm-up, and their sum over UEs.
    pub(crate) fn gaps(&self) -> (u64, Duration) {
        self.movements.gaps
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

    /// Connections behind the warm-up that cells without room rejected, of UEs that were there.
    pub(crate) fn rejected(&self) -> u64 {
        let stays = self.stays();
        let counts = |(ue, at): &&(UeId, Time)| *at >= self.from && is_in(&stays, *ue, *at);
        self.movements.rejected.iter().filter(counts).count() as u64
    }

    /// Moves of offsets by load, in order of time, those of the warm-up too.
    pub fn offset_moves(&self) -> &[OffsetRow] {
        &self.movements.offsets
    }

    /// Changes of legs of UEs that are there, in the order of their ends.
    pub fn leg_changes(&self) -> impl Iterator<Item = &LegChange> {
        let stays = self.stays();
        self.movements.legs.iter().filter(move |change| is_in(&stays, change.ue, change.at))
    }

    /// Packets that PDCP duplicated behind the warm-up, and copies that were withdrawn or needless; none without any.
    pub(crate) fn copies(&self) -> Option<[u64; 3]> {
        Some(self.movements.copies).filter(|copies| *copies != [0; 3])
    }

    /// Stays in secondary cells of UEs that are there: those that have ended in the order of their ends, then others.
    pub fn secondary_stays(&self) -> impl Iterator<Item = &SecondaryStay> {
        let stays = self.stays();
        let is_there = move |own: &&SecondaryStay| {
            let stay = stays.get(own.ue.index()).copied().flatten();
            let to = own.ended.map_or(Time::MAX, |(at, _)| at);
            stay.is_none_or(|(arrival, left)| own.added <= left && to >= arrival)
        };
        self.movements.secondaries.iter().filter(is_there)
    }

    /// End of the run.
    pub(crate) fn counts_to(&self) -> Time {
        self.end
    }

    /// Begin of what counts: the end of the warm-up.
    pub(crate) fn counts_from(&self) -> Time {
        self.from
    }

    /// Minutes behind the warm-up that UEs were there, all together.
    pub(crate) fn ue_minutes(&self) -> f64 {
        let whole = self.end.saturating_since(self.from);
        let stay = |(arrival, left): (Time, Time)| left.saturating_since(arrival.max(self.from));
        let stays = self.stays();
        let all = stays.iter().map(|own| own.map_or(whole, stay).as_secs_f64());
        all.sum::<f64>() / 60.0
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
pub(super) fn end(record: &Handover) -> Time {
    record.end().unwrap_or(Time::ZERO)
}
