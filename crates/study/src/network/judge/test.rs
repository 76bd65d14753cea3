//! The tests that there are.

use serde::{Deserialize, Serialize};

use super::{ABOUT, Place, single, two};
use crate::network::{Data, Kpi, Of};

/// How one thing stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// It is less.
    Lower,
    /// It is more.
    Higher,
    /// They are equal but for the margin.
    Equal,
}

/// A test. The name of an arm has its values on all axes but the load, as `SCHEDULER/VARIANT`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "test", rename_all = "lowercase", deny_unknown_fields)]
pub enum Test {
    /// The first arm against the second, on the same seeds.
    Compare {
        /// Measure.
        kpi: String,
        /// What is taken of it.
        #[serde(default = "mean")]
        of: Of,
        /// How the first should stand to the second.
        relation: Relation,
        /// The first arms.
        first: Vec<String>,
        /// The second ones: as many, or one for all.
        second: Vec<String>,
        /// At these loads.
        loads: Vec<u32>,
    },
    /// One thing of the first arm against another of the second: their intervals lie apart.
    Apart {
        /// Measure.
        kpi: String,
        /// What is taken of the first arm.
        of: Of,
        /// What is taken of the second.
        other: Of,
        /// The first arms; they should be lower.
        first: Vec<String>,
        /// The second ones.
        second: Vec<String>,
        /// At these loads.
        loads: Vec<u32>,
    },
    /// First by second, as the geometric mean over all places, is a number but for
    /// [`ABOUT`](super::ABOUT).
    Ratio {
        /// Measure.
        kpi: String,
        /// What is taken of it.
        #[serde(default = "mean")]
        of: Of,
        /// The first arms.
        first: Vec<String>,
        /// The second ones.
        second: Vec<String>,
        /// At these loads.
        loads: Vec<u32>,
        /// The number.
        about: f64,
    },
    /// A value of an arm lies between bounds, in the unit for people.
    Value {
        /// Measure.
        kpi: String,
        /// What is taken of it.
        #[serde(default = "mean")]
        of: Of,
        /// The arms.
        arms: Vec<String>,
        /// At these loads.
        loads: Vec<u32>,
        /// Not below this.
        #[serde(default)]
        low: Option<f64>,
        /// Not above this.
        #[serde(default)]
        high: Option<f64>,
    },
    /// An arm at one load against itself at the load before.
    Loads {
        /// Measure.
        kpi: String,
        /// What is taken of it.
        #[serde(default = "mean")]
        of: Of,
        /// How the higher load should stand to the lower.
        relation: Relation,
        /// The arms.
        arms: Vec<String>,
        /// The loads, each but the first against the one before.
        loads: Vec<u32>,
        /// In place of 1, what the higher load by the lower is compared with.
        #[serde(default)]
        factor: Option<f64>,
    },
    /// Whether users of video of a fixed rate are served: more than the share in `unserved` get
    /// less than 95% of it.
    Served {
        /// The arm.
        arm: String,
        /// The fixed rate, in Mbit/s.
        rate: f64,
        /// The load.
        load: u32,
        /// Whether they should be.
        served: bool,
    },
    /// Users' rates in the first arm are in proportion to those in the second: their correlation
    /// in a run is above 0.7.
    Proportional {
        /// The first arm.
        first: String,
        /// The second.
        second: String,
        /// At these loads.
        loads: Vec<u32>,
    },
    /// A published figure of one run is one that a run here could have had: it lies in the 95%
    /// prediction interval.
    Predict {
        /// Measure.
        kpi: String,
        /// The arm.
        arm: String,
        /// The load.
        load: u32,
        /// What was published, in the unit for people.
        published: f64,
    },
}

fn mean() -> Of {
    Of::Mean
}

/// First and second arms in pairs.
pub(super) fn pairs<'a>(first: &'a [String], second: &'a [String]) -> Vec<[&'a str; 2]> {
    let other = |n: usize| second.get(n).or_else(|| second.first()).map_or("", String::as_str);
    first.iter().enumerate().map(|(n, first)| [first.as_str(), other(n)]).collect()
}

impl Test {
    /// The measure that it names.
    pub(super) fn kpi(&self) -> &str {
        match self {
            Test::Compare { kpi, .. }
            | Test::Apart { kpi, .. }
            | Test::Ratio { kpi, .. }
            | Test::Value { kpi, .. }
            | Test::Loads { kpi, .. }
            | Test::Predict { kpi, .. } => kpi,
            Test::Served { .. } | Test::Proportional { .. } => "rate",
        }
    }

    /// What it finds at each of its places, and how many of them were not made.
    pub(super) fn places(&self, data: &Data) -> (Vec<Place>, usize) {
        let found: Vec<Option<Place>> = match self {
            Test::Compare { kpi, of, relation, first, second, loads } => two::compare(
                data,
                &two::Sides { kpi: measure(data, kpi), of: *of, first, second, loads },
                *relation,
            ),
            Test::Apart { kpi, of, other, first, second, loads } => two::apart(
                data,
                &two::Sides { kpi: measure(data, kpi), of: *of, first, second, loads },
                *other,
            ),
            Test::Ratio { kpi, of, first, second, loads, about } => {
                let sides = two::Sides { kpi: measure(data, kpi), of: *of, first, second, loads };
                two::ratio(data, &sides, [about * (1.0 - ABOUT), about * (1.0 + ABOUT)])
            }
            Test::Value { kpi, of, arms, loads, low, high } => {
                single::value(data, (measure(data, kpi), *of), arms, loads, [*low, *high])
            }
            Test::Loads { kpi, of, relation, arms, loads, factor } => {
                two::loads(data, (measure(data, kpi), *of), *relation, arms, loads, *factor)
            }
            Test::Served { arm, rate, load, served } => {
                vec![single::served(data, arm, *rate, *load, *served)]
            }
            Test::Proportional { first, second, loads } => {
                two::proportional(data, first, second, loads)
            }
            Test::Predict { kpi, arm, load, published } => {
                vec![single::predict(data, measure(data, kpi), arm, *load, *published)]
            }
        };
        let all = found.len();
        let places: Vec<Place> = found.into_iter().flatten().collect();
        let missing = all - places.len();
        (places, missing)
    }
}

/// The measure of this name. [`super::rows`] refuses names that there are not.
fn measure<'d>(data: &'d Data, name: &str) -> &'d Kpi {
    data.kpi(name).expect("a measure of the study")
}
