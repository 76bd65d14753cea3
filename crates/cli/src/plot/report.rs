//! `airpath report`.

use std::path::{Path, PathBuf};

use airpath_report::report;
use clap::Args as ClapArgs;

use super::file::Target;
use crate::BAD_INPUT;
use crate::args::ReadOption;
use crate::output::{fail, say};

/// Options of `report`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  airpath report out
  airpath report cubic prague -o both.html
  airpath report sweep:ARM -o arm.html")]
pub struct ReportArgs {
    /// Folders that `airpath run --out` or `airpath sweep --out` wrote; DIR:ARM is an arm of a
    /// campaign.
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<String>,
    /// Page (.html) to write; one of airpath's own is replaced [default: report.html in the only
    /// folder, else here].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    read: ReadOption,
}

/// Writes the report of results.
pub fn run(args: &ReportArgs) -> u8 {
    let path = args.out.clone().unwrap_or_else(|| match args.results.as_slice() {
        [one] if Path::new(one).is_dir() => Path::new(one).join("report.html"),
        _ => "report.html".into(),
    });
    let target = match Target::page(&path) {
        Ok(target) => target,
        Err(reason) => return fail(reason, BAD_INPUT),
    };
    let page = match report(&args.results, args.read.digests()) {
        Ok(page) => page,
        Err(error) => return fail(error, BAD_INPUT),
    };
    match target.write_bytes(page.html().into_bytes()) {
        Ok(()) => say(&format!("written: {}\n", path.display())),
        Err(reason) => fail(reason, BAD_INPUT),
    }
}
