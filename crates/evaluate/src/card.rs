//! The card: verdicts of criteria by case and controller.

use airpath_stats::Verdict;
use serde::{Deserialize, Serialize};

use crate::Change;

/// Verdicts of controllers on cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Version of airpath that made it.
    pub version: String,
    /// True if cases were shortened by `--quick`.
    pub quick: bool,
    /// Controllers, in the order in which they were named.
    pub controllers: Vec<String>,
    /// Cases, suite by suite.
    pub cases: Vec<CaseCard>,
    /// Changes from an earlier card; none without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Change>>,
}

/// A case and its criteria.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseCard {
    /// Name of the suite.
    pub suite: String,
    /// Name of the case in it.
    pub case: String,
    /// The case in a line.
    pub title: String,
    /// Document and section that it comes from.
    pub source: String,
    /// Verdicts, controller by controller and in the order of the criteria.
    pub judged: Vec<Judged>,
}

/// A criterion and a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The controller.
    pub controller: String,
    /// Name of the criterion.
    pub criterion: String,
    /// Statement of the source.
    pub sentence: String,
    /// Section that has the statement.
    pub at: String,
    /// The quantity.
    pub quantity: String,
    /// Its unit.
    pub unit: String,
    /// Least value that fulfils the criterion.
    pub at_least: Option<f64>,
    /// Largest value that fulfils it.
    pub at_most: Option<f64>,
    /// Reason for a bound that the source does not have.
    pub ours: Option<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Mean of the values; none without any.
    pub mean: Option<f64>,
    /// Half of the 95% interval of the mean (Student's t over seeds); none with fewer than two values.
    pub half: Option<f64>,
    /// Value with each seed from 1.
    pub values: Vec<Option<f64>>,
    /// Seeds with which the criterion is fulfilled.
    pub fulfilled: u64,
    /// Reason of a verdict that is none on the figure.
    pub reason: Option<String>,
    /// Paths of the reports of its runs, seen from the card's folder ([`Card::write_reports`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
}

impl Card {
    /// The card as JSON, with a line feed at its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Verdicts of a controller, of all its criteria.
    pub fn verdicts<'a>(&'a self, controller: &'a str) -> impl Iterator<Item = Verdict> + 'a {
        let judged = self.cases.iter().flat_map(|case| &case.judged);
        judged.filter(move |own| own.controller == controller).map(|own| own.verdict)
    }

    /// True if a run that a criterion needs was not made.
    pub fn is_broken(&self) -> bool {
        self.cases.iter().flat_map(|case| &case.judged).any(|own| own.verdict == Verdict::NotMade)
    }

    /// True if a criterion fails.
    pub fn fails(&self) -> bool {
        self.cases.iter().flat_map(|case| &case.judged).any(|own| own.verdict == Verdict::Fails)
    }
}

impl CaseCard {
    /// The verdict of a controller on the case: the worst of its criteria. None if the controller is not in the card.
    pub fn verdict(&self, controller: &str) -> Option<Verdict> {
        let own = self.judged.iter().filter(|own| own.controller == controller);
        own.map(|own| own.verdict).min_by_key(|verdict| rank(*verdict))
    }
}

/// Order of verdicts, the worst first. A criterion with nothing to compare says nothing of its case.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Fails => 0,
        Verdict::NotMade => 1,
        Verdict::NotResolved => 2,
        Verdict::Holds | Verdict::Recovered => 3,
        Verdict::NotComparable => 4,
    }
}
