//! Finding of a test at one setting: one load with one or two arms.

use airpath_stats::{Effect, Interval};
use serde::Serialize;

use crate::network::Kpi;

/// Confidences at which an interval is tried for a p, the largest first.
const CONFIDENCES: [f64; 8] = [0.9998, 0.998, 0.99, 0.98, 0.96, 0.95, 0.9, 0.8];

/// Finding of a test at one setting: one load with one or two arms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Load, arms and measure.
    pub name: String,
    /// The unit of the figure, unless it is a ratio.
    #[serde(skip)]
    pub unit: String,
    /// True if the figure is a ratio of two arms. Other figures are in the measure's unit for
    /// people.
    pub ratio: bool,
    /// The estimate.
    pub value: f64,
    /// Lower end of the 90% interval, each end of which is tested at 5%. A published single run has
    /// the lower end of the 95% prediction interval.
    pub low: f64,
    /// Upper end of the same interval.
    pub high: f64,
    /// Runs, or pairs of runs.
    pub runs: usize,
    /// The p of the hypothesis that the test does not hold here. The test holds if this p is below
    /// the level.
    pub p_holds: f64,
    /// The p of the hypothesis that nothing contradicts the test here. The test is contradicted if
    /// this p is below the level.
    pub p_fails: f64,
    /// Findings at each load, of a mean over loads. These do not count in the verdict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<Place>,
}

impl Place {
    /// Finding without a figure, which neither holds nor fails at any level.
    pub(super) fn unknown(name: String, runs: usize) -> Place {
        let (value, low, high) = (f64::NAN, f64::NAN, f64::NAN);
        Place {
            name,
            unit: String::new(),
            ratio: false,
            value,
            low,
            high,
            runs,
            p_holds: 1.0,
            p_fails: 1.0,
            loads: Vec::new(),
        }
    }

    /// Sets the unit of the figure to that of a measure.
    pub(super) fn of(self, kpi: &Kpi) -> Place {
        Place { unit: kpi.unit.clone(), ..self }
    }

    /// Finding with an interval, `p_holds` and `p_fails`.
    pub(super) fn with(name: String, runs: usize, interval: Interval, p: [f64; 2]) -> Place {
        let Interval { estimate: value, low, high } = interval;
        let [p_holds, p_fails] = p;
        let place = Place::unknown(name, runs);
        Place { value, low, high, p_holds, p_fails, ..place }
    }
}

/// The p of an effect not being below none (a lower value of the second of two), and of its not
/// being above.
pub(super) fn one_sided(effect: &Effect, none: f64) -> [f64; 2] {
    let half = effect.p() / 2.0;
    match effect.estimate().total_cmp(&none) {
        std::cmp::Ordering::Less => [half, 1.0 - half],
        std::cmp::Ordering::Equal => [0.5, 0.5],
        std::cmp::Ordering::Greater => [1.0 - half, half],
    }
}

/// The p of the hypothesis that the interval's quantity is not on the side of `beyond`. This p is
/// half of one less the largest confidence whose whole interval is on that side. Without such a
/// confidence, the p is one half.
pub(super) fn by_interval(
    interval: impl Fn(f64) -> Option<Interval>,
    beyond: impl Fn(&Interval) -> bool,
) -> f64 {
    let there = |confidence: &&f64| interval(**confidence).is_some_and(|i| beyond(&i));
    CONFIDENCES.iter().find(there).map_or(0.5, |confidence| (1.0 - confidence) / 2.0)
}
