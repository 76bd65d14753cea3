//! What a test finds at one place.

use airpath_stats::{Effect, Interval};
use serde::Serialize;

use crate::network::Kpi;

/// Confidences at which an interval is tried for a p, the largest first.
const CONFIDENCES: [f64; 8] = [0.9998, 0.998, 0.99, 0.98, 0.96, 0.95, 0.9, 0.8];

/// What a test finds at one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Load, arms and measure.
    pub name: String,
    /// The unit of the figure, unless it is a ratio.
    #[serde(skip)]
    pub unit: String,
    /// Whether the figure is a ratio of two arms; else it is in the measure's unit for people.
    pub ratio: bool,
    /// The estimate.
    pub value: f64,
    /// Lower end of its 90% interval, of which each end is tested at 5%; of a published single run,
    /// of the 95% prediction interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Runs, or pairs of runs.
    pub runs: usize,
    /// Below the level, the test holds here.
    pub p_holds: f64,
    /// Below the level, it is contradicted here.
    pub p_fails: f64,
}

impl Place {
    /// A place without a figure: nothing can be said.
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
        }
    }

    /// The same place, its figure in the unit of a measure.
    pub(super) fn of(self, kpi: &Kpi) -> Place {
        Place { unit: kpi.unit.clone(), ..self }
    }

    /// With an interval and two p.
    pub(super) fn with(name: String, runs: usize, interval: Interval, p: [f64; 2]) -> Place {
        let Interval { estimate: value, low, high } = interval;
        let [p_holds, p_fails] = p;
        Place { name, unit: String::new(), ratio: false, value, low, high, runs, p_holds, p_fails }
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

/// The p of the interval's quantity not being on the side that `beyond` asks for: half of one less
/// the largest confidence whose interval is there as a whole. One half if none is.
pub(super) fn by_interval(
    interval: impl Fn(f64) -> Option<Interval>,
    beyond: impl Fn(&Interval) -> bool,
) -> f64 {
    let there = |confidence: &&f64| interval(**confidence).is_some_and(|i| beyond(&i));
    CONFIDENCES.iter().find(there).map_or(0.5, |confidence| (1.0 - confidence) / 2.0)
}
