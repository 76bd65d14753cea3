//! Escapes of terminals in titles, keys, files and arguments are shown, not run.

use std::fs;
use std::process::Output;

use crate::common::{GOOD, airpath, said};

/// The window's title, the screen, a colour by C1 (ECMA-48), and a line that overwrites another.
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\rX";
/// `ESCAPES` with the escapes of a TOML string.
const WRITTEN: &str = "\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\rX";
/// `ESCAPES` as airpath shows them: Unicode's control pictures for C0, U+FFFD for C1.
const SHOWN: &str = "\u{241b}]0;owned\u{2407}\u{241b}[2J\u{fffd}31m\u{240d}X";

/// Output of a program, checked for control characters.
fn harmless(output: &Output) -> String {
    let text = said(output);
    let control = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    assert_eq!(control, None, "{text:?}");
    text
}

#[test]
fn in_a_title_and_in_the_name_of_an_arm() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| harmless(&airpath(folder.path(), args));
    fs::write(folder.path().join("x.toml"), format!("title = \"{WRITTEN}\"\n{GOOD}"))
        .expect("a file");
    for args in [&["run", "x.toml"][..], &["run", "x.toml", "--all"], &["check", "x.toml"]] {
        run(args);
    }
    run(&["run", "x.toml", "--watch", "--interval", "0.1"]);
    // TOML for a program keeps the title as it is; C0 is escaped there.
    let resolved = said(&airpath(folder.path(), &["check", "x.toml", "--resolved"]));
    assert!(resolved.contains("owned") && !resolved.contains('\u{1b}'), "{resolved:?}");
    let vary = format!("title=\"{WRITTEN}\",\"b\"");
    let swept = run(&["sweep", "x.toml", "--vary", &vary, "--seeds", "2", "--jobs", "1"]);
    assert!(swept.contains(SHOWN), "{swept}");
}

#[test]
fn in_a_file_that_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |text: &str| {
        fs::write(folder.path().join("x.toml"), text).expect("a file");
        let output = airpath(folder.path(), &["check", "x.toml"]);
        assert_eq!(output.status.code(), Some(2));
        harmless(&output)
    };
    // A key that TOML allows, a value, and a file that is no TOML because of them.
    assert!(refused(&format!("\"{WRITTEN}\" = 1\n{GOOD}")).contains(SHOWN));
    assert!(refused(&format!("radio = \"{WRITTEN}\"\n{GOOD}")).contains("owned"));
    assert!(refused(&format!("# {ESCAPES}\n{GOOD}")).contains(SHOWN));
}

#[test]
fn in_arguments_and_names_of_files() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("x.toml"), GOOD).expect("a file");
    let set = format!("{ESCAPES}=1");
    for args in [
        &["check", ESCAPES][..],
        &["run", ESCAPES],
        &["analyse", ESCAPES],
        &["compare", ESCAPES, "x.toml"],
        &["plot", ESCAPES],
        &["new", ESCAPES],
        &["check", "x.toml", "--set", &set],
        &["run", "x.toml", "--seed", ESCAPES],
        &["reproduce", ESCAPES],
        &["latency", "--tti", ESCAPES],
        &[ESCAPES],
    ] {
        let output = airpath(folder.path(), args);
        assert!(!output.status.success(), "{args:?}");
        assert!(harmless(&output).contains("owned"), "{args:?}: {}", said(&output));
    }
}
