//! Events of the radio, counted at cells, UEs and bearers.

use airpath_base::{BearerId, CellId, Time, UeId};
use airpath_net::{Direction, RadioEvent};

use super::{BlockCounts, Collector};

impl Collector {
    /// Counts an event.
    pub(super) fn radio(&mut self, now: Time, event: &RadioEvent) {
        match *event {
            RadioEvent::Gap { ue, begin, end, .. } => self.gap(ue, (begin, end)),
            RadioEvent::Block { cell, ue, direction, .. } => {
                self.totals.blocks += 1;
                self.cells.at(cell.index()).block(event);
                self.ues.at(ue.index()).blocks[direction as usize].add(event);
            }
            RadioEvent::Share { cell, bearer, direction, resource_blocks } => {
                self.share((cell, bearer), direction, resource_blocks);
            }
            RadioEvent::Unused { cell, ue, direction, resource_blocks } => {
                let unused = u64::from(resource_blocks);
                self.both(cell, ue, direction, |blocks| blocks.resource_blocks += unused);
            }
            RadioEvent::Control { cell, used, elements, .. } => {
                self.cells.at(cell.index()).control.add(now, (used, elements));
            }
            RadioEvent::Blocked { cell, ue, direction } => {
                self.both(cell, ue, direction, |blocks| blocks.blocked += 1);
            }
            RadioEvent::Stalled { cell, ue, direction } => {
                self.both(cell, ue, direction, |blocks| blocks.stalled += 1);
            }
            RadioEvent::Missed { cell, ue, direction, resource_blocks } => {
                self.both(cell, ue, direction, |blocks| blocks.missed(resource_blocks));
            }
            RadioEvent::Cancelled { cell, ue, direction, .. } => {
                self.both(cell, ue, direction, |blocks| blocks.cancelled += 1);
            }
            RadioEvent::Range { ue, direction, in_range, sinr_db } => {
                let range = &mut self.ues.at(ue.index()).range[direction as usize];
                range.change(now, in_range, sinr_db);
            }
            RadioEvent::SchedulingRequest { ue } => {
                self.ues.at(ue.index()).scheduling_requests += 1;
            }
            RadioEvent::Queue { bearer, direction, packets, bytes } => {
                let queues = &mut self.bearers.at(bearer.index()).queue;
                queues[direction as usize].set(now, packets, bytes);
            }
            RadioEvent::Left { bearer, direction, waited } => {
                self.bearers.at(bearer.index()).queue[direction as usize].left(waited);
            }
            RadioEvent::Skipping { ue, from, until } => {
                self.with_rrc(ue, |rrc| rrc.skip(from, until));
            }
            RadioEvent::Rrc { ue, at, state } => self.with_rrc(ue, |rrc| rrc.change(at, state)),
            RadioEvent::Link { ue, change } => {
                self.ues.at(ue.index()).radio_link.change(now, change);
            }
            RadioEvent::Rejected { ue, .. } => self.movements.rejected.push((ue, now)),
            RadioEvent::Copies { made, withdrawn, needless, .. } => {
                self.copied(now, [made, withdrawn, needless]);
            }
            RadioEvent::RlcRetransmission { bearer, direction, bytes } => {
                self.bearers.at(bearer.index()).retransmitted(direction, bytes);
            }
        }
    }

    /// Copies of duplicated packets: made, withdrawn and needless.
    fn copied(&mut self, now: Time, news: [u64; 3]) {
        if now >= self.from {
            let sums = self.movements.copies.iter_mut();
            sums.zip(news).for_each(|(sum, own)| *sum += own);
        }
    }

    /// Resource blocks of a bearer in a cell.
    fn share(
        &mut self,
        (cell, bearer): (CellId, BearerId),
        direction: Direction,
        resource_blocks: f64,
    ) {
        let info = self.inventory.bearers.get(bearer.index());
        let own = info.and_then(|info| self.inventory.cell_of(info.ue));
        let counts = self.bearers.at(bearer.index());
        counts.resource_blocks[direction as usize] += resource_blocks;
        if own.is_some_and(|own| own != cell) && !self.inventory.handover {
            counts.in_carrier(cell)[direction as usize] += resource_blocks;
        }
    }

    /// A measurement gap of a UE.
    fn gap(&mut self, ue: UeId, gap: (Time, Time)) {
        let arrival = self.inventory.ues.get(ue.index()).and_then(|ue| ue.arrival);
        let from = self.from.max(arrival.unwrap_or(Time::ZERO));
        self.movements.add_gap(from, gap);
    }

    /// Counts at a cell and at a UE.
    fn both(
        &mut self,
        cell: CellId,
        ue: UeId,
        direction: Direction,
        count: impl Fn(&mut BlockCounts),
    ) {
        count(&mut self.cells.at(cell.index()).blocks[direction as usize]);
        count(&mut self.ues.at(ue.index()).blocks[direction as usize]);
    }
}
