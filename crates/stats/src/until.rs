//! Runs until the interval of a mean is narrow enough.
//!
//! The interval is looked at after fixed numbers of runs, so the result does not depend on the
//! number of parallel runs. Stopping at the first narrow interval favours samples with a small
//! spread. Such intervals therefore cover somewhat less than their confidence, by a measured amount
//! (`docs/statistics.md`).
//!
//! Sources: Y. S. Chow and H. Robbins, "On the asymptotic theory of fixed-width sequential
//! confidence intervals for the mean", Annals of Mathematical Statistics 36 (1965). A. M. Law, W.
//! D. Kelton and L. W. Koenig, "Relative width sequential confidence intervals for the mean",
//! Communications in Statistics B 10 (1981). The second source advises a first look at ten runs or
//! more.

use crate::mean_interval;

/// Rule that ends the addition of runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Until {
    /// Half of the interval's width as a share of the mean, at which to stop; 0.05 is 5%.
    pub relative: f64,
    /// Confidence of the interval, as 0.95.
    pub confidence: f64,
    /// Runs before the first look.
    pub first: usize,
    /// Runs from one look to the next.
    pub step: usize,
    /// Runs at most.
    pub most: usize,
}

impl Default for Until {
    /// 5% at a confidence of 95%, looked at after 10, 15, 20 … runs, at most 200.
    fn default() -> Until {
        Until { relative: 0.05, confidence: 0.95, first: 10, step: 5, most: 200 }
    }
}

/// Decision after a look at the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Add runs until there are so many, then look again.
    RunTo(usize),
    /// The interval is narrow enough.
    Reached,
    /// The greatest number of runs is reached, and the interval is wider than wanted.
    GaveUp,
}

impl Until {
    /// Decision by these values, one of each run so far, in the order of seeds. A mean of zero has
    /// no relative width, and neither have values that are not finite. Such runs go on to the
    /// greatest number, unless all values are equal.
    pub fn next(&self, values: &[f64]) -> Next {
        match values.len() {
            n if n >= self.first.min(self.most) && self.narrow(values) => Next::Reached,
            n if n >= self.most => Next::GaveUp,
            n if n < self.first => Next::RunTo(self.first.min(self.most)),
            n => Next::RunTo((n + self.step.max(1)).min(self.most)),
        }
    }

    fn narrow(&self, values: &[f64]) -> bool {
        let Some(interval) = mean_interval(values, self.confidence) else {
            return false;
        };
        interval.half_width() <= self.relative * interval.estimate.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_at_fixed_numbers_of_runs() {
        let until = Until { most: 18, ..Until::default() };
        let wild: Vec<f64> = (0..30).map(|n| if n % 2 == 0 { 1.0 } else { 100.0 }).collect();
        assert_eq!(until.next(&[]), Next::RunTo(10));
        assert_eq!(until.next(&[5.0; 9]), Next::RunTo(10), "equal, but before the first look");
        assert_eq!(until.next(&[5.0; 10]), Next::Reached);
        assert_eq!(until.next(&wild[..10]), Next::RunTo(15));
        assert_eq!(until.next(&wild[..15]), Next::RunTo(18));
        assert_eq!(until.next(&wild[..18]), Next::GaveUp);
        assert_eq!(until.next(&[f64::NAN; 18]), Next::GaveUp);
        assert_eq!(until.next(&[0.0; 10]), Next::Reached, "nothing else will come");
    }

    #[test]
    fn stops_where_the_half_width_is_the_share_asked_for() {
        // Ten values, five of 1 + d and five of 1 - d: s = d·√(10/9), half width
        // 2.262157·d/3, which is 5% at d = 0.066308.
        let values = |d: f64| [1.0 - d, 1.0 + d].repeat(5);
        assert_eq!(Until::default().next(&values(0.0663)), Next::Reached);
        assert_eq!(Until::default().next(&values(0.0664)), Next::RunTo(15));
    }

    #[test]
    fn bounds_may_be_odd() {
        let until = Until { first: 10, step: 0, most: 4, ..Until::default() };
        assert_eq!(until.next(&[]), Next::RunTo(4));
        assert_eq!(until.next(&[1.0, 2.0, 3.0, 9.0]), Next::GaveUp);
    }
}
