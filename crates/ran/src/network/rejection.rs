//! Antennas of a network's receivers: covariances of what disturbs, and precoders of what disturbs.
//!
//! - Of the cells that disturb a UE one by one, the six strongest have gains at each antenna, and the rest are
//!   white, with the fading of one antenna. Uplink, and with precoders, all that disturb one by one have gains
//!   at each antenna.
//! - Each layer that they send in a resource block is a signal of its own, with its share of their power.
//! - With precoders their signal is the gain of each of their ports times its weight, in the resource
//!   blocks of each UE that they serve. Without rejection a receiver hears it with its first antenna.
//! - All others, and noise, are white over the antennas.

use airpath_channel::fading::{
    self, Covariance, Eight, Interferer, Library, Step, disturb, disturb_besides, precode,
};
use airpath_net::Direction;

use super::{Network, SILENCE, in_eights};
use crate::air::{OnAir, Run, Sent, Transmission};

/// Cells of which a UE knows the gains at each antenna: with so many of the strongest a covariance is near
/// that of all. The power of the rest at one antenna is white.
const STRONG: usize = 6;

impl Network {
    /// Antennas of the receiver of a transmission, if it rejects interference.
    pub(super) fn rejecting(&self, t: &Transmission) -> Option<usize> {
        self.step(t.ue, t).0.rejecting()
    }

    /// All eights of the carrier.
    pub(super) fn eights(&self) -> u64 {
        (1 << self.carrier.div_ceil(8)) - 1
    }

    /// Noise and interference over so many antennas in these eights of the carrier.
    pub(super) fn covariance(
        &self,
        t: &Transmission,
        air: &OnAir,
        (eights, antennas): (u64, usize),
    ) -> Covariance {
        match t.direction {
            Direction::Downlink => self.covariance_at_ue(t, air, (eights, antennas)),
            Direction::Uplink => self.covariance_at_cell(t, air, antennas),
        }
    }

    /// Noise in each resource block of the carrier.
    fn noise(&self, direction: Direction) -> Vec<Eight> {
        vec![[self.noise[direction as usize]; 8]; usize::from(self.carrier.div_ceil(8))]
    }

    fn covariance_at_ue(
        &self,
        t: &Transmission,
        air: &OnAir,
        (eights, antennas): (u64, usize),
    ) -> Covariance {
        let (ue, mut white) = (self.ue(t.ue), self.noise(t.direction));
        let size = 2 * antennas * white.len();
        if let Some(total) = air.total(t.tti).map(in_eights) {
            let own = air.power(t.cell, t.tti).map_or(&SILENCE[..], in_eights);
            disturb_besides((total, own), ue.far, self.eights(), &mut white);
        }
        let (library, step) = self.step(t.ue, t);
        let near = &self.near[t.ue.index() * self.most..][..self.most];
        let (strong, weak) =
            near.split_at(near.len().min(if self.precoded { usize::MAX } else { STRONG }));
        let weak = weak.iter().filter_map(|one| {
            let power = air.power(one.cell, t.tti).map(in_eights)?;
            let fading = [library.unmatched(one.link, step)];
            Some(Interferer { gain: one.gain, less: ue.far, fading, power })
        });
        disturb(&weak.collect::<Vec<_>>(), self.eights(), &mut white);
        let mut covariance = Covariance::white(antennas, &white);
        for one in strong {
            if self.precoded {
                let Some(power) = air.power(one.cell, t.tti) else { continue };
                let sent = air.sent(one.cell, t.direction, t.tti);
                let signals = self.precoded((t, eights), sent, (library, one.link, step));
                for (n, vector) in signals.chunks_exact(size).enumerate() {
                    let less = if n == 0 { ue.far } else { 0.0 };
                    covariance.add(vector, in_eights(power), (one.gain, less), eights);
                }
                continue;
            }
            let signals = library.disturbing(one.link, step).chunks_exact(size);
            for (vector, power) in signals.zip(air.powers_by_layer(one.cell, t.tti)) {
                covariance.add(vector, in_eights(power), (one.gain, ue.far), eights);
            }
        }
        covariance
    }

    fn covariance_at_cell(&self, t: &Transmission, air: &OnAir, antennas: usize) -> Covariance {
        let (others, mut white) = (self.cells - 1, self.noise(t.direction));
        let size = 2 * antennas * white.len();
        let neighbours = &self.neighbours[t.cell.index() * others..][..others];
        let ues = t.cell.index() * self.ues.len()..(t.cell.index() + 1) * self.ues.len();
        let (gains, links) = (&self.gains[ues.clone()], &self.links[ues]);
        let (near, far) = neighbours.split_at(self.most);
        let span = |run: &Run| usize::from(run.from)..usize::from(run.to);
        for run in far.iter().flat_map(|cell| air.runs(*cell, t.tti)) {
            let received = run.power * gains[run.ue.index()];
            white.as_flattened_mut()[span(run)].iter_mut().for_each(|sum| *sum += received);
        }
        let mut covariance = Covariance::white(antennas, &white);
        let mut power = vec![[0.0; 8]; white.len()];
        for sent in near.iter().flat_map(|cell| air.sent(*cell, t.direction, t.tti)) {
            let (library, step) = self.step(sent.ue, t);
            let (link, gain) = (links[sent.ue.index()], gains[sent.ue.index()]);
            let precoded;
            let (signals, share) = match self.precoded {
                true => {
                    precoded = self.precoded(
                        (t, self.eights()),
                        std::slice::from_ref(sent),
                        (library, link, step),
                    );
                    (&precoded[..], sent.power)
                }
                false => {
                    let layers = usize::from(sent.layers);
                    let signals = library.disturbing(link, step);
                    (&signals[..layers * size], sent.power / f32::from(sent.layers))
                }
            };
            let all = power.as_flattened_mut();
            sent.blocks.iter().for_each(|block| all[usize::from(block)] = share);
            for vector in signals.chunks_exact(size) {
                covariance.add(vector, &power, (gain, 0.0), sent.blocks.eights());
            }
            power.fill([0.0; 8]);
        }
        covariance
    }

    /// Transmissions whose precoders count, of some.
    pub(super) fn precoded_of<'a>(&self, sent: &'a [Sent]) -> &'a [Sent] {
        if self.precoded { sent } else { &[] }
    }

    /// Gains at the receiver's antennas of what a cell or UE sends with its precoders, by layer and antenna. The
    /// `wanted` eights of the carrier count. The link is the one to the receiver.
    pub(super) fn precoded(
        &self,
        (t, wanted): (&Transmission, u64),
        sent: &[Sent],
        (library, link, step): (&Library, fading::Link, Step),
    ) -> Vec<Eight> {
        let ((ports, antennas), stride) = (library.ends(), usize::from(self.carrier.div_ceil(8)));
        let most = sent.iter().map(|one| usize::from(one.layers)).max().unwrap_or(0);
        let mut weights = vec![[0.0; 8]; 2 * most * ports * stride];
        let mut eights = 0;
        for one in sent {
            let (own, at) = self.step(one.ue, t);
            let link = self.ue(one.ue).link[t.direction as usize];
            let rows = own.weights(one.layers, link, at).chunks_exact(stride);
            for (row, from_row) in weights.chunks_exact_mut(stride).zip(rows) {
                for (from, to) in one.blocks.runs() {
                    let span = usize::from(from)..usize::from(to);
                    let row = &mut row.as_flattened_mut()[span.clone()];
                    row.copy_from_slice(&from_row.as_flattened()[span]);
                }
            }
            eights |= one.blocks.eights();
        }
        precode((library.disturbing(link, step), &weights), (ports, antennas), eights & wanted)
    }

    /// Appends the ratio in each resource block of a transmission, layer after layer.
    pub(super) fn reject(&self, t: &Transmission, covariance: &Covariance, sinr: &mut Vec<f32>) {
        let (ue, (library, step)) = (self.ue(t.ue), self.step(t.ue, t));
        let (layers, count) = (t.allocation.layers, usize::from(t.allocation.blocks.count()));
        let wanted = library.wanted(layers, ue.link[t.direction as usize], step);
        let begin = sinr.len();
        sinr.resize(begin + usize::from(layers) * count, 0.0);
        let power = t.power * ue.gain(t);
        if layers == 1 && library.rejecting() == Some(2) {
            let (mut eight, mut of) = (usize::MAX, [0.0; 8]);
            for (ratio, block) in sinr[begin..].iter_mut().zip(t.allocation.blocks.iter()) {
                let block = usize::from(block);
                if block / 8 != eight {
                    eight = block / 8;
                    of = covariance.ratios_of_pair(wanted, power, eight);
                }
                *ratio = of[block % 8];
            }
            return;
        }
        let own = &mut [0.0; 4][..usize::from(layers)];
        for (n, block) in t.allocation.blocks.iter().enumerate() {
            covariance.ratios(wanted, power, block.into(), own);
            for (layer, ratio) in own.iter().enumerate() {
                sinr[begin + layer * count + n] = *ratio;
            }
        }
    }
}

/// Power of signals at the first antenna in each of so many eights of the carrier: gains by layer of a
/// receiver with one.
pub(super) fn powers(signals: &[Eight], stride: usize) -> Vec<Eight> {
    let mut sums = vec![[0.0; 8]; stride];
    for row in signals.chunks_exact(stride) {
        for (sum, part) in sums.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
            *sum += part * part;
        }
    }
    sums
}

#[cfg(test)]
#[path = "rejection_tests.rs"]
mod tests;
