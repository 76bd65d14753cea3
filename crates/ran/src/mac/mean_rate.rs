//! Mean rates of the UEs of a cell.
//!
//! The mean R of each UE follows R <- (1 - 1/w) R + r/w, with w the window in TTIs. The rate r of
//! this TTI is zero for UEs that are not served. All means decay alike, so the kept value is R
//! times a common growth, and UEs that are not served cost nothing.

use airpath_base::math;

use crate::index::UeIndex;

/// Mean rate of a UE that was never served, in bytes a TTI: next to nothing.
const LEAST: f64 = 1e-3;
/// Limit at which the common growth is divided out again.
const MOST_GROWTH: f64 = 1e100;

/// Mean rates in bytes a TTI, by the indices of UEs in their cell.
#[derive(Clone, Debug)]
pub struct MeanRates {
    share: f64,
    /// Mean rate times `growth`.
    scaled: Vec<f64>,
    growth: f64,
    tti: u64,
}

impl MeanRates {
    /// With a window in TTIs, for so many UEs.
    pub fn new(window: f64, ues: usize) -> MeanRates {
        // A share of one would forget all; stay where the growth is finite.
        let share = (1.0 / window).clamp(1e-9, 1.0 - 1e-9);
        MeanRates { share, scaled: vec![LEAST; ues], growth: 1.0, tti: 0 }
    }

    /// A UE begins anew, as if it had never been served.
    pub(crate) fn restart(&mut self, ue: UeIndex) {
        self.scaled[ue.index()] = LEAST * self.growth;
    }

    /// The TTIs up to `tti` have passed.
    pub(crate) fn pass(&mut self, tti: u64) {
        let passed = tti.saturating_sub(self.tti);
        self.tti = tti;
        let each = 1.0 / (1.0 - self.share);
        let factor = if passed == 1 { each } else { math::pow(each, passed as f64) };
        self.growth *= factor.min(MOST_GROWTH);
        if self.growth >= MOST_GROWTH {
            let growth = self.growth;
            self.scaled.iter_mut().for_each(|r| *r = (*r / growth).max(1e-150));
            self.growth = 1.0;
        }
    }

    /// A UE is served with so many bytes in this TTI.
    pub(crate) fn serve(&mut self, ue: UeIndex, bytes: f64) {
        self.scaled[ue.index()] += self.share * bytes * self.growth;
    }

    /// Mean rate of a UE, in bytes a TTI times a factor that all UEs share: enough to
    /// compare them.
    pub(crate) fn relative(&self, ue: UeIndex) -> f64 {
        self.scaled[ue.index()]
    }

    /// Mean rate of a UE in bytes a TTI.
    pub(crate) fn of(&self, ue: UeIndex) -> f64 {
        self.scaled[ue.index()] / self.growth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UE: UeIndex = UeIndex::new(0);
    const OTHER: UeIndex = UeIndex::new(1);

    #[test]
    fn the_mean_of_a_constant_rate_is_the_rate_and_fades_with_the_window() {
        let mut means = MeanRates::new(100.0, 2);
        for tti in 0..2_000 {
            means.pass(tti);
            means.serve(UE, 500.0);
        }
        // The rate of this TTI counts, and earlier ones have decayed once.
        assert!((means.of(UE) - 500.0).abs() < 1e-3, "{}", means.of(UE));
        means.pass(2_099);
        // (1 - 1/100) to the power of 100 is 0.366.
        assert!((means.of(UE) / 500.0 - 0.366).abs() < 1e-3, "{}", means.of(UE));
        assert!(means.of(OTHER) < 1e-3);
        // However long nobody was served, what is kept stays finite.
        means.pass(5_000_000);
        means.serve(OTHER, 100.0);
        assert!((means.of(OTHER) - 1.0).abs() < 1e-6 && means.of(UE) >= 0.0);
    }
}
