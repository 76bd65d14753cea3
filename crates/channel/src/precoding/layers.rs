//! Layers: the matrix that a UE asks for, and what its receiver makes of them.
//!
//! The Gram matrix of the precoded channel, G = W^H H^H H W, decides all that a linear receiver can do.
//! In noise of power N at each antenna, the MMSE receiver gives layer k the ratio
//! det(I + G / N) / det(I + G' / N) - 1. G' is G without row and column k. Each determinant is a sum
//! over the principal minors of G, divided by powers of N. So 2^n - 1 real numbers hold the channel of n
//! layers for any noise: 3, 7 and 15 for 2, 3 and 4 layers.
//!
//! Decision: the matrix is chosen by the mean channel of its subband, at a reference of 10 dB. Reason: a
//! library serves links of any noise, and the choice changes little with it. Price: at low SINR a UE asks
//! for a matrix that shares power more evenly than the best one.

use airpath_base::math;
use num_complex::Complex64;

use super::Codebook;
use super::codebook::{Precoders, open_loop, uplink};

/// Layers at most.
pub(crate) const MOST: usize = 4;
/// Principal minors of a matrix at most.
const MINORS: usize = (1 << MOST) - 1;
/// Ratio of a port's power to noise for which a UE chooses.
pub(crate) const REFERENCE: f64 = 10.0;

/// A Hermitian matrix: entries beyond its size are zero.
pub(crate) type Hermitian = [[Complex64; MOST]; MOST];
/// Principal minors of a matrix. That of rows and columns `set`, as bits, is at `set - 1`.
pub(crate) type Minors = [f64; MINORS];

/// The choice of matrices for a rank: their group, and of each subband the index into the group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    group: usize,
    matrices: Vec<usize>,
}

/// A UE's means to choose matrices of a rank.
pub(crate) struct Selector {
    /// The products of conjugate weights, for each entry of the Gram matrix.
    groups: Vec<Vec<Products>>,
    precoders: Vec<Vec<Precoders>>,
    layers: usize,
    ports: usize,
    /// Resource blocks of a subband.
    subband: usize,
    /// True if resource blocks have the matrices in turn.
    in_turn: bool,
}

/// Of a matrix W: conj(w_i(a)) w_j(b) for i up to j, and ports a and b.
struct Products(Vec<[[Complex64; MOST]; MOST]>);

impl Products {
    fn of(precoders: &Precoders) -> Products {
        let mut all = Vec::with_capacity(MOST * (MOST + 1) / 2);
        for (j, other) in precoders.iter().enumerate() {
            for one in &precoders[..=j] {
                let mut products = [[Complex64::default(); MOST]; MOST];
                for (row, a) in products.iter_mut().zip(one) {
                    row.iter_mut().zip(other).for_each(|(product, b)| *product = a.conj() * b);
                }
                all.push(products);
            }
        }
        Products(all)
    }

    /// The Gram matrix of a channel with this covariance of ports.
    fn gram(&self, covariance: &Hermitian, (layers, ports): (usize, usize)) -> Hermitian {
        let mut gram = Hermitian::default();
        let entries = (0..layers).flat_map(|j| (0..=j).map(move |i| (i, j)));
        for ((i, j), products) in entries.zip(&self.0) {
            let mut sum = Complex64::default();
            for (weights, row) in products.iter().zip(covariance).take(ports) {
                for (weight, entry) in weights.iter().zip(row).take(ports) {
                    sum += weight * entry;
                }
            }
            gram[i][j] = sum;
            gram[j][i] = sum.conj();
        }
        gram
    }
}

impl Selector {
    /// For 2 to 4 layers, with reports by `subband` resource blocks.
    pub(crate) fn new(codebook: Codebook, layers: usize, subband: usize) -> Selector {
        Selector::of(&codebook.layered(layers), (layers, codebook.ports()), subband)
    }

    /// For 1 or 2 layers of a UE with two ports, whose precoder is one for the whole carrier.
    pub(crate) fn uplink(layers: usize, resource_blocks: usize) -> Selector {
        Selector::of(&[uplink(layers)], (layers, 2), resource_blocks)
    }

    /// For 2 to 4 layers with open loop on two or four ports.
    pub(crate) fn open_loop(layers: usize, ports: usize) -> Selector {
        let selector = Selector::of(&[open_loop(ports, layers)], (layers, ports), 1);
        Selector { in_turn: true, ..selector }
    }

    fn of(groups: &[Vec<Precoders>], (layers, ports): (usize, usize), subband: usize) -> Selector {
        let precoders = groups.to_vec();
        let groups = groups.iter().map(|group| group.iter().map(Products::of).collect()).collect();
        Selector { groups, precoders, layers, ports, subband, in_turn: false }
    }

    /// The choice for a channel with these covariances of ports by resource block.
    pub(crate) fn choose(&self, covariances: &[Hermitian]) -> Choice {
        if self.in_turn {
            let count = self.groups[0].len();
            let matrices = (0..covariances.len()).map(|block| block % count).collect();
            return Choice { group: 0, matrices };
        }
        let subbands: Vec<Hermitian> = covariances.chunks(self.subband).map(mean).collect();
        let (mut most, mut choice) = (f64::NEG_INFINITY, Choice::default());
        for (index, group) in self.groups.iter().enumerate() {
            let best: Vec<(usize, f64)> =
                subbands.iter().map(|covariance| self.best(group, covariance)).collect();
            let sum = best.iter().map(|&(_, capacity)| capacity).sum();
            if sum > most {
                most = sum;
                let matrices = best.into_iter().map(|(matrix, _)| matrix).collect();
                choice = Choice { group: index, matrices };
            }
        }
        choice
    }

    /// The matrix with the largest capacity, the first among equals, and the logarithm of its
    /// determinant.
    fn best(&self, group: &[Products], covariance: &Hermitian) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for (n, products) in group.iter().enumerate() {
            let gram = products.gram(covariance, (self.layers, self.ports));
            let capacity = math::ln(determinant(&minors(&gram, self.layers), REFERENCE));
            if capacity > best.1 {
                best = (n, capacity);
            }
        }
        best
    }

    /// The precoders chosen for resource block `block`, one a layer.
    pub(crate) fn precoders(&self, choice: &Choice, block: usize) -> &Precoders {
        &self.precoders[choice.group][choice.matrices[block / self.subband]]
    }

    /// Principal minors of the Gram matrix of resource block `block` with the matrix chosen for it.
    pub(crate) fn minors(&self, choice: &Choice, block: usize, covariance: &Hermitian) -> Minors {
        let products = &self.groups[choice.group][choice.matrices[block / self.subband]];
        minors(&products.gram(covariance, (self.layers, self.ports)), self.layers)
    }
}

/// The mean of covariances of ports.
fn mean(covariances: &[Hermitian]) -> Hermitian {
    let share = 1.0 / covariances.len().max(1) as f64;
    let mut sums = Hermitian::default();
    for covariance in covariances {
        for (sum, entry) in sums.as_flattened_mut().iter_mut().zip(covariance.as_flattened()) {
            *sum += entry * share;
        }
    }
    sums
}

/// Covariance of ports: the sum over receive antennas of conj(h(a)) h(b), where each antenna has the
/// gains of up to four ports.
pub(crate) fn covariance<'a>(antennas: impl Iterator<Item = &'a [Complex64; MOST]>) -> Hermitian {
    let mut sums = Hermitian::default();
    for gains in antennas {
        for (row, a) in sums.iter_mut().zip(gains) {
            row.iter_mut().zip(gains).for_each(|(sum, b)| *sum += a.conj() * b);
        }
    }
    sums
}

/// All principal minors of the first `size` rows and columns.
pub(crate) fn minors(matrix: &Hermitian, size: usize) -> Minors {
    let mut minors = [0.0; MINORS];
    for set in 1..1_usize << size {
        let mut rows = [0; MOST];
        let mut count = 0;
        (0..size).filter(|row| set >> row & 1 == 1).for_each(|row| {
            rows[count] = row;
            count += 1;
        });
        // A Gram matrix has no negative minors; rounding may.
        minors[set - 1] = subdeterminant(matrix, &rows[..count]).max(0.0);
    }
    minors
}

/// The determinant of some rows and columns of a Hermitian matrix, by elimination without exchange: it
/// is zero where a pivot is.
fn subdeterminant(matrix: &Hermitian, rows: &[usize]) -> f64 {
    let mut own = Hermitian::default();
    for (line, row) in own.iter_mut().zip(rows) {
        line.iter_mut().zip(rows).for_each(|(entry, column)| *entry = matrix[*row][*column]);
    }
    let mut product = 1.0;
    for pivot in 0..rows.len() {
        let value = own[pivot][pivot].re;
        product *= value;
        if value <= 0.0 {
            return 0.0;
        }
        let line = own[pivot];
        for row in &mut own[pivot + 1..rows.len()] {
            let factor = row[pivot] / value;
            row.iter_mut().zip(line).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    product
}

/// det(I + ratio G) by the principal minors of G.
fn determinant(minors: &Minors, ratio: f64) -> f64 {
    let power = |set: usize| (0..set.count_ones()).fold(1.0, |power, _| power * ratio);
    1.0 + (1..).zip(minors).map(|(set, minor)| minor * power(set)).sum::<f64>()
}
