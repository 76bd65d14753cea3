//! `airpath emulate`.

mod args;
#[cfg(target_os = "linux")]
mod programs;
mod scenario;
#[cfg(target_os = "linux")]
mod start;
#[cfg(target_os = "linux")]
mod text;

pub use args::EmulateArgs;

/// Puts programs behind a cell; gives the exit code, which is that of the program.
#[cfg(target_os = "linux")]
pub fn run(args: EmulateArgs) -> u8 {
    match args.clean {
        true => start::clean(),
        false => start::run(args),
    }
}

/// Says that this platform cannot.
#[cfg(not(target_os = "linux"))]
pub fn run(_args: EmulateArgs) -> u8 {
    let why = airpath_live::available().err().unwrap_or_default();
    crate::output::fail(why, crate::exit::BAD_INPUT)
}
