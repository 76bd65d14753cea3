//! Kept cards: the values behind the verdicts of a suite, which are judged anew by the present criteria.

use airpath_stats::Verdict;
use serde::{Deserialize, Serialize};

use crate::{Card, Criterion, EvaluateError, Judged, Suite};

/// Values of a suite's criteria, with each seed. Criteria without a value and without a failure are left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Version of airpath that made the runs.
    pub version: String,
    /// Name of the suite.
    pub suite: String,
    /// Controllers, in the order of the page.
    pub controllers: Vec<String>,
    /// A row for each criterion and controller.
    pub rows: Vec<KeptRow>,
}

/// Values of a criterion with a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRow {
    /// Name of the case.
    pub case: String,
    /// Name of the criterion.
    pub criterion: String,
    /// The controller.
    pub controller: String,
    /// Value with each seed from 1, in the unit of the criterion.
    pub values: Vec<Option<f64>>,
    /// Reason for which there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_made: Option<String>,
}

impl Kept {
    /// The values of a card's suite.
    pub fn of(card: &Card, suite: &str) -> Kept {
        let cases = card.cases.iter().filter(|case| case.suite == suite);
        let judged = cases.flat_map(|case| case.judged.iter().map(move |own| (&case.case, own)));
        let is_kept = |(_, own): &(&String, &Judged)| own.verdict != Verdict::NotComparable;
        let row = |(case, own): (&String, &Judged)| KeptRow {
            case: case.clone(),
            criterion: own.criterion.clone(),
            controller: own.controller.clone(),
            values: own.values.clone(),
            not_made: own.reason.clone().filter(|_| own.verdict == Verdict::NotMade),
        };
        Kept {
            version: card.version.clone(),
            suite: suite.to_owned(),
            controllers: card.controllers.clone(),
            rows: judged.filter(is_kept).map(row).collect(),
        }
    }

    /// Reads a file of kept values.
    ///
    /// # Errors
    ///
    /// A text that is none.
    pub fn parse(name: &str, text: &str) -> Result<Kept, EvaluateError> {
        serde_json::from_str(text).map_err(|error| {
            EvaluateError::Case(format!("{name}: no kept card ({error}); make it anew"))
        })
    }

    /// The values as JSON, a line for each row.
    pub fn to_json(&self) -> String {
        let rows: Vec<String> = self.rows.iter().map(json).collect();
        format!(
            "{{\"version\":{},\"suite\":{},\"controllers\":{},\"rows\":[\n{}\n]}}\n",
            json(&self.version),
            json(&self.suite),
            json(&self.controllers),
            rows.join(",\n")
        )
    }

    /// Verdicts on the kept values by the suite's criteria as they are, in the order of the suite.
    ///
    /// # Errors
    ///
    /// If the suite has another case or criterion than the kept values.
    pub(crate) fn judged<'a>(
        &'a self,
        suite: &'a Suite,
    ) -> Result<Vec<KeptVerdict<'a>>, EvaluateError> {
        let mut all = Vec::new();
        for case in &suite.cases {
            for criterion in &case.file.criterion {
                let of = |row: &&KeptRow| row.case == case.name && row.criterion == criterion.name;
                let rows = self.rows.iter().filter(of);
                all.extend(rows.map(|row| KeptVerdict::of(row, criterion)));
            }
        }
        match self.rows.iter().find(|row| !all.iter().any(|own| std::ptr::eq(own.row, *row))) {
            None => Ok(all),
            Some(row) => Err(EvaluateError::Case(format!(
                "the kept card of {} has {}, {}, which is not in the suite: make cards",
                self.suite, row.case, row.criterion
            ))),
        }
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The verdict on a kept row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptVerdict<'a> {
    pub(crate) row: &'a KeptRow,
    pub(crate) criterion: &'a Criterion,
    pub(crate) verdict: Verdict,
}

impl<'a> KeptVerdict<'a> {
    fn of(row: &'a KeptRow, criterion: &'a Criterion) -> KeptVerdict<'a> {
        let verdict = match &row.not_made {
            Some(_) => Verdict::NotMade,
            None => criterion.verdict(&row.values),
        };
        KeptVerdict { row, criterion, verdict }
    }
}
