//! Wireshark as a judge of captures. Its tests are skipped where `tshark` is not installed.
//!
//! Wireshark reads the captures without complaint, and counts the retransmissions that airpath
//! counts. It guesses retransmissions from one point of the path. A segment that begins below the
//! highest sequence number seen has one of three names (User's Guide, 7.5, "TCP Analysis"):
//!
//! - *fast retransmission*: it begins at the last acknowledgement, of which there were duplicates,
//!   the last at most 20 ms ago;
//! - *out of order*: the highest segment passed less than the round trip of the handshake
//!   (`tcp.analysis.initial_rtt`) ago, and it is not that segment again;
//! - *retransmission*: any other such segment.
//!
//! Wireshark looks at no SACK blocks. Segments that recovery sends again behind the first hole,
//! while new data go on, become "out of order" (Wireshark's bug 13863, also at a sender). The captures here are those of the sender's own wire, on which nothing can overtake. All
//! three names are of segments sent again, so their sum must equal airpath's count.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::installed;
use super::tshark::lines;

const CHECKSUMS: [&str; 6] = [
    "-o",
    "ip.check_checksum:TRUE",
    "-o",
    "tcp.check_checksum:TRUE",
    "-o",
    "udp.check_checksum:TRUE",
];
/// Ports of the two downloads of experiment 2 at the UE, and their names.
const FLOWS: [(&str, &str); 2] = [("5687", "honest"), ("5688", "liar")];

/// Runs experiment 2 and gives its summary. The captures are in `out`.
fn experiment(overrides: &[&str], out: &Path) -> serde_json::Value {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/rate-delay/exp2.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.arg("run").arg(data).arg("--json").arg("--out").arg(out);
    command.args(["--set", "output.pcap=['server', 'sgi', 's1', 'ue']"]);
    overrides.iter().for_each(|set| _ = command.args(["--set", set]));
    let output = command.output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a summary")
}

/// Names that Wireshark gives to segments, and a count by sequence numbers.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    retransmissions: usize,
    fast: usize,
    spurious: usize,
    out_of_order: usize,
    /// Segments that begin below the highest sequence number sent before.
    below: u64,
}

/// The segments to each port in a capture.
fn counted(capture: &Path) -> BTreeMap<String, Counted> {
    let fields = [
        "tcp.dstport",
        "tcp.seq_raw",
        "tcp.len",
        "tcp.analysis.retransmission",
        "tcp.analysis.fast_retransmission",
        "tcp.analysis.spurious_retransmission",
        "tcp.analysis.out_of_order",
    ];
    let mut args = vec!["-Y", "tcp", "-T", "fields", "-E", "separator=,"];
    fields.iter().for_each(|field| args.extend(["-e", field]));
    let (mut counted, mut highest) = (BTreeMap::new(), BTreeMap::new());
    for line in lines(capture, &args) {
        let [port, seq, len, again, fast, spurious, swapped] = *line.split(',').collect::<Vec<_>>()
        else {
            panic!("{line}")
        };
        let entry: &mut Counted = counted.entry(port.to_owned()).or_default();
        let told = |field: &str| usize::from(!field.is_empty());
        entry.retransmissions += told(again);
        entry.fast += told(fast);
        entry.spurious += told(spurious);
        entry.out_of_order += told(swapped);
        // The sequence numbers of 5 s do not wrap.
        let (seq, len): (u64, u64) = (seq.parse().expect("SEQ"), len.parse().expect("a length"));
        let highest = highest.entry(port.to_owned()).or_insert(0);
        entry.below += u64::from(len > 0 && seq < *highest);
        *highest = seq.max(*highest).max(seq + len);
    }
    counted
}

fn judge(overrides: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let out: PathBuf = folder.path().join("out");
    let summary = experiment(overrides, &out);
    let capture = |point: &str| {
        let capture = fs::canonicalize(out.join(format!("capture-{point}.pcapng")));
        let capture = capture.expect("a capture");
        let elsewhere = format!("frame.interface_name != \"{point}\"");
        assert_eq!(lines(&capture, &["-Y", &elsewhere]), [""; 0], "{overrides:?}");
        capture
    };
    let bad = "_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 \
               || udp.checksum.status == 0";
    let mut args = CHECKSUMS.to_vec();
    args.extend(["-Y", bad]);
    for point in ["server", "sgi", "s1", "ue"] {
        assert_eq!(lines(&capture(point), &args), [""; 0], "{overrides:?}, {point}");
    }
    // Wireshark checks checksums, and looks through the tunnel on S1-U.
    let mut args = CHECKSUMS.to_vec();
    args.extend(["-Y", "gtp && tcp.checksum.status == 1 && udp.checksum.status == 1"]);
    assert!(lines(&capture("s1"), &args).len() > 1_000, "{overrides:?}");
    let counted = counted(&capture("server"));
    for (port, name) in FLOWS {
        let flows = summary["flows"].as_array().expect("flows");
        let ours = flows.iter().find(|flow| flow["name"] == name).expect("the flow");
        let ours = ours["retransmissions"].as_u64().expect("a count");
        let theirs = &counted[port];
        let sum = (theirs.retransmissions + theirs.out_of_order) as u64;
        assert!(ours > 0, "nothing to judge: {overrides:?}");
        assert_eq!(sum, ours, "{overrides:?}, {name}: {theirs:?}");
        assert_eq!(theirs.below, ours, "{overrides:?}, {name}: {theirs:?}");
        eprintln!("{overrides:?}, {name}: {ours} sent again; {theirs:?}");
    }
}

#[test]
fn wireshark_finds_no_fault_and_the_same_retransmissions() {
    if !installed("tshark") {
        return;
    }
    let marked = "flow.liar.tos=\"0x14\"";
    let [early, late] = ["1237 ms", "1450 ms"].map(|at| format!("flow.liar.start=\"{at}\""));
    judge(&[]);
    judge(&[&late, marked]);
    if std::env::var_os("AIRPATH_TEST_LONG").is_some() {
        judge(&[marked]);
        judge(&[&early]);
        judge(&[&early, marked]);
        judge(&[&late]);
    }
}
