//! Effect of one arm over another: the estimate, its standard error, intervals, p and the runs that
//! it takes.
//!
//! A mean of differences and a bootstrapped difference of quantiles are treated alike: estimate,
//! standard error, degrees of freedom. Ratios are differences of logarithms.

use airpath_base::math;

use crate::Interval;
use crate::critical::{t_critical, t_quantile, t_tail};

/// With which probability the number of runs that [`Effect::runs_needed`] names resolves an effect
/// that is as large as it seems now.
pub const POWER: f64 = 0.8;
/// More runs than these are not worth naming.
pub const MOST_RUNS: u64 = 1000;

/// Scale of an effect: a difference or a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Second less first, in the unit of the values. No effect is 0.
    Difference,
    /// Second by first. No effect is 1.
    Ratio,
}

impl Scale {
    /// Effect of a second value over a first; of logarithms if it is a ratio. None for a ratio of a
    /// value that has no logarithm.
    pub(crate) fn of(self, first: f64, second: f64) -> Option<f64> {
        match self {
            Scale::Difference => Some(second - first),
            Scale::Ratio => Some(logarithm(second)? - logarithm(first)?),
        }
    }
}

/// The natural logarithm of a positive, finite value; none of another.
fn logarithm(value: f64) -> Option<f64> {
    (value > 0.0 && value.is_finite()).then(|| math::ln(value))
}

/// Effect of the second arm over the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    scale: Scale,
    /// Of logarithms if it is a ratio.
    estimate: f64,
    error: f64,
    runs: u64,
}

impl Effect {
    /// Effect from its estimate and standard error over pairs of runs; both are logarithms for a
    /// ratio. None for fewer than two runs, or if a figure is not finite.
    pub(crate) fn new(scale: Scale, estimate: f64, error: f64, runs: usize) -> Option<Effect> {
        let fine = runs > 1 && estimate.is_finite() && error.is_finite();
        fine.then_some(Effect { scale, estimate, error, runs: runs as u64 })
    }

    /// The estimate: a difference, or a ratio.
    pub fn estimate(&self) -> f64 {
        self.seen(self.estimate)
    }

    /// Student's interval with one degree of freedom less than there are pairs; none for a
    /// confidence outside 0..1.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let half = t_critical(confidence, self.runs - 1)? * self.error;
        Some(Interval::around(self.estimate, half).map(|value| self.seen(value)))
    }

    /// True if the interval excludes the absence of an effect.
    pub fn resolved(&self, confidence: f64) -> bool {
        let none = self.seen(0.0);
        self.interval(confidence).is_some_and(|interval| !interval.contains(none))
    }

    /// The p of no effect, two-sided (Student's test).
    pub fn p(&self) -> f64 {
        (2.0 * self.tail(self.estimate.abs())).min(1.0)
    }

    /// The p of an effect beyond a margin: below a level of 0.05, the two are equal but for the
    /// margin. By two one-sided tests, so it is the larger p. The margin is a difference, or how
    /// much more a ratio may be: 0.1 is 1/1.1 to 1.1. None for a margin that is not positive.
    ///
    /// D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach
    /// for assessing the equivalence of average bioavailability", Journal of Pharmacokinetics and
    /// Biopharmaceutics 15 (1987).
    pub fn p_beyond(&self, margin: f64) -> Option<f64> {
        let margin = match self.scale {
            _ if !(margin > 0.0 && margin.is_finite()) => return None,
            Scale::Difference => margin,
            Scale::Ratio => math::ln(1.0 + margin),
        };
        Some(self.tail(margin - self.estimate.abs()))
    }

    /// Pairs of runs that resolve this effect, if estimate and spread stay as they are. The number
    /// is the least n with (t(α/2) + t(β))·s/√n at most the estimate, for a [`POWER`] of 1 - β.
    /// None without an effect, above [`MOST_RUNS`], or for a confidence outside 0..1.
    ///
    /// G. W. Snedecor and W. G. Cochran, "Statistical Methods", 8th edition (1989), chapter 6.14.
    pub fn runs_needed(&self, confidence: f64) -> Option<u64> {
        let enough = |runs: u64| {
            let t = t_critical(confidence, runs - 1)? + t_quantile(POWER, runs - 1)?;
            let error = self.error * (self.runs as f64 / runs as f64).sqrt();
            Some(t * error <= self.estimate.abs())
        };
        if self.estimate == 0.0 || !enough(MOST_RUNS)? {
            return None;
        }
        // A sufficient number stays sufficient with more runs, so a search finds the first.
        let (mut few, mut many) = (1, MOST_RUNS);
        while many - few > 1 {
            let middle = few.midpoint(many);
            if enough(middle)? { many = middle } else { few = middle }
        }
        Some(many)
    }

    /// The probability that t is above so many standard errors.
    fn tail(&self, above: f64) -> f64 {
        match (self.error == 0.0, above > 0.0) {
            (true, true) => 0.0,
            (true, false) => 1.0,
            _ => t_tail(above / self.error, self.runs - 1).unwrap_or(1.0),
        }
    }

    fn seen(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Difference => value,
            Scale::Ratio => math::exp(value),
        }
    }
}

#[cfg(test)]
#[path = "effect_tests.rs"]
mod tests;
