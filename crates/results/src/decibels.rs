//! Values in decibels, in bounded memory.
//!
//! Each is counted in its tenth of a decibel. Mean and extremes are exact; a percentile is the
//! middle of the tenth that holds its nearest rank, so off by 0.05 dB at most. What is beyond
//! 100 dB in either direction counts as that.

use airpath_base::math;
use airpath_stats::rank;
use serde::{Deserialize, Serialize};

use airpath_base::documented;
use airpath_base::measure::DB;

/// Bins a decibel.
const STEPS: f32 = 10.0;
/// The farthest bin from 0 dB.
const FARTHEST: f32 = 1_000.0;

/// A histogram of values in decibels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decibels {
    /// Number of the bin of `counts[0]`.
    low: i32,
    counts: Vec<u32>,
    count: u64,
    sum: f64,
    /// The least and the largest.
    ends: Option<(f32, f32)>,
}

documented! {
    /// Statistics of a set of values in decibels.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct DecibelSummary {
        /// Mean of the values in dB.
        pub mean_db: f64 [DB],
        /// Mean of the ratios in dB, off by 0.05 dB at most.
        #[serde(default)]
        pub linear_mean_db: f64 [DB],
        /// 5th percentile by nearest rank, in tenths of a dB.
        pub p5_db: f64 [DB],
        /// Median likewise.
        pub p50_db: f64 [DB],
        /// 95th percentile likewise.
        pub p95_db: f64 [DB],
    }
}

impl Decibels {
    /// Takes one value in; one that is no number is left out.
    #[inline]
    pub fn add(&mut self, value: f32) {
        if value.is_nan() {
            return;
        }
        let bin = (value * STEPS).floor().clamp(-FARTHEST, FARTHEST) as i32;
        let value = value.clamp(-FARTHEST / STEPS, FARTHEST / STEPS);
        self.count += 1;
        self.sum += f64::from(value);
        let (least, most) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), most.max(value)));
        let n = self.place(bin);
        self.counts[n] = self.counts[n].saturating_add(1);
    }

    /// Index of a bin; makes room for it.
    fn place(&mut self, bin: i32) -> usize {
        if self.counts.is_empty() {
            self.low = bin;
        }
        if bin < self.low {
            let more = (self.low - bin) as usize;
            self.counts.splice(..0, std::iter::repeat_n(0, more));
            self.low = bin;
        }
        let n = (bin - self.low) as usize;
        if n >= self.counts.len() {
            self.counts.resize(n + 1, 0);
        }
        n
    }

    /// Their statistics; none without values.
    pub fn summary(&self) -> Option<DecibelSummary> {
        Some(DecibelSummary {
            mean_db: (self.count > 0).then(|| self.sum / self.count as f64)?,
            linear_mean_db: self.linear_mean()?,
            p5_db: self.percentile(50)?,
            p50_db: self.percentile(500)?,
            p95_db: self.percentile(950)?,
        })
    }

    /// The mean of ratios, each in the middle of its tenth; all values together stand for
    /// themselves if they are the same.
    fn linear_mean(&self) -> Option<f64> {
        let (least, most) = self.ends?;
        let ratios = self.counts.iter().zip(self.low..).filter(|(count, _)| **count > 0);
        let sum: f64 =
            ratios.map(|(count, bin)| f64::from(*count) * math::exp10(middle(bin) / 10.0)).sum();
        let mean = 10.0 * math::log10(sum / self.count as f64);
        Some(mean.clamp(f64::from(least), f64::from(most)))
    }

    fn percentile(&self, per_mille: u32) -> Option<f64> {
        let ((least, most), rank) = (self.ends?, rank(self.count, per_mille));
        let mut below = 0;
        let n = self.counts.iter().position(|count| {
            below += u64::from(*count);
            below >= rank
        })?;
        Some(middle(self.low + n as i32).clamp(f64::from(least), f64::from(most)))
    }
}

/// The middle of a bin in dB.
fn middle(bin: i32) -> f64 {
    (f64::from(bin) + 0.5) / f64::from(STEPS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[f32]) -> Option<DecibelSummary> {
        let mut all = Decibels::default();
        values.iter().for_each(|value| all.add(*value));
        all.summary()
    }

    #[test]
    fn by_hand() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[f32::NAN]), None);
        // One value is all percentiles, exactly.
        let one = DecibelSummary {
            mean_db: 12.3125,
            linear_mean_db: 12.3125,
            p5_db: 12.3125,
            p50_db: 12.3125,
            p95_db: 12.3125,
        };
        assert_eq!(of(&[12.3125]), Some(one));
        // -3 to 16 dB: ranks 1, 10 and 19 of 20 are -3, 6 and 15 dB; the middle of a tenth is
        // 0.05 above.
        let twenty: Vec<f32> = (-3..17).rev().map(|n| n as f32).collect();
        let found = of(&twenty).expect("values");
        assert_eq!(found.mean_db, 6.5);
        for (found, expected) in [(found.p5_db, -2.95), (found.p50_db, 6.05), (found.p95_db, 15.05)]
        {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
        // 1 and 100 have the mean 50.5: 17.03 dB.
        let two = of(&[0.0, 20.0]).expect("values");
        assert_eq!(two.mean_db, 10.0);
        assert!((two.linear_mean_db - 17.033).abs() < 0.051, "{}", two.linear_mean_db);
        let far = of(&[f32::NEG_INFINITY, f32::INFINITY]).expect("values");
        assert_eq!((far.mean_db, far.p5_db, far.p95_db), (0.0, -99.95, 100.0));
    }

    proptest! {
        #[test]
        fn percentiles_are_near_and_memory_is_bounded(
            values in prop::collection::vec(-90.0f32..90.0, 1..300),
        ) {
            let mut all = Decibels::default();
            values.iter().for_each(|value| all.add(*value));
            let found = all.summary().expect("values");
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f32::total_cmp);
            for (found, per_mille) in [(found.p5_db, 50), (found.p50_db, 500), (found.p95_db, 950)] {
                let expected = sorted[rank(sorted.len() as u64, per_mille) as usize - 1];
                prop_assert!((found - f64::from(expected)).abs() < 0.0501);
            }
            prop_assert!(all.counts.len() <= 2_001);
        }
    }
}
