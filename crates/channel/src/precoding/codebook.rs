//! Codebooks of rank 1: the precoders that a UE may ask for.

use airpath_base::math;
use num_complex::Complex64;

/// A codebook for closed-loop precoding with one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codebook {
    /// Two ports, four precoders: TS 36.211, table 6.3.4.2.3-1, and the same in TS 38.214,
    /// table 5.2.2.2.1-1.
    TwoPorts,
    /// Four ports, sixteen precoders of LTE: TS 36.211, table 6.3.4.2.3-2.
    FourPorts,
    /// Four ports, 32 precoders of NR: type I, single panel, N1 = 2, N2 = 1, mode 1
    /// (TS 38.214, 5.2.2.2.1).
    TypeI,
}

/// A precoder: the weight of each port; the sum of their powers is 1.
pub(crate) type Precoder = Vec<Complex64>;

impl Codebook {
    /// Number of ports.
    pub fn ports(self) -> usize {
        match self {
            Codebook::TwoPorts => 2,
            Codebook::FourPorts | Codebook::TypeI => 4,
        }
    }

    /// Its precoders in groups: one group is reported for all resource blocks, and one
    /// precoder of it for each subband.
    pub(crate) fn groups(self) -> Vec<Vec<Precoder>> {
        match self {
            Codebook::TwoPorts => vec![two_ports()],
            Codebook::FourPorts => vec![U.iter().map(householder).collect()],
            Codebook::TypeI => (0..8).map(beam).collect(),
        }
    }
}

const I: Complex64 = Complex64::new(0.0, 1.0);

fn two_ports() -> Vec<Precoder> {
    let weight = core::f64::consts::FRAC_1_SQRT_2;
    let one = Complex64::new(1.0, 0.0);
    [one, -one, I, -I].iter().map(|&second| vec![weight * one, weight * second]).collect()
}

/// Real part, imaginary part.
type Pair = (f64, f64);
/// Half of the square root of 2.
const R: f64 = core::f64::consts::FRAC_1_SQRT_2;

/// The vectors u_0 to u_15 of TS 36.211, table 6.3.4.2.3-2, behind their first element,
/// which is 1.
const U: [[Pair; 3]; 16] = [
    [(-1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0)],
    [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0)],
    [(1.0, 0.0), (-1.0, 0.0), (1.0, 0.0)],
    [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0)],
    [(-R, -R), (0.0, -1.0), (R, -R)],
    [(R, -R), (0.0, 1.0), (-R, -R)],
    [(R, R), (0.0, -1.0), (-R, R)],
    [(-R, R), (0.0, 1.0), (R, R)],
    [(-1.0, 0.0), (1.0, 0.0), (1.0, 0.0)],
    [(0.0, -1.0), (-1.0, 0.0), (0.0, -1.0)],
    [(1.0, 0.0), (1.0, 0.0), (-1.0, 0.0)],
    [(0.0, 1.0), (-1.0, 0.0), (0.0, 1.0)],
    [(-1.0, 0.0), (-1.0, 0.0), (1.0, 0.0)],
    [(-1.0, 0.0), (1.0, 0.0), (-1.0, 0.0)],
    [(1.0, 0.0), (-1.0, 0.0), (-1.0, 0.0)],
    [(1.0, 0.0), (1.0, 0.0), (1.0, 0.0)],
];

/// The first column of W = I - 2 u u^H / (u^H u), where u^H u is 4 and u begins with 1.
fn householder(rest: &[Pair; 3]) -> Precoder {
    let mut precoder = vec![Complex64::new(0.5, 0.0)];
    precoder.extend(rest.iter().map(|&(re, im)| Complex64::new(-re, -im) * 0.5));
    precoder
}

/// The precoders of beam l: the beam on both polarisations, turned by one of four phases
/// (TS 38.214, table 5.2.2.2.1-5, codebook mode 1).
fn beam(l: usize) -> Vec<Precoder> {
    let angle = 2.0 * core::f64::consts::PI * l as f64 / 8.0;
    let second = Complex64::new(math::cos(angle), math::sin(angle));
    let half = Complex64::new(0.5, 0.0);
    let one = Complex64::new(1.0, 0.0);
    let turned = |phase: Complex64| {
        [one, second, phase, phase * second].iter().map(|weight| half * weight).collect()
    };
    [one, I, -one, -I].into_iter().map(turned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Codebook; 3] = [Codebook::TwoPorts, Codebook::FourPorts, Codebook::TypeI];

    fn precoders(codebook: Codebook) -> Vec<Precoder> {
        codebook.groups().into_iter().flatten().collect()
    }

    fn product(a: &Precoder, b: &Precoder) -> Complex64 {
        a.iter().zip(b).map(|(a, b)| a.conj() * b).sum()
    }

    #[test]
    fn every_precoder_has_the_power_of_one_port() {
        for codebook in ALL {
            for precoder in precoders(codebook) {
                assert_eq!(precoder.len(), codebook.ports());
                assert!((product(&precoder, &precoder).re - 1.0).abs() < 1e-12);
            }
        }
        assert_eq!(ALL.map(|codebook| precoders(codebook).len()), [4, 16, 32]);
    }

    #[test]
    fn precoders_are_far_apart() {
        // No two are nearer than a chordal distance of 2^-1/2, of the table computed beside; a
        // wrong sign brings some together.
        let precoders = precoders(Codebook::FourPorts);
        let mut least = f64::INFINITY;
        for (index, a) in precoders.iter().enumerate() {
            for b in &precoders[..index] {
                least = least.min((1.0 - product(a, b).norm_sqr()).max(0.0).sqrt());
            }
        }
        assert!((least - R).abs() < 1e-7, "{least}");
    }

    #[test]
    fn a_precoder_taken_at_random_gains_nothing() {
        // The precoders of each codebook are a tight frame: their mean projection is the
        // identity over the number of ports.
        for codebook in ALL {
            let (precoders, ports) = (precoders(codebook), codebook.ports());
            for a in 0..ports {
                for b in 0..ports {
                    let term = |w: &Precoder| w[a] * w[b].conj();
                    let mean: Complex64 =
                        precoders.iter().map(term).sum::<Complex64>() / precoders.len() as f64;
                    let expected = if a == b { 1.0 / ports as f64 } else { 0.0 };
                    assert!((mean - expected).l1_norm() < 1e-12, "{codebook:?} {a} {b} {mean}");
                }
            }
        }
    }
}
