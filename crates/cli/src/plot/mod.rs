//! `airpath plot`.

mod file;
mod report;
mod wanted;

use std::path::PathBuf;

use airpath_plot::Chart;
use airpath_report::{ReportError, Results, What, all, chart};
use clap::Args as ClapArgs;
use clap::builder::PossibleValue;

pub use file::Target;
pub use report::{ReportArgs, run as write_report};
pub use wanted::{ReportOption, Wanted};

use crate::BAD_INPUT;
use crate::args::ReadOption;
use crate::output::{fail, note, say};

/// Value of `--what` for every chart of the results.
const ALL: &str = "all";
/// Blocks of a course in a terminal.
const WIDTH: usize = 48;

/// Options of `plot`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath plot out                                    what there is, in the terminal
  airpath plot cubic prague --what rate -o rate.svg
  airpath plot out --what all -o out.html
  airpath plot sweep --what metric --of queue_delay_p99_ms -o delay.png
  airpath plot sweep:ARM --what map

docs/plots.md has a picture of each chart.")]
pub struct PlotArgs {
    /// Folders that `airpath run --out` or `airpath sweep --out` wrote; DIR:ARM is an arm of a
    /// campaign.
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<String>,
    /// Chart to show; may be repeated where FILE is a page [default: all on a page, else by what
    /// there is].
    #[arg(long, value_name = "CHART", value_parser = charts())]
    what: Vec<String>,
    /// The metric or measure that it is about, as goodput_bps.
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
    /// Picture (.svg, .png) or page (.html) to write; one of airpath's own is replaced.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    read: ReadOption,
}

/// The names of charts, each with what it shows.
fn charts() -> Vec<PossibleValue> {
    let named = What::ALL.iter().map(|what| PossibleValue::new(what.name()).help(what.meaning()));
    named.chain([PossibleValue::new(ALL).help("every chart that the results allow")]).collect()
}

/// Shows results.
pub fn run(args: &PlotArgs) -> u8 {
    let several = args.what.len() > 1 || args.what.iter().any(|what| what == ALL);
    let target = match args.out.as_deref().map(|path| file::Target::check(path, several)) {
        None => None,
        Some(Ok(target)) => Some(target),
        Some(Err(reason)) => return fail(reason, BAD_INPUT),
    };
    let (results, charts) = match made(args) {
        Ok(made) => made,
        Err(error) => return fail(error, BAD_INPUT),
    };
    match target {
        None => say(&text(&results, &charts)),
        Some(target) => match target.write(&title(args), &charts) {
            Ok(()) => say(&written(&charts, args)),
            Err(reason) => fail(reason, BAD_INPUT),
        },
    }
}

fn made(args: &PlotArgs) -> Result<(Results, Vec<Chart>), ReportError> {
    let results = Results::open(&args.results, args.read.digests())?;
    let of = args.of.as_deref();
    let page = args.what.is_empty() && args.out.as_deref().is_some_and(file::is_page);
    if page || args.what.iter().any(|what| what == ALL) {
        let charts = all(&results, of)?;
        return Ok((results, charts));
    }
    let mut whats =
        args.what.iter().map(|name| What::named(name)).collect::<Result<Vec<_>, _>>()?;
    if whats.is_empty() {
        let what = What::default_for(&results);
        note(format!("showing --what {}", what.name()));
        whats.push(what);
    }
    let charts =
        whats.into_iter().map(|what| chart(what, &results, of)).collect::<Result<_, _>>()?;
    Ok((results, charts))
}

fn title(args: &PlotArgs) -> String {
    format!("Results of {}", args.results.join(", "))
}

/// The charts in a terminal.
fn text(results: &Results, charts: &[Chart]) -> String {
    let mut text = String::new();
    for chart in charts {
        let lines = chart.sparklines(WIDTH);
        let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        let lines = if lines.is_empty() { lines } else { format!("\n{lines}") };
        text += &format!("{}\n{}\n{lines}\n", chart.title, chart.sentence);
    }
    let possible = What::ALL.into_iter().filter(|what| chart(*what, results, None).is_ok());
    let possible: Vec<&str> = possible.map(What::name).collect();
    text + &format!(
        "-o FILE.svg, FILE.png or FILE.html draws it. --what: {}, or all.\n",
        possible.join(", ")
    )
}

fn written(charts: &[Chart], args: &PlotArgs) -> String {
    let sentences: String = charts.iter().map(|chart| format!("{}\n", chart.sentence)).collect();
    let path = args.out.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    format!("{sentences}\nwritten: {path}\n")
}
