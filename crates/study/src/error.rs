//! Faults of a study: its data, its parts, its runs and its tables.

use airpath_campaign::SweepError;
use airpath_results::{Refused, TableError};

/// The reason for which a study could not be made, read or judged.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study's data are wrong.
    #[error("the study's data are wrong: {0}")]
    Data(String),
    /// A run of an experiment failed: a fault of airpath's.
    #[error("{0}")]
    Run(String),
    /// A folder is no study.
    #[error("{0}: no study, as it has no plan.json")]
    NoPlan(String),
    /// The study has no such part.
    #[error("the study has no part {part:?}; {known}")]
    Part {
        /// The name that no part has.
        part: String,
        /// The parts, as the end of a sentence.
        known: String,
    },
    /// A part has no experiment of a reading.
    #[error("the {reading} reading has no part {part:?}; it has: {known}")]
    NoReading {
        /// The reading.
        reading: &'static str,
        /// The part.
        part: String,
        /// The parts that the reading has.
        known: String,
    },
    /// A reading has no traces of single users.
    #[error(
        "the {0} reading has no traces of single users: --reading first makes those of the first"
    )]
    NoTraces(&'static str),
    /// The study has no capacity that a recording could replace.
    #[error("the study has no capacity that varies, so it takes no trace")]
    Trace,
    /// A folder has no tables.
    #[error("{0}: there are no tables of experiments, as main.runs.parquet")]
    NoTables(String),
    /// A folder has no values.
    #[error("{0}: there is no table of values, as values.parquet")]
    NoValues(String),
    /// A study keeps no values.
    #[error("the study {0} keeps no tables: name a folder of its results, as --from-tables=DIR")]
    NotKept(String),
    /// No tables of a reading are there.
    #[error(
        "the {0} reading was not made: there are no tables of it. --fill DIR makes it batch by batch, \
         --out DIR as a whole; --reading first judges the first"
    )]
    NotMade(&'static str),
    /// The tables that airpath comes with are not found.
    #[error(
        "{0}: its tables are files beside the program, and none are found: name their folder as \
         --from-tables=DIR, or a folder with {0}/network/tables in AIRPATH_STUDIES. The Python package \
         airpath-data has them, and airpath's sources in studies/{0}/network/tables; --quick makes short runs"
    )]
    NoKept(String),
    /// Tables are not those of the study's campaign.
    #[error(
        "{folder}: the tables of {experiment} are those of another campaign: its scenario, arms or \
         seeds differ from the study's. Take tables of this version, or make the experiment anew: \
         remove {experiment}.runs.parquet and {experiment}.users.parquet, and run --fill"
    )]
    OtherCampaign {
        /// The experiment.
        experiment: String,
        /// The folder of the tables.
        folder: String,
    },
    /// The study was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A campaign could not be made.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// A file of a folder of results is not the one that was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A table could not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A folder or file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Its path.
        path: String,
        /// The fault of the system.
        source: std::io::Error,
    },
}

impl StudyError {
    /// True if the study was interrupted.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, StudyError::Interrupted | StudyError::Sweep(SweepError::Interrupted))
    }

    /// True if the request is at fault, not airpath or the machine.
    pub fn is_bad_input(&self) -> bool {
        match self {
            StudyError::Data(_)
            | StudyError::NoPlan(_)
            | StudyError::Part { .. }
            | StudyError::NoReading { .. }
            | StudyError::NoTraces(_)
            | StudyError::Trace
            | StudyError::NoTables(_)
            | StudyError::NoValues(_)
            | StudyError::NotKept(_)
            | StudyError::NoKept(_)
            | StudyError::NotMade(_)
            | StudyError::OtherCampaign { .. }
            | StudyError::Refused(_) => true,
            StudyError::Sweep(error) => error.is_bad_input(),
            _ => false,
        }
    }
}
