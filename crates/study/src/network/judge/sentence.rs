//! The source's sentences behind rows, and the rules of judging that follow from them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::row::known;
use super::{Row, Test};
use crate::network::Measures;
use crate::{Study, StudyError};

/// The file of a study with its rules.
const FILE: &str = "rules.json";

/// Rules of judging by the source's sentences. A study may have none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Principles by which a rule follows from a sentence.
    pub principles: Vec<String>,
    /// The rules in words, by name.
    pub rules: BTreeMap<String, String>,
    /// Sentences, each with the rows that it is about.
    #[serde(rename = "rows")]
    pub sentences: Vec<Sentence>,
}

/// A sentence of the source, and the rule of judging that follows from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// Identifiers of the rows that it is about.
    #[serde(skip_serializing)]
    pub rows: Vec<String>,
    /// Chapter of the source.
    #[serde(rename = "where")]
    pub place: String,
    /// The sentence, or the part of it that decides.
    pub quote: String,
    /// Name of the rule.
    pub rule: String,
    /// The strict rule in words, if the rule is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The rule in words, if it is another than the strict one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Reason for the rule.
    pub reason: String,
    /// Tests instead of the row's; none if the strict rule stays.
    #[serde(default, skip_serializing)]
    pub tests: Vec<Test>,
}

impl Rules {
    /// The rules of a study, about some of its rows.
    ///
    /// # Errors
    ///
    /// A file of another form. A rule, a row or a measure that there is not. A row without a
    /// sentence or with two.
    pub fn of(study: &Study, rows: &[Row], measures: &Measures) -> Result<Rules, StudyError> {
        if study.text(FILE).is_none() {
            return Ok(Rules::default());
        }
        let rules: Rules = study.json(FILE)?;
        let fault = |why: String| Err(StudyError::Data(format!("{FILE}: {why}")));
        for sentence in &rules.sentences {
            let of = sentence.rows.join(", ");
            if !rules.rules.contains_key(&sentence.rule) {
                return fault(format!("{of}: no rule {}", sentence.rule));
            }
            if let Some(id) = sentence.rows.iter().find(|id| rows.iter().all(|row| row.id != **id))
            {
                return fault(format!("no row {id}"));
            }
            known(&format!("{FILE}: {of}"), &sentence.tests, measures)?;
        }
        for row in rows {
            let own = rules.sentences.iter().filter(|sentence| sentence.rows.contains(&row.id));
            match own.count() {
                0 => return fault(format!("no sentence of the row {}", row.id)),
                1 => {}
                _ => return fault(format!("two sentences of the row {}", row.id)),
            }
        }
        Ok(rules)
    }

    /// The sentence of a row.
    pub fn sentence(&self, id: &str) -> Option<&Sentence> {
        self.sentences.iter().find(|sentence| sentence.rows.iter().any(|row| row == id))
    }

    /// A row with the tests that follow from its sentence; none if its strict rule stays.
    pub(super) fn row(&self, row: &Row) -> Option<Row> {
        let tests = &self.sentence(&row.id)?.tests;
        (!tests.is_empty()).then(|| Row { tests: tests.clone(), ..row.clone() })
    }

    /// The rows whose rule is not the strict one, with the tests that follow from their sentences.
    pub(crate) fn rows(&self, rows: &[Row]) -> Vec<Row> {
        rows.iter().filter_map(|row| self.row(row)).collect()
    }
}

#[cfg(test)]
#[path = "sentence_tests.rs"]
mod tests;
