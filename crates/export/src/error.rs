//! Errors of an export.

use airpath_scenario::Errors;

/// Reason for which there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No group of UEs has that name.
    #[error("there is no UE {name}; there are: {known}")]
    NoUe {
        /// Name that is not known.
        name: String,
        /// Groups of UEs of the scenario.
        known: String,
    },
    /// UEs of the group come and go.
    #[error(
        "UEs of {0} arrive and leave, so none has a path for the whole run; name another by --ue"
    )]
    Arrives(String),
    /// The recording would be shorter than two trains.
    #[error("a recording takes at least 1 s; the run lasts {0}: set duration, or --for")]
    Short(String),
    /// No rate saturates the path.
    #[error(
        "the path carries more than {0} Mbit/s, above what is recorded; without a cell give it a limit, as \
         path.sgi.rate=\"1 Gbit/s\""
    )]
    Fast(u64),
    /// A direction delivers nothing under saturation.
    #[error(
        "nothing arrives {0}: the UE has no service, or its bearers take no packets without a DSCP"
    )]
    Silent(&'static str),
    /// So many trains arrived in a direction, too few for a base delay over time.
    #[error(
        "{1} trains of packets arrived {0}, and a recording has 3 or more: the UE has service for too short a time; \
         record for longer with --for, or another UE with --ue"
    )]
    FewTrains(&'static str, usize),
    /// The scenario with probes cannot be read.
    #[error("the scenario with probes cannot be run: {}", .0.plain())]
    Scenario(Box<Errors>),
    /// A run failed.
    #[error("{0}")]
    Run(String),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl From<Errors> for ExportError {
    fn from(errors: Errors) -> ExportError {
        ExportError::Scenario(Box::new(errors))
    }
}
