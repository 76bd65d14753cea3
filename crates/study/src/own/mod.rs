//! Work that only one study needs, instead of a run of one scenario.
//!
//! A run of a plan names its kind of work under `own`, with the data of that kind. [`KINDS`] lists
//! all kinds: a new kind is an implementation of [`Own`] and an entry there.

mod capacity;
mod even;
mod monitor;
mod population;
mod tunnels;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use airpath_base::Digest;
use airpath_sim::RunFailure;
use serde::Deserialize;
use serde_json::Value;

pub(crate) use monitor::Process;

use crate::StudyError;
use crate::plan::{Plan, Reading, RunDef};
use crate::study::Study;

/// Work of a kind of its own.
pub(crate) trait Own: Send + Sync {
    /// The digest of all that the figures depend on, beside the seed.
    fn digest(&self) -> Digest;

    /// The figures by name; none if the work was interrupted.
    ///
    /// # Errors
    ///
    /// A run that failed.
    fn figures(
        &self,
        seed: u64,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Option<BTreeMap<String, f64>>, RunFailure>;
}

/// The run that work is made for.
pub(crate) struct Order<'a> {
    pub(crate) study: &'a Study,
    pub(crate) plan: &'a Plan,
    pub(crate) reading: &'a Reading,
    pub(crate) run: &'a RunDef,
    /// Overrides of the run in the reading.
    pub(crate) overrides: Vec<String>,
}

type Make = fn(&Order<'_>, &Value) -> Result<Box<dyn Own>, StudyError>;

/// All kinds, by the key that names each in a plan.
const KINDS: [(&str, Make); 4] = [
    ("capacity", capacity::make),
    ("draws", monitor::make),
    ("population", population::make),
    ("tunnels", tunnels::make),
];

/// Work as a plan names it: its kind, and the data of that kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct OwnDef(BTreeMap<String, Value>);

impl OwnDef {
    /// The work of a run.
    ///
    /// # Errors
    ///
    /// A kind that there is not, or data that are wrong.
    pub(crate) fn make(&self, order: Order<'_>) -> Result<Box<dyn Own>, StudyError> {
        let own = self.0.iter().next().and_then(|(kind, data)| {
            let (_, make) = KINDS.iter().find(|(known, _)| known == kind)?;
            Some(make(&order, data))
        });
        own.unwrap_or_else(|| {
            let known: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
            let why = format!("run {}: own has one of {}", order.run.name, known.join(", "));
            Err(StudyError::Data(why))
        })
    }
}

/// The text of a file that a plan names for a kind of work.
///
/// # Errors
///
/// Data that are no name of a file, or a file that is not there.
fn file<'a>(order: &Order<'a>, data: &Value) -> Result<&'a str, StudyError> {
    let name =
        data.as_str().ok_or_else(|| StudyError::Data(format!("{data}: no name of a file")))?;
    order.study.needed(name)
}
