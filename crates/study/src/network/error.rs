//! Why experiments could not be made or read.

use airpath_campaign::SweepError;
use airpath_results::TableError;

/// Why experiments could not be made or read.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The study's data are wrong.
    #[error("internal error: the study's data are wrong: {0}")]
    Data(String),
    /// The study has no such part.
    #[error("the study has no part {part:?}; it has: {known}")]
    Part {
        /// What was asked for.
        part: String,
        /// Which there are.
        known: String,
    },
    /// A folder has no tables.
    #[error("{0}: there are no tables of experiments, as main.runs.parquet")]
    NoTables(String),
    /// A campaign could not be made.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A table could not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A folder or file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

impl ExperimentError {
    /// Whether it was interrupted.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, ExperimentError::Sweep(SweepError::Interrupted))
    }

    /// Whether what was asked for is at fault, not airpath or the machine.
    pub fn is_bad_input(&self) -> bool {
        match self {
            ExperimentError::Part { .. } | ExperimentError::NoTables(_) => true,
            ExperimentError::Sweep(error) => error.is_bad_input(),
            _ => false,
        }
    }
}
