//! Errors of an evaluation.

use airpath_schema::nearest;

/// Reason for which nothing was evaluated.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// No such controller, suite or case.
    #[error("there is no {kind} {name}; there are: {known}{suggestion}")]
    Unknown {
        /// Kind of the name.
        kind: &'static str,
        /// Name that is not known.
        name: String,
        /// Known names.
        known: String,
        /// Nearest known name, as a question.
        suggestion: String,
    },
    /// A case file cannot be read, or has a fault.
    #[error("{0}")]
    Case(String),
    /// A baseline cannot be compared with.
    #[error("{0}")]
    Baseline(String),
    /// Two controllers have the same name.
    #[error("two controllers are named {0}; give one another name, as NAME={0}")]
    Twice(String),
    /// The report of a run cannot be made or written.
    #[error("{0}")]
    Report(String),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl EvaluateError {
    pub(crate) fn unknown(kind: &'static str, name: &str, known: &[&str]) -> EvaluateError {
        let near = nearest(name, known.iter().copied());
        let suggestion = near.map(|near| format!("; did you mean {near}?"));
        EvaluateError::Unknown {
            kind,
            name: name.to_owned(),
            known: known.join(", "),
            suggestion: suggestion.unwrap_or_default(),
        }
    }
}
