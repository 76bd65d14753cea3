//! Formats of other tools.

use std::str::FromStr;

use crate::{Recording, cellreplay, mahimahi, netem, rattan};

/// A tool that replays a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Delivery opportunities for `mm-link`, with the delay for `mm-delay`.
    Mahimahi,
    /// Base delays, light and heavy delivery opportunities for `mm-cellular` (NSDI 2025).
    CellReplay,
    /// Steps of rate and delay for Rattan's cells BwReplay and DelayReplay.
    Rattan,
    /// A script that sets netem's rate and delay by step.
    Netem,
}

/// All formats.
pub const FORMATS: [Format; 4] =
    [Format::Mahimahi, Format::CellReplay, Format::Rattan, Format::Netem];

/// A file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name in the folder of the export.
    pub name: String,
    /// Content.
    pub text: String,
}

impl Format {
    /// Name of the format, as options have it.
    pub fn word(self) -> &'static str {
        match self {
            Format::Mahimahi => "mahimahi",
            Format::CellReplay => "cellreplay",
            Format::Rattan => "rattan",
            Format::Netem => "netem",
        }
    }

    /// Files of a recording.
    pub fn files(self, recording: &Recording) -> Vec<File> {
        match self {
            Format::Mahimahi => mahimahi::files(recording),
            Format::CellReplay => cellreplay::files(recording),
            Format::Rattan => rattan::files(recording),
            Format::Netem => netem::files(recording),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(word: &str) -> Result<Format, String> {
        let words = FORMATS.map(Format::word).join(", ");
        let found = FORMATS.into_iter().find(|format| format.word() == word);
        found.ok_or_else(|| format!("there is no format {word}; there are: {words}"))
    }
}

impl File {
    pub(crate) fn new(name: &str, text: String) -> File {
        File { name: name.to_owned(), text }
    }
}

/// Facts of a recording in lines that begin with `mark`.
pub(crate) fn head(recording: &Recording, mark: &str) -> String {
    let Recording { ue, seed, length_ms, .. } = recording;
    format!(
        "{mark} The path of {ue} through a simulated cell, recorded by airpath {} with seed {seed}, {} s.\n\
         {mark} Rates are those of a saturated path; they count bytes of IP.\n",
        env!("CARGO_PKG_VERSION"),
        f64::from(*length_ms) / 1e3
    )
}
