//! Kept figures of a run, and the job that makes it.

use std::sync::atomic::AtomicBool;

use airpath_base::Digest;
use airpath_results::Named;
use airpath_results::users::UserRow;
use airpath_scenario::Scenario;
use airpath_sim::{Job, RunOptions};
use serde::{Deserialize, Serialize};

/// Kept figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its metrics by name; what has no value is not there.
    pub metrics: Named<f64>,
    /// Its users.
    pub users: Vec<UserRow>,
}

/// The runs of an arm.
pub(crate) struct ArmJob<'a> {
    scenario: &'a Scenario,
    digest: Digest,
}

impl<'a> ArmJob<'a> {
    pub fn new(scenario: &'a Scenario) -> ArmJob<'a> {
        ArmJob { scenario, digest: digest(scenario) }
    }
}

/// The fingerprint of an arm: of its scenario, whichever seed that begins with, since a seed
/// stands beside it.
pub(crate) fn digest(scenario: &Scenario) -> Digest {
    match scenario.seed {
        0 => scenario.digest(),
        _ => Scenario { seed: 0, ..scenario.clone() }.digest(),
    }
}

/// Makes a run of an arm, for a sweep that is elsewhere; none if it was interrupted.
///
/// # Errors
///
/// If the run fails.
pub fn make(
    arm: &Scenario,
    seed: u64,
    interrupt: Option<&AtomicBool>,
) -> Result<Option<RunRecord>, String> {
    airpath_sim::make(&ArmJob::new(arm), seed, interrupt)
}

/// Identity of the runs of an arm beside their seeds, whatever else its campaign has.
pub fn work(arm: &Scenario) -> Digest {
    digest(arm)
}

impl Job for ArmJob<'_> {
    type Output = RunRecord;
    type Failure = String;

    fn digest(&self) -> Digest {
        self.digest
    }

    fn run(&self, seed: u64, interrupt: Option<&AtomicBool>) -> Result<Option<RunRecord>, String> {
        let options = RunOptions { seed: Some(seed), interrupt, ..RunOptions::default() };
        let outcome = airpath_sim::run(self.scenario, options);
        let outcome = outcome.map_err(|error| error.to_string())?;
        if !outcome.summary.complete {
            return Ok(None);
        }
        let metrics = outcome.collector.metrics(&outcome.summary);
        let users = outcome.collector.users(outcome.collector.end());
        Ok(Some(RunRecord {
            metrics: metrics.into_iter().map(|metric| (metric.name, metric.value)).collect(),
            users: users.iter().map(airpath_results::users::User::row).collect(),
        }))
    }
}
