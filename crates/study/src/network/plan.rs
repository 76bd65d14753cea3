//! What a study consists of: its scenarios, experiments and rows.

use airpath_scenario::{Campaign, Errors, Variation};
use serde::Deserialize;

use crate::StudyError;

/// The experiments of a study on a network, as texts.
#[derive(Clone, Copy, Debug)]
pub struct Experiments {
    /// Name, as `airpath reproduce` takes it.
    pub name: &'static str,
    /// Experiments (JSON): a [`Plan`].
    pub plan: &'static str,
    /// Rows (JSON).
    pub rows: &'static str,
    /// Its page, with places for figures (Markdown).
    pub page: &'static str,
    /// What a person reads first, with places for figures (Markdown).
    pub screen: &'static str,
    /// Pieces of scenario files by name (TOML), and the files that these name.
    pub files: &'static [(&'static str, &'static str)],
    /// Tables that are kept with airpath, by file name.
    pub tables: &'static [(&'static str, &'static [u8])],
}

/// The experiments of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// In the order in which they are made.
    pub experiments: Vec<Experiment>,
    /// Overrides of the short form.
    pub quick: Vec<String>,
}

/// An experiment: a campaign.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// The part of the study that it belongs to.
    pub part: String,
    /// What it is, in a line.
    pub title: String,
    /// Pieces that make up its scenario file, in order.
    pub files: Vec<String>,
    /// The same in the short form, if it has one.
    #[serde(default)]
    pub quick: Option<Vec<String>>,
    /// Seed of the first run, if this one adds runs to arms of others: its runs are beyond the number that the
    /// source made. Otherwise that of the scenario.
    #[serde(default)]
    pub more_from: Option<u64>,
}

impl Experiments {
    /// Its experiments.
    ///
    /// # Errors
    ///
    /// If the text is no plan.
    pub fn plan(&self) -> Result<Plan, StudyError> {
        serde_json::from_str(self.plan).map_err(|error| StudyError::Data(error.to_string()))
    }

    /// The text of a file of this name.
    pub(crate) fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
    }

    /// The scenario file of an experiment, with its table `[sweep]`; none if it has no short form.
    ///
    /// # Errors
    ///
    /// If it names a piece that is not there.
    pub fn scenario(
        &self,
        experiment: &Experiment,
        quick: bool,
    ) -> Result<Option<String>, StudyError> {
        let pieces = if quick { experiment.quick.as_ref() } else { Some(&experiment.files) };
        let Some(pieces) = pieces else { return Ok(None) };
        let mut text = String::new();
        for piece in pieces {
            let found = self.file(&format!("{piece}.toml"));
            text += found.ok_or_else(|| StudyError::Data(format!("no file {piece}.toml")))?;
            text += "\n";
        }
        Ok(Some(text))
    }

    /// The campaign of an experiment; none if it has no short form and that was asked for.
    ///
    /// # Errors
    ///
    /// If its scenario is none.
    pub fn campaign(
        &self,
        experiment: &Experiment,
        quick: bool,
    ) -> Result<Option<Campaign>, StudyError> {
        let Some(text) = self.scenario(experiment, quick)? else { return Ok(None) };
        let mut overrides = if quick { self.plan()?.quick } else { Vec::new() };
        overrides.extend(experiment.more_from.map(|seed| format!("seed={seed}")));
        let variation = Variation { overrides: &overrides, ..Variation::default() };
        let file = |name: &str| {
            self.file(name).map(str::to_owned).ok_or_else(|| "no such file".to_owned())
        };
        let fault = |errors: Errors| StudyError::Data(format!("{errors:?}"));
        Campaign::parse(&experiment.name, &text, variation, &file).map(Some).map_err(fault)
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
        if own.is_empty() {
            let known = format!("it has: {}", self.parts().join(", "));
            return Err(StudyError::Part { part: part.to_owned(), known });
        }
        Ok(own)
    }

    /// Names of its parts.
    pub fn parts(&self) -> Vec<&str> {
        let mut parts: Vec<&str> = self.experiments.iter().map(|e| e.part.as_str()).collect();
        parts.dedup();
        parts
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
