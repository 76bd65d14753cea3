//! Arguments of `airpath evaluate`.

use std::path::PathBuf;

use airpath_evaluate::Reports;
use clap::{Args as ClapArgs, ValueEnum};

use crate::args::folder;
use crate::plot::ReportOption;

/// Arguments of `airpath evaluate`.
#[derive(Debug, ClapArgs)]
pub struct EvaluateArgs {
    /// Controllers, as scream, gcc, nada, cubic, prague or bbr, with NAME= before one for another name. FILE.py:CLASS is one
    /// in Python, for the program of the Python package (docs/evaluate.md). Without any, list controllers and suites.
    #[arg(value_name = "CONTROLLER")]
    pub controllers: Vec<String>,
    /// Suites with commas between them, or all; the path of a case (NAME.case.toml) or of a folder of cases.
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub suite: String,
    /// One seed, and those cases alone that take little time.
    #[arg(long, conflicts_with_all = ["full", "seeds"])]
    pub quick: bool,
    /// The whole matrix of cases, which takes hours.
    #[arg(long)]
    pub full: bool,
    /// Runs of each case with each controller [default: what the case says].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub seeds: Option<u64>,
    /// Compare with an earlier card: what became better or worse, seed by seed.
    #[arg(long, value_name = "CARD.json")]
    pub against: Option<PathBuf>,
    /// Write the card and the results of its cases to a folder. An interrupted evaluation goes on with the same command.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    /// Verdicts whose runs have a report in the folder, to which the page leads [default: all].
    #[arg(long, value_name = "WHICH", requires = "out")]
    pub reports: Option<WhichReports>,
    #[command(flatten)]
    pub report: ReportOption,
    /// Print the card as JSON, which --against takes.
    #[arg(long)]
    pub json: bool,
    /// Print each criterion, and not only those that do not hold.
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
    /// Print the JSON Schema of the file of a case.
    #[arg(long, exclusive = true)]
    pub schema: bool,
}

/// Verdicts whose runs have a report.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum WhichReports {
    /// All runs that were made: about 1.5 MB each.
    All,
    /// Runs of criteria that fail or are not resolved.
    Failing,
    /// None.
    None,
}

impl EvaluateArgs {
    /// Verdicts whose runs have a report; none without a folder.
    pub fn reports(&self) -> Option<Reports> {
        self.out.as_ref()?;
        match self.reports {
            None | Some(WhichReports::All) => Some(Reports::All),
            Some(WhichReports::Failing) => Some(Reports::Failing),
            Some(WhichReports::None) => None,
        }
    }
}
