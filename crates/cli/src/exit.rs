//! Exit codes: here they are, and nowhere else.

/// All went well.
pub const DONE: u8 = 0;
/// A run, a file or the output failed.
pub const FAILED: u8 = 1;
/// The input was bad; clap uses the same.
pub const BAD_INPUT: u8 = 2;
/// A criterion of an evaluation fails, or something became worse.
pub const WORSE: u8 = 3;
/// Interrupted by Ctrl-C: 128 and the number of SIGINT, as shells have it.
pub const INTERRUPTED: u8 = by_signal(2);
/// The terminal has gone away: 128 and the number of SIGHUP.
pub const HUNG_UP: u8 = by_signal(1);
/// Ended by a request: 128 and the number of SIGTERM.
pub const TERMINATED: u8 = by_signal(15);

/// The exit code of a program that a signal of this number has ended (POSIX, XCU 2.8.2).
pub const fn by_signal(number: u8) -> u8 {
    128 + number
}

/// Each with its meaning, as help and documentation have it.
pub const CODES: [(u8, &str); 7] = [
    (DONE, "done; also if whoever read the output stopped reading"),
    (FAILED, "a run failed, or results could not be written"),
    (BAD_INPUT, "the command line or an input file is wrong; nothing was run or replaced"),
    (WORSE, "a criterion of an evaluation fails, or something became worse than in its baseline"),
    (HUNG_UP, "ended by SIGHUP: the terminal is gone; what there is so far was written"),
    (INTERRUPTED, "interrupted by Ctrl-C (SIGINT); what there is so far was written"),
    (TERMINATED, "ended by SIGTERM; what there is so far was written"),
];

/// The section of the help.
pub fn help() -> String {
    let lines = CODES.map(|(code, meaning)| format!("  {code:>3}  {meaning}\n"));
    format!("Exit codes:\n{}", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_signals_are_those_of_shells() {
        // POSIX, signal(): SIGHUP 1, SIGINT 2, SIGTERM 15 by `kill -l`.
        assert_eq!((HUNG_UP, INTERRUPTED, TERMINATED), (129, 130, 143));
        let all = CODES.map(|(code, _)| code);
        assert!(all.is_sorted(), "{all:?}");
    }
}
