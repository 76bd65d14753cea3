//! Ctrl-C: what there is is kept and readable, and nothing half-done is left.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// A scenario that runs for hours of wall time, with a capture and a table of packets.
const LONG: &str = r#"duration = "86400 s"
[path.s1]
rate = "50 Mbit/s"
[[ue]]
name = "phone"
count = 20
snr = "20 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
[output]
pcap = ["server"]
packets = true
series = "100 ms"
snaplen = "100 B"
"#;
/// How often a process is looked at, and for how long at most.
const LOOK: Duration = Duration::from_millis(10);
const PATIENCE: u32 = 6_000;

fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(folder).env("NO_COLOR", "1").args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Waits until `ready`, then presses Ctrl-C and waits for the end.
fn interrupt(mut child: Child, ready: impl Fn() -> bool) -> Output {
    for _ in 0..PATIENCE {
        if ready() || child.try_wait().expect("a status").is_some() {
            break;
        }
        #[allow(clippy::disallowed_methods, reason = "the test waits for a process")]
        thread::sleep(LOOK);
    }
    let pressed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(pressed.expect("kill").success(), "the program had ended by itself");
    child.wait_with_output().expect("the program")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_interrupted_run_keeps_its_results_so_far_and_says_so() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("long.toml"), LONG).expect("a file");
    let capture = parent.path().join(".results.partial-0/capture.pcapng");
    let written = || fs::metadata(&capture).is_ok_and(|file| file.len() > 1_000_000);
    let child = start(parent.path(), &["run", "long.toml", "--out", "results"]);
    let output = interrupt(child, written);
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(said(&output).contains("interrupted at"), "{}", said(&output));
    assert_eq!(names(parent.path()), ["long.toml", "results"]);
    let results = parent.path().join("results");
    let text = fs::read(results.join("summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(summary["complete"], false);
    let simulated = summary["duration_s"].as_f64().expect("a number");
    assert!(simulated > 0.0 && simulated < 86_400.0, "{simulated}");
    for name in names(&results).iter().filter(|name| name.ends_with(".parquet")) {
        let bytes = fs::read(results.join(name)).expect("a table");
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name} is cut off");
    }
    assert_whole(&fs::read(results.join("capture.pcapng")).expect("a capture"));
    // What was kept is airpath's own, so the next run may replace it.
    let again = ["run", "long.toml", "--set", "duration=\"100 ms\"", "--out", "results"];
    let output = start(parent.path(), &again).wait_with_output().expect("the program");
    assert!(output.status.success(), "{}", said(&output));
}

/// Whether a pcapng file ends with a whole block (each has its length at both ends).
fn assert_whole(bytes: &[u8]) {
    let length = |at: usize| {
        let field = bytes.get(at..at + 4).expect("a length").try_into().expect("four bytes");
        u32::from_le_bytes(field) as usize
    };
    let (mut at, mut blocks) = (0, 0);
    while at < bytes.len() {
        let size = length(at + 4);
        assert_eq!(length(at + size - 4), size, "block {blocks} is cut off");
        (at, blocks) = (at + size, blocks + 1);
    }
    assert!(blocks > 1_000, "{blocks} blocks");
}

#[test]
fn an_interrupted_study_says_so_and_leaves_nothing_half_done() {
    let parent = tempfile::tempdir().expect("a folder");
    let begun = || parent.path().join(".results.partial-0").exists();
    let args = ["reproduce", "rate-delay", "--seeds", "100000", "--out", "results"];
    let output = interrupt(start(parent.path(), &args), begun);
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(said(&output).contains("interrupted"), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let left = names(parent.path());
    assert!(left.iter().all(|name| !name.contains("partial")), "{left:?}");
}
