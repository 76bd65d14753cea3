//! Mean and central moments of pairs, updated as they come (Welford).

/// Moments of pairs (x, y) for a least-squares line and a correlation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    /// Number of pairs.
    pub(crate) n: f64,
    /// Means of x and y.
    pub(crate) mean: (f64, f64),
    /// Sums of products of the distances from the means.
    pub(crate) xx: f64,
    pub(crate) xy: f64,
    pub(crate) yy: f64,
}

impl Moments {
    #[inline]
    pub(crate) fn add(&mut self, x: f64, y: f64) {
        self.n += 1.0;
        let (dx, dy) = (x - self.mean.0, y - self.mean.1);
        self.mean.0 += dx / self.n;
        self.mean.1 += dy / self.n;
        self.xx += dx * (x - self.mean.0);
        self.xy += dx * (y - self.mean.1);
        self.yy += dy * (y - self.mean.1);
    }
}
