//! `airpath emulate`.

#[cfg(target_os = "linux")]
mod against;
mod args;
#[cfg(target_os = "linux")]
mod programs;
mod scenario;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
mod text;

#[cfg(target_os = "linux")]
pub use against::carried;
pub use args::EmulateArgs;

/// Nothing is started as one end of a transfer on this platform.
#[cfg(not(target_os = "linux"))]
pub fn carried() -> Option<u8> {
    None
}

/// Puts programs behind a cell; gives the exit code, which is that of the program.
#[cfg(target_os = "linux")]
pub fn run(args: EmulateArgs) -> u8 {
    match &args {
        EmulateArgs { clean: true, .. } => start::clean(),
        EmulateArgs { against_simulation: true, .. } => against::run(args),
        _ => start::run(args),
    }
}

/// Says that this platform cannot.
#[cfg(not(target_os = "linux"))]
pub fn run(_args: EmulateArgs) -> u8 {
    let why = airpath_live::available().err().unwrap_or_default();
    crate::output::fail(why, crate::exit::BAD_INPUT)
}
