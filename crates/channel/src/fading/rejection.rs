//! Interference rejection: a receiver that turns its weights away from what disturbs (MMSE-IRC).
//!
//! The best linear receiver has the ratio P h^H R^-1 h for a signal of power P with gains h. R is the
//! covariance of noise and interference over the antennas. Each of several layers counts the others into R. In
//! white noise that is the MMSE receiver without rejection.
//!
//! Sources: TR 36.829; Winters, "Optimum combining in digital mobile radio with cochannel interference",
//! IEEE JSAC 2, 1984.
//!
//! Left out: errors of the estimates of R and h.

use num_complex::Complex64;

use super::interference::{Eight, set_bits};

/// Least share of its diagonal entry that a pivot has: what floats of a covariance resolve.
const LEAST: f64 = 1e-7;

/// Covariance of noise and interference over the antennas, in each resource block of a carrier.
///
/// Rows by resource block: the power at each antenna, then of each pair real and imaginary part.
#[derive(Clone, Debug)]
pub struct Covariance {
    antennas: usize,
    stride: usize,
    rows: Vec<Eight>,
}

impl Covariance {
    /// White over so many antennas, 2 to 4: `power` in each resource block at each of them.
    pub fn white(antennas: usize, power: &[Eight]) -> Covariance {
        let stride = power.len();
        let mut rows = vec![[0.0; 8]; antennas * antennas * stride];
        rows[..antennas * stride]
            .chunks_exact_mut(stride)
            .for_each(|row| row.copy_from_slice(power));
        Covariance { antennas, stride, rows }
    }

    /// Covariance with these rows, of a carrier that has as many eights as they have together by the square
    /// of antennas.
    pub fn of_rows(antennas: usize, rows: &[f32]) -> Covariance {
        let rows = rows.as_chunks().0.to_vec();
        Covariance { antennas, stride: rows.len() / (antennas * antennas), rows }
    }

    /// Its rows.
    pub fn rows(&self) -> &[f32] {
        self.rows.as_flattened()
    }

    /// Adds a signal of mean gain `gain` that is sent with `power` in each resource block, in some eights
    /// of the carrier. `vector` has its gains at the antennas
    /// ([`Library::disturbing`](super::Library::disturbing)). Power that has been counted as white before,
    /// `less` of what is sent, is taken off.
    pub fn add(
        &mut self,
        vector: &[Eight],
        power: &[Eight],
        (gain, less): (f32, f32),
        eights: u64,
    ) {
        match self.antennas {
            2 => self.add_to::<2>(vector, power, (gain, less), eights),
            3 => self.add_to::<3>(vector, power, (gain, less), eights),
            _ => self.add_to::<4>(vector, power, (gain, less), eights),
        }
    }

    fn add_to<const N: usize>(
        &mut self,
        vector: &[Eight],
        power: &[Eight],
        (gain, less): (f32, f32),
        eights: u64,
    ) {
        let stride = self.stride;
        let vector: [[&[Eight]; 2]; N] = std::array::from_fn(|antenna| {
            std::array::from_fn(|part| &vector[(2 * antenna + part) * stride..][..stride])
        });
        for n in set_bits(eights) {
            let power = power[n];
            let gains: [[Eight; 2]; N] = vector.map(|parts| parts.map(|row| row[n]));
            let mut pair = N;
            for (one, [re, im]) in gains.iter().enumerate() {
                let (mut own_re, mut own_im) = ([0.0; 8], [0.0; 8]);
                let row = &mut self.rows[one * stride + n];
                for lane in 0..8 {
                    let received = gain * power[lane];
                    own_re[lane] = received * re[lane];
                    own_im[lane] = received * im[lane];
                    let power = less * power[lane];
                    row[lane] += own_re[lane] * re[lane] + own_im[lane] * im[lane] - power;
                }
                for [re, im] in &gains[one + 1..] {
                    let row = &mut self.rows[pair * stride + n];
                    for lane in 0..8 {
                        row[lane] += own_re[lane] * re[lane] + own_im[lane] * im[lane];
                    }
                    let row = &mut self.rows[(pair + 1) * stride + n];
                    for lane in 0..8 {
                        row[lane] += own_im[lane] * re[lane] - own_re[lane] * im[lane];
                    }
                    pair += 2;
                }
            }
        }
    }

    /// The ratio of each of several layers in resource block `block`. `wanted` has their gains at the
    /// antennas ([`Library::wanted`](super::Library::wanted)), `power` is that of all of them together.
    pub fn ratios(&self, wanted: &[Eight], power: f32, block: usize, ratios: &mut [f32]) {
        match self.antennas {
            2 => self.ratios_of::<2>(wanted, power, block, ratios),
            3 => self.ratios_of::<3>(wanted, power, block, ratios),
            _ => self.ratios_of::<4>(wanted, power, block, ratios),
        }
    }

    /// The ratio of one layer at two antennas in eight `n` of the carrier, by the inverse of two by two; see
    /// [`ratios`](Covariance::ratios).
    pub fn ratios_of_pair(&self, wanted: &[Eight], power: f32, n: usize) -> Eight {
        let row = |rows: &[Eight], row: usize| rows[row * self.stride + n].map(f64::from);
        let [one, other, re, im] = std::array::from_fn(|part| row(&self.rows, part));
        let [h_re, h_im, g_re, g_im] = std::array::from_fn(|part| row(wanted, part));
        std::array::from_fn(|lane| {
            let squared = re[lane] * re[lane] + im[lane] * im[lane];
            let pivot = (other[lane] - squared / one[lane]).max(LEAST * other[lane]);
            // g - h times the lower entry over the first: that of the pair is the conjugate.
            let (c, s) = (re[lane] / one[lane], -im[lane] / one[lane]);
            let left_re = g_re[lane] - (c * h_re[lane] - s * h_im[lane]);
            let left_im = g_im[lane] - (c * h_im[lane] + s * h_re[lane]);
            let first = (h_re[lane] * h_re[lane] + h_im[lane] * h_im[lane]) / one[lane];
            let second = (left_re * left_re + left_im * left_im) / pivot;
            (f64::from(power) * (first + second)) as f32
        })
    }

    fn ratios_of<const N: usize>(
        &self,
        wanted: &[Eight],
        power: f32,
        block: usize,
        ratios: &mut [f32],
    ) {
        let mut matrix = self.matrix::<N>(block);
        let amplitude = f64::from(power).sqrt();
        let at =
            |row: usize| f64::from(wanted[row * self.stride + block / 8][block % 8]) * amplitude;
        let gains = |layer: usize| -> [Complex64; N] {
            std::array::from_fn(|antenna| {
                let row = 2 * (layer * N + antenna);
                Complex64::new(at(row), at(row + 1))
            })
        };
        let several = ratios.len() > 1;
        for layer in (0..ratios.len()).filter(|_| several) {
            let gains = gains(layer);
            for (row, one) in matrix.iter_mut().zip(gains) {
                row.iter_mut().zip(gains).for_each(|(entry, other)| *entry += one * other.conj());
            }
        }
        factorise(&mut matrix);
        for (layer, ratio) in ratios.iter_mut().enumerate() {
            let own = quadratic(&matrix, gains(layer));
            // With its own signal in the matrix: x / (1 - x) (Sherman and Morrison).
            *ratio = if several { own / (1.0 - own).max(LEAST) } else { own } as f32;
        }
    }

    fn matrix<const N: usize>(&self, block: usize) -> [[Complex64; N]; N] {
        let at = |row: usize| f64::from(self.rows[row * self.stride + block / 8][block % 8]);
        let mut matrix = [[Complex64::default(); N]; N];
        let pairs = (0..N).flat_map(|one| (one + 1..N).map(move |other| (one, other)));
        for ((one, other), pair) in pairs.zip((N..).step_by(2)) {
            let entry = Complex64::new(at(pair), at(pair + 1));
            (matrix[one][other], matrix[other][one]) = (entry, entry.conj());
        }
        let diagonal = matrix.iter_mut().enumerate();
        diagonal.for_each(|(one, row)| row[one] = Complex64::new(at(one), 0.0));
        matrix
    }
}

/// The ratio of signal `own` behind an MMSE receiver in white noise, of which signals have gains at N antennas.
pub(crate) fn white_ratio<const N: usize>(signals: &[Complex64], own: usize, noise: f64) -> f64 {
    let (signals, _) = signals.as_chunks::<N>();
    let mut matrix = [[Complex64::default(); N]; N];
    (0..N).for_each(|n| matrix[n][n].re = noise);
    for gains in signals.iter().enumerate().filter(|(n, _)| *n != own).map(|(_, gains)| gains) {
        for (row, one) in matrix.iter_mut().zip(gains) {
            row.iter_mut().zip(gains).for_each(|(entry, other)| *entry += one * other.conj());
        }
    }
    factorise(&mut matrix);
    quadratic(&matrix, signals[own])
}

/// Elimination without exchange, A = L D L^H: leaves D on the diagonal and L below.
fn factorise<const N: usize>(matrix: &mut [[Complex64; N]; N]) {
    for pivot in 0..N {
        let line = matrix[pivot];
        for (n, row) in matrix.iter_mut().enumerate().skip(pivot + 1) {
            let before = row[n].re;
            let factor = row[pivot] / line[pivot].re;
            let entries = row.iter_mut().zip(line).skip(pivot + 1);
            entries.for_each(|(entry, above)| *entry -= factor * above);
            row[n].re = row[n].re.max(LEAST * before);
            row[pivot] = factor;
        }
    }
}

/// h^H A^-1 h for a matrix that [`factorise`] left.
fn quadratic<const N: usize>(matrix: &[[Complex64; N]; N], mut gains: [Complex64; N]) -> f64 {
    let mut sum = 0.0;
    for pivot in 0..N {
        let own = gains[pivot];
        sum += own.norm_sqr() / matrix[pivot][pivot].re;
        for row in pivot + 1..N {
            gains[row] -= matrix[row][pivot] * own;
        }
    }
    sum
}
