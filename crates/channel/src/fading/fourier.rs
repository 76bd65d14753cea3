//! The discrete Fourier transform from lines to samples, for lengths that are powers of two.
//!
//! Written here because the well-known crate chooses its instructions by the processor it
//! runs on, and its last bits with them. Source: Cooley and Tukey, 1965.

use airpath_base::math;
use num_complex::Complex64;

/// Complex numbers: their real parts, and their imaginary parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    pub(super) re: Vec<f64>,
    pub(super) im: Vec<f64>,
}

impl Parts {
    /// So many zeros.
    pub(super) fn zeros(length: usize) -> Parts {
        Parts { re: vec![0.0; length], im: vec![0.0; length] }
    }

    /// The number at an index.
    pub(super) fn at(&self, index: usize) -> Complex64 {
        Complex64::new(self.re[index], self.im[index])
    }

    /// Sets the number at an index.
    pub(super) fn set(&mut self, index: usize, number: Complex64) {
        (self.re[index], self.im[index]) = (number.re, number.im);
    }
}

/// The factors of a transform of one length.
pub(super) struct Transform {
    /// e^(2 pi i k / n) for the first half of k, for n of 2, 4, ... to the length: each pass
    /// reads its own in order.
    passes: Vec<Parts>,
}

impl Transform {
    /// For `length` samples, a power of two.
    pub(super) fn new(length: usize) -> Transform {
        let angle = |k: usize| 2.0 * core::f64::consts::PI * k as f64 / length as f64;
        let of = |part: fn(f64) -> f64| -> Vec<f64> {
            (0..length / 2).map(|k| part(angle(k))).collect()
        };
        let (cos, sin) = (of(math::cos), of(math::sin));
        let pass = |bit: u32| {
            let own = |all: &[f64]| all.iter().step_by(length >> (bit + 1)).copied().collect();
            Parts { re: own(&cos), im: own(&sin) }
        };
        Transform { passes: (0..length.trailing_zeros()).map(pass).collect() }
    }

    /// Index at which [`samples`](Transform::samples) reads a line: its bits in reverse.
    pub(super) fn index(&self, line: usize) -> usize {
        // There are no bits for one sample alone.
        line.reverse_bits().checked_shr(usize::BITS - self.passes.len() as u32).unwrap_or(0)
    }

    /// Replaces lines X, each at its [`index`](Transform::index), by samples x(n) = sum of X(k) e^(2 pi
    /// i k n / length).
    pub(super) fn samples(&self, data: &mut Parts) {
        let (first, rest) = self.passes.split_at(self.passes.len().min(3));
        let block = 1 << first.len();
        for (re, im) in data.re.chunks_exact_mut(block).zip(data.im.chunks_exact_mut(block)) {
            // Most lines of a spectrum are zero.
            if re.iter().chain(im.iter()).any(|part| *part != 0.0) {
                first.iter().for_each(|roots| pass(roots, re, im));
            }
        }
        rest.iter().for_each(|roots| pass(roots, &mut data.re, &mut data.im));
    }
}

/// A pass with these roots.
fn pass(roots: &Parts, re: &mut [f64], im: &mut [f64]) {
    let half = roots.re.len();
    for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
        let (low_re, high_re) = re.split_at_mut(half);
        let (low_im, high_im) = im.split_at_mut(half);
        turn(&roots.re, &roots.im, low_re, low_im, high_re, high_im);
    }
}

/// A pass over one block. A function of its own, so that the compiler sees that no slice overlaps
/// another.
#[inline(never)]
fn turn(
    root_re: &[f64],
    root_im: &[f64],
    low_re: &mut [f64],
    low_im: &mut [f64],
    high_re: &mut [f64],
    high_im: &mut [f64],
) {
    let roots = root_re.iter().zip(root_im);
    let low = low_re.iter_mut().zip(low_im);
    let high = high_re.iter_mut().zip(high_im);
    for ((root, low), high) in roots.zip(low).zip(high) {
        let re = *high.0 * root.0 - *high.1 * root.1;
        let im = *high.0 * root.1 + *high.1 * root.0;
        (*high.0, *high.1) = (*low.0 - re, *low.1 - im);
        (*low.0, *low.1) = (*low.0 + re, *low.1 + im);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_the_sum_that_defines_it() {
        for length in [1_usize, 2, 8, 64] {
            let line = |k: usize| Complex64::new(k as f64 * 0.37 - 1.0, (k * k % 7) as f64);
            let lines: Vec<Complex64> = (0..length).map(line).collect();
            let mut data = Parts::zeros(length);
            let transform = Transform::new(length);
            lines.iter().enumerate().for_each(|(k, line)| data.set(transform.index(k), *line));
            transform.samples(&mut data);
            for n in 0..length {
                let sample = data.at(n);
                let turn = |k: usize| {
                    let angle = 2.0 * core::f64::consts::PI * (k * n) as f64 / length as f64;
                    Complex64::new(math::cos(angle), math::sin(angle))
                };
                let sum: Complex64 = (0..length).map(|k| lines[k] * turn(k)).sum();
                assert!((sample - sum).l1_norm() < 1e-10, "{length} {n} {sample} {sum}");
            }
        }
    }
}
