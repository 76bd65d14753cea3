//! `airpath sweep`.

mod cluster;
mod text;

use std::io;
use std::path::{Path, PathBuf};

use airpath_campaign::{Options, Report, SweepError, sweep};
use airpath_scenario::{Campaign, Errors, Runs, Variation};
use serde_json::{Value, json};

pub use cluster::{Cluster, ClusterWork, connect, with_cluster};

use crate::args::SweepArgs;
use crate::output::{fail, is_standard, note, note_late, print, refuse, say, warn};
use crate::plot::Wanted;
use crate::watch::{Steps, interrupt, interrupted};
use crate::{BAD_INPUT, FAILED};

/// Runs a campaign and prints what it came to.
pub fn run(args: &SweepArgs) -> u8 {
    let campaign = match read(args) {
        Ok(campaign) => campaign,
        Err(errors) => return refuse(errors),
    };
    warn(&campaign.warnings);
    let late = campaign.arms.iter().find(|arm| arm.scenario.late_flows().next().is_some());
    late.into_iter().for_each(|arm| note_late(&arm.scenario));
    let (folder, wanted) = match args.report.with_folder(args.out.as_deref(), "campaign") {
        Ok(asked) => asked,
        Err(code) => return code,
    };
    let elsewhere = match connect(args.dask.as_deref(), || cluster::work(args)) {
        Ok(elsewhere) => elsewhere,
        Err(why) => return fail(why, BAD_INPUT),
    };
    let steps = Steps::new("", "runs");
    if matches!(campaign.runs, Runs::Fixed(_)) {
        steps.show("", 0, usize::try_from(campaign.most_runs()).unwrap_or(usize::MAX));
    }
    let told = |text: &str| steps.aside(|| note(text));
    let progress = |done: usize, all: usize| steps.show("", done, all);
    let options = Options {
        folder: folder.as_deref(),
        jobs: args.jobs.map(usize::from),
        progress: Some(&progress),
        interrupt: Some(interrupt()),
        note: Some(&told),
        digests: args.read.digests(),
        elsewhere: elsewhere.as_deref(),
    };
    let report = sweep(&campaign, options);
    steps.clear();
    match report {
        Ok(report) => {
            let code = show(args, &campaign, &report);
            let page = wanted.map(|wanted| explain(wanted, args, folder));
            page.filter(|page| *page != 0).unwrap_or(code)
        }
        Err(SweepError::Interrupted) => {
            if args.out.is_none() {
                note("nothing is kept; with --out DIR finished runs are");
            }
            fail("interrupted", interrupted())
        }
        Err(error) if error.is_bad_input() => fail(error, BAD_INPUT),
        Err(error) => fail(error, FAILED),
    }
}

fn explain(wanted: Wanted, args: &SweepArgs, folder: Option<PathBuf>) -> u8 {
    let title = format!("Campaign of {}", args.scenario.name());
    wanted.report(folder.as_slice(), &title)
}

fn read(args: &SweepArgs) -> Result<Campaign, Errors> {
    let overrides = args.scenario.over.all();
    let (vary, runs) = (&args.vary, args.seeds);
    let variation = Variation { overrides: &overrides, vary, runs, ..Variation::default() };
    match is_standard(&args.scenario.scenario) {
        true => {
            let (name, folder) = (args.scenario.name(), Path::new(""));
            Campaign::read_from(&name, io::stdin().lock(), folder, variation)
        }
        false => Campaign::read(&args.scenario.scenario, variation),
    }
}

fn show(args: &SweepArgs, campaign: &Campaign, report: &Report) -> u8 {
    let code = match args.json {
        true => print(&format!("{:#}\n", json(report))),
        false => match text::text(args, campaign, report) {
            Ok(text) => say(&text),
            Err(error) => return fail(error, BAD_INPUT),
        },
    };
    for failure in &report.failures {
        let at = format!("{}, seed {}", failure.arm, failure.seed);
        fail(format!("the run of {at} failed: {}", failure.why), FAILED);
    }
    if report.failures.is_empty() { code } else { FAILED }
}

fn json(report: &Report) -> Value {
    let interval = |estimate: &airpath_campaign::Estimate| {
        json!({
            "arm": report.arms[estimate.arm].name,
            "metric": estimate.metric,
            "runs": estimate.runs,
            "mean": estimate.mean,
            "stddev": estimate.stddev,
            "low": estimate.interval.map(|interval| interval.low),
            "high": estimate.interval.map(|interval| interval.high),
        })
    };
    json!({
        "columns": report.columns,
        "arms": report.arms,
        "metrics": report.metrics,
        "intervals": report.estimates.iter().map(interval).collect::<Vec<_>>(),
        "failures": report.failures,
    })
}
