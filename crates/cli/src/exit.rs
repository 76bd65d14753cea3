//! Exit codes: here they are, and nowhere else.

/// All went well.
pub const DONE: u8 = 0;
/// A run, a file or the output failed.
pub const FAILED: u8 = 1;
/// The input was bad; clap uses the same.
pub const BAD_INPUT: u8 = 2;
/// Interrupted by Ctrl-C (128 and the number of SIGINT, as shells have it).
pub const INTERRUPTED: u8 = 130;

/// Each with its meaning, as help and documentation have it.
pub const CODES: [(u8, &str); 4] = [
    (DONE, "done; also if whoever read the output stopped reading"),
    (FAILED, "a run failed, or results could not be written"),
    (BAD_INPUT, "the command line or an input file is wrong; nothing was run or replaced"),
    (INTERRUPTED, "interrupted by Ctrl-C or a signal; what there is so far was written"),
];

/// The section of the help.
pub fn help() -> String {
    let lines = CODES.map(|(code, meaning)| format!("  {code:>3}  {meaning}\n"));
    format!("Exit codes:\n{}", lines.concat())
}
