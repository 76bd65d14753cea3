//! Codebooks: the precoders that a UE may ask for, by rank.

use airpath_base::math;
use num_complex::Complex64;

use super::panel::Panel;

/// A codebook for closed-loop precoding.
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
    /// Type I of a panel of 8 to 32 ports.
    Panel(Panel),
}

/// A precoder of one layer: the weight of each port; the sum of their powers is 1.
pub(crate) type Precoder = Vec<Complex64>;
/// Precoders of several layers, one a layer; the sum of their powers is 1.
pub(crate) type Precoders = Vec<Precoder>;

impl Codebook {
    /// Number of ports.
    pub fn ports(self) -> usize {
        match self {
            Codebook::TwoPorts => 2,
            Codebook::FourPorts | Codebook::TypeI => 4,
            Codebook::Panel(panel) => panel.ports(),
        }
    }

    /// Mean share of a channel's power outside the precoder of one layer that a UE with one antenna reports, 0 to 1.
    /// Precoders count as random directions, and ports as independent Rayleigh ones. N precoders of M ports leave
    /// N Beta(N, M / (M - 1)), which is the product of k / (k + 1 / (M - 1)) over k from 1 to N.
    ///
    /// Source: Au-Yeung and Love, "On the performance of random vector quantization limited feedback beamforming in a
    /// MISO system", IEEE Transactions on Wireless Communications, 2007.
    pub fn unreported(self) -> f64 {
        outside(self.groups().iter().map(Vec::len).sum(), self.ports())
    }

    /// Its precoders in groups: one group is reported for all resource blocks, and one
    /// precoder of it for each subband.
    pub(crate) fn groups(self) -> Vec<Vec<Precoder>> {
        match self {
            Codebook::TwoPorts => vec![two_ports()],
            Codebook::FourPorts => vec![U.iter().map(|rest| householder(rest, 0)).collect()],
            Codebook::TypeI => one_layer(Panel::FOUR),
            Codebook::Panel(panel) => one_layer(panel),
        }
    }

    /// Its precoders of 2 to 4 layers in groups, as [`groups`](Codebook::groups) has those of one.
    pub(crate) fn layered(self, layers: usize) -> Vec<Vec<Precoders>> {
        let share = 1.0 / (layers as f64).sqrt();
        let shared = |precoders: Precoders| -> Precoders {
            precoders.iter().map(|one| one.iter().map(|weight| weight * share).collect()).collect()
        };
        let groups: Vec<Vec<Precoders>> = match self {
            Codebook::TwoPorts => vec![two_layers_on_two_ports()],
            Codebook::FourPorts => {
                let precoders = |(rest, columns): (&[Pair; 3], &[[usize; 4]; 3])| -> Precoders {
                    let columns = &columns[layers - 2][..layers];
                    columns.iter().map(|column| householder(rest, column - 1)).collect()
                };
                vec![U.iter().zip(&COLUMNS).map(precoders).collect()]
            }
            Codebook::TypeI => return Panel::FOUR.groups(layers),
            Codebook::Panel(panel) => return panel.groups(layers),
        };
        groups.into_iter().map(|group| group.into_iter().map(shared).collect()).collect()
    }
}

/// Mean share of power outside the best of so many random directions over 2 ports or more.
fn outside(directions: usize, ports: usize) -> f64 {
    let step = 1.0 / (ports as f64 - 1.0).max(1.0);
    (1..=directions).map(|k| k as f64 / (k as f64 + step)).product()
}

const ONE: Complex64 = Complex64::new(1.0, 0.0);
const I: Complex64 = Complex64::new(0.0, 1.0);

fn two_ports() -> Vec<Precoder> {
    let weight = core::f64::consts::FRAC_1_SQRT_2;
    [ONE, -ONE, I, -I].iter().map(|&second| vec![weight * ONE, weight * second]).collect()
}

/// The precoders of one or two layers that a UE with two ports may be given (TS 38.211, tables 6.3.1.5-1
/// and -4). Ports that are not used keep their share of the power (TS 38.213, 7.1).
pub(crate) fn uplink(layers: usize) -> Vec<Precoders> {
    let half = Complex64::new(0.5, 0.0);
    let root = Complex64::new(core::f64::consts::FRAC_1_SQRT_2, 0.0);
    let none = Complex64::default();
    let alone = [vec![root, none], vec![none, root]];
    match layers {
        1 => alone.into_iter().chain(two_ports()).map(|precoder| vec![precoder]).collect(),
        _ => {
            let both = |phase: Complex64| vec![vec![half, half * phase], vec![half, -half * phase]];
            vec![alone.to_vec(), both(ONE), both(I)]
        }
    }
}

/// The precoders of open loop with 2 to 4 layers on two or four ports, which are taken in turn: W(i) U of
/// TS 36.211, 6.3.4.2.2. With four ports W(i) are those with the indices 12 to 15.
pub(crate) fn open_loop(ports: usize, layers: usize) -> Vec<Precoders> {
    let identity =
        |port: usize| (0..2).map(move |n| if n == port { ONE } else { Complex64::default() });
    let matrices: Vec<Precoders> = match ports {
        2 => vec![(0..2).map(|port| identity(port).collect()).collect()],
        _ => {
            let columns = |(rest, columns): (&[Pair; 3], &[[usize; 4]; 3])| -> Precoders {
                let own = &columns[layers - 2][..layers];
                own.iter().map(|column| householder(rest, column - 1)).collect()
            };
            U.iter().zip(&COLUMNS).skip(12).map(columns).collect()
        }
    };
    matrices.iter().map(|matrix| spread(matrix)).collect()
}

/// A matrix of unit columns times the matrix U of table 6.3.4.2.2-1, with a power of 1 altogether.
fn spread(matrix: &[Precoder]) -> Precoders {
    let count = matrix.len() as f64;
    let column = |j: usize| -> Precoder {
        let weight = |m: usize| {
            let angle = -2.0 * core::f64::consts::PI * (m * j) as f64 / count;
            Complex64::new(math::cos(angle), math::sin(angle)) / count
        };
        let at_port = |port: usize| (0..matrix.len()).map(|m| matrix[m][port] * weight(m)).sum();
        (0..matrix[0].len()).map(at_port).collect()
    };
    (0..matrix.len()).map(column).collect()
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

/// Columns of the matrices W of [`U`] that 2, 3 and 4 layers have (TS 36.211, table 6.3.4.2.3-2); 0 is
/// none.
const COLUMNS: [[[usize; 4]; 3]; 16] = [
    [[1, 4, 0, 0], [1, 2, 4, 0], [1, 2, 3, 4]],
    [[1, 2, 0, 0], [1, 2, 3, 0], [1, 2, 3, 4]],
    [[1, 2, 0, 0], [1, 2, 3, 0], [3, 2, 1, 4]],
    [[1, 2, 0, 0], [1, 2, 3, 0], [3, 2, 1, 4]],
    [[1, 4, 0, 0], [1, 2, 4, 0], [1, 2, 3, 4]],
    [[1, 4, 0, 0], [1, 2, 4, 0], [1, 2, 3, 4]],
    [[1, 3, 0, 0], [1, 3, 4, 0], [1, 3, 2, 4]],
    [[1, 3, 0, 0], [1, 3, 4, 0], [1, 3, 2, 4]],
    [[1, 2, 0, 0], [1, 2, 4, 0], [1, 2, 3, 4]],
    [[1, 4, 0, 0], [1, 3, 4, 0], [1, 2, 3, 4]],
    [[1, 3, 0, 0], [1, 2, 3, 0], [1, 3, 2, 4]],
    [[1, 3, 0, 0], [1, 3, 4, 0], [1, 3, 2, 4]],
    [[1, 2, 0, 0], [1, 2, 3, 0], [1, 2, 3, 4]],
    [[1, 3, 0, 0], [1, 2, 3, 0], [1, 3, 2, 4]],
    [[1, 3, 0, 0], [1, 2, 3, 0], [3, 2, 1, 4]],
    [[1, 2, 0, 0], [1, 2, 3, 0], [1, 2, 3, 4]],
];

/// A column of W = I - 2 u u^H / (u^H u), where u^H u is 4 and u begins with 1.
fn householder(rest: &[Pair; 3], column: usize) -> Precoder {
    let u = |row: usize| match row {
        0 => Complex64::new(1.0, 0.0),
        _ => Complex64::new(rest[row - 1].0, rest[row - 1].1),
    };
    let own = u(column).conj();
    let weight = |row| {
        let one = if row == column { 1.0 } else { 0.0 };
        Complex64::new(one, 0.0) - u(row) * own * 0.5
    };
    (0..4).map(weight).collect()
}

/// Two layers on two ports (TS 36.211, table 6.3.4.2.3-1, indices 1 and 2; TS 38.214, table
/// 5.2.2.2.1-1): opposite phases on the second port.
fn two_layers_on_two_ports() -> Vec<Precoders> {
    let [plus, minus, plus_i, minus_i] =
        <[Precoder; 4]>::try_from(two_ports()).expect("four precoders");
    vec![vec![plus, minus], vec![plus_i, minus_i]]
}

/// The precoders of one layer of a panel in groups of one beam.
fn one_layer(panel: Panel) -> Vec<Vec<Precoder>> {
    panel.groups(1).into_iter().map(|group| group.into_iter().flatten().collect()).collect()
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
    fn layers_are_orthogonal_and_share_the_power() {
        for (codebook, layers, count) in [
            (Codebook::TwoPorts, 2, 2),
            (Codebook::FourPorts, 2, 16),
            (Codebook::FourPorts, 3, 16),
            (Codebook::FourPorts, 4, 16),
            (Codebook::TypeI, 2, 32),
            (Codebook::TypeI, 3, 16),
            (Codebook::TypeI, 4, 16),
        ] {
            let all: Vec<Precoders> = codebook.layered(layers).into_iter().flatten().collect();
            assert_eq!(all.len(), count);
            for precoders in &all {
                assert_eq!(precoders.len(), layers);
                for (n, a) in precoders.iter().enumerate() {
                    for (m, b) in precoders.iter().enumerate() {
                        let expected = if n == m { 1.0 / layers as f64 } else { 0.0 };
                        let found = product(a, b);
                        assert!((found - expected).l1_norm() < 1e-12, "{codebook:?} {n} {m}");
                    }
                }
            }
        }
    }

    #[test]
    fn shares_outside_reports_by_hand() {
        // Two ports: the product of k / (k + 1) is 1 / (N + 1), here a fifth. One direction leaves (M - 1) / M.
        assert!((Codebook::TwoPorts.unreported() - 0.2).abs() < 1e-12);
        for ports in [2, 4, 32] {
            assert!((outside(1, ports) - 1.0 + 1.0 / ports as f64).abs() < 1e-12);
        }
        // Three ports, two directions: 1 / 1.5 x 2 / 2.5.
        assert!((outside(2, 3) - 8.0 / 15.0).abs() < 1e-12);
    }

    #[test]
    fn random_directions_leave_the_share_of_theory() {
        // The share outside the best of N is below 1: its mean over 20 000 draws has a deviation below 0.0035, and
        // three of these are allowed.
        let mut normal = crate::testing::normals(5);
        for (directions, ports) in [(4, 2), (32, 4), (64, 8)] {
            let mut direction = || -> Precoder {
                let drawn: Precoder = (0..ports).map(|_| normal()).collect();
                let length = product(&drawn, &drawn).re.sqrt();
                drawn.iter().map(|x| x / length).collect()
            };
            let (draws, mut left) = (20_000, 0.0);
            for _ in 0..draws {
                let channel = direction();
                let inside = (0..directions).map(|_| product(&channel, &direction()).norm_sqr());
                left += 1.0 - inside.fold(0.0, f64::max);
            }
            let expected = outside(directions, ports);
            let found = left / f64::from(draws);
            assert!((found - expected).abs() < 0.0105, "{directions} {ports} {found} {expected}");
        }
    }

    #[test]
    fn uplink_has_its_tables() {
        assert_eq!([1, 2].map(|layers| uplink(layers).len()), [6, 3]);
        let power = |precoders: &Precoders| -> f64 {
            precoders.iter().flatten().map(Complex64::norm_sqr).sum()
        };
        // One port alone has half of the power; both together, and two layers, all of it.
        let powers: Vec<f64> = uplink(1).iter().chain(&uplink(2)).map(power).collect();
        let expected = [0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert!(powers.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{powers:?}");
        for precoders in uplink(2) {
            assert!(product(&precoders[0], &precoders[1]).l1_norm() < 1e-12);
        }
    }

    #[test]
    fn open_loop_by_hand() {
        // TS 36.211, 6.3.4.2.2: W = I / sqrt(2) and U = (1, 1; 1, -1) / sqrt(2).
        let two = open_loop(2, 2);
        let half = |signs: [f64; 2]| signs.map(|sign| Complex64::new(0.5 * sign, 0.0)).to_vec();
        let near =
            |a: &Precoder, b: &Precoder| a.iter().zip(b).all(|(a, b)| (a - b).l1_norm() < 1e-12);
        assert!(near(&two[0][0], &half([1.0, 1.0])) && near(&two[0][1], &half([1.0, -1.0])));
        for layers in 2..=4 {
            let four = open_loop(4, layers);
            assert_eq!(four.len(), 4);
            for precoders in &four {
                for (n, a) in precoders.iter().enumerate() {
                    for (m, b) in precoders.iter().enumerate() {
                        let expected = if n == m { 1.0 / layers as f64 } else { 0.0 };
                        assert!((product(a, b) - expected).l1_norm() < 1e-12, "{layers} {n} {m}");
                    }
                }
            }
        }
    }

    #[test]
    fn matrices_by_hand() {
        // TS 36.211, table 6.3.4.2.3-2, index 0: u = (1, -1, -1, -1), columns 1 and 4 of I - u u^H / 2.
        let lte = &Codebook::FourPorts.layered(2)[0][0];
        let half = 0.5 * core::f64::consts::FRAC_1_SQRT_2;
        let real = |signs: [f64; 4]| signs.map(|sign| Complex64::new(sign * half, 0.0));
        let near = |found: &Precoder, expected: [Complex64; 4]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).l1_norm() < 1e-12)
        };
        assert!(near(&lte[0], real([1.0, 1.0, 1.0, 1.0])));
        assert!(near(&lte[1], real([1.0, -1.0, -1.0, 1.0])));
        // TS 38.214, table 5.2.2.2.1-6: l = 0, i13 = 1, n = 0: (v0, v4; v0, -v4), v4 = (1, -1).
        let nr = &Codebook::TypeI.layered(2)[8][0];
        assert!(near(&nr[0], real([1.0, 1.0, 1.0, 1.0])));
        assert!(near(&nr[1], real([1.0, -1.0, -1.0, 1.0])));
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
        let panels = (8..=32).step_by(4).flat_map(Panel::of_ports).map(Codebook::Panel);
        for codebook in ALL.into_iter().chain(panels) {
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
