//! Arguments of `airpath capacity`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::args::{ScenarioArgs, folder};

/// Arguments of `airpath capacity`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath capacity xr-vr.toml --satisfied 'share within 10 ms >= 99%' --users ue.xr
  airpath capacity cell.toml --satisfied 'transmitted_bps >= 5 Mbit/s' --users ue.video --of 95%
  airpath capacity web.toml --satisfied 'page_delay_p95_ms <= 2 s and loss_rate <= 1%' --users ue.web --out out

Criteria are about measures of users (docs/results.md): docs/xr.md.")]
pub struct CapacityArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Criteria of a satisfied UE, which each of its streams meets: `share within 10 ms >= 99%`, `share within deadline >= 99%`,
    /// or a measure of users with >=, <=, > or < and a value. Several have `and` between.
    #[arg(long, value_name = "CRITERIA")]
    pub satisfied: String,
    /// Group of UEs whose number is sought, as ue.xr.
    #[arg(long, value_name = "ue.NAME")]
    pub users: String,
    /// Share of the UEs that have to be satisfied.
    #[arg(long, value_name = "SHARE", default_value = "90%", value_parser = share)]
    pub of: f64,
    /// Largest number of users a cell that is tried.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    pub most: u64,
    /// Runs of each number of users that counts, at first; more follow until half of the interval is at most 5%.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub seeds: u64,
    /// Runs of each number of users at most [default: four times --seeds].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=10_000))]
    pub most_seeds: Option<u64>,
    /// Folder that keeps runs and the answer. The same command goes on with the runs, and so does one with other criteria.
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub out: Option<PathBuf>,
    /// Threads [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Make the runs on the workers of the Dask scheduler at this address (docs/cluster.md).
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads")]
    pub dask: Option<String>,
    /// URL below which workers write the runs' results, as fsspec has it [default: they send it
    /// back].
    #[arg(long, value_name = "URL", requires = "dask")]
    pub store: Option<String>,
    /// Print the answer and all points as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A share: 90% or 0.9.
fn share(text: &str) -> Result<f64, String> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.parse(),
    };
    let share = value.ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "it must be a share above 0, up to 100%, as 90%".to_owned())
}
