//! The airpath program: arguments in, tables and results folders out.
//!
//! [`main`] is all of it; the program and the Python module both call that. [`call`] runs one command
//! inside another program, and hands back what it would have printed.

mod advice;
mod analyse;
mod args;
mod calibrate;
mod capacity;
mod check;
mod compare;
mod drop;
mod embedded;
mod emulate;
mod evaluate;
mod exit;
mod export;
mod latency;
mod manual;
mod metric;
mod new;
mod out;
mod output;
mod plot;
mod problems;
mod reproduce;
mod run;
mod sweep;
mod table;
mod view;
mod watch;
mod wrap;

use std::ffi::OsString;

use airpath_campaign::compare::Comparison;
use airpath_results::RunSummary;

pub use embedded::{Called, call, is_stopped, steps, stop};
pub use evaluate::{OwnController, OwnControllers, call_evaluate, evaluate_with, with_controllers};
pub use exit::{BAD_INPUT, DONE, FAILED, HUNG_UP, INTERRUPTED, TERMINATED, WORSE};
pub use sweep::{Cluster, ClusterWork, with_cluster};

use args::{Args, Command};

/// A run as `airpath run` prints it; with `all`, as `airpath run --all`.
pub fn summary_text(run: &RunSummary, all: bool) -> String {
    table::summary(run, all)
}

/// A comparison as `airpath compare` prints it.
pub fn comparison_text(comparison: &Comparison) -> String {
    compare::text(comparison)
}

/// Text of a scenario's problems, as the program prints them.
pub fn problems_text(errors: &airpath_scenario::Errors) -> String {
    problems::text(errors)
}

/// Runs the program with these arguments, of which the first is its own name; gives its exit code.
///
/// `again` is how it is started once more, with its arguments behind. Without it, that is the
/// executable of this process. Help and wrong arguments end the process.
pub fn main(arguments: Vec<OsString>, again: Option<Vec<String>>) -> u8 {
    if let Some(code) = emulate::carried(&arguments) {
        return code;
    }
    emulate::started_by(again);
    run(args::parse(&arguments).unwrap_or_else(|error| error.exit()))
}

fn run(args: Args) -> u8 {
    output::be_quiet(args.quiet);
    match args.command {
        Command::Run(args) => run::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Capacity(args) => capacity::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Report(args) => plot::write_report(&args),
        Command::Check(args) => check::check(&args),
        Command::Schema => check::schema(),
        Command::New(args) => new::new(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Latency(args) => latency::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Drop(args) => drop::run(&args),
        Command::Emulate(args) => emulate::run(*args),
    }
}
