//! Errors of campaigns.

use std::io;
use std::path::PathBuf;

use airpath_results::{FolderError, Refused, TableError};
use airpath_scenario::nearest;

/// Reason why a campaign cannot be run, read or written.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// The folder holds something else.
    #[error("{} {what}: {mend}", folder.display())]
    Other {
        /// The folder.
        folder: PathBuf,
        /// Contents of the folder.
        what: String,
        /// Advice.
        mend: String,
    },
    /// No run has the metric.
    #[error("no run has the metric `{metric}`{}", hint(nearest.as_deref()))]
    Metric {
        /// The metric.
        metric: String,
        /// The one that is most like it.
        nearest: Option<String>,
    },
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// The folder cannot be written or is not ours.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file of the folder is not the one that was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A table of the folder cannot be read.
    #[error("{}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: TableError,
    },
    /// A run that was made is not kept, so that its row cannot be written.
    #[error("what is kept of {arm}, seed {seed} cannot be read: run the same command again")]
    Lost {
        /// Its arm.
        arm: String,
        /// Its seed.
        seed: u64,
    },
    /// The maker of the runs cannot go on.
    #[error("{0}")]
    Elsewhere(String),
    /// So many threads cannot be had.
    #[error("cannot make {0} threads: {1}")]
    Threads(usize, String),
}

impl SweepError {
    /// The error for a metric that none of `known` is.
    pub fn no_metric<'a>(metric: &str, known: impl IntoIterator<Item = &'a str>) -> SweepError {
        let nearest = nearest(metric, known).map(str::to_owned);
        SweepError::Metric { metric: metric.to_owned(), nearest }
    }

    /// True if the input is wrong, and not the run.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            SweepError::Other { .. }
                | SweepError::Metric { .. }
                | SweepError::Refused(_)
                | SweepError::Folder(FolderError::NotOurs { .. })
        )
    }
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(name) => format!(": did you mean `{name}`?"),
        None => ": --all prints what there is".to_owned(),
    }
}
