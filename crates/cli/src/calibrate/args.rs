//! Options of `airpath calibrate`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::plot::ReportOption;

/// Options of `calibrate`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath calibrate
  airpath calibrate --only UMa
  airpath calibrate --file rows.csv --json

Rows have one of two headers, each on one line:
  calibration,scenario,carrier_ghz,metric,p5,p10,...
  configuration,metric,n_companies,
    percentile,mean_db,min_db,max_db")]
pub struct CalibrateArgs {
    /// Published rows to compare with, instead of those that come with airpath.
    #[arg(long, value_name = "ROWS.csv")]
    pub file: Option<PathBuf>,
    /// Compare with the rows of one scenario, or of one calibration, only.
    #[arg(long, value_name = "NAME")]
    pub only: Option<String>,
    /// Print a JSON array with an object for each percentile.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub report: ReportOption,
    /// Number of users that are dropped for each scenario and carrier.
    #[arg(long, value_name = "N", default_value_t = 120_000,
          value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    pub users: u64,
    /// Seed of all draws.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}
