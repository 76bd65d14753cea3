//! Named random streams and draws keyed by coordinates.
//!
//! A run has one seed. Each purpose derives its own stream from that seed and a name ("ue 3 /
//! start"), at construction. A feature that is switched on therefore leaves every other draw as it
//! was, and two arms of an experiment share their draws. Ordered draws (the next page of a user)
//! come from a [`Stream`]. Draws that belong to coordinates (the block error of UE 3 in subframe
//! 1200) come from [`Keyed`], which does not depend on earlier draws.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use crate::math;

/// The seed of a run, from which all its randomness derives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of ordered draws with this name.
    pub fn stream(self, name: &str) -> Stream {
        Stream(Xoshiro256PlusPlus::seed_from_u64(self.key(name)))
    }

    /// The draws by coordinates with this name.
    pub fn keyed(self, name: &str) -> Keyed {
        Keyed(self.key(name))
    }

    fn key(self, name: &str) -> u64 {
        // FNV-1a, 64 bit (Fowler, Noll, Vo), then mixed with the seed.
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        mix(mix(self.0) ^ name)
    }
}

/// Ordered draws: xoshiro256++ (Blackman and Vigna, 2019).
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        unit(self.bits())
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in 0..n; zero if `n` is.
    pub fn below(&mut self, n: u64) -> u64 {
        // Multiply-shift (Lemire, 2019); the bias is below n / 2^64.
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Exponential with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * math::ln(1.0 - self.uniform())
    }

    /// Normal, by the transform of Box and Muller (1958); its second value is
    /// thrown away so that a draw always takes two numbers of the stream.
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let radius = (-2.0 * math::ln(1.0 - self.uniform())).sqrt();
        let angle = 2.0 * core::f64::consts::PI * self.uniform();
        mean + deviation * radius * math::cos(angle)
    }
}

/// Draws that are a pure function of their coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Keyed(u64);

impl Keyed {
    /// 64 random bits for these coordinates.
    pub fn bits(self, coordinates: [u64; 3]) -> u64 {
        coordinates.iter().fold(self.0, |h, &c| mix(h ^ mix(c)))
    }

    /// Uniform in [0, 1) for these coordinates.
    pub fn uniform(self, coordinates: [u64; 3]) -> f64 {
        unit(self.bits(coordinates))
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_names_differ() {
        let a: Vec<u64> = draws(Seed(1).stream("ue 1 / start"));
        let b: Vec<u64> = draws(Seed(1).stream("ue 2 / start"));
        assert_ne!(a, b);
        assert_eq!(a, draws(Seed(1).stream("ue 1 / start")));
    }

    fn draws(mut stream: Stream) -> Vec<u64> {
        (0..4).map(|_| stream.bits()).collect()
    }

    #[test]
    fn splitmix_reference_value() {
        // First output of SplitMix64 seeded with 0 (Vigna's splitmix64.c).
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn moments_of_the_distributions() {
        let mut s = Seed(7).stream("moments");
        let n = 200_000;
        let mean = (0..n).map(|_| s.exponential(2.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 2.0).abs() < 0.03, "{mean}");
        let square = (0..n).map(|_| s.normal(0.0, 3.0)).map(|x| x * x);
        let variance = square.sum::<f64>() / f64::from(n);
        assert!((variance - 9.0).abs() < 0.2, "{variance}");
    }

    #[test]
    fn keyed_draws_do_not_depend_on_order() {
        let k = Seed(3).keyed("bler");
        let late = k.uniform([3, 0, 17]);
        for slot in 0..100 {
            k.uniform([3, 0, slot]);
        }
        assert_eq!(late, k.uniform([3, 0, 17]));
    }
}
