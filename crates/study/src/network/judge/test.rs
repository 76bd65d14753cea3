//! Tests of rows.

use serde::{Deserialize, Serialize};

use super::{ABOUT, Place, mean, single, two};
use crate::network::{Data, Kpi, Of};

/// Relation of a first value to a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The first is lower.
    Lower,
    /// The first is higher.
    Higher,
    /// Both are equal but for the margin.
    Equal,
}

/// A comparison of arms on the same seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Measure.
    pub kpi: String,
    /// Mean or percentile to compare.
    #[serde(default = "of_mean")]
    pub of: Of,
    /// Expected relation of the first arms to the second.
    pub relation: Relation,
    /// The first arms.
    pub first: Vec<String>,
    /// The second arms: as many, or one for all.
    pub second: Vec<String>,
    /// Loads of the arms.
    pub loads: Vec<u32>,
}

/// A test. The name of an arm has its values on all axes but the load, as `SCHEDULER/VARIANT`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "test", rename_all = "lowercase", deny_unknown_fields)]
pub enum Test {
    /// The first arm against the second, on the same seeds.
    Compare(Comparison),
    /// The first arm against the second, on the same seeds, as the mean over all loads. Loads have
    /// equal weights. The mean is geometric for ratios.
    Mean(Comparison),
    /// Intervals of the first arm and of the second lie apart, each of a mean or percentile of its
    /// own.
    Apart {
        /// Measure.
        kpi: String,
        /// Mean or percentile of the first arm.
        of: Of,
        /// Mean or percentile of the second arm.
        other: Of,
        /// The first arms; they should be lower.
        first: Vec<String>,
        /// The second arms.
        second: Vec<String>,
        /// Loads at which the arms are compared.
        loads: Vec<u32>,
    },
    /// First arm by second arm, as the geometric mean over all settings, is a number but for the
    /// share [`ABOUT`](super::ABOUT).
    Ratio {
        /// Measure.
        kpi: String,
        /// Mean or percentile to compare.
        #[serde(default = "of_mean")]
        of: Of,
        /// The first arms.
        first: Vec<String>,
        /// The second arms.
        second: Vec<String>,
        /// Loads over which the mean is taken.
        loads: Vec<u32>,
        /// The number.
        about: f64,
    },
    /// A value of an arm lies between bounds, in the unit for people.
    Value {
        /// Measure.
        kpi: String,
        /// Mean or percentile of the arm.
        #[serde(default = "of_mean")]
        of: Of,
        /// The arms.
        arms: Vec<String>,
        /// Loads at which the value is tested.
        loads: Vec<u32>,
        /// Lower bound.
        #[serde(default)]
        low: Option<f64>,
        /// Upper bound.
        #[serde(default)]
        high: Option<f64>,
    },
    /// An arm at one load against itself at the load before.
    Loads {
        /// Measure.
        kpi: String,
        /// Mean or percentile to compare.
        #[serde(default = "of_mean")]
        of: Of,
        /// Expected relation of the higher load to the lower.
        relation: Relation,
        /// The arms.
        arms: Vec<String>,
        /// The loads, each but the first against the one before.
        loads: Vec<u32>,
        /// Number with which the ratio of the higher load to the lower is compared; 1 by default.
        #[serde(default)]
        factor: Option<f64>,
    },
    /// Users of video at a fixed rate are served, or are not. A served user gets at least 95% of
    /// the rate. Users are not served if the share of such users who get less is above `UNSERVED`.
    Served {
        /// The arm.
        arm: String,
        /// The fixed rate, in Mbit/s.
        rate: f64,
        /// The load.
        load: u32,
        /// True if the users should be served.
        served: bool,
    },
    /// Users' rates in the first arm are in proportion to those in the second: their correlation
    /// in a run is above 0.7.
    Proportional {
        /// The first arm.
        first: String,
        /// The second.
        second: String,
        /// Loads at which the rates are compared.
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
        /// Published figure, in the unit for people.
        published: f64,
    },
}

fn of_mean() -> Of {
    Of::Mean
}

/// First and second arms in pairs.
pub(super) fn pairs<'a>(first: &'a [String], second: &'a [String]) -> Vec<[&'a str; 2]> {
    let other = |n: usize| second.get(n).or_else(|| second.first()).map_or("", String::as_str);
    first.iter().enumerate().map(|(n, first)| [first.as_str(), other(n)]).collect()
}

impl Comparison {
    fn sides<'a>(&'a self, data: &'a Data) -> two::Sides<'a> {
        let Comparison { kpi, of, first, second, loads, .. } = self;
        two::Sides { kpi: measure(data, kpi), of: *of, first, second, loads }
    }
}

impl Test {
    /// The arms that it is about, each with its loads.
    pub(crate) fn arms(&self) -> (Vec<&String>, &[u32]) {
        match self {
            Test::Compare(Comparison { first, second, loads, .. })
            | Test::Mean(Comparison { first, second, loads, .. })
            | Test::Apart { first, second, loads, .. }
            | Test::Ratio { first, second, loads, .. } => {
                (first.iter().chain(second).collect(), loads)
            }
            Test::Value { arms, loads, .. } | Test::Loads { arms, loads, .. } => {
                (arms.iter().collect(), loads)
            }
            Test::Served { arm, load, .. } | Test::Predict { arm, load, .. } => {
                (vec![arm], std::slice::from_ref(load))
            }
            Test::Proportional { first, second, loads } => (vec![first, second], loads),
        }
    }

    /// True if each first arm has a second one: as many, or one for all.
    pub(crate) fn is_paired(&self) -> bool {
        match self {
            Test::Compare(Comparison { first, second, .. })
            | Test::Mean(Comparison { first, second, .. })
            | Test::Apart { first, second, .. }
            | Test::Ratio { first, second, .. } => [1, first.len()].contains(&second.len()),
            _ => true,
        }
    }

    /// The measure that it names.
    pub(super) fn kpi(&self) -> &str {
        match self {
            Test::Compare(Comparison { kpi, .. })
            | Test::Mean(Comparison { kpi, .. })
            | Test::Apart { kpi, .. }
            | Test::Ratio { kpi, .. }
            | Test::Value { kpi, .. }
            | Test::Loads { kpi, .. }
            | Test::Predict { kpi, .. } => kpi,
            Test::Served { .. } | Test::Proportional { .. } => "rate",
        }
    }

    /// Findings at the test's settings, and the number of settings that were not made. A mean is
    /// over the loads that were made with `partly`, and is not made without.
    pub(super) fn places(&self, data: &Data, partly: bool) -> (Vec<Place>, usize) {
        let found: Vec<Option<Place>> = match self {
            Test::Compare(own) => two::compare(data, &own.sides(data), own.relation),
            Test::Mean(own) => mean::mean(data, &own.sides(data), own.relation, partly),
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
