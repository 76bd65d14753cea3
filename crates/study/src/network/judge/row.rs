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
    for row in &rows {
        let mut named = row.tests.iter().map(Test::kpi);
        if let Some(unknown) = named.find(|kpi| measures.named(kpi).is_none()) {
            return Err(StudyError::Data(format!("rows.json: {}: no measure {unknown}", row.id)));
        }
    }
    Ok(rows)
}
