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

    /// Adds to the number at an index.
    pub(super) fn add(&mut self, index: usize, number: Complex64) {
        self.re[index] += number.re;
        self.im[index] += number.im;
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

    /// Replaces lines X by samples x(n) = sum of X(k) e^(2 pi i k n / length).
    pub(super) fn samples(&self, data: &mut Parts) {
        reverse_bits(&mut data.re);
        reverse_bits(&mut data.im);
        for roots in &self.passes {
            let block = 2 * roots.re.len();
            for (re, im) in data.re.chunks_exact_mut(block).zip(data.im.chunks_exact_mut(block)) {
                turn(roots, re, im);
            }
        }
    }
}

/// A pass over one block.
#[inline]
fn turn(roots: &Parts, re: &mut [f64], im: &mut [f64]) {
    let half = roots.re.len();
    let (low_re, high_re) = re.split_at_mut(half);
    let (low_im, high_im) = im.split_at_mut(half);
    let low = low_re.iter_mut().zip(low_im);
    let high = high_re.iter_mut().zip(high_im);
    for ((low, high), root) in low.zip(high).zip(roots.re.iter().zip(&roots.im)) {
        let re = *high.0 * root.0 - *high.1 * root.1;
        let im = *high.0 * root.1 + *high.1 * root.0;
        (*high.0, *high.1) = (*low.0 - re, *low.1 - im);
        (*low.0, *low.1) = (*low.0 + re, *low.1 + im);
    }
}

fn reverse_bits(data: &mut [f64]) {
    let bits = data.len().trailing_zeros();
    for index in 0..data.len() {
        // `bits` is 0 only for one sample, which stays where it is.
        let other = index.reverse_bits().checked_shr(usize::BITS - bits).unwrap_or(0);
        if index < other {
            data.swap(index, other);
        }
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
            lines.iter().enumerate().for_each(|(k, line)| data.add(k, *line));
            Transform::new(length).samples(&mut data);
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
