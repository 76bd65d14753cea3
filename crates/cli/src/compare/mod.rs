//! `airpath compare`.

mod args;
mod page;
mod targets;
mod text;

use std::path::PathBuf;

use airpath_campaign::compare::{Choice, Options, Side, compare, run_both};
use airpath_campaign::{Failure, SweepError};
use airpath_scenario::Scenario;
use serde_json::json;

pub use args::CompareArgs;
use targets::Targets;
pub use text::text;

use crate::output::{fail, note, print, refuse, say, warn};
use crate::plot::Wanted;
use crate::watch::{Steps, interrupt, interrupted};
use crate::{BAD_INPUT, FAILED};

/// Runs of each scenario without `--seeds`.
const SEEDS: u64 = 20;

/// Compares two arms and prints what one has over the other.
pub fn run(args: &CompareArgs) -> u8 {
    let wanted = match args.report.wanted(None) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    match sides(args) {
        Ok((sides, failures)) => show(args, &sides, &failures, wanted),
        Err(code) => code,
    }
}

fn sides(args: &CompareArgs) -> Result<([Side; 2], Vec<Failure>), u8> {
    match targets::find(&args.targets, args.read.digests())? {
        Targets::Sides(sides) => {
            targets::warn_of_options(args);
            Ok((*sides, Vec::new()))
        }
        Targets::Files(files) => make(args, &files),
    }
}

/// Runs two scenario files.
fn make(args: &CompareArgs, files: &[PathBuf; 2]) -> Result<([Side; 2], Vec<Failure>), u8> {
    let over = args.over.all();
    let [first, second] = files.each_ref().map(|file| Scenario::read(file, &over));
    let (first, second) = (first.map_err(refuse)?, second.map_err(refuse)?);
    [&first, &second].iter().for_each(|scenario| warn(&scenario.warnings));
    let names = targets::file_names(files);
    let last = first.seed.saturating_add(args.seeds.unwrap_or(SEEDS));
    let seeds: Vec<u64> = (first.seed..last).collect();
    let steps = Steps::new("", "runs");
    steps.show("", 0, 2 * seeds.len());
    let progress = |done: usize, all: usize| steps.show("", done, all);
    let options = airpath_campaign::Options {
        jobs: args.jobs.map(usize::from),
        progress: Some(&progress),
        interrupt: Some(interrupt()),
        ..airpath_campaign::Options::default()
    };
    let sides = run_both([(&names[0], &first), (&names[1], &second)], &seeds, options);
    steps.clear();
    sides.map_err(|error| match error {
        SweepError::Interrupted => fail("interrupted", interrupted()),
        error => fail(error, FAILED),
    })
}

fn show(args: &CompareArgs, sides: &[Side; 2], failures: &[Failure], wanted: Option<Wanted>) -> u8 {
    for failure in failures {
        let at = format!("{}, seed {}", failure.arm, failure.seed);
        fail(format!("the run of {at} failed: {}", failure.why), FAILED);
    }
    let choice = match (args.all, args.metric.is_empty()) {
        (true, _) => Choice::All,
        (false, true) => Choice::Main,
        (false, false) => Choice::Named(args.metric.clone()),
    };
    let options = Options { choice, margin: args.margin, ..Options::default() };
    let comparison = match compare(&sides[0], &sides[1], &options) {
        Ok(comparison) => comparison,
        // Without a run there is nothing to compare.
        Err(_) if !failures.is_empty() => return FAILED,
        Err(error) => return fail(error, BAD_INPUT),
    };
    if comparison.builds_differ {
        note("note: different builds of airpath made these results, which may differ by that");
    }
    let code = match args.json {
        true => print(&format!("{:#}\n", json!(comparison))),
        false => say(&text(&comparison)),
    };
    let page = wanted.map(|wanted| page::write(wanted, args, sides, &comparison));
    let code = page.filter(|page| *page != 0).unwrap_or(code);
    if failures.is_empty() { code } else { FAILED }
}
