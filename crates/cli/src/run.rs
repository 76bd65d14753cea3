//! `airpath run`.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;

use airpath_base::Time;
use airpath_plot::seconds;
use airpath_report::record;
use airpath_results::FolderError;
use airpath_results::live::{Reading, Session};
use airpath_scenario::{Every, RecordedBlocks, Scenario};
use airpath_sim::{Live, Outcome, Progress, RunFailure, RunOptions};

use crate::args::RunArgs;
use crate::output::{fail, leftovers, note, print, quiet, read, say};
use crate::plot::Wanted;
use crate::view::{Asked, Pace, View, ViewOptions, lines_to};
use crate::watch::{Bar, Watch, interrupt, interrupted};
use crate::{BAD_INPUT, FAILED, table};

/// Runs a scenario and prints what it came to.
pub fn run(args: &RunArgs) -> u8 {
    let (scenario, folder, report) = match asked(args) {
        Ok(asked) => asked,
        Err(code) => return code,
    };
    if folder.is_none() && records(&scenario) {
        note("note: the scenario's [output] asks for recordings; --out DIR writes them");
    }
    let watch = Watch::start();
    let watched = args.watch.then(|| Watched::open(args, &scenario));
    let mut bar = Bar::new(!quiet() && !args.watch);
    let mut progress = |progress: Progress| match &watched {
        Some(watched) => watched.progress(progress),
        None => bar.show(progress),
    };
    let mut shown = |reading: Reading| {
        watched.iter().for_each(|watched| watched.view.borrow_mut().show(&reading));
    };
    let live = args.watch.then_some(Live { interval: args.interval, show: &mut shown });
    let timing = |simulated_s: f64| watch.timing(simulated_s, args.scenario.over.all());
    let options = RunOptions {
        seed: args.seed,
        out: folder.as_deref(),
        progress: Some(&mut progress),
        interrupt: Some(interrupt()),
        timing: Some(&timing),
        live,
        threads: airpath_sim::threads(args.threads.map(usize::from)),
        ..RunOptions::default()
    };
    let outcome = airpath_sim::run(&scenario, options);
    bar.clear();
    if let Some(watched) = watched {
        watched.view.into_inner().close();
    }
    match outcome {
        Ok(outcome) => {
            leftovers(&outcome.leftovers);
            let code = show(args, &outcome);
            let page = report.map(|report| explain(report, args, &scenario, folder));
            page.filter(|page| *page != 0).unwrap_or(code)
        }
        Err(failure) => fail(&failure, code(&failure)),
    }
}

/// The scenario, the folder for its results, and the report that is wanted of them.
fn asked(args: &RunArgs) -> Result<(Scenario, Option<PathBuf>, Option<Wanted>), u8> {
    let mut scenario = read(&args.scenario)?;
    let (folder, report) = args.report.with_folder(args.out.as_deref(), "run")?;
    if report.is_some() {
        record(&mut scenario);
    }
    Ok((scenario, folder, report))
}

fn explain(report: Wanted, args: &RunArgs, scenario: &Scenario, folder: Option<PathBuf>) -> u8 {
    let title = scenario.title.clone().unwrap_or_else(|| args.scenario.name());
    report.report(folder.as_slice(), &title)
}

/// A run that is shown while it goes on.
struct Watched {
    view: RefCell<View>,
    pace: RefCell<Pace>,
    asked: Arc<Asked>,
    /// Simulated time at which the warm-up ends; none after its end has been reported.
    warm_up: Cell<Option<Time>>,
}

impl Watched {
    fn open(args: &RunArgs, scenario: &Scenario) -> Watched {
        let session = Session {
            scenario: args.scenario.name(),
            title: scenario.title.clone(),
            seed: args.seed.unwrap_or(scenario.seed),
            end_s: Some(scenario.duration.as_secs_f64()),
            interval_s: args.interval.as_secs_f64(),
        };
        let asked = Arc::new(Asked::new(interrupt(), args.speed));
        // The summary has standard output to itself if a program reads it.
        let options = ViewOptions { paced: true, lines: lines_to(args.json) };
        let view = RefCell::new(View::open(session, Arc::clone(&asked), options));
        let warm_up = scenario.output.warm_up;
        let warm_up = Cell::new((!warm_up.is_zero()).then_some(Time::ZERO + warm_up));
        Watched { view, pace: RefCell::new(Pace::new()), asked, warm_up }
    }

    fn progress(&self, progress: Progress) {
        let time_s = progress.now.as_secs_f64();
        self.view.borrow().at(time_s);
        if self.warm_up.get().is_some_and(|end| end <= progress.now) {
            self.warm_up.set(None);
            self.view.borrow_mut().say("the warm-up is over, statistics begin");
        }
        self.pace.borrow_mut().keep(time_s, &self.asked);
    }
}

/// Checks for records that only a results folder can hold.
fn records(scenario: &Scenario) -> bool {
    let output = &scenario.output;
    let rows = output.packets || output.blocks != RecordedBlocks::Off;
    rows || output.series != Every::Off || !output.pcap.is_empty()
}

fn code(failure: &RunFailure) -> u8 {
    match failure {
        RunFailure::Out(_) | RunFailure::Folder(FolderError::NotOurs { .. }) => BAD_INPUT,
        _ => FAILED,
    }
}

fn show(args: &RunArgs, outcome: &Outcome) -> u8 {
    let summary = &outcome.summary;
    if args.json {
        summary.warnings().iter().for_each(|warning| note(format!("warning: {warning}")));
    }
    let printed = if args.json {
        match summary.to_json() {
            Ok(text) => print(&text),
            Err(error) => fail(error, FAILED),
        }
    } else {
        let folder = outcome.folder.as_ref().filter(|_| args.out.is_some());
        let folder = folder.map(|folder| format!("\nresults in {}\n", folder.path().display()));
        say(&(table::summary(summary, args.all) + &folder.unwrap_or_default()))
    };
    match summary.complete {
        true => printed,
        false => {
            note(format!("interrupted at {} s of simulated time", seconds(summary.duration_s)));
            interrupted()
        }
    }
}
