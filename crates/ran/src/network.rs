//! The links of a network: what its receivers hear of each other.
//!
//! - The mean gain of each link comes from the drop of the UEs, its fading from a library
//!   ([`airpath_channel::fading`]).
//! - Downlink, the strongest cells interfere one by one, each in the resource blocks in which it
//!   sends, with its own fading. All other cells are one sum in each resource block, of their
//!   transmissions in that TTI, without fading and with the mean of their gains.
//! - Uplink, the UEs of the strongest other cells interfere likewise. UEs of the rest interfere
//!   without fading, in the resource blocks in which they send.
//! - The served signal is precoded for its UE, or combined for its cell; those that disturb
//!   are not.
//!
//! Left out: interference between neighbouring resource blocks, carriers and directions;
//! signals that no user's data carry (reference signals, broadcast, control).

use std::ops::Range;
use std::sync::Arc;

use airpath_base::{CellId, Db, Dbm, Time, UeId, math};
use airpath_channel::fading::{
    self, Interferer, Library, Signal, Step, disturb, disturb_besides, disturb_evenly, divide,
};
use airpath_net::Direction;

use crate::air::{Channel, OnAir, Transmission};
use crate::mac::ResourceBlocks;
use crate::phy::PowerControl;
use crate::phy::tables::MAX_RESOURCE_BLOCKS;

const MOST: usize = MAX_RESOURCE_BLOCKS as usize;
/// The power of a cell that sends nothing.
static SILENCE: [f32; MOST] = [0.0; MOST];

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
    /// Index of the library with its fading.
    pub library: usize,
}

/// The channel of a network.
#[derive(Clone, Debug)]
pub struct Network {
    cells: usize,
    /// Resource blocks of the carrier.
    carrier: u16,
    /// Downlink power in a resource block in mW, by cell.
    power: Vec<f32>,
    /// Noise in a resource block in mW, at a UE and at a cell.
    noise: [f32; 2],
    libraries: Vec<[Arc<Library>; 2]>,
    ues: Vec<Heard>,
    /// Each UE as each cell hears it, UE after UE.
    at_cells: Vec<AtCell>,
    /// Number of cells that interfere one by one.
    most: usize,
    /// The cells that each UE hears one by one, UE after UE.
    near: Vec<Near>,
    /// The cells whose UEs each cell hears, the loudest first; cell after cell.
    neighbours: Vec<CellId>,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    library: usize,
    link: [fading::Link; 2],
    gain: f32,
    /// Mean gain of the cells that it does not hear one by one.
    far: f32,
    /// Over noise and all others, downlink; over noise alone, uplink with all resource blocks.
    expected: [f64; 2],
    /// Most power in a resource block uplink in mW, and how many can have it.
    power: f32,
    full_power: f32,
}

/// A UE that a cell hears.
#[derive(Clone, Copy, Debug)]
struct AtCell {
    gain: f32,
    library: u32,
    link: fading::Link,
}

/// A cell that a UE hears.
#[derive(Clone, Copy, Debug)]
struct Near {
    cell: CellId,
    gain: f32,
    link: fading::Link,
}

impl Network {
    /// The channel of these links.
    pub fn new(config: NetworkLinks) -> Network {
        let cells = config.power.len();
        let blocks = f64::from(config.resource_blocks.max(1));
        let power: Vec<f32> =
            config.power.iter().map(|power| (power.milliwatts() / blocks) as f32).collect();
        let noise = config.noise.map(|noise| noise.milliwatts() as f32);
        let most = config.interferers.min(cells.saturating_sub(1));
        let mut network = Network {
            ues: Vec::with_capacity(config.ues.len()),
            at_cells: Vec::with_capacity(config.ues.len() * cells),
            neighbours: neighbours(&config),
            libraries: config.libraries,
            near: Vec::new(),
            cells,
            carrier: config.resource_blocks,
            power,
            noise,
            most,
        };
        for ue in &config.ues {
            network.add(ue, config.power_control);
        }
        network
    }

    fn add(&mut self, ue: &NetworkUe, control: PowerControl) {
        let [down, up] = &self.libraries[ue.library];
        let mut others: Vec<CellId> =
            (0..self.cells as u16).map(CellId).filter(|cell| *cell != ue.cell).collect();
        let received = |cell: &CellId| ue.gains[cell.index()] * f64::from(self.power[cell.index()]);
        others.sort_by(|one, other| received(other).total_cmp(&received(one)).then(one.cmp(other)));
        let (near, far) = others.split_at(self.most);
        let far =
            far.iter().map(|cell| ue.gains[cell.index()]).sum::<f64>() / far.len().max(1) as f64;
        let disturbing: f64 = others.iter().map(received).sum();
        let gain = ue.gains[ue.cell.index()];
        let (one, full_power) = control.in_one(Db(-10.0 * math::log10(gain)));
        let link = |library: &Library, direction| library.link(ue.number, ue.cell, direction);
        let power = one.milliwatts();
        let over_carrier = power * (full_power / f64::from(self.carrier.max(1))).min(1.0);
        let [at_ue, at_cell] = self.noise.map(f64::from);
        self.ues.push(Heard {
            library: ue.library,
            link: [link(down, Direction::Downlink), link(up, Direction::Uplink)],
            gain: gain as f32,
            far: far as f32,
            expected: [received(&ue.cell) / (at_ue + disturbing), over_carrier * gain / at_cell],
            power: power as f32,
            full_power: full_power as f32,
        });
        let at_cells = (0..).map(CellId).zip(&ue.gains).map(|(cell, gain)| AtCell {
            gain: *gain as f32,
            library: ue.library as u32,
            link: up.link(ue.number, cell, Direction::Uplink),
        });
        self.at_cells.extend(at_cells);
        for cell in near.iter().copied() {
            let link = down.link(ue.number, cell, Direction::Downlink);
            self.near.push(Near { cell, gain: ue.gains[cell.index()] as f32, link });
        }
    }

    fn ue(&self, ue: UeId) -> &Heard {
        &self.ues[ue.index()]
    }

    fn step(&self, ue: UeId, transmission: &Transmission) -> (&Library, Step) {
        let library = &self.libraries[self.ue(ue).library][transmission.direction as usize];
        (library, library.step(transmission.start))
    }

    /// Interference of a UE in these spans.
    fn disturb_downlink(&self, t: &Transmission, air: &OnAir, spans: &Spans, sums: &mut [f32]) {
        let Some(total) = air.total(t.tti) else { return };
        let far = self.ue(t.ue).far;
        let own = air.power(t.cell, t.tti);
        for span in spans.iter() {
            let (sums, total) = (&mut sums[span.clone()], &total[span.clone()]);
            match own {
                Some(own) => disturb_besides(sums, far, total, &own[span]),
                None => disturb_evenly(sums, far, total),
            }
        }
        let (library, step) = self.step(t.ue, t);
        let near = &self.near[t.ue.index() * self.most..][..self.most];
        // The cell's part in the sum of all, with the mean of the far ones, is taken off.
        let interferer = |one: &Near| Interferer {
            gain: one.gain,
            less: far,
            fading: library.unmatched(one.link, step),
            power: air.power(one.cell, t.tti).unwrap_or(&SILENCE),
        };
        let (fours, rest) = near.as_chunks::<4>();
        for four in fours {
            if four.iter().any(|one| air.power(one.cell, t.tti).is_some()) {
                let four = four.each_ref().map(interferer);
                spans.iter().for_each(|span| disturb(&mut sums[span.clone()], part(four, span)));
            }
        }
        for one in rest.iter().filter(|one| air.power(one.cell, t.tti).is_some()) {
            let one = [interferer(one)];
            spans.iter().for_each(|span| disturb(&mut sums[span.clone()], part(one, span)));
        }
    }

    /// Interference of a cell.
    fn disturb_uplink(&self, t: &Transmission, air: &OnAir, sums: &mut [f32]) {
        let others = self.cells - 1;
        let neighbours = &self.neighbours[t.cell.index() * others..][..others];
        for (n, cell) in neighbours.iter().enumerate() {
            for sent in air.sent(*cell, t.direction, t.tti) {
                let ue = self.at_cells[sent.ue.index() * self.cells + t.cell.index()];
                let received = sent.power * ue.gain;
                let fading = (n < self.most).then(|| self.fading_uplink(ue, t.start));
                for (from, to) in sent.blocks.runs() {
                    let span = usize::from(from)..usize::from(to);
                    let sums = &mut sums[span.clone()];
                    match fading {
                        Some(fading) => disturb_evenly(sums, received, &fading[span]),
                        None => sums.iter_mut().for_each(|sum| *sum += received),
                    }
                }
            }
        }
    }

    fn fading_uplink(&self, ue: AtCell, start: Time) -> &[f32] {
        let [_, library] = &self.libraries[ue.library as usize];
        library.unmatched(ue.link, library.step(start))
    }
}

/// Interferers in these resource blocks.
#[inline]
fn part<const N: usize>(all: [Interferer<'_>; N], span: Range<usize>) -> [Interferer<'_>; N] {
    all.map(|one| Interferer {
        fading: &one.fading[span.clone()],
        power: &one.power[span.clone()],
        ..one
    })
}

/// Spans of the carrier that hold an allocation, in eights: what lies scattered is computed
/// where it lies, in steps that suit the processor.
struct Spans {
    spans: [(u16, u16); MOST / 16 + 2],
    count: usize,
}

impl Spans {
    fn new(blocks: &ResourceBlocks, carrier: u16) -> Spans {
        let mut spans = Spans { spans: Default::default(), count: 0 };
        for (from, to) in blocks.in_eights().runs() {
            spans.spans[spans.count] = (from, to.min(carrier));
            spans.count += 1;
        }
        spans
    }

    fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        self.spans[..self.count].iter().map(|&(from, to)| usize::from(from)..usize::from(to))
    }
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
        let blocks = &transmission.allocation.blocks;
        let spans = Spans::new(blocks, self.carrier);
        let mut sums = [0.0; MOST];
        let noise = self.noise[transmission.direction as usize];
        match transmission.direction {
            Direction::Downlink => {
                spans.iter().for_each(|span| sums[span].fill(noise));
                self.disturb_downlink(transmission, air, &spans, &mut sums);
            }
            Direction::Uplink => {
                let all = air.disturbance(transmission.cell, transmission.tti, |all| {
                    all.fill(noise);
                    self.disturb_uplink(transmission, air, all);
                });
                for span in spans.iter() {
                    sums[span.clone()].copy_from_slice(&all.power[span]);
                }
            }
        }
        let ue = self.ue(transmission.ue);
        let (library, step) = self.step(transmission.ue, transmission);
        let fading = library.matched(ue.link[transmission.direction as usize], step);
        let power = transmission.power * ue.gain;
        for span in spans.iter() {
            divide(Signal { power, fading: &fading[span.clone()] }, &mut sums[span]);
        }
        for (from, to) in blocks.runs() {
            sinr.extend_from_slice(&sums[usize::from(from)..usize::from(to)]);
        }
    }
}

/// For each cell the others, by how loud their UEs are there on average.
fn neighbours(config: &NetworkLinks) -> Vec<CellId> {
    let cells = config.power.len();
    let mut loudness = vec![0.0; cells * cells];
    for ue in &config.ues {
        let (one, _) =
            config.power_control.in_one(Db(-10.0 * math::log10(ue.gains[ue.cell.index()])));
        for (heard, gain) in loudness[ue.cell.index() * cells..].iter_mut().zip(&ue.gains) {
            *heard += one.milliwatts() * gain;
        }
    }
    let of = |cell: usize| {
        let mut others: Vec<usize> = (0..cells).filter(|other| *other != cell).collect();
        let heard = |other: usize| loudness[other * cells + cell];
        others.sort_by(|&one, &other| heard(other).total_cmp(&heard(one)).then(one.cmp(&other)));
        others.into_iter().map(|other| CellId(other as u16))
    };
    (0..cells).flat_map(of).collect()
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
