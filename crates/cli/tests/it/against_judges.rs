//! Wireshark and tcptrace as judges of `airpath analyse`, on simulated captures and on any
//! others. Tests are skipped where these programs are not installed.
//!
//! Captures of one's own can be compared too. docs/analysis.md has the rules by which counts
//! differ. `TIMESTAMPS=no` is for captures without TCP timestamps, in which all RTTs can be
//! compared.
//!
//!     CAPTURES="a.pcap b.pcapng" TIMESTAMPS=no cargo test -p airpath --test against_judges -- --ignored --nocapture

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::judges::{Count, Rtt, Way};

/// Differences between both counts, by direction.
fn differences(ours: &BTreeMap<Way, Count>, theirs: &BTreeMap<Way, Count>) -> Vec<String> {
    let mut ways: Vec<&Way> = ours.keys().chain(theirs.keys()).collect();
    ways.sort();
    ways.dedup();
    let mut found = Vec::new();
    for way in ways {
        let of = |counts: &BTreeMap<Way, Count>| counts.get(way).copied().unwrap_or_default();
        let (a, b) = (of(ours), of(theirs));
        for (what, a, b) in [
            ("packets", a.packets, b.packets),
            ("bytes", a.bytes, b.bytes),
            (
                "resent or late",
                a.retransmissions + a.out_of_order,
                b.retransmissions + b.out_of_order,
            ),
            ("duplicate ACKs", a.duplicate_acks, b.duplicate_acks),
            ("zero windows", a.zero_windows, b.zero_windows),
            ("window full", a.window_full, b.window_full),
        ] {
            if a != b {
                found.push(format!("{} > {} {}: {what} {a}, tshark {b}", way.0, way.1, way.2));
            }
        }
    }
    found
}

/// RTTs that differ by more than 1 % and more than what tcptrace's rounding can explain. It
/// takes no samples from timestamps, so what was sent again is compared only if there are
/// no timestamps.
fn rtt_differences(
    analysis: &serde_json::Value,
    theirs: &BTreeMap<Way, Rtt>,
    timestamps: bool,
) -> Vec<String> {
    let (ours, counts) = (crate::judges::rtts(analysis), crate::judges::counts(analysis));
    let mut found = Vec::new();
    for (way, b) in theirs {
        let again = counts.get(way).is_none_or(|count| count.retransmissions > 0);
        let a = ours.get(way).copied().unwrap_or(Rtt { samples: 0, mean: 0.0 });
        let differ = (a.mean - b.mean).abs() > f64::max(0.01 * b.mean, 0.051);
        if differ && !(again && timestamps) {
            found.push(format!("{} > {}: RTT {a:?}, tcptrace {b:?}", way.0, way.1));
        }
    }
    found
}

/// Compares a capture; gives how many directions were compared, and what differs.
fn compare(capture: &Path, scratch: &Path, timestamps: bool) -> (usize, Vec<String>) {
    let analysis = crate::judges::analysed(capture);
    let theirs = crate::judges::tshark::counts(capture);
    let mut found = differences(&crate::judges::counts(&analysis), &theirs);
    if crate::judges::installed("tcptrace") {
        let theirs = crate::judges::tcptrace::rtts(capture, scratch);
        found.extend(rtt_differences(&analysis, &theirs, timestamps));
    }
    (theirs.len(), found)
}

/// The capture at a point of a scenario.
fn simulated(folder: &Path, scenario: &str, point: &str) -> PathBuf {
    fs::write(folder.join("s.toml"), scenario).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(folder).args(["run", "s.toml", "--out", "r", "--seed", "7"]);
    let output = command.output().expect("airpath");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join(format!("r/capture-{point}.pcapng"))
}

#[test]
fn the_judges_agree_on_simulated_captures() {
    if !crate::judges::installed("tshark") {
        return;
    }
    for (point, flow) in [
        ("server", ""),
        ("sgi", ""),
        ("ue", ""),
        ("server", "[flow.tcp]\nreceive_buffer = \"16 kB\"\n"),
        ("server", "[flow.tcp]\nreceive_buffer = \"16 kB\"\nread_rate = \"2 Mbit/s\"\n"),
        ("sgi", "[flow.tcp]\nsack = false\ntimestamps = false\n"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let scenario = format!(
            "duration = \"4 s\"\n[path.s1]\nrate = \"8 Mbit/s\"\nqueue = \"30 packets\"\n\
             [path.sgi]\nloss = 0.002\n[[ue]]\nname = \"phone\"\nsnr = \"25 dB\"\n\
             [[flow]]\nname = \"download\"\nkind = \"tcp\"\ndirection = \"down\"\n\
             size = \"2 MB\"\n{flow}[output]\npcap = [\"{point}\"]\n"
        );
        let capture = simulated(folder.path(), &scenario, point);
        let (ways, found) = compare(&capture, folder.path(), !flow.contains("timestamps"));
        assert!(ways >= 2, "{point}: nothing to compare");
        assert_eq!(found, [""; 0], "{point} {flow}");
    }
}

#[test]
#[ignore = "compares the captures that CAPTURES names"]
fn captures_of_your_own() {
    let captures = std::env::var("CAPTURES").expect("CAPTURES");
    let folder = tempfile::tempdir().expect("a folder");
    let (mut all, mut differing) = (0, 0);
    for capture in captures.split_whitespace().map(Path::new) {
        let (ways, found) =
            compare(capture, folder.path(), std::env::var_os("TIMESTAMPS").is_none());
        (all, differing) = (all + ways, differing + found.len());
        println!("{}: {ways} directions, {} differences", capture.display(), found.len());
        found.iter().for_each(|difference| println!("  {difference}"));
    }
    println!("{all} directions, {differing} differences");
}
