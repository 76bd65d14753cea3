//! Links of a UE of a network: gains, fading and power.

use std::sync::Arc;

use airpath_base::{CellId, Db, Time, UeId, math};
use airpath_channel::fading::{self, Library, Readings, Step, Travelled};
use airpath_net::Direction;
use num_complex::Complex64;

use super::{Network, NetworkUe};
use crate::air::Transmission;
use crate::phy::PowerControl;

/// Links of a UE.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    /// The cell that serves it, and all others, the loudest first.
    cell: CellId,
    others: Vec<CellId>,
    /// Index of its library.
    pub(super) library: usize,
    /// None at rest.
    pub(super) travelled: Option<Arc<Travelled>>,
    /// Fading with its cell, downlink and uplink.
    pub(super) link: [fading::Link; 2],
    /// To its cell, downlink and uplink.
    pub(super) gain: [f32; 2],
    /// Mean gain of the cells that it does not hear one by one.
    pub(super) far: f32,
    /// Over noise and all others, downlink; over noise alone, uplink with all resource blocks.
    pub(super) expected: [f64; 2],
    /// Most power in a resource block uplink in mW, and how many can have it.
    pub(super) power: f32,
    pub(super) full_power: f32,
    /// Antennas with which it receives, and phases of its cell's ports; none without layers to several UEs.
    pub(super) receivers: u8,
    pub(super) turns: Vec<Complex64>,
}

/// A cell that a UE hears.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) cell: CellId,
    pub(super) gain: f32,
    pub(super) link: fading::Link,
}

impl Heard {
    /// Gain to its cell in the direction of a transmission.
    pub(super) fn gain(&self, transmission: &Transmission) -> f32 {
        self.gain[transmission.direction as usize]
    }

    /// The step of a library in a slot that begins at a time: with a route the one in the middle. With several readings
    /// of the slot also these.
    pub(super) fn position(&self, library: &Library, start: Time) -> (Step, Option<Readings>) {
        let Some(travelled) = &self.travelled else { return (library.step(start), None) };
        let readings = Readings::of_slot(library, travelled, start);
        (readings.middle(library), Some(readings).filter(|own| own.count() > 1))
    }

    /// The step of a library in a slot that begins at a time.
    pub(super) fn step(&self, library: &Library, start: Time) -> Step {
        self.position(library, start).0
    }
}

impl Network {
    /// All cells but that of a UE, in the order in which it hears them if its cell is the same as before.
    pub(super) fn others(&mut self, id: UeId, ue: &NetworkUe) -> Vec<CellId> {
        match self.ues.get_mut(id.index()).filter(|heard| heard.cell == ue.cell) {
            Some(heard) => std::mem::take(&mut heard.others),
            None => (0..self.cells as u16).map(CellId).filter(|cell| *cell != ue.cell).collect(),
        }
    }

    /// Links of a UE by its gains, and the cells that it hears one by one. Links of cells in
    /// `before` are known. `others` has all cells but its own, best nearly the loudest first.
    pub(super) fn hear(
        &self,
        ue: &NetworkUe,
        before: &[Near],
        mut others: Vec<CellId>,
    ) -> (Heard, Vec<Near>) {
        let [down, up] = &self.libraries[ue.library];
        let received = |cell: &CellId| ue.gains[cell.index()] * f64::from(self.power[cell.index()]);
        others.sort_by(|one, other| received(other).total_cmp(&received(one)).then(one.cmp(other)));
        let (near, far) = others.split_at(self.most);
        let far =
            far.iter().map(|cell| ue.gains[cell.index()]).sum::<f64>() / far.len().max(1) as f64;
        let disturbing: f64 = others.iter().map(received).sum();
        let [gain, up_gain] = [&ue.gains[..], ue.gains_up()].map(|gains| gains[ue.cell.index()]);
        let (one, full_power) = self.control.in_one(Db(-10.0 * math::log10(gain)));
        let link = |library: &Library, direction| library.link(ue.number, ue.cell, direction);
        let power = one.milliwatts();
        let over_carrier = power * (full_power / f64::from(self.carrier.max(1))).min(1.0);
        let [at_ue, at_cell] = self.noise.map(f64::from);
        let hear = |n: usize, cell: CellId| {
            let same = before.get(n).filter(|one| one.cell == cell);
            let known = same.or_else(|| before.iter().find(|one| one.cell == cell));
            let link = known.map(|one| one.link);
            let link = link.unwrap_or_else(|| down.link(ue.number, cell, Direction::Downlink));
            Near { cell, gain: ue.gains[cell.index()] as f32, link }
        };
        let near: Vec<Near> = near.iter().enumerate().map(|(n, cell)| hear(n, *cell)).collect();
        let heard = Heard {
            cell: ue.cell,
            others,
            library: ue.library,
            travelled: ue.travelled.clone(),
            link: [link(down, Direction::Downlink), link(up, Direction::Uplink)],
            gain: [gain, up_gain].map(|gain| gain as f32),
            far: far as f32,
            expected: [
                f64::from(ue.receivers) * received(&ue.cell) / (at_ue + disturbing),
                over_carrier * up_gain / at_cell,
            ],
            power: power as f32,
            full_power: full_power as f32,
            receivers: ue.receivers,
            turns: self.panel.map_or(Vec::new(), |panel| panel.turns(ue.direction, down.ends().0)),
        };
        (heard, near)
    }
}

/// For each cell the others, by how loud their UEs are there on average.
pub(super) fn neighbours(cells: usize, control: PowerControl, ues: &[NetworkUe]) -> Vec<CellId> {
    let mut loudness = vec![0.0; cells * cells];
    for ue in ues {
        let (one, _) = control.in_one(Db(-10.0 * math::log10(ue.gains[ue.cell.index()])));
        for (heard, gain) in loudness[ue.cell.index() * cells..].iter_mut().zip(ue.gains_up()) {
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
