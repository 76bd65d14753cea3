//! The answer to a question for a capacity.

use airpath_stats::{CONFIDENCE, mean_interval};
use serde::Serialize;

use super::curve::Curve;
use super::search::Found;
use super::{Question, Refused};

/// The largest number of users of whom enough are satisfied.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// Criteria of a satisfied UE.
    pub satisfied: String,
    /// Group of the UEs.
    pub users: String,
    /// Share of the UEs that have to be satisfied.
    pub of: f64,
    /// Cells.
    pub cells: u64,
    /// Kind of the answer.
    pub ending: Ending,
    /// The largest number of users a cell.
    pub users_per_cell: u64,
    /// The number of UEs in all cells together.
    pub count: u64,
    /// Number of users a cell at which the share is exactly that, along straight lines between numbers that were tried. None at
    /// the ends of the range.
    pub crossing: Option<f64>,
    /// Lower end of the 95% interval of the crossing, in users a cell.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Numbers of users that the scenario refuses, if these end the range.
    pub refused: Option<Refused>,
    /// True if half of that interval is at most 5% of the crossing, or half a user. At the ends of the range: if the 95%
    /// interval of the share of satisfied users there is on one side of `of`.
    pub is_narrow: bool,
    /// True if the share falls with each further user among the numbers that were tried.
    pub is_monotone: bool,
    /// Runs of each number that counts.
    pub seeds: usize,
    /// Different runs that the answer uses.
    pub runs: usize,
    /// Of these, runs that were kept from before.
    pub resumed: usize,
    /// Numbers that were tried.
    pub points: Vec<Point>,
}

/// Kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// A number within the range.
    Found,
    /// One user a cell is one too many.
    None,
    /// The largest number allowed is not too many.
    Above,
}

/// A number of users that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Users a cell.
    pub users_per_cell: u64,
    /// Runs.
    pub runs: usize,
    /// Mean share of satisfied UEs.
    pub satisfied: f64,
    /// Lower end of its 95% interval; none for one run.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// True if a smaller number with as many runs has a smaller share.
    pub rises: bool,
}

impl Capacity {
    pub(super) fn new(
        question: &Question,
        found: Found,
        curve: &Curve,
        [runs, resumed]: [usize; 2],
    ) -> Capacity {
        let ending = match found {
            Found { above: true, .. } => Ending::Above,
            Found { steps: 0, .. } => Ending::None,
            _ => Ending::Found,
        };
        let crossing = found.crossing.filter(|_| ending == Ending::Found);
        let points = points(curve);
        Capacity {
            satisfied: question.criteria.to_string(),
            users: format!("ue.{}", question.group),
            of: question.share,
            cells: question.cells,
            ending,
            users_per_cell: found.steps,
            count: found.steps * question.cells,
            crossing: crossing.map(|crossing| crossing.at),
            low: crossing.map(|crossing| crossing.low),
            high: crossing.map(|crossing| crossing.high),
            refused: question.refused.clone(),
            is_narrow: found.narrow,
            is_monotone: !points.iter().any(|point| point.rises),
            seeds: found.seeds,
            runs,
            resumed,
            points,
        }
    }
}

fn points(curve: &Curve) -> Vec<Point> {
    let all: Vec<(u64, &Vec<f64>)> = curve.0.iter().map(|(n, values)| (*n, values)).collect();
    let point = |(at, (users_per_cell, values)): (usize, &(u64, &Vec<f64>))| {
        let satisfied = values.iter().sum::<f64>() / values.len() as f64;
        let interval = mean_interval(values, CONFIDENCE);
        let before = all[..at].iter().filter(|(_, other)| other.len() == values.len());
        let least = before.map(|(_, other)| other.iter().sum::<f64>() / other.len() as f64);
        Point {
            users_per_cell: *users_per_cell,
            runs: values.len(),
            satisfied,
            low: interval.map(|interval| interval.low.max(0.0)),
            high: interval.map(|interval| interval.high.min(1.0)),
            rises: least.fold(f64::INFINITY, f64::min) < satisfied,
        }
    };
    all.iter().enumerate().map(point).collect()
}
