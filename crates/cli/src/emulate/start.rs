//! Starts an emulation, and cleans up after those that were killed.

use std::io;
use std::path::Path;
use std::sync::Arc;

use airpath_base::{Duration, Time};
use airpath_live::os::{self, OsError};
use airpath_live::{Emulation, EmulationError, Ended, Programs, Watcher};
use airpath_results::FolderError;
use airpath_results::live::{Reading, Session};
use airpath_scenario::Scenario;
use airpath_scenario::world::Host;
use airpath_sim::RunFailure;

use super::EmulateArgs;
use super::printed::Printed;
use super::programs::programs;
use super::scenario::scenario;
use super::{reach, text};
use crate::exit::{BAD_INPUT, DONE, FAILED};
use crate::output::{fail, leftovers, note, say};
use crate::view::{Asked, View, ViewOptions, lines_to};
use crate::watch::{interrupt, interrupted};

/// Runs the programs; gives the exit code.
pub fn run(args: &EmulateArgs) -> u8 {
    let scenario = match scenario(args) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    let ues = match ues(args, &scenario) {
        Ok(ues) => ues,
        Err(error) => return fail(error, BAD_INPUT),
    };
    let name = match &args.scenario {
        Some(path) => path.display().to_string(),
        None => "recorded capacity".to_owned(),
    };
    let emulation = Emulation {
        name: &name,
        scenario: &scenario,
        seed: args.seed,
        out: args.out.as_deref(),
        ues: &ues,
        with_flows: args.with_flows,
        carried: &[],
        lead: Duration::ZERO,
        mtu: args.mtu,
        outside: args.outside,
        settings: args.sysctl.clone(),
        limit: args.limit,
        interrupt: Some(interrupt()),
    };
    let hosts = match emulation.hosts() {
        Ok(hosts) => hosts,
        Err(error) => return fail(error, BAD_INPUT),
    };
    let mut programs = match programs(args, &hosts) {
        Ok(programs) => programs,
        Err(error) => return fail(error, BAD_INPUT),
    };
    note(text::beginning(&scenario, &hosts, args.with_flows));
    reach::note(args, &hosts).into_iter().for_each(note);
    let mut shown = match args.watch.then(|| Shown::new(&mut programs, &hosts)).transpose() {
        Ok(shown) => shown,
        Err(error) => return fail(format!("no pipe for what programs print: {error}"), FAILED),
    };
    let ended = match &mut shown {
        Some(shown) => emulation.run(programs, shown),
        None => emulation.run(programs, &mut Printing),
    };
    shown.into_iter().for_each(Shown::close);
    match ended {
        Ok(ended) => show(args, &ended),
        Err(error) => fail(&error, code(&error)),
    }
}

/// The view of an emulation in its own process.
struct Shown {
    view: Option<View>,
    /// Output of programs, if a screen is drawn.
    printed: Option<Printed>,
    /// Warnings of a screen, which is gone at the end.
    warnings: Vec<String>,
}

/// A watcher without a screen: warnings go to standard error at once.
struct Printing;

impl Watcher for Printing {
    fn warn(&mut self, _: Time, what: &str) {
        note(format!("warning: {what}"));
    }
}

impl Shown {
    fn new(programs: &mut Programs, hosts: &[Host]) -> io::Result<Shown> {
        let printed = View::is_screen().then(|| Printed::take(programs, hosts)).transpose()?;
        Ok(Shown { view: None, printed, warnings: Vec::new() })
    }

    /// Gives the terminal back, and hands on what programs have printed.
    fn close(self) {
        self.view.into_iter().for_each(View::close);
        self.printed.into_iter().for_each(Printed::hand_on);
        self.warnings.iter().for_each(note);
    }
}

impl Watcher for Shown {
    fn begin(&mut self, session: &Session, _: &Path) {
        let asked = Arc::new(Asked::new(interrupt(), None));
        let options = ViewOptions { paced: false, lines: lines_to(true) };
        self.view = Some(View::open(session.clone(), asked, options));
    }

    fn show(&mut self, reading: &Reading) {
        let Some(view) = &mut self.view else { return };
        view.show(reading);
        let printed = self.printed.iter_mut().flat_map(Printed::lines);
        printed.for_each(|line| view.say(&line));
    }

    fn say(&mut self, at: Time, what: &str) {
        if let Some(view) = &mut self.view {
            view.at(at.as_secs_f64());
            view.say(what);
        }
    }

    fn warn(&mut self, at: Time, what: &str) {
        let warning = format!("warning: {what}");
        self.say(at, &warning);
        self.warnings.push(warning);
    }
}

/// The UEs that programs use: those that are named, or the first.
fn ues(args: &EmulateArgs, scenario: &Scenario) -> Result<Vec<String>, String> {
    let mut all = scenario.ues().map(|ue| ue.name());
    if args.ue.is_empty() {
        return Ok(all.next().into_iter().collect());
    }
    let all: Vec<String> = all.collect();
    match args.ue.iter().find(|name| !all.contains(name)) {
        None => Ok(args.ue.clone()),
        Some(name) => Err(text::no_such_ue(name, &all)),
    }
}

fn show(args: &EmulateArgs, ended: &Ended) -> u8 {
    leftovers(&ended.outcome.leftovers);
    note(text::end(ended, args.all));
    if ended.interrupted {
        return interrupted();
    }
    let codes = ended.exits.iter().flatten().map(|exit| exit.code);
    codes
        .map(|code| u8::try_from(code).unwrap_or(FAILED))
        .find(|code| *code != DONE)
        .unwrap_or(DONE)
}

/// The exit code of an error.
pub fn code(error: &EmulationError) -> u8 {
    match error {
        EmulationError::Relay(_)
        | EmulationError::Server { .. }
        | EmulationError::Control { .. } => FAILED,
        EmulationError::Run(
            RunFailure::Out(_) | RunFailure::Folder(FolderError::NotOurs { .. }),
        )
        | EmulationError::World(_) => BAD_INPUT,
        EmulationError::Run(_) => FAILED,
        EmulationError::System(OsError::System { .. }) => FAILED,
        EmulationError::System(_) => BAD_INPUT,
    }
}

/// Removes what emulations left that were killed.
pub fn clean() -> u8 {
    match os::clean() {
        Ok(report) => say(&report.to_string()),
        Err(error) => fail(error, FAILED),
    }
}
