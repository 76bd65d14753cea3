//! Printing of results, notes and errors, and reading of scenarios with their problems.
//!
//! Names and titles come from others. Text for people has a picture for each control character,
//! wherever it goes; what programs read (JSON, TOML) has them on a terminal only.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use airpath_base::visible;
use airpath_scenario::{Errors, Scenario};

use crate::args::ScenarioArgs;
use crate::embedded;
use crate::exit::{BAD_INPUT, DONE, FAILED};
use crate::problems;

/// Name of standard input in errors.
pub const STDIN: &str = "standard input";

/// Flag of `--quiet`: nothing is printed but errors and requested output.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Switches [`say`] and [`note`] off or on.
pub fn be_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// Checks for `--quiet`, with which [`say`] and [`note`] print nothing.
pub fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Checks for `-`, which is standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Prints what a person reads, unless it is to be quiet; gives the exit code.
pub fn say(text: &str) -> u8 {
    if quiet() { DONE } else { write(&visible(text)) }
}

/// Prints what a program reads; gives the exit code.
pub fn print(text: &str) -> u8 {
    match io::stdout().is_terminal() && !embedded::is_on() {
        true => write(&visible(text)),
        false => write(text),
    }
}

/// Writes to standard output; gives the exit code. A reader that has gone away (`| head`) is no
/// failure.
fn write(text: &str) -> u8 {
    if embedded::take(text, |called| &mut called.out) {
        return DONE;
    }
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => DONE,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
        Err(error) => fail(format!("cannot write the output: {error}"), FAILED),
    }
}

/// Prints an error; gives `code`.
pub fn fail(message: impl Display, code: u8) -> u8 {
    tell(visible(&format!("error: {message}")));
    code
}

/// Prints what is wrong with an input file, a whole report for each problem; gives the exit
/// code.
pub fn refuse(errors: Errors) -> u8 {
    // Its texts have no control characters; the report has colours of its own.
    tell(problems::text(&errors).trim_end());
    BAD_INPUT
}

/// Prints a line to standard error, unless it is to be quiet.
pub fn note(message: impl Display) {
    if !quiet() {
        tell(visible(&message.to_string()));
    }
}

fn tell(message: impl Display) {
    if embedded::take(&format!("{message}\n"), |called| &mut called.err) {
        return;
    }
    // Standard error may be closed, and then no other output is left for the fault.
    let _ = writeln!(io::stderr(), "{message}");
}

/// Says which half-written results of runs that were killed have been removed.
pub fn leftovers(folders: &[PathBuf]) {
    for folder in folders {
        let folder = folder.display();
        note(format!("note: removed the half-written results of a run that was killed: {folder}"));
    }
}

/// Reads a scenario; what is wrong with it has been printed, if there is no other.
///
/// # Errors
///
/// The exit code.
pub fn read(args: &ScenarioArgs) -> Result<Scenario, u8> {
    let overrides = &args.over.all();
    let scenario = match is_standard(&args.scenario) {
        true => Scenario::read_from(&args.name(), io::stdin().lock(), Path::new(""), overrides),
        false => Scenario::read(&args.scenario, overrides),
    };
    let scenario = scenario.map_err(refuse)?;
    warn(&scenario.warnings);
    note_late(&scenario);
    Ok(scenario)
}

/// Prints warnings, a line each.
pub fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| note(format!("warning: {warning}")));
}

/// Names, once, the flows that a run which was cut short has no time for.
pub fn note_late(scenario: &Scenario) {
    let late: Vec<String> = scenario.late_flows().map(|name| format!("\"{name}\"")).collect();
    if !late.is_empty() {
        let (end, late) = (scenario.duration, late.join(", "));
        note(format!("note: the run ends at {end}, before all of these flows have begun: {late}"));
    }
}
