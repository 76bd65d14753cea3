//! Help and progress on terminals of several widths.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::airpath;
use crate::common::terminal::Terminal;

/// All commands, and the program itself.
const COMMANDS: [&str; 19] = [
    "",
    "run",
    "sweep",
    "compare",
    "plot",
    "report",
    "check",
    "schema",
    "new",
    "reproduce",
    "evaluate",
    "export",
    "latency",
    "analyse",
    "emulate",
    "completions",
    "man",
    "calibrate",
    "drop",
];

fn on(columns: u16, args: &[&str]) -> Terminal {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.args(args).env("TERM", "xterm-256color").env_remove("COLUMNS");
    Terminal::wide(command, columns)
}

/// A text without the sequences that colour it.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => _ = letters.by_ref().find(|end| end.is_ascii_alphabetic()),
            '\r' => {}
            letter => plain.push(letter),
        }
    }
    plain
}

#[test]
fn help_wraps_at_the_terminals_width() {
    for columns in [60_u16, 80, 120] {
        for command in COMMANDS {
            let args: Vec<&str> =
                [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
            let mut terminal = on(columns, &args);
            assert_eq!(terminal.whole(), Some(0), "{args:?}");
            let text = plain(&terminal.text);
            assert!(text.contains("Usage:"), "{args:?}: {text}");
            let long = text.lines().find(|line| line.chars().count() > usize::from(columns));
            assert_eq!(long, None, "{args:?} at {columns}: {text}");
        }
    }
    // A wide terminal is used.
    let longest = |columns| {
        let mut terminal = on(columns, &["run", "--help"]);
        terminal.whole();
        plain(&terminal.text).lines().map(|line| line.chars().count()).max().unwrap_or(0)
    };
    assert!(longest(120) > 100 && longest(80) > 70, "{} {}", longest(120), longest(80));
}

#[test]
fn help_without_a_terminal_keeps_to_a_hundred_columns() {
    for command in COMMANDS.into_iter().filter(|command| !command.is_empty()) {
        let output = airpath(Path::new("."), &[command, "--help"]);
        let text = String::from_utf8(output.stdout).expect("text");
        let long = text.lines().find(|line| line.chars().count() > 100);
        assert_eq!(long, None, "{command}: {text}");
    }
}

/// Nothing is finished for minutes: the line is there all the same.
#[test]
fn what_takes_long_shows_its_progress_from_the_beginning() {
    let study = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir("../study/tests/fifth").expect("a study") {
        let from = entry.expect("a file").path();
        let text = fs::read_to_string(&from).expect("text");
        let text = text.replace("\"8 s\"", "\"86400 s\"").replace("count = 300", "count = 4320000");
        fs::write(study.path().join(from.file_name().expect("a name")), text).expect("a file");
    }
    let study = study.path().to_str().expect("a name");
    let all: [(&[&str], &str); 3] = [
        (&["calibrate", "--users", "100000000"], "0 of "),
        (&["reproduce", study], "0 of 2"),
        (
            &["sweep", "scenarios/lte-6rb.toml", "--set", "duration=9000 s", "--seeds", "3"],
            "0 of 3 runs",
        ),
    ];
    for (args, shown) in all {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(args);
        command.env("TERM", "xterm-256color");
        let mut terminal = Terminal::wide(command, 80);
        terminal.until(shown);
        terminal.program.kill().expect("it goes on");
    }
}
