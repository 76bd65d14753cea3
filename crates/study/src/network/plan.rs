//! Experiments of a plan: the campaign that each is.

use airpath_scenario::{Campaign, Errors, Variation};
use serde::Deserialize;

use crate::network::Reading;
use crate::{Plan, Study, StudyError};

/// The axes of experiments.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axes {
    /// The axis whose values are numbers, over which figures are drawn.
    pub load: Option<Axis>,
    /// The other axes. The name of an arm has its value on each, as `DBS/L4S`.
    pub arm: Vec<Axis>,
}

/// An axis of a campaign.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// The name, as in the scenario files.
    pub name: String,
    /// The meaning, as tables have it.
    pub meaning: String,
}

/// An experiment: a campaign.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// The part of the study that it belongs to.
    pub part: String,
    /// Description in one line.
    pub title: String,
    /// Pieces that make up its scenario file, in order.
    pub files: Vec<String>,
    /// Pieces of its short form, if it has one.
    #[serde(default)]
    pub quick: Option<Vec<String>>,
    /// Seed of the first run, for an experiment that adds runs to arms of others. Its runs are
    /// beyond the number that the source made. By default, the seed of the scenario.
    #[serde(default)]
    pub more_from: Option<u64>,
    /// The readings that have it.
    #[serde(default = "both")]
    pub readings: Vec<Reading>,
    /// Batches in which it is made, each with some seeds of every arm.
    #[serde(default = "one")]
    pub batches: u64,
    /// The choice whose share it shows.
    #[serde(skip)]
    pub share: Option<String>,
}

fn both() -> Vec<Reading> {
    Reading::ALL.into()
}

fn one() -> u64 {
    1
}

impl Axes {
    /// The values of an arm's name, in the order of the axes. The last one may have a slash.
    pub(crate) fn values<'a>(&self, name: &'a str) -> impl Iterator<Item = &'a str> {
        name.splitn(self.arm.len().max(1), '/')
    }
}

impl Study {
    /// The scenario file of an experiment, with its table `[sweep]`; none if it has no short form.
    ///
    /// # Errors
    ///
    /// If it names a piece that is not there.
    pub fn experiment_text(
        &self,
        experiment: &Experiment,
        quick: bool,
    ) -> Result<Option<String>, StudyError> {
        let pieces = if quick { experiment.quick.as_ref() } else { Some(&experiment.files) };
        let Some(pieces) = pieces else { return Ok(None) };
        let mut text = String::new();
        for piece in pieces {
            text += self.needed(&format!("{piece}.toml"))?;
            text += "\n";
        }
        Ok(Some(text))
    }

    /// The campaign of an experiment in a reading; none if `quick` is set and the experiment has
    /// no short form.
    ///
    /// # Errors
    ///
    /// If its scenario is none.
    pub fn campaign(
        &self,
        experiment: &Experiment,
        reading: Reading,
        quick: bool,
    ) -> Result<Option<Campaign>, StudyError> {
        let Some(text) = self.experiment_text(experiment, quick)? else { return Ok(None) };
        let plan = self.plan()?;
        let mut overrides = if quick { plan.quick.clone() } else { Vec::new() };
        overrides.extend(experiment.more_from.map(|seed| format!("seed={seed}")));
        let beneath = plan.beneath(experiment, reading);
        let variation =
            Variation { overrides: &overrides, beneath: &beneath, ..Variation::default() };
        let fault =
            |errors: Errors| StudyError::Data(format!("{}: {}", experiment.name, errors.plain()));
        Campaign::parse(&experiment.name, &text, variation, &self.files()).map(Some).map_err(fault)
    }
}

impl Plan {
    /// The experiments of a part, or all.
    ///
    /// # Errors
    ///
    /// If there is no such part.
    pub fn of_part(&self, part: Option<&str>) -> Result<Vec<&Experiment>, StudyError> {
        let Some(part) = part else { return Ok(self.experiments.iter().collect()) };
        let own: Vec<&Experiment> = self.experiments.iter().filter(|e| e.part == part).collect();
        if own.is_empty() { Err(self.no_part(part)) } else { Ok(own) }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
