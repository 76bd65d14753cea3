//! Draws and distances of distributions, for tests against closed forms.

use airpath_base::math;
use airpath_base::random::Seed;
use num_complex::Complex64;

/// Draws of the distributions.
pub(crate) const DRAWS: usize = 100_000;

/// Complex normal numbers of mean power 1.
pub(crate) fn normals(seed: u64) -> impl FnMut() -> Complex64 {
    let mut stream = Seed(seed).stream("normals");
    move || {
        let radius = (-math::ln(1.0 - stream.uniform())).sqrt();
        let angle = 2.0 * core::f64::consts::PI * stream.uniform();
        Complex64::new(radius * math::cos(angle), radius * math::sin(angle))
    }
}

/// Largest distance of the distribution of `samples` from `expected`.
pub(crate) fn distance(mut samples: Vec<f64>, expected: impl Fn(f64) -> f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let count = samples.len() as f64;
    let far = |(n, x): (usize, &f64)| {
        let value = expected(*x);
        (value - n as f64 / count).abs().max(((n + 1) as f64 / count - value).abs())
    };
    samples.iter().enumerate().map(far).fold(0.0, f64::max)
}

/// The distance that one of a hundred samples of the distribution exceeds (Kolmogorov, 1933).
pub(crate) const FAR: f64 = 1.628;
