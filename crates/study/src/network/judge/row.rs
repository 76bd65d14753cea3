//! A row: what was published, and the tests that judge it.

use serde::{Deserialize, Serialize};

use super::Test;
use crate::network::Measures;
use crate::{Study, StudyError};

/// A published statement or figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Identifier.
    pub id: String,
    /// Chapter, figure or table of the publication that has the statement.
    pub place: String,
    /// The statement, in one sentence.
    pub says: String,
    /// The part of the study that it belongs to.
    pub part: String,
    /// Interpretation of the statement, and the reasons for its settings and bounds.
    #[serde(default)]
    pub note: Option<String>,
    /// Tests; the row holds if each of them holds.
    pub tests: Vec<Test>,
}

/// The rows of a study.
///
/// # Errors
///
/// A file of another form, or a test of a measure that there is not.
pub fn rows(study: &Study, measures: &Measures) -> Result<Vec<Row>, StudyError> {
    let rows: Vec<Row> = study.json("rows.json")?;
    rows.iter()
        .try_for_each(|row| known(&format!("rows.json: {}", row.id), &row.tests, measures))?;
    Ok(rows)
}

/// Checks that tests are about measures that there are.
pub(super) fn known(of: &str, tests: &[Test], measures: &Measures) -> Result<(), StudyError> {
    let mut named = tests.iter().map(Test::kpi);
    match named.find(|kpi| measures.named(kpi).is_none()) {
        Some(unknown) => Err(StudyError::Data(format!("{of}: no measure {unknown}"))),
        None => Ok(()),
    }
}
