//! The airpath program: arguments in, tables and results folders out.
//!
//! Exit codes: 0 if all went well, 1 if a run failed, 2 if the input was bad, 130 if
//! the user interrupted.

mod analyse;
mod args;
mod calibrate;
mod check;
mod drop;
mod latency;
mod new;
mod out;
mod output;
mod reproduce;
mod run;
mod table;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

/// A run failed.
const FAILED: u8 = 1;
/// The input was bad.
const BAD_INPUT: u8 = 2;
/// Interrupted by Ctrl-C (128 and the number of SIGINT, as shells have it).
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let code = match Args::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Schema => check::schema(),
        Command::New(args) => new::new(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Latency(args) => latency::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Drop(args) => drop::run(&args),
    };
    ExitCode::from(code)
}
