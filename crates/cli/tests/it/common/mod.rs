//! Helpers of the program's tests; each test uses some of them.
#![allow(dead_code)]

#[cfg(unix)]
pub mod terminal;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A small scenario without a fault.
pub const GOOD: &str = r#"duration = "200 ms"
[path.s1]
rate = "5 Mbit/s"
[[ue]]
name = "phone"
snr = "20 dB"
[[flow]]
name = "voice"
kind = "rtp"
direction = "down"
dscp = "EF"
"#;

/// A download with losses, captured at the server.
pub const DOWNLOAD: &str = r#"duration = "3 s"
[path.s1]
rate = "8 Mbit/s"
queue = "40 packets"
[[ue]]
name = "phone"
snr = "25 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
size = "1 MB"
[output]
pcap = ["server"]
"#;

/// Runs the program in a folder.
pub fn airpath(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(folder).env("NO_COLOR", "1").args(args);
    command.output().expect("the program")
}

/// Text of both outputs of a program: standard output, then standard error.
pub fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// Runs the program, checks its exit code, and gives the text of both its outputs.
pub fn run(folder: &Path, args: &[&str], code: i32) -> String {
    let output = airpath(folder, args);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {}", said(&output));
    said(&output)
}

/// Names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
