//! Reception of transmissions: measurements of links, and decoding of blocks.
//!
//! Attempts of a block combine ([`Combining`](crate::Combining)).

use airpath_net::{Direction, Event, RadioEvent};

use super::cell::Cell;
use super::common::{Common, Moment};
use super::events::report_range;
use super::links::Links;
use super::multi_user::knowledge::MultiUserLinks;
use super::reports::{Measurements, Receivers};
use super::secondary::of_carrier;
use crate::air::{Link, OnAir};
use crate::block::{AirSlot, Block};
use crate::config::Combining;
use crate::index::UeIndex;
use crate::mac::Scheduler;
use crate::phy::Technology;
use crate::ue::decibels;

/// Reception of a transmission.
#[derive(Clone, Copy, Debug)]
struct Received {
    /// Mutual information of a coded bit.
    information: f64,
    /// Error probability if it is the first of its block.
    alone: f64,
    /// SINR of a layer on a fixed link, as a factor.
    fixed: Option<f64>,
}

impl Cell {
    /// Brings the cell's knowledge of the links of UEs that have something up to date, for a
    /// decision now. With `out_of_range`, of UEs alone that the last report found out of range.
    #[inline]
    pub fn measure_all(
        &mut self,
        direction: Direction,
        out_of_range: bool,
        at: &mut Moment<'_, '_>,
    ) {
        if at.common.air.is_empty() {
            return;
        }
        let ues = std::mem::take(self.having(direction));
        let due = |cell: &Cell, ue| !(out_of_range && cell.links.in_range(direction, ue));
        for ue in ues.iter() {
            if due(self, ue) {
                self.measure(direction, ue, at);
            }
        }
        *self.having(direction) = ues;
    }

    /// True if all UEs with data downlink have a present report.
    pub fn ranks_by_reports(&self) -> bool {
        self.multi_user.is_some() || self.down.ranks_by_reports()
    }

    /// Brings the cell's knowledge of a UE's link up to date, for a decision now.
    #[inline]
    pub fn measure(&mut self, direction: Direction, ue: UeIndex, at: &mut Moment<'_, '_>) {
        let few = match direction {
            Direction::Downlink => !self.ranks_by_reports(),
            Direction::Uplink => !self.up.ranks_by_reports(),
        };
        let tti = self.tti_number(at.now);
        let Some(due) = self.links.due(direction, ue, tti) else { return };
        let (cell, number) = (self.site(), self.carrier_index());
        let Some(air) = at.common.air(self.air_index()) else { return };
        let Cell { config, steps, ues, links, sinrs, gaps, .. } = self;
        let receivers = Receivers { cell, number, config, steps, ues, gaps, air: Some(air) };
        let range = (Measurements { receivers, links, sinrs, few }).take(direction, ue, due);
        if let Some(range) = range.filter(|_| number == 0) {
            report_range(self.ues[ue.index()].id, direction, range, at.cx);
        }
    }

    /// The receivers of the cell and its UEs, in a network.
    pub fn receivers<'a>(&'a self, air: &'a OnAir) -> Receivers<'a> {
        let (cell, number) = (self.site(), self.carrier_index());
        let Cell { config, steps, ues, gaps, .. } = self;
        Receivers { cell, number, config, steps, ues, gaps, air: Some(air) }
    }

    /// Reception of the present transmission of a block.
    #[inline(always)]
    fn received(&mut self, key: u32, common: &Common) -> Received {
        let block = self.blocks.get(key);
        if matches!(self.ues[block.ue.index()].config.link, Link::Network(_)) {
            return self.received_in_network(key, common);
        }
        let Block { direction, mcs, bytes, attempt, .. } = *block;
        let technology = self.config.technology_in(direction);
        let sinr = self.fixed_ratio(block);
        let alone = if attempt == 0 { technology.error_at(mcs, sinr, bytes) } else { 0.0 };
        let decided = attempt == 0 && alone <= 0.0;
        let information =
            if decided { 1.0 } else { technology.information(direction, mcs, &[sinr as f32]) };
        Received { information, alone, fixed: Some(sinr) }
    }

    #[inline(never)]
    fn received_in_network(&mut self, key: u32, common: &Common) -> Received {
        let block = self.blocks.get(key);
        let Block { ue, direction, tti, allocation, mcs, bytes, .. } = *block;
        let (layers, count) =
            (block.layers_received(self.config.transmission), block.resource_blocks());
        let mut sinrs = std::mem::take(&mut self.sinrs);
        sinrs.clear();
        if let Some(air) = common.air(self.air_index()) {
            let (receivers, slot) = (self.receivers(air), AirSlot { direction, tti });
            let factor = match direction {
                Direction::Downlink => 1.0,
                Direction::Uplink => self.power_factor(ue, tti) as f32,
            };
            match &block.paired {
                Some(paired) => {
                    receivers.receive_paired((ue, slot), allocation, paired, &mut sinrs);
                }
                None => {
                    receivers.receive(ue, slot, (allocation, factor), &mut sinrs);
                }
            }
        }
        if layers.len() < usize::from(allocation.layers) {
            let count = usize::from(count);
            sinrs.truncate(layers.end * count);
            sinrs.drain(..layers.start * count);
        }
        self.sinrs = sinrs;
        let technology = self.config.technology_in(direction);
        let information = technology.information(direction, mcs, &self.sinrs);
        let alone = technology.block_error(mcs, information, bytes);
        Received { information, alone, fixed: None }
    }

    /// True if a transmission can be decoded.
    #[inline(always)]
    pub fn is_decoded(&mut self, key: u32, at: &mut Moment<'_, '_>) -> bool {
        let Received { information, alone, fixed } = self.received(key, at.common);
        let carrier = self.air_index() as u64;
        let block = self.blocks.get_mut(key);
        block.first_decoding.get_or_insert(at.now);
        let ue = &self.ues[block.ue.index()];
        let technology = self.config.technology_in(block.direction);
        let (kind, repetitions) = ((block.direction, block.mcs), block.repetitions);
        let both = [block.information, information];
        block.information = technology.combined(self.config.combining, kind, both);
        let chance = match (self.config.first_error, block.attempt) {
            _ if repetitions > 1 => {
                let own = (self.config.first_error, self.config.combining);
                repeated(block, technology, own, (information, alone))
            }
            (None, 0) => alone,
            (None, _) => technology.block_error(block.mcs, block.information, block.bytes),
            (Some(share), 0) => share,
            (Some(_), _) => 0.0,
        };
        let draw = || at.common.errors.uniform(of_carrier(carrier, block.draw(ue.config.number)));
        let decoded = chance <= 0.0 || draw() >= chance;
        if block.attempt == 0 {
            adapt((&mut self.links, self.multi_user.as_deref_mut()), block, decoded);
        }
        let block = self.blocks.get(key);
        let (ues, share) = block.sharing();
        at.cx.emit(|| {
            Event::Radio(RadioEvent::Block {
                cell: self.id,
                ue: ue.id,
                direction: block.direction,
                slot: block.tti,
                process: block.process,
                new_data: block.new_data,
                transport_block: block.transport_block,
                first_layer: block.first_layer,
                resource_blocks: block.resource_blocks().saturating_mul(repetitions.into()),
                mcs: block.mcs,
                layers: block.allocation.layers,
                bytes: block.bytes,
                attempt: block.attempt,
                sinr_db: match fixed {
                    Some(sinr) => decibels(sinr),
                    None => self.links.effective_db(&self.sinrs),
                },
                decoded,
                padding: block.padding,
                ues,
                share,
            })
        });
        self.report_shares(key, at.cx);
        decoded
    }
}

/// Feedback about a first transmission moves an outer loop of its UE.
fn adapt(
    (links, multi_user): (&mut Links, Option<&mut MultiUserLinks>),
    block: &Block,
    decoded: bool,
) {
    let (direction, ue) = (block.direction, block.ue);
    match multi_user {
        Some(own) if block.paired.is_some() => own.adapt(links, ue, decoded),
        own => {
            links.adapt(direction, ue, block.stream(), decoded);
            let down = own.filter(|_| direction == Direction::Downlink);
            down.into_iter().for_each(|own| own.adapt_alone(ue, decoded));
        }
    }
}
/// Error of the first transmission of a block with repetitions, by the information of all of them, which are received
/// alike. A share of errors that is given counts for each.
fn repeated(
    block: &mut Block,
    technology: &Technology,
    (share, combining): (Option<f64>, Combining),
    (information, alone): (f64, f64),
) -> f64 {
    let more = std::mem::replace(&mut block.repetitions, 1) - 1;
    let kind = (block.direction, block.mcs);
    for _ in 0..more {
        block.information = technology.combined(combining, kind, [block.information, information]);
    }
    match share {
        Some(share) => (0..more).fold(share, |all, _| all * share),
        None if alone <= 0.0 => 0.0,
        None => technology.block_error(block.mcs, block.information, block.bytes),
    }
}
