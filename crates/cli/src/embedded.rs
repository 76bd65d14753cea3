//! A command inside another program: nothing is printed, no signal is taken.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::args;
use crate::exit::{BAD_INPUT, DONE};
use crate::watch::interrupt;

/// Result of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Its exit code.
    pub code: u8,
    /// Standard output of the command.
    pub out: String,
    /// Text that the command would have printed without `--json`, of commands that have it at hand.
    pub words: String,
    /// Its errors and notes.
    pub err: String,
}

/// One command at a time.
static CALLS: Mutex<()> = Mutex::new(());
/// Output so far of the command that runs.
static CALLED: Mutex<Option<Called>> = Mutex::new(None);
/// Flag of a process that is another program, which calls commands.
static ON: AtomicBool = AtomicBool::new(false);
/// Runs of the command that are done, and all of them.
static STEPS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// Runs a command with these arguments, without the program's name, and keeps what it prints.
/// Another call waits until it is over.
pub fn call(arguments: &[OsString]) -> Called {
    let _one = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    ON.store(true, Ordering::SeqCst);
    interrupt().store(false, Ordering::SeqCst);
    show(0, 0);
    *called() = Some(Called::default());
    let whole = [OsString::from("airpath")].into_iter().chain(arguments.iter().cloned());
    let code = match args::parse(&whole.collect::<Vec<_>>()) {
        Ok(args) => crate::run(args),
        Err(error) => refused(&error),
    };
    Called { code, ..called().take().unwrap_or_default() }
}

/// Ends the command that runs, as Ctrl-C would.
pub fn stop() {
    if ON.load(Ordering::SeqCst) {
        interrupt().store(true, Ordering::SeqCst);
    }
}

/// Checks for a request to end the command that runs.
pub fn is_stopped() -> bool {
    interrupt().load(Ordering::SeqCst)
}

/// Runs that the command has made, and all runs that it makes, as far as it knows.
pub fn steps() -> (usize, usize) {
    (STEPS[0].load(Ordering::Relaxed), STEPS[1].load(Ordering::Relaxed))
}

/// So many runs are done.
pub(crate) fn show(done: usize, all: usize) {
    STEPS[1].store(all, Ordering::Relaxed);
    STEPS[0].store(done, Ordering::Relaxed);
}

/// Checks that commands run inside another program.
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::SeqCst)
}

/// Keeps a text that would be printed; tells whether it is kept.
pub(crate) fn take(text: &str, at: fn(&mut Called) -> &mut String) -> bool {
    called().as_mut().map(|called| at(called).push_str(text)).is_some()
}

fn called() -> std::sync::MutexGuard<'static, Option<Called>> {
    CALLED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Help is no error.
fn refused(error: &clap::Error) -> u8 {
    let (to, code): (fn(&mut Called) -> &mut String, u8) = match error.use_stderr() {
        true => (|called| &mut called.err, BAD_INPUT),
        false => (|called| &mut called.out, DONE),
    };
    take(&error.to_string(), to);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_command_hands_back_what_it_prints() {
        let called = call(&words("latency --tti 1ms --json"));
        assert_eq!((called.code, called.err.as_str()), (DONE, ""));
        let json: serde_json::Value = serde_json::from_str(&called.out).expect("JSON");
        assert_eq!(json["settings"][0]["tti_ms"], 1.0);
        let missing = call(&words("check nowhere.toml"));
        assert_eq!((missing.code, missing.out.as_str()), (BAD_INPUT, ""));
        assert!(missing.err.contains("nowhere.toml"), "{}", missing.err);
        let wrong = call(&words("latency --ttl 1ms"));
        assert_eq!(wrong.code, BAD_INPUT);
        assert!(wrong.err.contains("--tti"), "{}", wrong.err);
        assert_eq!(call(&words("latency --help")).code, DONE);
    }
}
