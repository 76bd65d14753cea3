//! Tests that cannot run on this machine, counted and named at the end of `make test`.
//!
//! A test that lacks a program, a namespace or a device calls [`skipped`] and returns. The line goes to the file
//! that `AIRPATH_SKIPPED` names, which `make test` prints last, and to standard error.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::{env, thread};

/// Records that the calling test, or a part of it, cannot run here, and the reason.
///
/// # Panics
///
/// If the file cannot be written: a skipped test must not pass in silence.
pub fn skipped(reason: impl Display) {
    let current = thread::current();
    let name = current.name().unwrap_or("a test");
    let line = format!("{}::{name}: {reason}", env!("CARGO_PKG_NAME")).replace('\n', " ");
    eprintln!("SKIPPED {line}");
    if let Some(path) = env::var_os("AIRPATH_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
