//! The UE's choice of a precoder: the one that brings it the most power.

use num_complex::Complex64;

use super::Codebook;
use super::codebook::Precoder;

/// Ports at most.
const PORTS: usize = 4;

/// A UE's weights of ports for each subband, and its means to choose them.
pub(crate) struct Selector {
    groups: Vec<Vec<Precoder>>,
    ports: usize,
    /// Resource blocks of a subband.
    subband: usize,
    /// The best precoder of each subband, as an index into the group.
    chosen: Vec<usize>,
    group: usize,
}

/// Sums over resource blocks of h(a) h(b)*, which decide the power of every precoder.
#[derive(Clone, Copy, Default)]
struct Covariance([[Complex64; PORTS]; PORTS]);

impl Covariance {
    fn add(&mut self, channel: &[Complex64]) {
        for (a, row) in channel.iter().zip(&mut self.0) {
            for (b, sum) in channel.iter().zip(row) {
                *sum += a * b.conj();
            }
        }
    }

    /// Power of the precoded channel: the sum of |h(1) w(1) + h(2) w(2) + ...|^2.
    fn power(&self, precoder: &[Complex64]) -> f64 {
        let row = |(a, row): (&Complex64, &[Complex64; PORTS])| -> f64 {
            precoder.iter().zip(row).map(|(b, sum)| (a * b.conj() * sum).re).sum()
        };
        precoder.iter().zip(&self.0).map(row).sum()
    }
}

impl Selector {
    /// For reports by `subband` resource blocks.
    pub(crate) fn new(codebook: Codebook, subband: usize) -> Selector {
        Selector {
            groups: codebook.groups(),
            ports: codebook.ports(),
            subband,
            chosen: Vec::new(),
            group: 0,
        }
    }

    /// Chooses for a channel of so many resource blocks: the weight of each port, block by
    /// block.
    pub(crate) fn choose(&mut self, channel: &[[Complex64; PORTS]]) {
        let ports = self.ports;
        let subbands = channel.chunks(self.subband).map(|blocks| {
            let mut covariance = Covariance::default();
            blocks.iter().for_each(|block| covariance.add(&block[..ports]));
            covariance
        });
        let subbands: Vec<Covariance> = subbands.collect();
        let mut most = f64::NEG_INFINITY;
        for (index, group) in self.groups.iter().enumerate() {
            let best: Vec<(usize, f64)> = subbands.iter().map(|sums| best(group, sums)).collect();
            let power = best.iter().map(|&(_, power)| power).sum();
            if power > most {
                most = power;
                self.group = index;
                self.chosen.clear();
                self.chosen.extend(best.iter().map(|&(precoder, _)| precoder));
            }
        }
    }

    /// Power gain of resource block `block` with the precoder chosen for it.
    pub(crate) fn gain(&self, block: usize, channel: &[Complex64; PORTS]) -> f64 {
        let precoder = &self.groups[self.group][self.chosen[block / self.subband]];
        let sum: Complex64 = precoder.iter().zip(channel).map(|(w, h)| w * h).sum();
        sum.norm_sqr()
    }
}

/// The precoder with the most power, the first among equals, and its power.
fn best(group: &[Precoder], covariance: &Covariance) -> (usize, f64) {
    let powers = group.iter().map(|precoder| covariance.power(precoder)).enumerate();
    powers.fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A channel on which the precoder `w` is the best there is: its conjugate.
    fn channel_for(w: &Precoder) -> [Complex64; PORTS] {
        let mut channel = [Complex64::default(); PORTS];
        w.iter().zip(&mut channel).for_each(|(w, h)| *h = w.conj() * 2.0);
        channel
    }

    #[test]
    fn finds_the_precoder_that_matches() {
        for codebook in [Codebook::TwoPorts, Codebook::FourPorts, Codebook::TypeI] {
            let mut selector = Selector::new(codebook, 6);
            for w in codebook.groups().iter().flatten() {
                let channel = channel_for(w);
                selector.choose(&[channel; 6]);
                // All of |h|^2 = 4 arrives: the gain of perfect matching.
                assert!((selector.gain(3, &channel) - 4.0).abs() < 1e-12, "{codebook:?}");
            }
        }
    }

    #[test]
    fn each_subband_has_its_own() {
        let precoders = Codebook::FourPorts.groups().remove(0);
        let (a, b) = (channel_for(&precoders[1]), channel_for(&precoders[9]));
        let channel = [a, a, a, b, b];
        let mut selector = Selector::new(Codebook::FourPorts, 3);
        selector.choose(&channel);
        assert!((selector.gain(0, &a) - 4.0).abs() < 1e-12);
        assert!((selector.gain(4, &b) - 4.0).abs() < 1e-12);
        let mut wideband = Selector::new(Codebook::FourPorts, 5);
        wideband.choose(&channel);
        assert!((wideband.gain(0, &a) - 4.0).abs() < 1e-12, "the majority decides");
        assert!(wideband.gain(4, &b) < 3.0);
    }

    #[test]
    fn beams_of_type_i_are_one_for_all_subbands() {
        let groups = Codebook::TypeI.groups();
        let (a, b) = (channel_for(&groups[2][0]), channel_for(&groups[6][0]));
        let mut selector = Selector::new(Codebook::TypeI, 1);
        selector.choose(&[a, a, b]);
        assert!((selector.gain(0, &a) - 4.0).abs() < 1e-12);
        // Beams 2 and 6 are orthogonal, whatever the phase between the polarisations.
        assert!(selector.gain(2, &b) < 1e-12);
    }
}
