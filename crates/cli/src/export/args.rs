//! Options of `airpath export`.

use std::path::PathBuf;

use airpath_export::{FORMATS, Format};
use clap::Args as ClapArgs;

use crate::args::{Overrides, folder};

/// Options of `export`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath export lte-6rb.toml --out traces
  airpath export results --mahimahi --out traces && cd traces && sh mahimahi.sh curl https://example.org
  airpath export cell.toml --ue phone --judge")]
pub struct ExportArgs {
    /// Scenario file (TOML), - for standard input, or a results folder, whose scenario is run again.
    #[arg(value_name = "SCENARIO|RUN")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub over: Overrides,
    /// Group of UEs, one of which is recorded instead of its flows [default: the first].
    #[arg(long, value_name = "NAME")]
    pub ue: Option<String>,
    /// Length of the recording [default: the scenario's duration].
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<String>,
    /// Seed instead of the scenario's.
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// Write for mahimahi: mm-link and mm-delay.
    #[arg(long)]
    pub mahimahi: bool,
    /// Write for CellReplay: mm-cellular.
    #[arg(long)]
    pub cellreplay: bool,
    /// Write for Rattan.
    #[arg(long)]
    pub rattan: bool,
    /// Write a script for netem (tc).
    #[arg(long)]
    pub netem: bool,
    /// Run five applications in the cell and over each recording, and print how far they differ.
    #[arg(long)]
    pub judge: bool,
    /// Folder to write the files to, all formats unless some are named; an earlier one of airpath's is replaced.
    #[arg(long, value_name = "DIR", value_parser = folder(), required_unless_present = "judge")]
    pub out: Option<PathBuf>,
    /// Print rates, delays and errors as JSON.
    #[arg(long)]
    pub json: bool,
}

impl ExportArgs {
    /// Formats that are written: those that are named, or else all.
    pub fn formats(&self) -> Vec<Format> {
        let named = [self.mahimahi, self.cellreplay, self.rattan, self.netem];
        let all = named.iter().all(|named| !named);
        let wanted = FORMATS.into_iter().zip(named).filter(|(_, named)| *named || all);
        wanted.map(|(format, _)| format).collect()
    }
}
