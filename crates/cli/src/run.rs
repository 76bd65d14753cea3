//! `airpath run`.

use airpath_results::FolderError;
use airpath_scenario::{Every, Scenario};
use airpath_sim::{Outcome, Progress, RunFailure, RunOptions};

use crate::args::RunArgs;
use crate::output::{fail, leftovers, note, print, quiet, read, say};
use crate::watch::{Bar, Watch, interrupt};
use crate::{BAD_INPUT, FAILED, INTERRUPTED, table};

/// Runs a scenario and prints what it came to.
pub fn run(args: &RunArgs) -> u8 {
    let scenario = match read(&args.scenario) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    if args.out.is_none() && records(&scenario) {
        note("note: the scenario's [output] asks for recordings; --out DIR writes them");
    }
    let watch = Watch::start();
    let mut bar = Bar::new(!quiet());
    let mut progress = |progress: Progress| bar.show(progress);
    let timing = |simulated_s: f64| watch.timing(simulated_s);
    let options = RunOptions {
        seed: args.seed,
        out: args.out.as_deref(),
        progress: Some(&mut progress),
        interrupt: Some(interrupt()),
        timing: Some(&timing),
        ..RunOptions::default()
    };
    let outcome = airpath_sim::run(&scenario, options);
    bar.clear();
    match outcome {
        Ok(outcome) => {
            leftovers(&outcome.leftovers);
            show(args, &outcome)
        }
        Err(failure) => fail(&failure, code(&failure)),
    }
}

/// Whether the scenario asks for what goes to a folder only.
fn records(scenario: &Scenario) -> bool {
    let output = &scenario.output;
    output.packets || output.series != Every::Off || !output.pcap.is_empty()
}

fn code(failure: &RunFailure) -> u8 {
    match failure {
        RunFailure::Out(_) | RunFailure::Folder(FolderError::NotOurs { .. }) => BAD_INPUT,
        _ => FAILED,
    }
}

fn show(args: &RunArgs, outcome: &Outcome) -> u8 {
    let summary = &outcome.summary;
    let printed = if args.json {
        match summary.to_json() {
            Ok(text) => print(&text),
            Err(error) => fail(error, FAILED),
        }
    } else {
        let folder = outcome.folder.as_ref();
        let folder = folder.map(|folder| format!("\nresults in {}\n", folder.display()));
        say(&(table::summary(summary, args.all) + &folder.unwrap_or_default()))
    };
    match summary.complete {
        true => printed,
        false => {
            note(format!("interrupted at {} s of simulated time", summary.duration_s));
            INTERRUPTED
        }
    }
}
