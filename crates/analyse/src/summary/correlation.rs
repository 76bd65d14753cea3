//! Correlation of two values over all flows: of their logarithms, as in the study (section
//! 4.1), and of their ranks (Spearman).
//!
//! Pearson's coefficient is exact. For the rank coefficient, both values go into buckets of an
//! eighth of a power of two, and values in one bucket share a rank. A table of counts is then all
//! that is kept, and the order of the flows does not matter.

use airpath_base::math::ln;
use serde::Serialize;

use super::distribution::place;
use crate::moments::Moments;

/// Buckets of the distributions that make one here.
const COARSE: usize = 16;

/// Pairs of positive values.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Of the logarithms.
    moments: Moments,
    /// Counts by bucket of the first, then of the second value.
    table: Vec<Vec<u32>>,
}

/// Correlation of two values, from -1 to 1; none if one of them does not vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Correlation {
    /// Pearson's coefficient of the logarithms.
    pub log: Option<f64>,
    /// Spearman's coefficient of the ranks.
    pub rank: Option<f64>,
}

impl Pairs {
    /// Adds a pair; it is left out unless both are positive.
    pub(super) fn add(&mut self, x: u64, y: u64) {
        if x == 0 || y == 0 {
            return;
        }
        let (row, column) = (place(x) / COARSE, place(y) / COARSE);
        if self.table.len() <= row {
            self.table.resize_with(row + 1, Vec::new);
        }
        let row = &mut self.table[row];
        if row.len() <= column {
            row.resize(column + 1, 0);
        }
        row[column] = row[column].saturating_add(1);
        self.moments.add(ln(x as f64), ln(y as f64));
    }

    pub(super) fn correlation(&self) -> Correlation {
        let Moments { xx, xy, yy, .. } = self.moments;
        Correlation { log: coefficient(xx, xy, yy), rank: self.rank() }
    }

    fn rank(&self) -> Option<f64> {
        let width = self.table.iter().map(Vec::len).max().unwrap_or_default();
        let mut columns = vec![0u64; width];
        for row in &self.table {
            columns.iter_mut().zip(row).for_each(|(sum, n)| *sum += u64::from(*n));
        }
        let rows = self.table.iter().map(|row| row.iter().map(|n| u64::from(*n)).sum());
        let (rows, columns) = (ranks(rows), ranks(columns.into_iter()));
        // All ranks are counted from their mean.
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for (row, x) in self.table.iter().zip(&rows) {
            for (n, y) in row.iter().zip(&columns).filter(|(n, _)| **n > 0) {
                let n = f64::from(*n);
                (xx, xy, yy) = (xx + n * x * x, xy + n * x * y, yy + n * y * y);
            }
        }
        coefficient(xx, xy, yy)
    }
}

/// The rank that what is in each bucket shares, less the mean of all ranks.
fn ranks(counts: impl Iterator<Item = u64>) -> Vec<f64> {
    let mut below = 0u64;
    let ranks = counts.map(|n| {
        let rank = below as f64 + n as f64 / 2.0;
        below += n;
        rank
    });
    let ranks: Vec<f64> = ranks.collect();
    ranks.into_iter().map(|rank| rank - below as f64 / 2.0).collect()
}

fn coefficient(xx: f64, xy: f64, yy: f64) -> Option<f64> {
    let scale = (xx * yy).sqrt();
    (scale > 0.0).then(|| (xy / scale).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use airpath_base::math::exp;
    use airpath_base::random::Seed;

    use super::*;

    #[test]
    fn a_power_of_the_other_is_wholly_correlated() {
        for (power, sign) in [(2i32, 1.0), (-1, -1.0)] {
            let mut pairs = Pairs::default();
            (1..1000u64).for_each(|n| pairs.add(n, (1e9 * (n as f64).powi(power)) as u64));
            let Correlation { log, rank } = pairs.correlation();
            assert!((log.unwrap() - sign).abs() < 1e-6, "{log:?}");
            assert!((rank.unwrap() - sign).abs() < 0.01, "{rank:?}");
        }
    }

    #[test]
    fn what_does_not_vary_has_no_correlation() {
        let mut pairs = Pairs::default();
        (1..10).for_each(|n| pairs.add(n, 5));
        pairs.add(0, 7);
        assert_eq!(pairs.correlation(), Correlation::default());
        assert_eq!(Pairs::default().correlation(), Correlation::default());
    }

    /// Bivariate normal logarithms with correlation r have a Spearman coefficient of
    /// 6 / pi asin(r / 2) (Pearson 1907).
    #[test]
    fn ranks_of_normal_logarithms_are_as_theory_has_them() {
        let mut random = Seed(1).stream("correlation");
        let mut pairs = Pairs::default();
        let r = 0.6f64;
        let mut normal = || -> f64 {
            (0..12).map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
        };
        for _ in 0..100_000 {
            let (a, b) = (normal(), normal());
            let y = r * a + (1.0 - r * r).sqrt() * b;
            pairs.add(exp(10.0 + 2.0 * a) as u64, exp(12.0 + 2.0 * y) as u64);
        }
        let Correlation { log, rank } = pairs.correlation();
        let spearman = 6.0 / core::f64::consts::PI * (r / 2.0).asin();
        assert!((log.unwrap() - r).abs() < 0.01, "{log:?}");
        assert!((rank.unwrap() - spearman).abs() < 0.01, "{rank:?} {spearman}");
    }
}
