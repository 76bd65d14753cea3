//! `airpath analyse` on captures that `airpath run` made: the simulator knows the truth.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const SCENARIO: &str = r#"duration = "3 s"
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

fn airpath(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_airpath"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    // A program that refuses its arguments need not read.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("its output")
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A folder with `results`, and the capture in it.
fn capture() -> (tempfile::TempDir, Vec<u8>, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), SCENARIO).expect("a file");
    let summary = json(&airpath(folder.path(), &["run", "s.toml", "--out", "r", "--json"], &[]));
    let names = fs::read_dir(folder.path().join("r")).expect("results").flatten();
    let found = names
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|e| e == "pcapng"));
    let bytes = fs::read(found.expect("a capture")).expect("a capture");
    (folder, bytes, summary)
}

#[test]
fn retransmissions_are_those_that_the_sender_made() {
    let (folder, bytes, summary) = capture();
    let value = json(&airpath(folder.path(), &["analyse", "-", "--json"], &bytes));
    let flow = &value["flows"][0];
    let truth = &summary["flows"][0];
    assert_eq!(flow["down"]["retransmissions"], truth["retransmissions"], "{summary:#}");
    assert!(flow["down"]["retransmissions"].as_u64().is_some_and(|n| n > 0), "{flow:#}");
    assert_eq!(flow["down"]["out_of_order"], 0);
    for key in ["client", "server", "protocol", "start", "duration_s", "end_reason"] {
        assert!(!flow[key].is_null(), "{key}");
    }
    let rtt = flow["down"]["rtt_ms"]["p50"].as_f64().expect("an RTT");
    assert!(rtt > flow["down"]["rtt_ms"]["min"].as_f64().expect("a least RTT"));
}

#[test]
fn tables_and_text() {
    let (folder, bytes, _) = capture();
    fs::write(folder.path().join("c.pcapng"), &bytes).expect("a file");
    let done = airpath(folder.path(), &["analyse", "c.pcapng", "--out", "o"], &[]);
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.contains("1 flows") && text.contains("results in"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let parquet = fs::read(folder.path().join("o/flows.parquet")).expect("a table");
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let summary = fs::read(folder.path().join("o/summary.json")).expect("a summary");
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    assert_eq!(summary["flows"], 1);
}

#[test]
fn what_is_no_capture_is_named_and_ends_with_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = airpath(folder.path(), &["analyse", "-"], b"something else altogether, and long");
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("standard input: neither pcap nor pcapng"), "{said}");
    let refused = airpath(folder.path(), &["analyse", "missing.pcap"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    let refused = airpath(folder.path(), &["analyse", "-", "--client", "10.0.0.0/99"], &[]);
    assert_eq!(refused.status.code(), Some(2));
}
