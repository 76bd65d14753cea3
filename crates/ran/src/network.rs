//! The links of a network: what its receivers hear of each other.
//!
//! - The mean gain of each link comes from the drop of the UEs, its fading from a library
//!   ([`airpath_channel::fading`]).
//! - Downlink, the strongest cells interfere one by one, each in the resource blocks in which it
//!   sends, with its own fading. All other cells are one sum in each resource block, of their
//!   transmissions in that TTI, without fading and with the mean of their gains.
//! - Uplink, the UEs of the strongest other cells interfere likewise. UEs of the rest interfere
//!   without fading, in the resource blocks in which they send.
//! - The served signal is precoded for its UE, or combined for its cell. Those that disturb are not, or
//!   have the precoders and layers of that TTI ([`rejection`]).
//! - An MMSE receiver separates several layers against noise and interference that are white over its
//!   antennas. With interference rejection it knows the covariance of what disturbs ([`rejection`]).
//!
//! Left out: interference between neighbouring resource blocks, carriers and directions;
//! signals that no user's data carry (reference signals, broadcast, control).

mod heard;
mod moving;
mod rejection;
mod spatial;

use std::sync::Arc;

use airpath_base::{CellId, Db, Dbm, UeId, math};
use airpath_channel::fading::{
    self, Covariance, Eight, Interferer, Library, Readings, Signal, Step, Travelled, disturb,
    disturb_besides, disturb_evenly, layer_ratios, set_bits,
};
use airpath_net::Direction;

use self::heard::{Heard, Near, neighbours};
pub use self::moving::MovingNetwork;
use self::moving::disturb_often;
use self::rejection::powers;
pub use self::spatial::Panel;
use crate::air::{Channel, MeanLink, OnAir, Transmission};
use crate::mac::ResourceBlocks;
use crate::phy::PowerControl;
use crate::phy::tables::MAX_RESOURCE_BLOCKS;
use crate::spatial::Spatial;

/// Resource elements of a resource block in a symbol (TS 36.211, 6.2.3; TS 38.211, 4.4.4.1).
const SUBCARRIERS: f64 = 12.0;
/// Eights of the widest carrier.
type Row = [Eight; (MAX_RESOURCE_BLOCKS as usize).div_ceil(8)];
/// The power of a cell that sends nothing.
static SILENCE: Row = [[0.0; 8]; (MAX_RESOURCE_BLOCKS as usize).div_ceil(8)];
/// Principal minors of four layers.
const MOST_MINORS: usize = 15;
/// Interferers of a call of a kernel.
const AT_ONCE: usize = 12;

/// Configuration of the links of a network.
#[derive(Clone, Debug)]
pub struct NetworkLinks {
    /// Power of each cell over its carrier.
    pub power: Vec<Dbm>,
    /// Resource blocks of a carrier.
    pub resource_blocks: u16,
    /// Noise in a resource block at a UE and at a cell.
    pub noise: [Dbm; 2],
    /// Power control of UEs.
    pub power_control: PowerControl,
    /// Number of cells that interfere one by one at a receiver.
    pub interferers: usize,
    /// Fading of those with the same Doppler shift, downlink and uplink.
    pub libraries: Vec<[Arc<Library>; 2]>,
    /// True if what disturbs has its precoders and layers, which libraries then hold.
    pub precoded: bool,
    /// Panel of a cell's ports; none without layers to several UEs.
    pub panel: Option<Panel>,
    /// UEs; positions are their identifiers.
    pub ues: Vec<NetworkUe>,
}

/// A UE of a network.
#[derive(Clone, Debug)]
pub struct NetworkUe {
    /// By which its fading is drawn: another UE has another.
    pub number: u64,
    /// The cell that serves it.
    pub cell: CellId,
    /// Gain to each cell as a factor, antennas included.
    pub gains: Vec<f64>,
    /// Gain to each cell uplink, if its frequency is another. Power control goes by the loss downlink.
    pub gains_up: Option<Vec<f64>>,
    /// Index of the library with its fading.
    pub library: usize,
    /// Periods of the Doppler shift by which a UE on a route goes along its library; none at rest.
    pub travelled: Option<Arc<Travelled>>,
    /// Antennas with which it receives.
    pub receivers: u8,
    /// Direction in which it is seen from its cell, in degrees: azimuth from the antenna's, zenith from above.
    pub direction: (f64, f64),
}

/// The channel of a network.
#[derive(Clone, Debug)]
pub struct Network {
    cells: usize,
    /// Resource blocks of the carrier.
    carrier: u16,
    /// Downlink power in a resource block in mW, by cell.
    power: Vec<f32>,
    /// Power of each cell in a resource element.
    reference_power: Vec<Dbm>,
    /// Noise in a resource block in mW, at a UE and at a cell.
    noise: [f32; 2],
    /// Noise in a resource element at a UE, and in a resource block at a cell.
    noise_levels: [Dbm; 2],
    libraries: Vec<[Arc<Library>; 2]>,
    ues: Vec<Heard>,
    /// Gain and fading uplink of each UE at each cell, cell after cell.
    gains: Vec<f32>,
    links: Vec<fading::Link>,
    /// Number of cells that interfere one by one.
    most: usize,
    /// The cells that each UE hears one by one, UE after UE.
    near: Vec<Near>,
    /// True if what disturbs has its precoders and layers.
    precoded: bool,
    /// Panel of a cell's ports.
    panel: Option<Panel>,
    /// The cells whose UEs each cell hears, the loudest first; cell after cell.
    neighbours: Vec<CellId>,
    control: PowerControl,
}

impl NetworkUe {
    /// Gain to each cell uplink.
    fn gains_up(&self) -> &[f64] {
        self.gains_up.as_ref().unwrap_or(&self.gains)
    }
}

impl Network {
    /// The channel of these links.
    pub fn new(config: NetworkLinks) -> Network {
        let cells = config.power.len();
        let blocks = f64::from(config.resource_blocks.max(1));
        let power: Vec<f32> =
            config.power.iter().map(|power| (power.milliwatts() / blocks) as f32).collect();
        let noise = config.noise.map(|noise| noise.milliwatts() as f32);
        let level = |power: f64| Dbm(10.0 * math::log10(power.max(f64::MIN_POSITIVE)));
        let in_element = |power: f32| level(f64::from(power) / SUBCARRIERS);
        let most = config.interferers.min(cells.saturating_sub(1));
        let at_cells = || (0..cells).flat_map(|cell| config.ues.iter().map(move |ue| (cell, ue)));
        let link = |(cell, ue): (usize, &NetworkUe)| {
            let [_, up] = &config.libraries[ue.library];
            up.link(ue.number, CellId(cell as u16), Direction::Uplink)
        };
        let ues = config.ues.len();
        let mut network = Network {
            ues: Vec::with_capacity(ues),
            gains: at_cells().map(|(cell, ue)| ue.gains_up()[cell] as f32).collect(),
            links: at_cells().map(link).collect(),
            neighbours: neighbours(cells, config.power_control, &config.ues),
            libraries: config.libraries,
            precoded: config.precoded,
            panel: config.panel,
            near: Vec::with_capacity(ues * most),
            cells,
            carrier: config.resource_blocks,
            reference_power: power.iter().copied().map(in_element).collect(),
            noise_levels: [in_element(noise[0]), level(f64::from(noise[1]))],
            power,
            noise,
            most,
            control: config.power_control,
        };
        for (n, ue) in config.ues.iter().enumerate() {
            let others = network.others(UeId(n as u32), ue);
            let (heard, near) = network.hear(ue, &[], others);
            network.ues.push(heard);
            network.near.extend(near);
        }
        network
    }

    fn ue(&self, ue: UeId) -> &Heard {
        &self.ues[ue.index()]
    }

    fn step(&self, ue: UeId, transmission: &Transmission) -> (&Library, Step) {
        let (library, step, _) = self.position(ue, transmission);
        (library, step)
    }

    /// Library and step of a UE in a slot, and the readings of the slot if there are several.
    fn position(&self, ue: UeId, t: &Transmission) -> (&Library, Step, Option<Readings>) {
        let own = self.ue(ue);
        let library = &self.libraries[own.library][t.direction as usize];
        let (step, readings) = own.position(library, t.start);
        (library, step, readings)
    }

    /// Turns noise in these eights of the carrier into what a UE hears, or what disturbs it.
    fn receive_downlink(
        &self,
        (t, wanted): (&Transmission, bool),
        air: &OnAir,
        eights: u64,
        ratios: &mut [Eight],
    ) {
        let ue = self.ue(t.ue);
        let power = |cell| air.power(cell, t.tti).map(in_eights);
        if let Some(total) = air.total(t.tti).map(in_eights) {
            let own = power(t.cell).unwrap_or(&SILENCE);
            disturb_besides((total, own), ue.far, eights, ratios);
        }
        let (library, step, readings) = self.position(t.ue, t);
        let near = &self.near[t.ue.index() * self.most..][..self.most];
        if let (Some(readings), false) = (readings, self.precoded) {
            let near = near.iter().filter_map(|one| Some((one, power(one.cell)?)));
            return self.receive_fast((t, wanted), (library, readings), near, (eights, ratios));
        }
        let (mut interferers, mut count) = ([Interferer::NONE; AT_ONCE], 0);
        for one in near {
            let Some(power) = power(one.cell) else { continue };
            if self.precoded {
                let link = (library, one.link, step);
                let signals =
                    self.precoded((t, eights), air.sent(one.cell, t.direction, t.tti), link);
                let fading = [&powers(&signals, power.len())[..]];
                let one = Interferer { gain: one.gain, less: ue.far, fading, power };
                disturb(&[one], eights, ratios);
                continue;
            }
            if count == AT_ONCE {
                disturb(&interferers, eights, ratios);
                count = 0;
            }
            // The cell's part in the sum of all, with the mean of the far ones, is taken off.
            let fading = [library.unmatched(one.link, step)];
            interferers[count] = Interferer { gain: one.gain, less: ue.far, fading, power };
            count += 1;
        }
        if !wanted {
            return disturb(&interferers[..count], eights, ratios);
        }
        let fading = [library.matched(ue.link[t.direction as usize], step)];
        let signal = Signal { power: t.power * ue.gain(t), fading };
        fading::sinr(signal, &interferers[..count], eights, ratios);
    }

    /// Turns noise in these eights of the carrier into what a cell hears, or what disturbs it.
    fn receive_uplink(
        &self,
        (t, wanted): (&Transmission, bool),
        air: &OnAir,
        eights: u64,
        ratios: &mut [Eight],
    ) {
        let all = air.disturbance(t.cell, t.tti, |all| self.disturb_uplink(t, air, all));
        let sums = in_eights(&all.power);
        set_bits(eights).zip(ratios.iter_mut()).for_each(|(n, ratio)| *ratio = sums[n]);
        if !wanted {
            return;
        }
        let ue = self.ue(t.ue);
        let (library, step, readings) = self.position(t.ue, t);
        if let Some(readings) = readings {
            let mut mean = Vec::new();
            let signal = self.signal_of(t, (library, readings), &mut mean);
            return fading::sinr(signal, &[], eights, ratios);
        }
        let fading = [library.matched(ue.link[t.direction as usize], step)];
        fading::sinr(Signal { power: t.power * ue.gain(t), fading }, &[], eights, ratios);
    }

    /// Appends ratios in each resource block of a transmission, or what disturbs it there.
    fn receive(&self, t: (&Transmission, bool), air: &OnAir, values: &mut Vec<f32>) {
        let (blocks, direction) = (&t.0.allocation.blocks, t.0.direction);
        let (eights, begin) = (blocks.eights(), values.len());
        let noise = self.noise[direction as usize];
        values.resize(begin + 8 * eights.count_ones() as usize, noise);
        let (ratios, _) = values[begin..].as_chunks_mut();
        match direction {
            Direction::Downlink => self.receive_downlink(t, air, eights, ratios),
            Direction::Uplink => self.receive_uplink(t, air, eights, ratios),
        }
        keep(values, begin, blocks, eights);
    }

    /// Appends the ratios of several layers against a disturbance.
    fn separate(&self, t: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>) {
        let (begin, count) = (sinr.len(), disturbance.len());
        sinr.resize(begin + usize::from(t.allocation.layers) * count, 0.0);
        let (ue, (library, step)) = (self.ue(t.ue), self.step(t.ue, t));
        let link = ue.link[t.direction as usize];
        let mut done = 0;
        for (from, to) in t.allocation.blocks.runs() {
            let (from, to) = (usize::from(from), usize::from(to));
            let here = done..done + (to - from);
            done = here.end;
            let mut minors = [&[][..]; MOST_MINORS];
            let rows = library.layers(t.allocation.layers, link, step);
            minors.iter_mut().zip(rows).for_each(|(own, row)| *own = &row[from..to]);
            let rows = sinr[begin..].chunks_exact_mut(count);
            let mut ratios = rows.map(|row| &mut row[here.clone()]).collect::<Vec<_>>();
            layer_ratios(t.power * ue.gain(t), &minors, &disturbance[here.clone()], &mut ratios);
        }
    }

    /// Writes what disturbs a cell.
    #[inline(never)]
    fn disturb_uplink(&self, t: &Transmission, air: &OnAir, sums: &mut [f32]) {
        sums.fill(self.noise[t.direction as usize]);
        let others = self.cells - 1;
        let neighbours = &self.neighbours[t.cell.index() * others..][..others];
        let ues = t.cell.index() * self.ues.len()..(t.cell.index() + 1) * self.ues.len();
        let (gains, links) = (&self.gains[ues.clone()], &self.links[ues]);
        let (near, far) = neighbours.split_at(self.most);
        for sent in
            near.iter().flat_map(|cell| self.precoded_of(air.sent(*cell, t.direction, t.tti)))
        {
            let (library, step) = self.step(sent.ue, t);
            let link = (library, links[sent.ue.index()], step);
            let signals = self.precoded((t, self.eights()), std::slice::from_ref(sent), link);
            let fading = powers(&signals, sums.len() / 8);
            let received = sent.power * gains[sent.ue.index()];
            disturb_evenly(sums, received, [fading.as_flattened()]);
        }
        let runs = near.iter().filter(|_| !self.precoded);
        for run in runs.flat_map(|cell| air.runs(*cell, t.tti)) {
            let (library, step, readings) = self.position(run.ue, t);
            let link = links[run.ue.index()];
            let span = usize::from(run.from)..usize::from(run.to);
            let received = run.power * gains[run.ue.index()];
            if let Some(readings) = readings {
                let sums = &mut sums[span.clone()];
                disturb_often((library, link, readings), received, (span, sums));
                continue;
            }
            let fading = library.unmatched(link, step).as_flattened();
            disturb_evenly(&mut sums[span.clone()], received, [&fading[span]]);
        }
        for run in far.iter().flat_map(|cell| air.runs(*cell, t.tti)) {
            let received = run.power * gains[run.ue.index()];
            let span = usize::from(run.from)..usize::from(run.to);
            sums[span].iter_mut().for_each(|sum| *sum += received);
        }
    }
}

#[inline]
fn in_eights(row: &[f32]) -> &[Eight] {
    row.as_chunks().0
}

/// Leaves the ratios of `blocks` of those of their eights, which begin at `begin`.
fn keep(ratios: &mut Vec<f32>, begin: usize, blocks: &ResourceBlocks, eights: u64) {
    let mut end = begin;
    for (from, to) in blocks.runs() {
        let (from, to) = (usize::from(from), usize::from(to));
        let before = (eights & ((1 << (from / 8)) - 1)).count_ones() as usize;
        let at = begin + 8 * before + from % 8;
        if at != end {
            ratios.copy_within(at..at + (to - from), end);
        }
        end += to - from;
    }
    ratios.truncate(end);
}

impl Channel for Network {
    fn expected_sinr(&self, ue: UeId, direction: Direction) -> f64 {
        self.ue(ue).expected[direction as usize]
    }

    fn full_power(&self, ue: UeId) -> f32 {
        self.ue(ue).full_power
    }

    fn power(&self, ue: UeId, cell: CellId, direction: Direction, resource_blocks: u16) -> f32 {
        match direction {
            Direction::Downlink => self.power[cell.index()],
            Direction::Uplink => {
                let ue = self.ue(ue);
                ue.power * (ue.full_power / f32::from(resource_blocks.max(1))).min(1.0)
            }
        }
    }

    fn sinr(&self, transmission: &Transmission, air: &OnAir, sinr: &mut Vec<f32>) {
        if let Some(antennas) = self.rejecting(transmission) {
            let eights = transmission.allocation.blocks.eights();
            let covariance = self.covariance(transmission, air, (eights, antennas));
            return self.reject(transmission, &covariance, sinr);
        }
        if transmission.allocation.layers == 1 {
            return self.receive((transmission, true), air, sinr);
        }
        let mut disturbance = Vec::new();
        self.receive((transmission, false), air, &mut disturbance);
        self.separate(transmission, &disturbance, sinr);
    }

    fn disturbance(&self, transmission: &Transmission, air: &OnAir, power: &mut Vec<f32>) {
        match self.rejecting(transmission) {
            None => self.receive((transmission, false), air, power),
            Some(antennas) => {
                let covariance = self.covariance(transmission, air, (self.eights(), antennas));
                power.extend_from_slice(covariance.rows());
            }
        }
    }

    fn against(&self, transmission: &Transmission, disturbance: &[f32], sinr: &mut Vec<f32>) {
        if let Some(antennas) = self.rejecting(transmission) {
            let covariance = Covariance::of_rows(antennas, disturbance);
            return self.reject(transmission, &covariance, sinr);
        }
        if transmission.allocation.layers > 1 {
            return self.separate(transmission, disturbance, sinr);
        }
        let ue = self.ue(transmission.ue);
        let mut mean = Vec::new();
        let fading = self.fading(transmission, &mut mean).as_flattened();
        let power = transmission.power * ue.gain(transmission);
        let blocks = transmission.allocation.blocks.iter().zip(disturbance);
        sinr.extend(blocks.map(|(block, sum)| power * fading[usize::from(block)] / sum));
    }

    fn mean_link(&self, ue: UeId, cell: CellId) -> Option<MeanLink> {
        let gain = f64::from(self.gains[cell.index() * self.ues.len() + ue.index()]);
        let path_loss = Db(-10.0 * math::log10(gain.max(f64::MIN_POSITIVE)));
        let [noise, noise_at_cell] = self.noise_levels;
        Some(MeanLink {
            rsrp: self.reference_power[cell.index()] - path_loss,
            path_loss,
            noise,
            noise_at_cell,
        })
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        self.panel.is_some().then_some(self)
    }
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
