//! Ctrl-C and `kill -9`: what there is is kept and readable, a study goes on from it, and
//! nothing half-done is left.
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::names;

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
/// Interval between two looks at a process, and the largest number of looks.
const LOOK: Duration = Duration::from_millis(10);
const PATIENCE: u32 = 6_000;

fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(folder).env("NO_COLOR", "1").args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
}

/// Waits until `ready`, or until the program has ended.
fn until(child: &mut Child, ready: impl Fn() -> bool) {
    for _ in 0..PATIENCE {
        if ready() || child.try_wait().expect("a status").is_some() {
            break;
        }
        #[allow(clippy::disallowed_methods, reason = "the test waits for a process")]
        thread::sleep(LOOK);
    }
}

/// Waits until `ready`, then presses Ctrl-C and waits for the end.
fn interrupt(child: Child, ready: impl Fn() -> bool) -> Output {
    signal("INT", child, ready)
}

/// Sends a signal once `ready` holds; output of the program at its end.
fn signal(name: &str, mut child: Child, ready: impl Fn() -> bool) -> Output {
    until(&mut child, ready);
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(sent.expect("kill").success(), "the program had ended by itself");
    child.wait_with_output().expect("the program")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_interrupted_run_keeps_its_results_so_far_and_says_so() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("long.toml"), LONG).expect("a file");
    let capture = parent.path().join(".results.partial-0/capture-server.pcapng");
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
    assert_whole(&fs::read(results.join("capture-server.pcapng")).expect("a capture"));
    // The kept results are airpath's own, so the next run may replace them.
    let again = ["run", "long.toml", "--set", "duration=\"100 ms\"", "--out", "results"];
    let output = start(parent.path(), &again).wait_with_output().expect("the program");
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn a_signal_ends_each_command_with_its_code_and_keeps_what_there_is() {
    // 128 and the number that POSIX gives the signal.
    for (name, code) in [("TERM", 143), ("HUP", 129)] {
        let parent = tempfile::tempdir().expect("a folder");
        fs::write(parent.path().join("long.toml"), LONG).expect("a file");
        let capture = parent.path().join(".results.partial-0/capture-server.pcapng");
        let written = || fs::metadata(&capture).is_ok_and(|file| file.len() > 100_000);
        let child = start(parent.path(), &["run", "long.toml", "--out", "results"]);
        let output = signal(name, child, written);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        assert_eq!(names(parent.path()), ["long.toml", "results"]);
        let child = start(parent.path(), &STUDY);
        let output = signal(name, child, || kept(parent.path()) >= 1);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        let begun = || names(parent.path()).iter().any(|name| name.starts_with(".swept"));
        let child = start(parent.path(), &["sweep", "long.toml", "--seeds", "2", "--out", "swept"]);
        let output = signal(name, child, begun);
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
    }
}

#[test]
fn what_a_killed_run_left_is_said_and_goes() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("long.toml"), LONG).expect("a file");
    let capture = parent.path().join(".results.partial-0/capture-server.pcapng");
    let mut child = start(parent.path(), &["run", "long.toml", "--out", "results"]);
    until(&mut child, || fs::metadata(&capture).is_ok_and(|file| file.len() > 100_000));
    // Another run for the same folder leaves alone what the first is writing.
    let short = ["run", "long.toml", "--set", "duration=\"100 ms\"", "--out", "results"];
    let beside = start(parent.path(), &short).wait_with_output().expect("the program");
    assert!(beside.status.success() && capture.exists(), "{}", said(&beside));
    assert!(!said(&beside).contains("half-written"), "{}", said(&beside));
    child.kill().expect("still at work");
    child.wait().expect("a status");
    assert_eq!(names(parent.path()), [".results.partial-0", "long.toml", "results"]);
    let next = start(parent.path(), &short).wait_with_output().expect("the program");
    assert!(next.status.success(), "{}", said(&next));
    assert!(said(&next).contains("half-written results"), "{}", said(&next));
    assert_eq!(names(parent.path()), ["long.toml", "results"]);
}

/// Checks that a pcapng file ends with a whole block. Each block has its length at both ends.
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

const STUDY: [&str; 6] = ["reproduce", "short-tti", "--seeds", "1", "--out", "results"];

/// Number of finished runs that are kept in a folder.
fn kept(folder: &Path) -> usize {
    let entries = fs::read_dir(folder.join(".results.runs")).into_iter().flatten().flatten();
    let records = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "runs"));
    // A record is two lines.
    let lines = |bytes: Vec<u8>| bytes.iter().filter(|byte| **byte == b'\n').count();
    records.map(|entry| lines(fs::read(entry.path()).unwrap_or_default()) / 2).sum()
}

/// Number of resumed runs, as the notes on a study's readings state it.
fn resumed(output: &Output) -> usize {
    let of = |line: &str| -> Option<usize> {
        line.rsplit_once(" of them resumed")?.0.rsplit_once(" ")?.1.parse().ok()
    };
    said(output).lines().filter_map(of).sum::<usize>()
}

/// All files of the results, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let results = folder.join("results");
    let read = |name: String| (fs::read(results.join(&name)).expect("a file"), name);
    names(&results).into_iter().map(read).map(|(bytes, name)| (name, bytes)).collect()
}

/// Interrupts a study, kills it, and lets it end in the third start: its results.
fn in_three_starts() -> Vec<(String, Vec<u8>)> {
    let parent = tempfile::tempdir().expect("a folder");
    let ready = || kept(parent.path()) >= 3;
    let output = interrupt(start(parent.path(), &STUDY), ready);
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(output.stdout.is_empty());
    let first = kept(parent.path());
    let told = format!("{first} finished runs are kept in ");
    assert!(first >= 3 && said(&output).contains(&told), "{first}: {}", said(&output));
    assert_eq!(names(parent.path()), [".results.runs"]);

    let mut child = start(parent.path(), &STUDY);
    until(&mut child, || kept(parent.path()) >= first + 3);
    child.kill().expect("still at work");
    let output = child.wait_with_output().expect("the program");
    assert_eq!(output.status.code(), None, "{}", said(&output));
    assert_eq!(names(parent.path()), [".results.runs"]);

    let second = kept(parent.path());
    let output = start(parent.path(), &STUDY).wait_with_output().expect("the program");
    assert!(output.status.success(), "{}", said(&output));
    assert!(second >= first + 3 && resumed(&output) == second, "{second}: {}", said(&output));
    assert_eq!(names(parent.path()), ["results"]);
    files(parent.path())
}

/// Two programs make a study in one folder at the same time: its results.
fn by_two_programs() -> Vec<(String, Vec<u8>)> {
    let parent = tempfile::tempdir().expect("a folder");
    let mut first = start(parent.path(), &STUDY);
    until(&mut first, || kept(parent.path()) >= 3);
    let second = start(parent.path(), &STUDY).wait_with_output().expect("the program");
    let first = first.wait_with_output().expect("the program");
    assert!(first.status.success() && second.status.success(), "{}", said(&second));
    // The second program did not repeat runs that the first had made before it began.
    assert!(resumed(&second) >= 3, "{}", said(&second));
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(names(parent.path()), ["results"]);
    files(parent.path())
}

#[test]
fn a_study_has_the_same_results_however_it_was_interrupted_killed_or_shared() {
    assert!(in_three_starts() == by_two_programs(), "the results are not the same");
}

#[test]
fn a_folder_that_cannot_be_made_is_named_as_it_was_asked_for() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("short.toml"), LONG.replace("86400 s", "100 ms")).expect("a file");
    let name = "x".repeat(255);
    for command in [["reproduce", "rate-delay"], ["run", "short.toml"]] {
        let args = [&command[..], &["--out", &name]].concat();
        let output = start(parent.path(), &args).wait_with_output().expect("the program");
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let named = said(&output).contains(&format!("{name}: "));
        assert!(named && !said(&output).contains(".x"), "{}", said(&output));
    }
}
