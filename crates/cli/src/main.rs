//! The airpath program: arguments in, tables and results folders out.

mod analyse;
mod args;
mod calibrate;
mod check;
mod compare;
mod drop;
mod emulate;
mod exit;
mod latency;
mod manual;
mod metric;
mod new;
mod out;
mod output;
mod plot;
mod reproduce;
mod run;
mod sweep;
mod table;
mod view;
mod watch;
mod wrap;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use exit::{BAD_INPUT, FAILED, INTERRUPTED};

fn main() -> ExitCode {
    if let Some(code) = emulate::carried() {
        return ExitCode::from(code);
    }
    let args = Args::parse();
    if args.quiet {
        output::be_quiet();
    }
    let code = match args.command {
        Command::Run(args) => run::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Schema => check::schema(),
        Command::New(args) => new::new(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Latency(args) => latency::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Drop(args) => drop::run(&args),
        Command::Emulate(args) => emulate::run(*args),
    };
    ExitCode::from(code)
}
