//! The program itself: its commands are the library's.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(airpath::main(std::env::args_os().collect(), None))
}
