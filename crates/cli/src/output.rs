//! What is printed, and reading scenarios with what is wrong with them.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use airpath_scenario::Scenario;

use crate::args::ScenarioArgs;
use crate::{BAD_INPUT, FAILED};

/// Prints to standard output; gives the exit code. A reader that has gone away (`| head`)
/// is no failure.
pub fn print(text: &str) -> u8 {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => fail(format!("cannot write the output: {error}"), FAILED),
    }
}

/// Prints an error; gives `code`.
pub fn fail(message: impl Display, code: u8) -> u8 {
    note(format!("error: {message}"));
    code
}

/// Prints a line to standard error.
pub fn note(message: impl Display) {
    // Nobody is left to hear that the place for errors is closed.
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
    Scenario::read(&args.scenario, &args.overrides).map_err(|errors| {
        // One whole report for each problem; `Errors` itself only counts them.
        note(format!("{:?}", miette::Report::new(errors)).trim_end());
        BAD_INPUT
    })
}
