//! The UE's choice of a precoder: the one that brings it the most power.

use num_complex::Complex64;

use super::Codebook;
use super::codebook::Precoder;

/// Ports at most.
const PORTS: usize = 4;

/// A UE's means to choose weights of ports for each subband.
pub(crate) struct Selector {
    groups: Vec<Vec<Precoder>>,
    /// Of each precoder w the products w(a) w(b)*, a after a.
    products: Vec<Vec<Vec<Complex64>>>,
    ports: usize,
    /// Receive antennas of the UE.
    receivers: usize,
    /// Resource blocks of a subband.
    subband: usize,
}

/// The chosen precoders: their group, and of each subband the index into the group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    group: usize,
    precoders: Vec<usize>,
}

/// Sums over resource blocks and receive antennas of h(a) h(b)*, which decide the power of every
/// precoder.
#[derive(Clone, Copy, Default)]
struct Covariance([[Complex64; PORTS]; PORTS]);

impl Covariance {
    /// Sums of the first `ports` of these channels.
    fn of(blocks: &[[Complex64; PORTS]], ports: usize) -> Covariance {
        let Covariance(mut sums) = Covariance::default();
        for channel in blocks {
            for (a, row) in sums.iter_mut().enumerate().take(ports) {
                for (b, sum) in row.iter_mut().enumerate().take(a + 1) {
                    *sum += channel[a] * channel[b].conj();
                }
            }
        }
        // The other half has the conjugates.
        Covariance(std::array::from_fn(|a| {
            std::array::from_fn(|b| if b <= a { sums[a][b] } else { sums[b][a].conj() })
        }))
    }

    /// Power of the precoded channel: the sum of |h(1) w(1) + h(2) w(2) + ...|^2.
    fn power(&self, products: &[Complex64], ports: usize) -> f64 {
        let row = |(products, row): (&[Complex64], &[Complex64; PORTS])| -> f64 {
            products.iter().zip(row).map(|(w, sum)| w.re * sum.re - w.im * sum.im).sum()
        };
        products.chunks_exact(ports).zip(&self.0).map(row).sum()
    }
}

impl Selector {
    /// For reports by `subband` resource blocks of a UE with so many receive antennas.
    pub(crate) fn new(codebook: Codebook, subband: usize, receivers: usize) -> Selector {
        let groups = codebook.groups();
        let products = |precoder: &Precoder| {
            precoder.iter().flat_map(|a| precoder.iter().map(move |b| a * b.conj())).collect()
        };
        Selector {
            products: groups.iter().map(|group| group.iter().map(products).collect()).collect(),
            groups,
            ports: codebook.ports(),
            receivers,
            subband,
        }
    }

    /// The choice for a channel: for each resource block the gains of ports at each receive antenna.
    pub(crate) fn choose(&self, channel: &[[Complex64; PORTS]]) -> Choice {
        let subbands = channel.chunks(self.subband * self.receivers);
        let subbands: Vec<Covariance> =
            subbands.map(|blocks| Covariance::of(blocks, self.ports)).collect();
        let (mut most, mut choice) = (f64::NEG_INFINITY, Choice::default());
        for (index, group) in self.products.iter().enumerate() {
            let best: Vec<(usize, f64)> =
                subbands.iter().map(|sums| self.best(group, sums)).collect();
            let power = best.iter().map(|&(_, power)| power).sum();
            if power > most {
                most = power;
                choice.group = index;
                choice.precoders.clear();
                choice.precoders.extend(best.iter().map(|&(precoder, _)| precoder));
            }
        }
        choice
    }

    /// The precoder with the most power, the first among equals, and its power.
    fn best(&self, group: &[Vec<Complex64>], sums: &Covariance) -> (usize, f64) {
        let powers = group.iter().map(|products| sums.power(products, self.ports)).enumerate();
        powers.fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
    }

    /// The precoder chosen for resource block `block`.
    pub(crate) fn precoder(&self, choice: &Choice, block: usize) -> &Precoder {
        &self.groups[choice.group][choice.precoders[block / self.subband]]
    }

    /// Power gain of resource block `block` with the precoder chosen for it, of all receive antennas.
    pub(crate) fn gain(
        &self,
        choice: &Choice,
        block: usize,
        channel: &[[Complex64; PORTS]],
    ) -> f64 {
        let precoder = self.precoder(choice, block);
        let received = |antenna: &[Complex64; PORTS]| -> f64 {
            let sum: Complex64 = precoder.iter().zip(antenna).map(|(w, h)| w * h).sum();
            sum.norm_sqr()
        };
        channel.iter().map(received).sum()
    }
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
            let selector = Selector::new(codebook, 6, 1);
            for w in codebook.groups().iter().flatten() {
                let channel = channel_for(w);
                let choice = selector.choose(&[channel; 6]);
                // All of |h|^2 = 4 arrives: the gain of perfect matching.
                assert!(
                    (selector.gain(&choice, 3, &[channel]) - 4.0).abs() < 1e-12,
                    "{codebook:?}"
                );
            }
        }
    }

    #[test]
    fn each_subband_has_its_own() {
        let precoders = Codebook::FourPorts.groups().remove(0);
        let (a, b) = (channel_for(&precoders[1]), channel_for(&precoders[9]));
        let channel = [a, a, a, b, b];
        let selector = Selector::new(Codebook::FourPorts, 3, 1);
        let choice = selector.choose(&channel);
        assert!((selector.gain(&choice, 0, &[a]) - 4.0).abs() < 1e-12);
        assert!((selector.gain(&choice, 4, &[b]) - 4.0).abs() < 1e-12);
        let wideband = Selector::new(Codebook::FourPorts, 5, 1);
        let choice = wideband.choose(&channel);
        assert!((wideband.gain(&choice, 0, &[a]) - 4.0).abs() < 1e-12, "the majority decides");
        assert!(wideband.gain(&choice, 4, &[b]) < 3.0);
    }

    #[test]
    fn beams_of_type_i_are_one_for_all_subbands() {
        let groups = Codebook::TypeI.groups();
        let (a, b) = (channel_for(&groups[2][0]), channel_for(&groups[6][0]));
        let selector = Selector::new(Codebook::TypeI, 1, 1);
        let choice = selector.choose(&[a, a, b]);
        assert!((selector.gain(&choice, 0, &[a]) - 4.0).abs() < 1e-12);
        // Beams 2 and 6 are orthogonal, whatever the phase between the polarisations.
        assert!(selector.gain(&choice, 2, &[b]) < 1e-12);
    }
}
