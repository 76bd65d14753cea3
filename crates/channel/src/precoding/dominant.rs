//! The dominant eigenvector of a covariance, by power iteration.

use num_complex::Complex64;

/// Steps of the iteration: of two eigenvalues that differ by a tenth, the smaller has a hundredth of its power
/// left.
const ITERATIONS: usize = 24;

/// The largest eigenvalue of a covariance of antennas, and its eigenvector, not normalised. The iteration begins with
/// the strongest antenna.
pub(crate) fn dominant(covariance: &[Vec<Complex64>]) -> (f64, Vec<Complex64>) {
    let own = |n: &usize| covariance[*n][*n].re;
    let strongest = (0..covariance.len()).max_by(|a, b| own(a).total_cmp(&own(b))).unwrap_or(0);
    let mut vector: Vec<Complex64> = covariance.iter().map(|row| row[strongest]).collect();
    let mut value = 0.0;
    for _ in 0..ITERATIONS {
        let power = vector.iter().map(Complex64::norm_sqr).sum::<f64>();
        let next: Vec<Complex64> = covariance
            .iter()
            .map(|row| row.iter().zip(&vector).map(|(c, v)| c * v).sum())
            .collect();
        let quotient: Complex64 = vector.iter().zip(&next).map(|(v, n)| v.conj() * n).sum();
        value = quotient.re / power;
        vector = next.into_iter().map(|x| x / power.sqrt()).collect();
    }
    (value, vector)
}
