//! Reception of a layer beside those of other UEs.

use airpath_channel::precoding::multi_user::received;
use num_complex::Complex64;

use crate::air::Link;
use crate::block::AirSlot;
use crate::index::UeIndex;
use crate::mac::ResourceAllocation;
use crate::node::reports::Receivers;
use crate::paired::{Paired, PairedSet};
use crate::phy::tables::MAX_RESOURCE_BLOCKS;
use crate::spatial::Spatial;

impl Receivers<'_> {
    /// Leaves in `sinrs` the ratio in each resource block of a UE's layer beside those of others. Its MMSE receiver knows
    /// all of them as they arrive. Noise and what else disturbs are white over its antennas.
    pub fn receive_paired(
        &self,
        (ue, slot): (UeIndex, AirSlot),
        allocation: ResourceAllocation,
        paired: &Paired,
        sinrs: &mut Vec<f32>,
    ) {
        sinrs.clear();
        let own = &self.ues[ue.index()];
        let (Link::Network(channel), Some(air)) = (&own.config.link, self.air) else { return };
        let Some(spatial) = channel.spatial() else { return };
        let transmission = self.transmission(own, channel.as_ref(), slot, allocation);
        let mut noise = Vec::new();
        channel.disturbance(&transmission, air, &mut noise);
        let power = f64::from(transmission.power * spatial.mean_gain(own.id));
        let mut by_block = [None; MAX_RESOURCE_BLOCKS as usize];
        let mut signals = Vec::new();
        for (n, set) in paired.of(ue).enumerate() {
            let mut gains = Vec::new();
            spatial.gains(own.id, transmission.start, set.group, &mut gains);
            signals.push(arriving(set, &gains, (spatial, power)));
            set.blocks.iter().for_each(|block| by_block[usize::from(block)] = Some((n, set)));
        }
        for (block, noise) in allocation.blocks.iter().zip(noise) {
            let ratio = by_block[usize::from(block)].map_or(0.0, |(n, set)| {
                let antennas = signals[n].len() / set.ues.len();
                let own = set.ues.iter().position(|other| *other == ue).unwrap_or_default();
                received(&signals[n], antennas, own, f64::from(noise))
            });
            sinrs.push(ratio as f32);
        }
    }
}

/// Gains of the layers of a set at the antennas of a UE, layer after layer, with their power in them.
fn arriving(
    set: &PairedSet,
    gains: &[Complex64],
    (spatial, power): (&dyn Spatial, f64),
) -> Vec<Complex64> {
    let (ports, amplitude) = (spatial.ports(), (power / set.ues.len() as f64).sqrt());
    let layers = set.precoders.chunks_exact(ports);
    let at = |precoder: &[Complex64], antenna: &[Complex64]| -> Complex64 {
        antenna.iter().zip(precoder).map(|(h, w)| h * w).sum::<Complex64>() * amplitude
    };
    layers.flat_map(|w| gains.chunks_exact(ports).map(move |antenna| at(w, antenna))).collect()
}
