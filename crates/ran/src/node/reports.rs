//! Reports on the links of a network: measurements when a decision needs them.
//!
//! A scheduler that ranks UEs by their rates needs the present reports of all. Round robin and
//! delay-based schedulers rank UEs without reports. They need the report of a UE that they try. So
//! it is made then, and few reports of a slot are made.
//!
//! A UE whose last report found it out of range is not tried. Its report is made in any case, so
//! that it comes back.

use std::cell::RefCell;

use airpath_base::{CellId, UeId};
use airpath_net::Direction;

use super::gaps::{UeGaps, in_gap};
use super::links::{Links, Range, Report};
use super::steps::Steps;
use crate::air::{Channel, OnAir, Transmission};
use crate::block::AirSlot;
use crate::config::CellConfig;
use crate::index::UeIndex;
use crate::mac::{
    Attempt, Candidate, Outcome, ResourceAllocation, ResourceBlocks, SLOT_SYMBOLS, Trials,
};
use crate::ue::Ue;

/// Receivers of a cell and its UEs, which measure links of a network.
pub(super) struct Receivers<'a> {
    /// The cell, or for a secondary cell its primary cell: the position in the network of its carrier.
    pub cell: CellId,
    /// Number of the carrier.
    pub number: usize,
    pub config: &'a CellConfig,
    pub steps: &'a Steps,
    pub ues: &'a [Ue],
    pub gaps: &'a UeGaps,
    /// Transmissions on the air; none if all links are fixed.
    pub air: Option<&'a OnAir>,
}

/// Measurements of a cell: its knowledge of links, and room for the SINR by resource block.
pub(super) struct Measurements<'a> {
    pub receivers: Receivers<'a>,
    pub links: &'a mut Links,
    pub sinrs: &'a mut Vec<f32>,
    /// True if reports are made when a UE is tried.
    pub few: bool,
}

impl Receivers<'_> {
    /// Leaves in `sinrs` the SINR in each resource block of a transmission on a link of a network,
    /// as a factor, layer after layer. Its power is scaled by a factor. False if the link is fixed.
    pub fn receive(
        &self,
        ue: UeIndex,
        slot: AirSlot,
        (allocation, factor): (ResourceAllocation, f32),
        sinrs: &mut Vec<f32>,
    ) -> bool {
        let ue = &self.ues[ue.index()];
        let (Some(channel), Some(air)) = (ue.channel(self.number), self.air) else { return false };
        let mut transmission = self.transmission(ue, channel, slot, allocation);
        transmission.power *= factor;
        sinrs.clear();
        channel.sinr(&transmission, air, sinrs);
        true
    }

    /// Receives a transmission of one layer over the whole carrier.
    pub fn receive_carrier(&self, ue: UeIndex, slot: AirSlot, sinrs: &mut Vec<f32>) -> bool {
        self.receive(ue, slot, (self.carrier(), 1.0), sinrs)
    }

    /// Noise and interference at an antenna in mW in each resource block of the carrier. Nothing if the
    /// link is fixed.
    fn disturbance(&self, ue: UeIndex, slot: AirSlot) -> Vec<f32> {
        let mut power = Vec::new();
        let ue = &self.ues[ue.index()];
        if let (Some(channel), Some(air)) = (ue.channel(self.number), self.air) {
            let transmission = self.transmission(ue, channel, slot, self.carrier());
            channel.disturbance(&transmission, air, &mut power);
        }
        power
    }

    /// Leaves in `sinrs` the SINR of so many layers over the whole carrier against a disturbance, as
    /// [`receive`](Receivers::receive) does.
    fn against(
        &self,
        ue: UeIndex,
        slot: AirSlot,
        (layers, disturbance): (u8, &[f32]),
        sinrs: &mut Vec<f32>,
    ) {
        sinrs.clear();
        let ue = &self.ues[ue.index()];
        if let Some(channel) = ue.channel(self.number) {
            let allocation = self.carrier().layered(layers);
            let transmission = self.transmission(ue, channel, slot, allocation);
            channel.against(&transmission, disturbance, sinrs);
        }
    }

    fn carrier(&self) -> ResourceAllocation {
        ResourceAllocation::whole_tti(ResourceBlocks::range(0, self.config.resource_blocks))
    }

    pub fn transmission(
        &self,
        ue: &Ue,
        channel: &dyn Channel,
        AirSlot { direction, tti }: AirSlot,
        allocation: ResourceAllocation,
    ) -> Transmission {
        Transmission {
            ue: ue.id,
            cell: self.cell,
            direction,
            tti,
            start: self.config.tti.start(tti),
            allocation,
            power: channel.power(ue.id, self.cell, direction, allocation.blocks.count()),
        }
    }
}

impl Measurements<'_> {
    /// Takes what a UE's link was in TTI `tti`, measured over the carrier. Gives the UE's range if
    /// that has changed.
    #[inline(never)]
    pub fn take(&mut self, direction: Direction, ue: UeIndex, tti: u64) -> Option<Range> {
        let (slot, link) = (self.slot(direction, tti), (direction, ue));
        let start = self.receivers.config.tti.start(slot.tti);
        let span = (start, start + self.receivers.config.tti.length());
        if in_gap(self.receivers.gaps, ue, &[span; 2]) {
            return None; // the link is not measured: the last report counts on
        }
        let most = self.links.most_layers(direction, ue);
        let disturbance = match most > 1 || self.links.averages_interference() {
            true => self.mean_disturbance(direction, ue, tti)?,
            false if self.receivers.receive_carrier(ue, slot, self.sinrs) => Vec::new(),
            false => return None,
        };
        let relation = self.links.relate(direction, ue, (tti, self.few));
        let mut levels_db = Report::default();
        for layers in 1..=most {
            if !disturbance.is_empty() {
                self.receivers.against(ue, slot, (layers, &disturbance), self.sinrs);
            }
            self.links.report(link, relation, (layers, self.sinrs), &mut levels_db);
        }
        self.links.settle(direction, ue, &levels_db)
    }

    /// The slot that is measured for TTI `tti`. With time division duplex it is the last one that had
    /// the direction.
    fn slot(&self, direction: Direction, tti: u64) -> AirSlot {
        AirSlot { direction, tti: self.receivers.steps.last_data(tti, direction) }
    }

    /// Mean of noise and interference over the TTIs of a report. TS 36.213, 7.2.3, and TS 38.214,
    /// 5.2.2.1, do not limit the time of observation. None if the link is fixed.
    fn mean_disturbance(&self, direction: Direction, ue: UeIndex, tti: u64) -> Option<Vec<f32>> {
        let before: Vec<u64> = self.links.also_measured(tti).collect();
        let mut sums = self.receivers.disturbance(ue, self.slot(direction, tti));
        for tti in &before {
            let own = self.receivers.disturbance(ue, self.slot(direction, *tti));
            sums.iter_mut().zip(own).for_each(|(sum, power)| *sum += power);
        }
        let share = 1.0 / (1 + before.len()) as f32;
        sums.iter_mut().for_each(|sum| *sum *= share);
        (!sums.is_empty()).then_some(sums)
    }
}

/// Reports that are made when a scheduler tries a UE.
pub(super) struct OnTrial<'a> {
    state: RefCell<(Measurements<'a>, &'a mut Vec<(UeId, Range)>)>,
    direction: Direction,
    /// TTI of the decision.
    tti: u64,
    /// Symbols of the slot with data; none uplink before the cell knows the channel.
    symbols: Option<u8>,
}

impl<'a> OnTrial<'a> {
    /// Reports for a decision in TTI `tti` about so many symbols in a direction; uplink without
    /// symbols before the cell knows the channel. UEs that come into range or go out of it are noted
    /// in `ranges`.
    pub fn new(
        measurements: Measurements<'a>,
        (direction, symbols): (Direction, Option<u8>),
        tti: u64,
        ranges: &'a mut Vec<(UeId, Range)>,
    ) -> OnTrial<'a> {
        OnTrial { state: RefCell::new((measurements, ranges)), direction, tti, symbols }
    }
}

impl Trials for OnTrial<'_> {
    fn attempt(&self, candidate: &Candidate<'_>, act: &mut Attempt<'_>) -> Outcome {
        let state = &mut *self.state.borrow_mut();
        let (measurements, ranges) = (&mut state.0, &mut state.1);
        let (direction, ue) = (self.direction, candidate.index);
        if let Some(due) = measurements.links.due(direction, ue, self.tti) {
            if let Some(before) = measurements.links.lesson(direction, ue, due) {
                measurements.take(direction, ue, before);
            }
            if let Some(range) = measurements.take(direction, ue, due) {
                ranges.push((candidate.ue, range));
            }
        }
        let links = &mut *measurements.links;
        if self.symbols.is_some() && !links.in_range(direction, ue) {
            return Outcome::Passed;
        }
        let (rates, (bytes, most)) = match (direction, self.symbols) {
            (Direction::Downlink, symbols) => {
                let bytes =
                    &links.rates((direction, symbols.unwrap_or(SLOT_SYMBOLS)), ue).bytes[..];
                (links.group_rates_of(ue), (bytes, links.most_downlink(ue, bytes)))
            }
            (Direction::Uplink, Some(symbols)) => {
                links.follow_headroom(ue);
                let (bytes, most) = links.uplink(ue, symbols);
                (&[][..], (bytes, most.min(candidate.most)))
            }
            (Direction::Uplink, None) => {
                (&[][..], (&links.unsounded(SLOT_SYMBOLS).bytes[..], candidate.most))
            }
        };
        let control_elements = links.control_elements(ue);
        let layers = links.room((direction, SLOT_SYMBOLS), ue).layers;
        act(&Candidate { bytes, most, layers, control_elements, ..*candidate }, rates)
    }
}
