//! Reception of transmissions: measurements of links, and whether a block can be decoded.
//!
//! Attempts of a block combine: their mutual information adds up, as with incremental redundancy
//! (Cheng, "Coding performance of hybrid ARQ schemes", 2006).

use airpath_net::{Direction, Event, RadioEvent};

use super::cell::Cell;
use super::common::{Common, Moment};
use super::events::report_range;
use super::links::Range;
use crate::air::{Link, OnAir, Transmission};
use crate::block::{AirSlot, Block};
use crate::index::UeIndex;
use crate::mac::{ResourceAllocation, ResourceBlocks};
use crate::ue::decibels;

/// Reception of a transmission.
#[derive(Clone, Copy, Debug)]
struct Received {
    /// Mutual information of a coded bit.
    information: f64,
    /// Error probability if it is the first of its block.
    alone: f64,
}

impl Cell {
    /// Brings the cell's knowledge of the links of UEs that have something up to date, for a
    /// decision now.
    #[inline]
    pub fn measure_all(&mut self, direction: Direction, at: &mut Moment<'_, '_>) {
        if at.common.air.is_none() {
            return;
        }
        let ues = std::mem::take(self.having(direction));
        ues.iter().for_each(|ue| self.measure(direction, ue, at));
        *self.having(direction) = ues;
    }

    /// Brings the cell's knowledge of a UE's link up to date, for a decision now.
    #[inline]
    pub fn measure(&mut self, direction: Direction, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let tti = self.tti_number(at.now);
        let Some(due) = self.links.due(direction, ue, tti) else { return };
        if let Some(range) = self.take_measurement(direction, ue, due, at.common) {
            report_range(self.ues[ue.index()].id, direction, range, at.cx);
        }
    }

    /// Takes what a UE's link was in TTI `tti`, measured over the carrier. Gives the UE's range if
    /// that has changed.
    #[inline(never)]
    fn take_measurement(
        &mut self,
        direction: Direction,
        ue: UeIndex,
        tti: u64,
        common: &Common,
    ) -> Option<Range> {
        let air = common.air.as_ref()?;
        // Time division duplex: in the last slot that had the direction.
        let measured = AirSlot { direction, tti: self.steps.last_data(tti, direction) };
        let carrier = ResourceBlocks::range(0, self.config.resource_blocks);
        let allocation = ResourceAllocation::whole_tti(carrier);
        self.take_sinrs(ue, measured, allocation, air)
            .then(|| self.links.report(direction, ue, tti, &self.sinrs))?
    }

    /// Leaves in `sinrs` the SINR in each resource block of a transmission on a link of a network,
    /// as a factor. False if the link is fixed.
    pub fn take_sinrs(
        &mut self,
        ue: UeIndex,
        slot: AirSlot,
        allocation: ResourceAllocation,
        air: &OnAir,
    ) -> bool {
        let ue = &self.ues[ue.index()];
        let Link::Network(channel) = &ue.config.link else { return false };
        let AirSlot { direction, tti } = slot;
        let transmission = Transmission {
            ue: ue.id,
            cell: self.id,
            direction,
            tti,
            start: self.config.tti.start(tti),
            allocation,
            power: channel.power(ue.id, self.id, direction, allocation.blocks.count()),
        };
        self.sinrs.clear();
        channel.sinr(&transmission, air, &mut self.sinrs);
        true
    }

    /// Reception of the present transmission of a block.
    #[inline(always)]
    fn received(&mut self, key: u32, common: &Common) -> Received {
        let block = self.blocks.get(key);
        let ue = &self.ues[block.ue.index()];
        if matches!(ue.config.link, Link::Network(_)) {
            return self.received_in_network(key, common);
        }
        let Block { direction, mcs, bytes, attempt, .. } = *block;
        let technology = self.config.technology_in(direction);
        let sinr = ue.ratio(direction, block.resource_blocks());
        let alone = if attempt == 0 { technology.error_at(mcs, sinr, bytes) } else { 0.0 };
        let decided = attempt == 0 && alone <= 0.0;
        let information =
            if decided { 1.0 } else { technology.information(direction, mcs, &[sinr as f32]) };
        Received { information, alone }
    }

    #[inline(never)]
    fn received_in_network(&mut self, key: u32, common: &Common) -> Received {
        let Block { ue, direction, tti, allocation, mcs, bytes, .. } = *self.blocks.get(key);
        self.sinrs.clear();
        if let Some(air) = &common.air {
            self.take_sinrs(ue, AirSlot { direction, tti }, allocation, air);
        }
        let technology = self.config.technology_in(direction);
        let information = technology.information(direction, mcs, &self.sinrs);
        Received { information, alone: technology.block_error(mcs, information, bytes) }
    }

    /// True if a transmission can be decoded.
    #[inline(always)]
    pub fn is_decoded(&mut self, key: u32, at: &mut Moment<'_, '_>) -> bool {
        let Received { information, alone } = self.received(key, at.common);
        let block = self.blocks.get_mut(key);
        block.first_decoding.get_or_insert(at.now);
        block.information += information;
        let ue = &self.ues[block.ue.index()];
        let technology = self.config.technology_in(block.direction);
        let chance = match (self.config.first_error, block.attempt) {
            (None, 0) => alone,
            (None, _) => technology.block_error(block.mcs, block.information, block.bytes),
            (Some(share), 0) => share,
            (Some(_), _) => 0.0,
        };
        let draw = || at.common.errors.uniform(block.draw(ue.config.number));
        let decoded = chance <= 0.0 || draw() >= chance;
        if block.attempt == 0 {
            self.links.adapt(block.direction, block.ue, decoded);
        }
        at.cx.emit(|| {
            Event::Radio(RadioEvent::Block {
                cell: self.id,
                ue: ue.id,
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
                    Link::Network(_) => self.links.effective_db(&self.sinrs),
                },
                decoded,
                padding: block.padding,
            })
        });
        self.report_shares(key, at.cx);
        decoded
    }
}
