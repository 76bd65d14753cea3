//! `airpath emulate`.

#[cfg(target_os = "linux")]
mod against;
mod args;
#[cfg(target_os = "linux")]
mod attach;
#[cfg(target_os = "linux")]
mod printed;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod reach;
mod scenario;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
mod text;

#[cfg(not(target_os = "linux"))]
use std::ffi::OsString;

#[cfg(target_os = "linux")]
pub use against::{carried, started_by};
pub use args::EmulateArgs;

/// Nothing is started as one end of a transfer on this platform.
#[cfg(not(target_os = "linux"))]
pub fn carried(_arguments: &[OsString]) -> Option<u8> {
    None
}

/// Nothing is started again on this platform.
#[cfg(not(target_os = "linux"))]
pub fn started_by(_again: Option<Vec<String>>) {}

/// Puts programs behind a cell; gives the exit code, which is that of the program.
#[cfg(target_os = "linux")]
pub fn run(args: EmulateArgs) -> u8 {
    let session = args.attach.as_ref().map(Option::as_deref);
    match session {
        _ if args.clean => start::clean(),
        _ if args.against_simulation => against::run(args),
        session if !args.tell.is_empty() => attach::tell(session.flatten(), &args.tell),
        Some(session) => attach::attach(session),
        None => start::run(&args),
    }
}

/// Says that this platform cannot.
#[cfg(not(target_os = "linux"))]
pub fn run(_args: EmulateArgs) -> u8 {
    let why = airpath_live::available().err().unwrap_or_default();
    crate::output::fail(why, crate::exit::BAD_INPUT)
}
