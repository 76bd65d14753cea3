//! Arguments of `compare`.

use clap::Args;

use crate::args::{Overrides, ReadOption};
use crate::plot::ReportOption;

/// Options of `compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  airpath compare cubic.toml prague.toml --seeds 20
  airpath compare out                          a campaign of two arms
  airpath compare out 'cubic' 'prague'         two of its arms
  airpath compare out:cubic other:prague       arms of two campaigns
  airpath compare before after --metric queue_delay_p99_ms

Runs are compared in pairs of the same seed: docs/compare.md.")]
pub struct CompareArgs {
    /// FILE FILE, DIR DIR or DIR ARM ARM. A FILE is a scenario, which is run. A DIR is the results
    /// of a run or, as DIR:ARM, of an arm of a campaign. DIR ARM ARM are the folder of a campaign
    /// and the names of two arms.
    #[arg(value_name = "WHAT", required = true, num_args = 1..=3)]
    pub targets: Vec<String>,
    /// Changes of both scenario files.
    #[command(flatten)]
    pub over: Overrides,
    /// Runs of each scenario file, with seeds from that of the first on [default: 20].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub seeds: Option<u64>,
    /// Threads [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub jobs: Option<u16>,
    /// Compare this metric; may be repeated.
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    pub metric: Vec<String>,
    /// Compare all metrics.
    #[arg(long)]
    pub all: bool,
    /// Say which metrics are equal but for so much, as 10%.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub margin: Option<f64>,
    /// Print the comparison as JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub read: ReadOption,
    #[command(flatten)]
    pub report: ReportOption,
}

/// A share from "10%" or "0.1".
fn percent(text: &str) -> Result<f64, String> {
    let share = match text.trim().strip_suffix('%') {
        Some(number) => number.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.trim().parse(),
    };
    match share {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("it is more than 0% and at most 100%, as 10%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_a_share() {
        assert_eq!((percent("10%"), percent("0.1"), percent("100 %")), (Ok(0.1), Ok(0.1), Ok(1.0)));
        for bad in ["0", "-5%", "101%", "ten", "", "NaN"] {
            assert!(percent(bad).is_err(), "{bad}");
        }
    }
}
