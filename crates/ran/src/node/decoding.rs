//! What a receiver hears of a transmission: whether it can decode it, and what the cell learns
//! of the link.
//!
//! Attempts of a block combine by the mutual information that each of them brought: it adds up,
//! as with incremental redundancy (Cheng, "Coding performance of hybrid ARQ schemes", 2006).

use airpath_base::Time;
use airpath_net::{Cx, Direction, Event, RadioEvent};

use super::Ran;
use super::links::Range;
use super::telling::tell_range;
use crate::air::{Link, Transmission};
use crate::block::Block;
use crate::mac::{ResourceAllocation, ResourceBlocks};
use crate::ue::decibels;

/// What a transmission was received with.
#[derive(Clone, Copy, Debug)]
struct Received {
    /// Mutual information of a coded bit.
    information: f64,
    /// Chance that it fails if it is the first of its block.
    alone: f64,
}

impl Ran {
    /// Brings what a cell knows of the links of those who have something up to date, for a
    /// decision `now`.
    #[inline]
    pub(super) fn measure_all(
        &mut self,
        c: usize,
        direction: Direction,
        now: Time,
        cx: &mut Cx<'_>,
    ) {
        if self.air.is_none() {
            return;
        }
        let ues = std::mem::take(self.cells[c].having(direction));
        ues.iter().for_each(|place| self.measure((c, place), direction, now, cx));
        *self.cells[c].having(direction) = ues;
    }

    /// The same of one UE.
    #[inline]
    pub(super) fn measure(
        &mut self,
        (c, place): (usize, usize),
        direction: Direction,
        now: Time,
        cx: &mut Cx<'_>,
    ) {
        let tti = self.cells[c].tti_number(now);
        let Some(due) = self.cells[c].links.due(direction, place, tti) else { return };
        if let Some(range) = self.take_measurement(c, place, direction, due) {
            tell_range(self.cells[c].members[place], direction, range, cx);
        }
    }

    /// What the cell hears of what a UE's link was in TTI `tti`, measured over the carrier. Gives
    /// the UE's range if that has changed.
    #[inline(never)]
    fn take_measurement(
        &mut self,
        c: usize,
        place: usize,
        direction: Direction,
        tti: u64,
    ) -> Option<Range> {
        let cell = &mut self.cells[c];
        let ue = cell.members[place];
        let (Some(air), Link::Network(channel)) = (&self.air, &self.ues[ue.index()].config.link)
        else {
            return None;
        };
        let carrier = cell.config.resource_blocks;
        // Time division duplex: in the last slot that had the direction.
        let measured = cell.steps.last_data(tti, direction);
        let transmission = Transmission {
            ue,
            cell: cell.id,
            direction,
            tti: measured,
            start: cell.config.tti.start(measured),
            allocation: ResourceAllocation::whole_tti(ResourceBlocks::range(0, carrier)),
            power: channel.power(ue, cell.id, direction, carrier),
        };
        self.sinrs.clear();
        channel.sinr(&transmission, air, &mut self.sinrs);
        cell.links.report(direction, place, tti, &self.sinrs)
    }

    /// What is received of the present transmission of a block.
    #[inline(always)]
    fn received(&mut self, key: u32) -> Received {
        let block = self.blocks.get(key);
        let ue = &self.ues[block.ue.index()];
        if matches!(ue.config.link, Link::Network(_)) {
            return self.received_in_network(key);
        }
        let Block { direction, mcs, bytes, attempt, .. } = *block;
        let technology = self.cells[ue.config.cell.index()].config.technology_in(direction);
        let sinr = ue.ratio(direction, block.resource_blocks());
        let alone = if attempt == 0 { technology.error_at(mcs, sinr, bytes) } else { 0.0 };
        let decided = attempt == 0 && alone <= 0.0;
        let information =
            if decided { 1.0 } else { technology.information(direction, mcs, &[sinr as f32]) };
        Received { information, alone }
    }

    #[inline(never)]
    fn received_in_network(&mut self, key: u32) -> Received {
        let block = self.blocks.get(key);
        let Block { ue, direction, tti, allocation, mcs, bytes, .. } = *block;
        let config = &self.ues[ue.index()].config;
        let cell = &self.cells[config.cell.index()].config;
        self.sinrs.clear();
        if let (Some(air), Link::Network(channel)) = (&self.air, &config.link) {
            let transmission = Transmission {
                ue,
                cell: config.cell,
                direction,
                tti,
                start: cell.tti.start(tti),
                allocation,
                power: channel.power(ue, config.cell, direction, allocation.blocks.count()),
            };
            channel.sinr(&transmission, air, &mut self.sinrs);
        }
        let technology = cell.technology_in(direction);
        let information = technology.information(direction, mcs, &self.sinrs);
        Received { information, alone: technology.block_error(mcs, information, bytes) }
    }

    /// Whether a transmission can be decoded.
    #[inline(always)]
    pub(super) fn is_decoded(&mut self, now: Time, key: u32, cx: &mut Cx<'_>) -> bool {
        let Received { information, alone } = self.received(key);
        let block = self.blocks.get_mut(key);
        block.first_decoding.get_or_insert(now);
        block.information += information;
        let ue = &self.ues[block.ue.index()];
        let cell = &mut self.cells[ue.config.cell.index()];
        let technology = cell.config.technology_in(block.direction);
        let chance = match (cell.config.first_error, block.attempt) {
            (None, 0) => alone,
            (None, _) => technology.block_error(block.mcs, block.information, block.bytes),
            (Some(share), 0) => share,
            (Some(_), _) => 0.0,
        };
        let decoded = chance <= 0.0 || self.errors.uniform(block.place(ue.config.number)) >= chance;
        if block.attempt == 0 {
            let place = self.serving[block.ue.index()].place;
            cell.links.heard(block.direction, place, decoded);
        }
        let (links, sinrs) = (&cell.links, &self.sinrs);
        cx.emit(|| {
            Event::Radio(RadioEvent::Block {
                cell: cell.id,
                ue: block.ue,
                direction: block.direction,
                slot: block.tti,
                process: block.process,
                new_data: block.new_data,
                resource_blocks: block.resource_blocks(),
                mcs: block.mcs,
                bytes: block.bytes,
                attempt: block.attempt,
                sinr_db: match &ue.config.link {
                    Link::Fixed { .. } => {
                        decibels(ue.ratio(block.direction, block.resource_blocks()))
                    }
                    Link::Network(_) => links.effective_db(sinrs),
                },
                decoded,
                padding: block.padding,
            })
        });
        block.report_shares(cx);
        decoded
    }
}
