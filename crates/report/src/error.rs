//! Errors of charts and reports, all bad input: unreadable results, unknown names, missing data.

use std::path::{Path, PathBuf};

use airpath_campaign::SweepError;
use airpath_results::{Refused, TableError};
use airpath_scenario::nearest;

/// Reason for which there is no chart. All of them are bad input.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The named folder is no results folder that can be read.
    #[error("{} {what}: {mend}", folder.display())]
    Folder {
        /// Named folder.
        folder: PathBuf,
        /// Fault of the folder.
        what: String,
        /// Mend of the error.
        mend: String,
    },
    /// A name that nothing has.
    #[error("there is no {kind} `{name}`{hint}")]
    Unknown {
        /// Kind of the name.
        kind: &'static str,
        /// The name.
        name: String,
        /// The nearest, or all that there are.
        hint: String,
    },
    /// The results do not have what the chart needs.
    #[error("{what}: {mend}")]
    Missing {
        /// Missing data.
        what: String,
        /// Mend of the error.
        mend: String,
    },
    /// The campaign's folder cannot be read.
    #[error(transparent)]
    Campaign(#[from] SweepError),
    /// A file of the folder is not the one that was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl ReportError {
    pub(crate) fn folder(folder: &Path, what: &str, mend: &str) -> ReportError {
        let (folder, what, mend) = (folder.to_owned(), what.to_owned(), mend.to_owned());
        ReportError::Folder { folder, what, mend }
    }

    pub(crate) fn missing(what: impl Into<String>, mend: impl Into<String>) -> ReportError {
        ReportError::Missing { what: what.into(), mend: mend.into() }
    }

    /// A name that none of `known` is, with the one that is most like it, or all.
    pub fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> ReportError {
        let known: Vec<&str> = known.into_iter().collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!(": did you mean `{near}`?"),
            None => match known.len() {
                0 => String::new(),
                1..=40 => format!(": there are {}", known.join(", ")),
                n => format!(": there are {n}, {}, …", known[..20].join(", ")),
            },
        };
        ReportError::Unknown { kind, name: name.to_owned(), hint }
    }
}
