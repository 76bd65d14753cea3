//! The runs of a reading, from the data of its study.

use airpath_base::random::Seed;
use airpath_scenario::{Errors as ScenarioErrors, Scenario};

use crate::own::Order;
use crate::plan::{AirInterface, Plan, Reading, RunDef};
use crate::task::{Task, Work};
use crate::{Study, StudyError};

/// Seed of what belongs to a study as its scenarios do: draws of ensembles, capacities.
pub(crate) const DRAWN: u64 = 1;

impl Study {
    /// The runs of a reading as scenarios.
    pub(crate) fn tasks(
        &self,
        plan: &Plan,
        reading: &Reading,
    ) -> Result<Vec<Task<'static>>, StudyError> {
        let made = plan.runs_of(reading).filter(|run| run.not_made.is_none());
        made.map(|run| self.task(plan, reading, run)).collect()
    }

    /// A scenario with the files that it names.
    fn parse(
        &self,
        plan: &Plan,
        name: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Scenario, ScenarioErrors> {
        let file = |wanted: &str| {
            let process = wanted.rsplit_once(' ').and_then(|(n, _)| plan.capacities.get(n));
            if let Some(process) = process {
                let made = || process.recording(Seed(DRAWN), wanted);
                return Ok(plan.trace.clone().unwrap_or_else(made));
            }
            self.files()(wanted)
        };
        Scenario::parse_with(name, text, overrides, &file)
    }

    pub(crate) fn scenario(
        &self,
        plan: &Plan,
        reading: &Reading,
        run: &RunDef,
        overrides: &[String],
    ) -> Result<Scenario, StudyError> {
        let text = self.needed(&format!("{}.toml", run.scenario))?;
        self.parse(plan, &run.scenario, text, overrides).map_err(|errors| {
            StudyError::Data(format!("{}, {}: {}", reading.name, run.name, errors.plain()))
        })
    }

    fn task(
        &self,
        plan: &Plan,
        reading: &Reading,
        run: &RunDef,
    ) -> Result<Task<'static>, StudyError> {
        let overrides = overrides(plan, reading, run)?;
        let work = match &run.own {
            Some(own) => {
                Work::Own(own.make(Order { study: self, plan, reading, run, overrides })?)
            }
            None => Work::Scenario(Box::new(self.scenario(plan, reading, run, &overrides)?)),
        };
        let from = reading.from_s.get(&run.scenario).copied();
        let ramp = plan.ramp(reading)?;
        let latency_ms = run.latency.as_ref().map(AirInterface::latency_ms).transpose()?;
        let (spans, own) = (Vec::new(), None);
        Ok(Task { run: run.name.clone(), work, from, ramp, latency_ms, spans, own })
    }
}

/// Overrides of a run: its own, then those of each profile for all runs, for the scenario and for
/// the run.
fn overrides(plan: &Plan, reading: &Reading, run: &RunDef) -> Result<Vec<String>, StudyError> {
    let mut all = run.set.clone();
    for name in &reading.profiles {
        let profile = plan.profiles.get(name);
        let profile = profile.ok_or_else(|| StudyError::Data(format!("no profile {name}")))?;
        all.extend(profile.get("all").into_iter().flatten().cloned());
        all.extend(profile.get(&run.scenario).into_iter().flatten().cloned());
        all.extend(run.profiles.get(name).into_iter().flatten().cloned());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use crate::{Kept, STUDIES};

    #[test]
    fn each_study_can_be_read() {
        for study in STUDIES.iter().map(Kept::study) {
            let plan = study.plan().expect("a plan");
            for reading in &plan.readings {
                assert!(!study.tasks(&plan, reading).expect("valid scenarios").is_empty());
            }
            study.check().expect("whole data");
            for claim in study.claims().expect("claims") {
                assert!(claim.holds.is_none() || claim.note.is_some(), "{}", claim.id);
            }
        }
    }
}
