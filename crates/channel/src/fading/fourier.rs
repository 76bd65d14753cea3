//! The discrete Fourier transform from lines to samples, for lengths that are powers of two.
//!
//! Written here because the well-known crate chooses its instructions by the processor it
//! runs on, and its last bits with them. Source: Cooley and Tukey, 1965.

use airpath_base::math;
use num_complex::Complex64;

/// The factors of a transform of one length.
pub(super) struct Transform {
    /// e^(2 pi i k / n) for the first half of k, for n of 2, 4, ... to the length: each pass
    /// reads its own in order.
    passes: Vec<Vec<Complex64>>,
}

impl Transform {
    /// For `length` samples, a power of two.
    pub(super) fn new(length: usize) -> Transform {
        let angle = |k: usize| 2.0 * core::f64::consts::PI * k as f64 / length as f64;
        let root = |k: usize| Complex64::new(math::cos(angle(k)), math::sin(angle(k)));
        let roots: Vec<Complex64> = (0..length / 2).map(root).collect();
        let pass = |bit: u32| roots.iter().step_by(length >> (bit + 1)).copied().collect();
        Transform { passes: (0..length.trailing_zeros()).map(pass).collect() }
    }

    /// Replaces lines X by samples x(n) = sum of X(k) e^(2 pi i k n / length).
    pub(super) fn samples(&self, data: &mut [Complex64]) {
        reverse_bits(data);
        for roots in &self.passes {
            let half = roots.len();
            for block in data.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                    let turned = *high * root;
                    (*low, *high) = (*low + turned, *low - turned);
                }
            }
        }
    }
}

fn reverse_bits(data: &mut [Complex64]) {
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
            let mut data = lines.clone();
            Transform::new(length).samples(&mut data);
            for (n, sample) in data.iter().enumerate() {
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
