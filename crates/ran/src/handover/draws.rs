//! Draws of handover: pure functions of the seed and of coordinates.

use airpath_base::math;
use airpath_base::random::{Keyed, Seed};

/// Draws by three coordinates, such as UE, cell and time. One more UE moves nobody's draws.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    first: Keyed,
    second: Keyed,
}

impl Draws {
    /// Draws of a seed with a name.
    pub fn new(seed: Seed, name: &str) -> Draws {
        Draws { first: seed.keyed(name), second: seed.keyed(&format!("{name} / second")) }
    }

    /// Uniform in [0, 1).
    pub fn uniform(self, coordinates: [u64; 3]) -> f64 {
        self.first.uniform(coordinates)
    }

    /// Uniform in 0..n; zero if `n` is.
    pub fn below(self, coordinates: [u64; 3], n: u32) -> u32 {
        (self.uniform(coordinates) * f64::from(n)) as u32
    }

    /// Exponential with mean 1.
    pub fn exponential(self, coordinates: [u64; 3]) -> f64 {
        -math::ln(1.0 - self.uniform(coordinates))
    }

    /// Normal with mean 0 and standard deviation 1, by the transform of Box and Muller (1958).
    pub fn normal(self, coordinates: [u64; 3]) -> f64 {
        let radius = (2.0 * self.exponential(coordinates)).sqrt();
        radius * math::cos(2.0 * core::f64::consts::PI * self.second.uniform(coordinates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_by_coordinates() {
        // 40 000 draws: the error of the mean is 0.005, that of the variance 0.007.
        let draws = Draws::new(Seed(5), "test");
        let drawn: Vec<f64> = (0..40_000).map(|n| draws.normal([n % 200, n / 200, 3])).collect();
        let mean = drawn.iter().sum::<f64>() / 4e4;
        let variance = drawn.iter().map(|x| x * x).sum::<f64>() / 4e4;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        // 4.55% lie beyond two deviations; the error of the share is 0.1%.
        let beyond = drawn.iter().filter(|x| x.abs() > 2.0).count() as f64 / 4e4;
        assert!((beyond - 0.0455).abs() < 0.004, "{beyond}");
        let thirds = (0..30_000).filter(|n| draws.below([*n, 0, 0], 3) == 2).count();
        assert!((9_650..10_350).contains(&thirds), "{thirds}");
    }
}
