//! `airpath analyse --points` on captures of one run: the simulator knows the truth.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{airpath, run, said};

const SCENARIO: &str = r#"duration = "3 s"
[path.sgi]
rate = "8 Mbit/s"
queue = "40 packets"
delay = "20 ms"
[[ue]]
name = "phone"
snr = "25 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
size = "1 MB"
[output]
pcap = ["server", "sgi", "ue"]
"#;

/// A folder with results in `r`, and their summary.
fn results() -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), SCENARIO).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "r"], 0);
    let summary = fs::read(folder.path().join("r/summary.json")).expect("a summary");
    (folder, serde_json::from_slice(&summary).expect("JSON"))
}

fn pair(folder: &Path, args: &[&str]) -> Value {
    let output = airpath(folder, &[&["analyse", "--points", "--json"], args].concat());
    assert!(output.status.success(), "{}", said(&output));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    value["pairs"][0].clone()
}

fn close(found: &Value, truth: &Value, within: f64) {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    assert!((number(found) - number(truth)).abs() <= within, "{found} is not {truth}");
}

#[test]
fn delays_and_losses_are_those_of_the_simulator() {
    let (folder, summary) = results();
    let truth = &summary["flows"][0];
    assert!(truth["lost_packets"].as_u64().is_some_and(|lost| lost > 0), "{truth:#}");
    let names = ["r/capture-server.pcapng", "r/capture-ue.pcapng", "--same-clock"];
    let found = pair(folder.path(), &names);
    let flow = &found["flows"][0];
    let (up, down) = (&flow["up"], &flow["down"]);
    assert_eq!((&down["sent"], &down["lost"]), (&truth["sent_packets"], &truth["lost_packets"]));
    assert_eq!((&down["reordered"], &down["duplicates"]), (&0.into(), &0.into()));
    assert_eq!(up["sent"], truth["feedback_packets"]);
    assert_eq!(up["lost"], truth["feedback_lost_packets"]);
    for (key, within) in [("min", 0.0011), ("mean", 0.0011), ("max", 0.0011)] {
        close(&down["delay_ms"][key], &truth["delay_ms"][key], within);
    }
    assert_eq!(flow["client_point"], 1);
    let link = &summary["links"][0]["dropped"]["queue_full"];
    let wired = pair(folder.path(), &["r/capture-server.pcapng", "r/capture-sgi.pcapng"]);
    assert_eq!(&wired["ways"][0]["lost"], link);
}

/// The capture with another clock: it is ahead, and gains.
fn other_clock(bytes: &[u8], ahead: u64, ppm: u64) -> Vec<u8> {
    let (mut bytes, mut at) = (bytes.to_vec(), 0);
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    };
    while at < bytes.len() {
        if word(&bytes, at) == 6 {
            let high = u64::from(word(&bytes, at + 12));
            let nanos = high << 32 | u64::from(word(&bytes, at + 16));
            let nanos = nanos + ahead + nanos * ppm / 1_000_000;
            bytes[at + 12..at + 16].copy_from_slice(&((nanos >> 32) as u32).to_le_bytes());
            bytes[at + 16..at + 20].copy_from_slice(&(nanos as u32).to_le_bytes());
        }
        at += word(&bytes, at + 4) as usize;
    }
    bytes
}

#[test]
fn another_clock_is_found_and_taken_out() {
    let (folder, _) = results();
    let sgi = fs::read(folder.path().join("r/capture-sgi.pcapng")).expect("a capture");
    fs::write(folder.path().join("other.pcapng"), other_clock(&sgi, 7_000_000_000, 80))
        .expect("a file");
    let one = ["r/capture-server.pcapng", "r/capture-sgi.pcapng", "--same-clock"];
    let truth = pair(folder.path(), &one);
    let found = pair(folder.path(), &["r/capture-server.pcapng", "other.pcapng"]);
    assert_eq!(found["clock"]["basis"], "least_delay_equal");
    close(&found["clock"]["drift_ppm"], &80.0.into(), 8.0);
    close(&found["clock"]["offset_s"], &7.0.into(), 1e-4);
    for way in [0, 1] {
        let (found, truth) = (&found["ways"][way], &truth["ways"][way]);
        assert_eq!((&found["sent"], &found["lost"]), (&truth["sent"], &truth["lost"]));
        for key in ["min", "p50", "mean", "p99", "max"] {
            close(&found["delay_ms"][key], &truth["delay_ms"][key], 0.4);
        }
    }
}

#[test]
fn points_are_told_on_a_screen_and_in_tables() {
    let (folder, _) = results();
    let names = ["r/capture-ue.pcapng", "r/capture-sgi.pcapng", "r/capture-server.pcapng"];
    let args = [&["analyse", "--points", "--out", "o"], &names[..]].concat();
    let text = run(folder.path(), &args, 0);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(text.matches("Result: ").count(), 2, "{text}");
    for name in ["packets", "flows", "pairs"] {
        let parquet = fs::read(folder.path().join(format!("o/{name}.parquet"))).expect("a table");
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{name}");
    }
    assert!(folder.path().join("o/summary.json").exists());
}

#[test]
fn points_that_cannot_be_compared_are_refused() {
    let (folder, _) = results();
    let (ue, server) = ("r/capture-ue.pcapng", "r/capture-server.pcapng");
    for (args, reason) in [
        (vec![ue], "one point only: r/capture-ue.pcapng has one interface (ue)"),
        (vec!["-", ue], "standard input cannot be"),
        (vec![ue, "--interface", "x"], "name a second --interface"),
        (vec![ue, server, "--interface", "x"], "name only one"),
        (vec![ue, "--interface", "x", "--interface", "y"], "no interface x; it has ue"),
        (vec![ue, "none.pcap"], "there is no such file"),
        (vec![ue, "s.toml"], "neither pcap nor pcapng"),
    ] {
        let args = [vec!["analyse", "--points"], args].concat();
        let said = run(folder.path(), &args, 2);
        assert!(said.contains(reason), "{args:?}: {said}");
    }
    let bytes = fs::read(folder.path().join(ue)).expect("a capture");
    let late = other_clock(&bytes, 900_000_000_000, 0);
    fs::write(folder.path().join("late.pcapng"), late).expect("a file");
    let args = ["analyse", "--points", "--same-clock", server, "late.pcapng"];
    let said = run(folder.path(), &args, 2);
    assert!(said.contains("one ends before the other begins"), "{said}");
}

#[test]
fn a_page_tells_delays_losses_and_flows_of_two_points() {
    let (folder, _) = results();
    let at = folder.path();
    let captures = ["r/capture-server.pcapng", "r/capture-ue.pcapng", "--same-clock"];
    let told = run(at, &[&["analyse", "--points", "--report=p.html"], &captures[..]].concat(), 0);
    assert!(!told.contains("results in"), "no folder is left behind: {told}");
    let page = fs::read_to_string(at.join("p.html")).expect("a page");
    let parts = [
        "The answer",
        "One-way delay over time",
        "Distribution of one-way delays",
        "Losses and congestion marks over time",
        "Flows at both points",
    ];
    let places = parts.map(|part| page.find(part));
    assert!(places.iter().all(Option::is_some), "{places:?}");
    for said in [" ms, the highest at ", "Median and 95th percentile. ", "are lost, at "] {
        assert!(page.contains(said), "{said}");
    }
    // The same from the tables.
    run(at, &[&["analyse", "--points", "--out", "o"], &captures[..]].concat(), 0);
    run(at, &["report", "o", "-o", "again.html"], 0);
    let found = pair(at, &captures);
    let lost = format!("packets {} (", found["ways"][0]["lost"]);
    let again = fs::read_to_string(at.join("again.html")).expect("a page");
    assert!(page.contains(&lost) && again.contains(&lost), "{lost}");
}
