//! A network whose UEs move.
//!
//! Gains are those of the last [update](MovingNetwork::update). Updates come between stages of the network, so all
//! receptions of a stage have the same gains on any number of threads. A block counts with the gains of its decoding.
//! Fading follows the time of the transmission.
//!
//! UEs of the cells that are loudest at a cell uplink disturb it one by one. This order of cells is looked up anew once a
//! second.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use airpath_base::{CellId, Time, UeId, math};
use airpath_channel::fading::{
    self, Eight, Interferer, Library, Readings, Signal, disturb, disturb_evenly,
};
use airpath_net::Direction;
use num_complex::Complex64;

use super::heard::{Near, neighbours};
use super::{AT_ONCE, Network, NetworkUe};
use crate::air::{Channel, MeanLink, OnAir, Transmission};
use crate::spatial::Spatial;

impl Network {
    /// Gives a UE other gains and another direction. Its number, library and cell stay.
    fn update(&mut self, id: UeId, ue: &NetworkUe) {
        let own = id.index() * self.most..(id.index() + 1) * self.most;
        let others = self.others(id, ue);
        let (heard, near) = self.hear(ue, &self.near[own.clone()], others);
        self.ues[id.index()] = heard;
        self.near[own].copy_from_slice(&near);
        let ues = self.ues.len();
        let at_cells = self.gains.iter_mut().skip(id.index()).step_by(ues);
        at_cells.zip(ue.gains_up()).for_each(|(own, gain)| *own = *gain as f32);
    }

    /// Fading of the signal of a transmission, perhaps written to `mean`.
    pub(super) fn fading<'a>(&'a self, t: &Transmission, mean: &'a mut Vec<Eight>) -> &'a [Eight] {
        let (ue, (library, step, readings)) = (self.ue(t.ue), self.position(t.ue, t));
        let link = ue.link[t.direction as usize];
        match readings {
            None => library.matched(link, step),
            Some(readings) => library.mean_matched(link, readings, mean),
        }
    }

    /// Signal of a transmission with several readings of the slot; `mean` is for the mean of more than two.
    pub(super) fn signal_of<'a>(
        &'a self,
        t: &Transmission,
        (library, readings): (&'a Library, Readings),
        mean: &'a mut Vec<Eight>,
    ) -> Signal<'a, 2> {
        let (ue, power) = (self.ue(t.ue), 0.5 * t.power);
        let (link, mut pairs) = (ue.link[t.direction as usize], readings.pairs(library));
        let fading = match (pairs.next(), pairs.next()) {
            (Some(pair), None) => pair.map(|step| library.matched(link, step)),
            _ => [library.mean_matched(link, readings, mean); 2],
        };
        Signal { power: power * ue.gain(t), fading }
    }

    /// Likewise as [`receive_downlink`](Network::receive_downlink), with several readings of the slot.
    pub(super) fn receive_fast<'a>(
        &'a self,
        (t, wanted): (&Transmission, bool),
        (library, readings): (&'a Library, Readings),
        near: impl Iterator<Item = (&'a Near, &'a [Eight])> + Clone,
        (eights, ratios): (u64, &mut [Eight]),
    ) {
        let ue = self.ue(t.ue);
        let share = 1.0 / readings.count() as f32;
        let (mut interferers, mut count) = ([Interferer::NONE; AT_ONCE], 0);
        for pair in readings.pairs(library) {
            for (one, power) in near.clone() {
                if count == AT_ONCE {
                    disturb(&interferers, eights, ratios);
                    count = 0;
                }
                let fading = pair.map(|step| library.unmatched(one.link, step));
                let (gain, less) = (share * one.gain, 2.0 * share * ue.far);
                interferers[count] = Interferer { gain, less, fading, power };
                count += 1;
            }
        }
        if !wanted {
            return disturb(&interferers[..count], eights, ratios);
        }
        let mut mean = Vec::new();
        let signal = self.signal_of(t, (library, readings), &mut mean);
        fading::sinr(signal, &interferers[..count], eights, ratios);
    }

    /// Power of the serving cell in a resource element in dBm (TS 36.214, 5.1.1), and its ratio in dB to all others and
    /// noise, all cells sending.
    fn serving(&self, id: UeId, cell: CellId) -> (f64, f64) {
        let ue = self.ue(id);
        let decibels = |factor: f64| 10.0 * math::log10(factor);
        let received = f64::from(ue.gain[0]) * f64::from(self.power[cell.index()]);
        let ratio = ue.expected[0] / f64::from(ue.receivers);
        (decibels(received / 12.0), decibels(ratio))
    }
}

/// Adds the mean of several readings of what a UE sends in a span of resource blocks to sums there.
pub(super) fn disturb_often(
    (library, link, readings): (&Library, fading::Link, Readings),
    received: f32,
    (span, sums): (Range<usize>, &mut [f32]),
) {
    let share = received / readings.count() as f32;
    for pair in readings.pairs(library) {
        let rows = pair.map(|step| library.unmatched(link, step).as_flattened());
        disturb_evenly(sums, share, rows.map(|row| &row[span.clone()]));
    }
}

/// The channel of a network whose UEs move.
#[derive(Debug)]
pub struct MovingNetwork(RwLock<Network>);

impl MovingNetwork {
    /// Of a network whose UEs are at their first positions.
    pub fn new(network: Network) -> MovingNetwork {
        MovingNetwork(RwLock::new(network))
    }

    fn now(&self) -> RwLockReadGuard<'_, Network> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives some UEs other gains and directions, of all UEs of the network.
    pub(crate) fn update(&self, moved: &[UeId], ues: &[NetworkUe]) {
        let mut network = self.0.write().unwrap_or_else(PoisonError::into_inner);
        moved.iter().for_each(|id| network.update(*id, &ues[id.index()]));
    }

    /// Looks up anew which cells' UEs each cell hears one by one.
    pub(crate) fn update_neighbours(&self, ues: &[NetworkUe]) {
        let mut network = self.0.write().unwrap_or_else(PoisonError::into_inner);
        network.neighbours = neighbours(network.cells, network.control, ues);
    }

    /// RSRP in dBm and ratio to all other cells and noise in dB of a UE and a cell that serves it.
    pub(crate) fn serving(&self, id: UeId, cell: CellId) -> (f64, f64) {
        self.now().serving(id, cell)
    }
}

impl Channel for MovingNetwork {
    fn expected_sinr(&self, ue: UeId, direction: Direction) -> f64 {
        self.now().expected_sinr(ue, direction)
    }

    fn full_power(&self, ue: UeId) -> f32 {
        self.now().full_power(ue)
    }

    fn power(&self, ue: UeId, cell: CellId, direction: Direction, resource_blocks: u16) -> f32 {
        self.now().power(ue, cell, direction, resource_blocks)
    }

    fn sinr(&self, transmission: &Transmission, air: &OnAir, sinr: &mut Vec<f32>) {
        self.now().sinr(transmission, air, sinr);
    }

    fn disturbance(&self, transmission: &Transmission, air: &OnAir, power: &mut Vec<f32>) {
        self.now().disturbance(transmission, air, power);
    }

    fn against(&self, transmission: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>) {
        self.now().against(transmission, disturbance, sinr);
    }

    fn mean_link(&self, ue: UeId, cell: CellId) -> Option<MeanLink> {
        self.now().mean_link(ue, cell)
    }

    fn moves(&self, ue: UeId) -> bool {
        self.now().ue(ue).travelled.is_some()
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        self.now().panel.is_some().then_some(self)
    }
}

impl Spatial for MovingNetwork {
    fn group(&self) -> u16 {
        self.now().group()
    }

    fn ports(&self) -> usize {
        self.now().ports()
    }

    fn mean_gain(&self, ue: UeId) -> f32 {
        self.now().mean_gain(ue)
    }

    fn gains(&self, ue: UeId, at: Time, group: usize, gains: &mut Vec<Complex64>) {
        self.now().gains(ue, at, group, gains);
    }

    fn reported(&self, ue: UeId, at: Time, group: usize, weights: &mut Vec<Complex64>) {
        self.now().reported(ue, at, group, weights);
    }

    fn unreported(&self) -> f64 {
        self.now().unreported()
    }

    fn alone(&self, ue: UeId, at: Time) -> f32 {
        self.now().alone(ue, at)
    }
}

#[cfg(test)]
#[path = "moving_tests.rs"]
mod tests;
