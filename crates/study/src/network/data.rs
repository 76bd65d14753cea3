//! Runs of experiments, as a study keeps them.

use std::sync::Arc;

use crate::network::{Kpi, Measures};
use crate::{Study, StudyError};

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Seed of the run. Runs of all arms with the same seed have the same users at the same
    /// positions.
    pub seed: u64,
    /// True if the run is beyond the number that the source made.
    pub extra: bool,
    /// Values of the run, in the order of the columns of runs; none for a missing value.
    pub values: Vec<Option<f64>>,
    /// Its video users, in the order of their names, each with the columns of users.
    pub users: Vec<Vec<Option<f64>>>,
}

/// The runs of an arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmRuns {
    /// The experiment that it belongs to.
    pub experiment: String,
    /// The value of the axis that is the load; 0 without one.
    pub load: u32,
    /// The values of the other axes, as `DBS/L4S`.
    pub name: String,
    /// Runs by seed.
    pub runs: Vec<Run>,
}

/// The runs of experiments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// Arms in the order of experiments and campaigns.
    pub arms: Vec<ArmRuns>,
    /// The measures of them.
    pub measures: Arc<Measures>,
}

impl Data {
    /// Nothing, with the measures of a study.
    ///
    /// # Errors
    ///
    /// Measures of another form.
    pub fn of(study: &Study) -> Result<Data, StudyError> {
        Ok(Data { arms: Vec::new(), measures: Arc::new(Measures::of(study)?) })
    }

    /// The measure of this name.
    pub fn kpi(&self, name: &str) -> Option<&Kpi> {
        self.measures.named(name)
    }

    /// The runs of an arm; none if it was not made.
    pub fn arm(&self, name: &str, load: u32) -> Option<&[Run]> {
        let same = |arm: &&ArmRuns| arm.load == load && arm.name == name;
        self.arms.iter().find(same).map(|arm| arm.runs.as_slice())
    }

    /// The loads at which arms of this name were made, from the least.
    pub fn loads(&self, name: &str) -> Vec<u32> {
        let own = |arm: &&ArmRuns| arm.name == name;
        let mut loads: Vec<u32> = self.arms.iter().filter(own).map(|arm| arm.load).collect();
        loads.sort_unstable();
        loads.dedup();
        loads
    }

    /// Each arm once: what an experiment adds to another's arm joins its runs. Two experiments may
    /// share an arm, of which a seed is one run.
    pub fn joined(&self) -> Data {
        let mut arms: Vec<ArmRuns> = Vec::new();
        for arm in &self.arms {
            match arms.iter_mut().find(|known| (known.load, &known.name) == (arm.load, &arm.name)) {
                Some(known) => {
                    let new = |run: &&Run| known.runs.iter().all(|old| old.seed != run.seed);
                    let new: Vec<Run> = arm.runs.iter().filter(new).cloned().collect();
                    known.runs.extend(new);
                }
                None => arms.push(arm.clone()),
            }
        }
        Data { arms, measures: Arc::clone(&self.measures) }
    }

    /// Without the runs beyond the number that the source made.
    pub fn as_published(&self) -> Data {
        let cut = |arm: &ArmRuns| ArmRuns {
            runs: arm.runs.iter().filter(|run| !run.extra).cloned().collect(),
            ..arm.clone()
        };
        Data { arms: self.arms.iter().map(cut).collect(), ..self.clone() }
    }
}

/// Runs of two arms with the same seeds, in pairs.
pub(crate) fn pairs<'a>(first: &'a [Run], second: &'a [Run]) -> Vec<(&'a Run, &'a Run)> {
    let partner = |run: &'a Run| Some((run, second.iter().find(|other| other.seed == run.seed)?));
    first.iter().filter_map(partner).collect()
}
