//! Requests that come at even intervals, as those of players and of applications that ask
//! for news (sections 2 and 7.2 of the study; F. Qian et al., "Periodic Transfers in Mobile
//! Applications", WWW 2012).
//!
//! Each interval between requests is tried as the period. An interval fits if it is close to one
//! period or to a few, since requests may be missing. The number of fits is compared with that of
//! random requests (Poisson, of the same rate). The confidence is one minus the probability that as
//! many would fit by chance, for any of the periods tried.

use airpath_base::math::exp;

/// Periods that may lie between two requests.
const MOST_MISSING: u32 = 5;
/// Tolerances of an interval, in parts of the period; each is tried.
const TOLERANCES: [f64; 3] = [0.05, 0.1, 0.2];
/// Fewest requests that say anything.
const FEWEST: usize = 6;
/// Parts of the intervals that must fit, and of those that must be a single period.
const FITTING: f64 = 0.75;
const SINGLE: f64 = 0.5;
/// Confidence below which nothing is reported.
const CONFIDENT: f64 = 0.999;

/// A period that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Periodic {
    /// The period in seconds.
    pub period: f64,
    /// Root mean square of what fitting intervals differ from it (or its multiple), in
    /// seconds.
    pub jitter: f64,
    /// Requests that were looked at.
    pub requests: usize,
    /// Of the intervals between them, those that fit.
    pub fitting: usize,
    /// One minus the probability that requests at random would fit as well.
    pub confidence: f64,
}

/// The period of requests at these times, in order, in seconds; none if they do not come
/// at even intervals.
pub fn periodic(times: &[f64]) -> Option<Periodic> {
    if times.len() < FEWEST {
        return None;
    }
    let intervals: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let tried = TOLERANCES.iter().flat_map(|tolerance| {
        intervals.iter().filter_map(|period| Fit::new(&intervals, *period, *tolerance))
    });
    let best =
        tried.min_by(|a, b| a.chance.total_cmp(&b.chance).then(b.period.total_cmp(&a.period)))?;
    let confidence = 1.0 - best.chance;
    (confidence >= CONFIDENT).then(|| {
        let (period, jitter) = best.refined(&intervals);
        Periodic { period, jitter, requests: times.len(), fitting: best.fitting, confidence }
    })
}

/// Fit of intervals to a period.
struct Fit {
    period: f64,
    tolerance: f64,
    fitting: usize,
    chance: f64,
}

impl Fit {
    fn new(intervals: &[f64], period: f64, tolerance: f64) -> Option<Fit> {
        let positive = period > 0.0;
        if !positive {
            return None;
        }
        let multiples = || intervals.iter().filter_map(|d| multiple(*d, period, tolerance));
        let (fitting, single) = (multiples().count(), multiples().filter(|k| *k == 1).count());
        let n = intervals.len();
        if (fitting as f64) < FITTING * n as f64 || (single as f64) < SINGLE * fitting as f64 {
            return None;
        }
        let mean = intervals.iter().sum::<f64>() / n as f64;
        // One interval was chosen as the period, so it fits for certain.
        let one = at_least(n - 1, fitting - 1, by_chance(period / mean, tolerance));
        let chance = one * (n * TOLERANCES.len()) as f64;
        Some(Fit { period, tolerance, fitting, chance })
    }

    /// The mean period over fitting intervals, and how much they differ from it.
    fn refined(&self, intervals: &[f64]) -> (f64, f64) {
        let fitting = || {
            let k = |d: &f64| multiple(*d, self.period, self.tolerance);
            intervals.iter().filter_map(move |d| Some((*d, f64::from(k(d)?))))
        };
        let (time, periods) = fitting().fold((0.0, 0.0), |sum, (d, k)| (sum.0 + d, sum.1 + k));
        let period = time / periods;
        let squares: f64 = fitting().map(|(d, k)| (d - k * period) * (d - k * period)).sum();
        (period, (squares / self.fitting as f64).sqrt())
    }
}

/// Of how many periods an interval is, if it is close to so many.
fn multiple(interval: f64, period: f64, tolerance: f64) -> Option<u32> {
    let periods = interval / period;
    let whole = periods.round();
    let fits = (periods - whole).abs() <= tolerance;
    (fits && (1.0..=f64::from(MOST_MISSING)).contains(&whole)).then_some(whole as u32)
}

/// The probability that an exponential interval fits a period of so many means.
fn by_chance(period: f64, tolerance: f64) -> f64 {
    let above = |periods: f64| exp(-periods * period);
    let each = |k| above(f64::from(k) - tolerance) - above(f64::from(k) + tolerance);
    (1..=MOST_MISSING).map(each).sum()
}

/// The probability of at least `k` of `n` that each have the probability `p`.
fn at_least(n: usize, k: usize, p: f64) -> f64 {
    let mut distribution = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; distribution.len() + 1];
        for (hits, probability) in distribution.iter().enumerate() {
            next[hits] += probability * (1.0 - p);
            next[hits + 1] += probability * p;
        }
        distribution = next;
    }
    distribution[k..].iter().sum()
}

#[cfg(test)]
#[path = "periodic_tests.rs"]
mod tests;
