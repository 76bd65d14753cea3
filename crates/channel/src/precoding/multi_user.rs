//! Layers to several UEs in the same resource blocks: regularised zero-forcing, and what receivers make of it.
//!
//! Each UE has one layer. Its receive antennas are known as one: the dominant left singular vector u of its channel
//! H combines them. The gains of ports are then h = u^H H, over the amplitude of the UE's noise. K layers share
//! power 1. Their precoders are the normalised columns of H^H (H H^H + K I)^-1. A layer then has the largest ratio of its
//! power to noise and its leakage (Sadek, Tarighat and Sayed, 2007). Without noise that is zero-forcing.
//!
//! The receiver of a UE knows all that it receives: it is MMSE, and counts the other layers as they arrive.
//!
//! Sources: Peel, Hochwald and Swindlehurst, "A vector-perturbation technique for near-capacity multiantenna
//! multiuser communication", 2005. Sadek, Tarighat and Sayed, "A leakage-based precoding scheme for downlink
//! multi-user MIMO channels", 2007.
//!
//! Left out: several layers a UE in the same resource blocks as others, and power that differs by layer.

use num_complex::Complex64;

use super::dominant;
use crate::fading::white_ratio;

/// Least power of an unnormalised precoder: that of a UE without a channel.
const LEAST: f64 = 1e-300;

/// The gains of ports with receive antennas combined by the dominant left singular vector of the channel. `gains`
/// are by antenna, then port.
pub fn combined(gains: &[Complex64], ports: usize) -> Vec<Complex64> {
    let antennas: Vec<&[Complex64]> = gains.chunks_exact(ports.max(1)).collect();
    if let [one] = antennas[..] {
        return one.to_vec();
    }
    let covariance: Vec<Vec<Complex64>> =
        antennas.iter().map(|a| antennas.iter().map(|b| product(a, b)).collect()).collect();
    let (_, vector) = dominant(&covariance);
    let length = vector.iter().map(Complex64::norm_sqr).sum::<f64>().max(LEAST).sqrt();
    let at = |port: usize| {
        antennas.iter().zip(&vector).map(|(gains, u)| gains[port] * u.conj()).sum::<Complex64>()
    };
    (0..ports).map(|port| at(port) / length).collect()
}

/// The product of a channel with the conjugate of another.
pub fn product(one: &[Complex64], other: &[Complex64]) -> Complex64 {
    one.iter().zip(other).map(|(a, b)| a * b.conj()).sum()
}

/// Regularised zero-forcing of some layers: (G + K I)^-1 for the Gram matrix G of their channels.
#[derive(Clone, Debug, Default)]
pub struct ZeroForcing {
    count: usize,
    inverse: Vec<Complex64>,
    /// Power of each precoder before it is normalised.
    powers: Vec<f64>,
}

impl ZeroForcing {
    /// Layers whose channels have these [products](product), each channel over the amplitude of its noise with all of
    /// the power in it.
    pub fn set(&mut self, count: usize, gram: impl Fn(usize, usize) -> Complex64) {
        let share = count as f64;
        self.count = count;
        self.inverse.clear();
        self.inverse.extend((0..count * count).map(|n| gram(n / count, n % count)));
        (0..count).for_each(|n| self.inverse[n * (count + 1)] += share);
        invert(&mut self.inverse, count);
        self.powers.clear();
        for row in self.inverse.chunks_exact(count).enumerate() {
            let (n, row) = row;
            let squared: f64 = row.iter().map(Complex64::norm_sqr).sum();
            self.powers.push((row[n].re - share * squared).max(LEAST));
        }
    }

    /// The number of layers.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The ratio of layer `n` to noise and the other layers, for channels as they are known.
    pub fn ratio(&self, n: usize) -> f64 {
        let share = self.count as f64;
        let row = &self.inverse[n * self.count..][..self.count];
        let (mut own, mut others) = (0.0, 0.0);
        for (other, (entry, power)) in row.iter().zip(&self.powers).enumerate() {
            match other == n {
                true => own = (1.0 - share * entry).norm_sqr() / power,
                false => others += share * share * entry.norm_sqr() / power,
            }
        }
        own / (share + others)
    }

    /// The precoder of layer `n`, whose power is 1, for the channels whose products these are.
    pub fn precoder<'a>(
        &self,
        n: usize,
        channels: impl Iterator<Item = &'a [Complex64]>,
    ) -> Vec<Complex64> {
        let amplitude = self.powers[n].sqrt();
        let mut weights = Vec::new();
        for (other, channel) in channels.take(self.count).enumerate() {
            let factor = self.inverse[other * self.count + n] / amplitude;
            weights.resize(channel.len(), Complex64::default());
            weights.iter_mut().zip(channel).for_each(|(sum, h)| *sum += h.conj() * factor);
        }
        weights
    }
}

/// Inverts a positive matrix of `count` rows, by elimination without exchange.
fn invert(matrix: &mut [Complex64], count: usize) {
    for pivot in 0..count {
        let (before, rest) = matrix.split_at_mut(pivot * count);
        let (line, behind) = rest.split_at_mut(count);
        let scale = 1.0 / line[pivot].re.max(LEAST);
        line[pivot] = Complex64::new(1.0, 0.0);
        line.iter_mut().for_each(|entry| *entry *= scale);
        for row in before.chunks_exact_mut(count).chain(behind.chunks_exact_mut(count)) {
            let factor = std::mem::take(&mut row[pivot]);
            row.iter_mut().zip(&*line).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
}

/// The ratio of signal `own` behind an MMSE receiver of 1 to 4 antennas in white noise. `signals` have their gains at
/// the antennas, signal after signal, in which all of their power is.
pub fn received(signals: &[Complex64], antennas: usize, own: usize, noise: f64) -> f64 {
    match antennas {
        1 => white_ratio::<1>(signals, own, noise),
        2 => white_ratio::<2>(signals, own, noise),
        3 => white_ratio::<3>(signals, own, noise),
        _ => white_ratio::<4>(signals, own, noise),
    }
}

#[cfg(test)]
#[path = "multi_user_tests.rs"]
mod tests;
