//! Congestion marks in `airpath analyse`, on captures that `airpath run` made.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{airpath, run, said};
use crate::judges::{installed, tshark};

/// A sender with accurate feedback and one with classic feedback through a queue that marks.
const SCENARIO: &str = r#"duration = "3 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "dualpi2"
[[flow]]
name = "accurate"
kind = "tcp"
direction = "down"
dscp = "AF11"
tcp = { controller = "prague" }
[[flow]]
name = "classic"
kind = "tcp"
direction = "down"
tcp = { controller = "cubic", ecn = "classic" }
[output]
pcap = ["server", "ue"]
"#;

/// One direction of the only flow, `up` or `down`, as the analysis has it.
fn direction(folder: &Path, capture: &str, way: &str) -> Value {
    let output = airpath(folder, &["analyse", capture, "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    value["flows"][0][way].clone()
}

/// Segments with the option AccECN in a direction, and the last value of its counter of CE in
/// bytes, as tshark reads them. Segments from the server have source port 5001.
fn by_tshark(capture: &Path, from_server: bool) -> (u64, u64) {
    let port = if from_server { "tcp.srcport" } else { "tcp.dstport" };
    let filter = format!("tcp.options.acc_ecn && {port} == 5001");
    let args = ["-Y", &filter, "-T", "fields", "-e", "tcp.options.acc_ecn.eceb"];
    let lines = tshark::lines(capture, &args);
    let last = lines.iter().rev().find_map(|line| line.parse().ok());
    (lines.len() as u64, last.unwrap_or(0))
}

/// A flow that is marked, to one UE, whose acknowledgements get lost.
const LOSSY: &str = r#"duration = "3 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "dualpi2"
up = { loss = 0.3 }
[[flow]]
name = "marked"
kind = "tcp"
direction = "down"
remote_port = 5001
tcp = { controller = "prague" }
[output]
pcap = ["server", "ue"]
"#;

#[test]
fn the_option_is_captured_and_counted_as_tshark_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("s.toml"), LOSSY).expect("a file");
    run(folder, &["run", "s.toml", "--out", "r"], 0);
    for capture in ["r/capture-ue.pcapng", "r/capture-server.pcapng"] {
        let [up, down] = ["up", "down"].map(|way| direction(folder, capture, way));
        let count = |way: &Value, key: &str| way["ecn_reports"][key].as_u64().unwrap_or(0);
        // With lost ACKs, the option reports the rounds of the counter ACE.
        let (packets, bytes) = (count(&up, "ce_packets"), count(&up, "ce_bytes"));
        assert!(packets > 20 && bytes == 1448 * packets, "{capture}: {packets} {bytes}");
        assert_eq!(count(&down, "option_segments"), 1, "the SYN-ACK's, to test the path");
        if installed("tshark") {
            let path = folder.join(capture);
            let told = (count(&up, "option_segments"), bytes);
            assert_eq!(by_tshark(&path, false), told, "{capture}");
            assert_eq!(by_tshark(&path, true).0, 1, "{capture}");
        }
    }
}

#[test]
fn a_path_strips_the_option_and_the_sender_goes_on_without() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let text = LOSSY.replace("up = { loss = 0.3 }", "up = { ecn_option = \"strip\" }");
    // The transfer ends before the run, so that no ACK is between the two captures at the end.
    let text = text.replace("direction = \"down\"", "direction = \"down\"\nsize = \"2 MB\"");
    fs::write(folder.join("s.toml"), text).expect("a file");
    run(folder, &["run", "s.toml", "--out", "r"], 0);
    let at = |point: &str| direction(folder, &format!("r/capture-{point}.pcapng"), "up");
    let (ue, server) = (at("ue"), at("server"));
    let (sent, arrived) = (&ue["ecn_reports"], &server["ecn_reports"]);
    assert!(sent["option_segments"].as_u64() > Some(100), "{sent}");
    assert_eq!(arrived["option_segments"], 0);
    assert_eq!(sent["ce_packets"], arrived["ce_packets"]);
    assert_eq!(ue["bytes"], server["bytes"]);
    assert!(ue["ecn_reports"]["ce_packets"].as_u64() > Some(20));
}

#[test]
fn feedback_of_simulated_senders_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), SCENARIO).expect("a file");
    run(folder.path(), &["run", "s.toml", "--out", "r"], 0);
    let output = airpath(folder.path(), &["analyse", "r/capture-ue.pcapng", "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let flows = value["flows"].as_array().expect("flows");
    let of = |feedback: &str| {
        let found = flows.iter().find(|flow| flow["ecn"]["answered"] == feedback);
        found.unwrap_or_else(|| panic!("no flow with {feedback} feedback: {value:#}"))
    };
    let (accurate, classic) = (of("accurate"), of("classic"));
    assert_eq!(
        (&accurate["ecn"]["asked"], &classic["ecn"]["asked"]),
        (&"accurate".into(), &"classic".into())
    );
    // At the receiver all marks are seen, and all but those of the last data are reported.
    let marked = accurate["down"]["ce_packets"].as_u64().expect("a count");
    let reported = accurate["up"]["ecn_reports"]["ce_packets"].as_u64().expect("a count");
    assert!(
        marked > 10 && (marked.saturating_sub(4)..=marked).contains(&reported),
        "{marked} {reported}"
    );
    assert_eq!(accurate["down"]["ecn_reports"]["ce_packets"], 0);
    assert!(classic["up"]["ecn_reports"].is_null());
    let dscp = &accurate["down"]["dscp"];
    assert_eq!((&dscp[0]["dscp"], &dscp[0]["name"]), (&10.into(), &"AF11".into()));
    assert_eq!(dscp[0]["packets"], accurate["down"]["packets"]);
    assert_eq!(classic["down"]["dscp"][0]["name"], "CS0");
    // A flow that marks keep small has neither losses nor much of a queue, and is limited by the
    // link.
    for flow in [accurate, classic] {
        let shares = &flow["down"]["causes"]["shares"];
        let full: f64 = ["bottleneck", "shared_bottleneck"]
            .iter()
            .map(|cause| shares[cause].as_f64().expect("a share"))
            .sum();
        assert!(full > 0.8, "{}", flow["down"]["causes"]);
    }
}
