//! Readings of what a source leaves open, and the choices in which they differ.
//!
//! An experiment of the second reading is the campaign of the first with all choices. A share is
//! the experiment of one choice: the first reading with this choice alone, the second without it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use airpath_base::Digest;
use airpath_scenario::Beneath;
use serde::{Deserialize, Serialize};

use crate::network::Experiment;
use crate::{Plan, Study, StudyError};

/// A reading of what a source leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// The scenarios as their files have them.
    #[default]
    First,
    /// These scenarios with all choices.
    Second,
}

/// A choice of the second reading.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// A short name, as in names of arms.
    pub id: String,
    /// The subject in a line.
    pub title: String,
    /// The first reading's value.
    pub first: String,
    /// The second reading's value.
    pub second: String,
    /// The source of the second reading's value. It exists without the published figures.
    pub source: String,
    /// Overrides, by the key beside which they count ([`Beneath`]).
    set: BTreeMap<String, Vec<String>>,
}

/// Experiments that show the share of each of some choices.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shares {
    /// The beginning of the experiments' names.
    name: String,
    /// The beginning of their titles.
    title: String,
    /// Pieces that make up the scenario file.
    files: Vec<String>,
    /// The choices, by their ids.
    of: Vec<String>,
}

/// The part of the plan that shows the share of each choice.
pub const SHARES: &str = "shares";

impl Reading {
    /// All readings.
    pub const ALL: [Reading; 2] = [Reading::First, Reading::Second];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Reading::First => "first",
            Reading::Second => "second",
        }
    }

    /// The folder of this reading's files, where `first` is that of the first.
    pub fn folder(self, first: &Path) -> PathBuf {
        match self {
            Reading::First => first.to_owned(),
            Reading::Second => first.join(self.word()),
        }
    }

    /// The end of the name of an arm in which one choice alone is set, or alone is not.
    pub(crate) fn share(self, choice: &str) -> String {
        match self {
            Reading::First => format!(", only {choice}"),
            Reading::Second => format!(", without {choice}"),
        }
    }
}

impl Shares {
    /// An experiment for each choice.
    pub(crate) fn experiments(&self) -> impl Iterator<Item = Experiment> {
        self.of.iter().map(|choice| Experiment {
            name: format!("{}-{choice}", self.name),
            part: SHARES.to_owned(),
            title: format!("{}: {choice}", self.title),
            files: self.files.clone(),
            quick: None,
            more_from: None,
            readings: Reading::ALL.into(),
            batches: 1,
            share: Some(choice.clone()),
        })
    }
}

impl Plan {
    /// The choices that an experiment of a reading has.
    fn choices_of(&self, of: &Experiment, reading: Reading) -> impl Iterator<Item = &Choice> {
        let is_own = move |choice: &&Choice| {
            let own = of.share.as_deref() == Some(choice.id.as_str());
            own == (reading == Reading::First)
        };
        self.choices.iter().filter(is_own)
    }

    /// The settings of a reading beneath those of an experiment's arms.
    pub(crate) fn beneath(&self, of: &Experiment, reading: Reading) -> Vec<Beneath<'_>> {
        let choices = self.choices_of(of, reading).flat_map(|choice| &choice.set);
        let pairs = choices.flat_map(|(beside, sets)| sets.iter().map(move |set| (beside, set)));
        pairs.map(|(beside, set)| Beneath { beside, set }).collect()
    }

    /// The experiments of a part, or all, that a reading has. A study without choices has no second
    /// reading.
    ///
    /// # Errors
    ///
    /// If the study has no such part, or none of its experiments is of the reading.
    pub fn of_reading(
        &self,
        reading: Reading,
        part: Option<&str>,
    ) -> Result<Vec<&Experiment>, StudyError> {
        let mut own = self.of_part(part)?;
        own.retain(|experiment| experiment.readings.contains(&reading));
        if !own.is_empty() && (reading == Reading::First || !self.choices.is_empty()) {
            return Ok(own);
        }
        let mut known: Vec<&str> = Vec::new();
        let of_choices = self.experiments.iter().filter(|_| !self.choices.is_empty());
        for experiment in of_choices.filter(|one| one.readings.contains(&reading)) {
            if !known.contains(&experiment.part.as_str()) {
                known.push(&experiment.part);
            }
        }
        Err(StudyError::NoReading {
            reading: reading.word(),
            part: part.unwrap_or("all").to_owned(),
            known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        })
    }
}

impl Study {
    /// The fingerprint of an experiment's campaign: its text without comments, the files that the
    /// text names, and the choices of the reading.
    ///
    /// # Errors
    ///
    /// If it names a piece that is not there.
    pub fn fingerprint(
        &self,
        experiment: &Experiment,
        reading: Reading,
    ) -> Result<String, StudyError> {
        let text = self.experiment_text(experiment, false)?.unwrap_or_default();
        let mut digest = Digest::new();
        for line in text.lines().map(without_comment).filter(|line| !line.is_empty()) {
            digest = digest.field(line.as_bytes());
        }
        for name in self.names().filter(|name| text.contains(&format!("\"{name}\""))) {
            digest = digest.field(self.needed(name)?.as_bytes());
        }
        digest = digest.number(experiment.more_from.unwrap_or_default());
        let plan = self.plan()?;
        let beneath = plan.beneath(experiment, reading);
        let digest = beneath.iter().fold(digest, |digest, own| {
            digest.field(own.beside.as_bytes()).field(own.set.as_bytes())
        });
        Ok(format!("{:032x}", digest.value())[..16].to_owned())
    }
}

/// A line of TOML without its comment.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let begins = |(_, c): &(usize, char)| {
        quoted ^= *c == '"';
        *c == '#' && !quoted
    };
    let end = line.char_indices().find(begins).map_or(line.len(), |(at, _)| at);
    line[..end].trim()
}

#[cfg(test)]
#[path = "reading_tests.rs"]
mod tests;
