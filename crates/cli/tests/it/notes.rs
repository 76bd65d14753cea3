//! Notes of `airpath analyse --notes` against Wireshark's expert information, packet by packet. Tests are skipped where
//! tshark is not installed.
//!
//! Differences are explained in docs/analysis.md. Captures of one's own are compared by
//!
//!     CAPTURES="a.pcap b.pcapng" cargo test -p airpath --test it notes_on_captures_of_your_own -- --ignored --nocapture

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::judges::{installed, tshark};

/// Kinds of notes, with Wireshark's names. What was sent again or overtaken is one kind, as rules 1 and 2 divide it otherwise.
const KINDS: [(&str, &str, &str); 14] = [
    ("retransmission", "retransmission", "again or late"),
    ("fast_retransmission", "fast_retransmission", "again or late"),
    ("spurious_retransmission", "spurious_retransmission", "again or late"),
    ("out_of_order", "out_of_order", "again or late"),
    ("previous_segment_not_captured", "lost_segment", "lost segment"),
    ("acked_unseen_segment", "ack_lost_segment", "unseen segment"),
    ("duplicate_ack", "duplicate_ack", "duplicate ACK"),
    ("zero_window", "zero_window", "zero window"),
    ("window_full", "window_full", "window full"),
    ("window_update", "window_update", "window update"),
    ("zero_window_probe", "zero_window_probe", "probe"),
    ("zero_window_probe_ack", "zero_window_probe_ack", "answer to a probe"),
    ("keep_alive", "keep_alive", "keep-alive"),
    ("keep_alive_ack", "keep_alive_ack", "answer to a keep-alive"),
];

/// Numbers of packets by kind.
type Noted = BTreeMap<&'static str, BTreeSet<u64>>;

/// Notes of the program, without copies, and the packets that it takes for copies.
fn ours(capture: &Path) -> (Noted, BTreeSet<u64>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    let output = command.arg("analyse").arg(capture).args(["--json", "--notes=4096"]).output();
    let output = output.expect("airpath");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let (mut noted, mut copies) = (Noted::new(), BTreeSet::new());
    let flows = found["flows"].as_array().expect("flows");
    let ways = flows.iter().flat_map(|flow| [&flow["up"]["notes"], &flow["down"]["notes"]]);
    for note in ways.filter_map(Value::as_array).flatten() {
        let packets = note["packets"].as_array().expect("packets").iter();
        let packets = packets.map(|packet| packet.as_u64().expect("a number"));
        match KINDS.iter().find(|(own, ..)| note["kind"] == *own) {
            Some((.., kind)) => noted.entry(kind).or_default().extend(packets),
            None => copies.extend(packets),
        }
    }
    (noted, copies)
}

/// Notes of tshark.
fn theirs(capture: &Path) -> Noted {
    let fields = KINDS.map(|(_, name, _)| format!("tcp.analysis.{name}"));
    let mut args = vec!["-T", "fields", "-E", "separator=;", "-E", "occurrence=l"];
    args.extend(["-Y", "tcp", "-e", "frame.number"]);
    args.extend(fields.iter().flat_map(|field| ["-e", field]));
    let mut noted = Noted::new();
    for line in tshark::lines(capture, &args) {
        let (number, notes) = line.split_once(';').expect("fields");
        let number: u64 = number.parse().expect("a number");
        let kinds = notes.split(';').zip(KINDS).filter(|(note, _)| !note.is_empty());
        for (_, (.., kind)) in kinds {
            noted.entry(kind).or_default().insert(number);
        }
    }
    noted
}

/// Number of notes that are equal, and what differs. Copies have no other note here (rule 8).
fn compare(capture: &Path) -> (usize, Vec<String>) {
    let ((ours, copies), theirs) = (ours(capture), theirs(capture));
    let (mut equal, mut found) = (0, Vec::new());
    for kind in KINDS.map(|(.., kind)| kind).into_iter().collect::<BTreeSet<_>>() {
        let of = |noted: &Noted| noted.get(kind).cloned().unwrap_or_default();
        let (ours, theirs) = (of(&ours), &of(&theirs) - &copies);
        equal += (&ours & &theirs).len();
        for (who, packets) in [("here", &ours - &theirs), ("tshark", &theirs - &ours)] {
            if !packets.is_empty() {
                found.push(format!("{kind}, {who} only: {packets:?}"));
            }
        }
    }
    (equal, found)
}

/// Linux's TCP over a path that loses, reorders and repeats packets.
#[test]
fn notes_on_recorded_packets_are_wiresharks() {
    if !installed("tshark") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analyse/captures");
    for (seed, fewest) in [(3, 400), (13, 300), (23, 500), (33, 150)] {
        let (equal, found) = compare(&folder.join(format!("resent-{seed}.pcap.gz")));
        assert_eq!(found, [""; 0], "{seed}");
        assert!(equal >= fewest, "{seed}: {equal}");
    }
}

/// Recorded flows whose receivers close their windows, or let them be filled.
#[test]
fn notes_on_windows_are_wiresharks() {
    if !installed("tshark") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../live/examples/flow_bench/kept");
    for (name, kind, count) in [
        ("slow_reader-sender-615.pcap.zst", "zero window", 6),
        ("zero_window-sender-510.pcap.zst", "window full", 624),
    ] {
        let capture = folder.join(name);
        assert_eq!(compare(&capture).1, [""; 0], "{name}");
        assert_eq!(ours(&capture).0[kind].len(), count, "{name}");
    }
}

#[test]
#[ignore = "compares the captures that CAPTURES names"]
fn notes_on_captures_of_your_own() {
    let captures = std::env::var("CAPTURES").expect("CAPTURES");
    for capture in captures.split_whitespace().map(Path::new) {
        let (equal, found) = compare(capture);
        println!("{}: {equal} notes are equal", capture.display());
        found.iter().for_each(|difference| println!("  {difference}"));
    }
}
