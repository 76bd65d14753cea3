//! Rows and their judgement.
//!
//! A row is a published statement or figure with tests. Each test is made at one or more
//! *settings*: a setting is one load with one or two arms. A row holds if each of its tests holds
//! at every setting. Each setting has a p, and the row's p is the largest of them (an
//! intersection-union test).
//!
//! A row fails if a setting contradicts it, with Holm's correction for the number of settings.
//! Otherwise the row is not resolved. Levels, margins and settings are in the rows' file, fixed
//! before the runs.
//!
//! [`judge`] has the strict rule: a statement counts at each load. [`judge_by_sentence`] has the
//! rule that follows from the source's [`Sentence`]. A general remark on a plot counts as the mean
//! over loads.

mod mean;
mod place;
mod row;
mod sentence;
mod single;
mod test;
mod two;

pub use place::Place;
pub use row::{Row, rows};
pub use sentence::{Rules, Sentence};
pub(crate) use single::interval;
pub use test::{Comparison, Relation, Test};
pub(crate) use two::{effect, in_unit};

use airpath_stats::{Verdict, everywhere, holm};
use serde::Serialize;

use crate::network::Data;
use crate::{Study, StudyError};

/// Level of a test: the share of wrong answers that is accepted.
pub const LEVEL: f64 = 0.05;
/// Confidence of the intervals that are shown: each of their ends is one of two one-sided tests.
pub const SHOWN: f64 = 1.0 - 2.0 * LEVEL;
/// Tolerances, as shares. `EQUAL` bounds the ratio of values that count as equal (1/1.1 to 1.1),
/// `ABOUT` the error of a figure that is given with "about".
pub const EQUAL: f64 = 0.1;
/// See [`EQUAL`].
pub const ABOUT: f64 = 0.25;

/// A row, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// The row.
    pub row: Row,
    /// Verdict on the row, at [`LEVEL`].
    pub outcome: Verdict,
    /// The p of "it holds nowhere false": below the level, it holds.
    pub p_holds: f64,
    /// The p of "it is false nowhere": below the level, it fails.
    pub p_fails: f64,
    /// Findings at the row's settings.
    pub places: Vec<Place>,
    /// Number of the row's settings of which no run was made.
    pub missing: usize,
}

impl Judged {
    /// Verdict on the row at a level of significance, 0 to 1.
    pub fn at(&self, level: f64) -> Verdict {
        match (self.places.is_empty(), self.p_holds < level, self.p_fails < level) {
            (true, ..) => Verdict::NotMade,
            (_, _, true) => Verdict::Fails,
            (_, true, _) => Verdict::Holds,
            _ => Verdict::NotResolved,
        }
    }

    /// Finding that decides the verdict. A row that fails is decided by the most certain
    /// contradiction, any other row by the finding with the largest `p_holds`.
    pub fn deciding(&self) -> Option<&Place> {
        let by = |place: &&Place| {
            if self.outcome == Verdict::Fails { place.p_fails } else { -place.p_holds }
        };
        self.places.iter().min_by(|a, b| by(a).total_cmp(&by(b)))
    }
}

/// Judges all rows of a study. A row may fail although some of its settings were not made. Such a
/// row may hold only with `partly`, as in the short form.
///
/// # Errors
///
/// If the study's rows cannot be read.
pub fn judge(study: &Study, data: &Data, partly: bool) -> Result<Vec<Judged>, StudyError> {
    rows(study, &data.measures)?.into_iter().map(|row| Ok(judge_row(row, data, partly))).collect()
}

/// Judges rows by the rules that follow from the source's sentences. A row whose rule stays keeps
/// its strict verdict.
pub fn judge_by_sentence(
    rules: &Rules,
    strict: &[Judged],
    data: &Data,
    partly: bool,
) -> Vec<Judged> {
    let again = |strict: &Judged| {
        rules.row(&strict.row).map_or_else(|| strict.clone(), |row| judge_row(row, data, partly))
    };
    strict.iter().map(again).collect()
}

fn judge_row(row: Row, data: &Data, partly: bool) -> Judged {
    let (mut places, mut missing) = (Vec::new(), 0);
    for test in &row.tests {
        let (found, lacking) = test.places(data, partly);
        places.extend(found);
        missing += lacking;
    }
    let of = |p: fn(&Place) -> f64| places.iter().map(p).collect::<Vec<f64>>();
    let p_holds = everywhere(&of(|place| place.p_holds)).unwrap_or(1.0);
    let p_holds = if missing > 0 && !partly { 1.0 } else { p_holds };
    let adjusted = holm(&of(|place| place.p_fails)).unwrap_or_default();
    let p_fails = adjusted.into_iter().fold(1.0, f64::min);
    let mut judged = Judged { row, outcome: Verdict::NotMade, p_holds, p_fails, places, missing };
    judged.outcome = judged.at(LEVEL);
    judged
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
