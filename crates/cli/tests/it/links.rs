//! Links that several flows share, as `airpath analyse` finds them. The simulator, or the model of recorded flows, has the
//! rate of the link.

use std::fs;

use serde_json::Value;

use crate::common::{airpath, said};

/// Two phones behind one link of 10 Mbit/s.
const SHARED: &str = r#"duration = "8 s"
[cell]
bandwidth = "20 MHz"
[path.sgi]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "100 packets"
"#;

/// Two cells without neighbours, a phone in each.
const APART: &str = r#"duration = "8 s"
[cell]
bandwidth = "3 MHz"
[network]
environment = "uma"
layout = "given"
radius = "2 km"
site = [{ x = "0 m", y = "0 m", sectors = ["0 deg"] }, { x = "1500 m", y = "0 m", sectors = ["0 deg"] }]
"#;

/// Two downloads.
const FLOWS: &str = r#"
[[flow]]
name = "a"
ue = "one"
kind = "tcp"
direction = "down"
[[flow]]
name = "b"
ue = "other"
kind = "tcp"
direction = "down"
start = "1 s"
[output]
pcap = ["server"]
"#;

/// Analysis of a scenario's capture, with the folder.
fn analysed(scenario: &str, ues: [&str; 2]) -> (tempfile::TempDir, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let ues = ues.map(|ue| format!("[[ue]]\n{ue}\n")).concat();
    fs::write(folder.path().join("s.toml"), format!("{scenario}{ues}{FLOWS}")).expect("a file");
    let run = airpath(folder.path(), &["run", "s.toml", "--out", "r"]);
    assert!(run.status.success(), "{}", said(&run));
    let found = airpath(folder.path(), &["analyse", "r/capture-server.pcapng", "--json"]);
    let found = serde_json::from_slice(&found.stdout).expect("JSON");
    (folder, found)
}

#[test]
fn two_flows_behind_one_link_are_named_with_its_rate_once() {
    let ues = ["name = \"one\"\nsnr = \"30 dB\"", "name = \"other\"\nsnr = \"30 dB\""];
    let (folder, found) = analysed(SHARED, ues);
    let links = found["links"].as_array().expect("links");
    assert_eq!(links.len(), 1, "{links:#?}");
    // The link carries 10 Mbit/s of IP packets of 1500 bytes, 1448 of which are payload.
    let rate = links[0]["rate_bps"].as_f64().expect("a rate");
    assert!((rate / 10e6 / (1448.0 / 1500.0) - 1.0).abs() < 0.03, "{rate}");
    let shares = links[0]["flows"].as_array().expect("flows");
    let sum: f64 = shares.iter().filter_map(|flow| flow["share"].as_f64()).sum();
    assert!((sum - 1.0).abs() < 1e-9 && shares.len() == 2, "{shares:#?}");
    for flow in found["flows"].as_array().expect("flows") {
        let sentence = flow["verdict"]["sentence"].as_str().expect("a sentence");
        assert!(sentence.contains("its share of link 1") && flow["down"]["link"] == 1, "{flow:#}");
        assert!(sentence.split(' ').count() <= 30, "{sentence}");
    }
    let text = said(&airpath(folder.path(), &["analyse", "r/capture-server.pcapng"]));
    assert_eq!(text.matches("Link 1, shared by 2 flows").count(), 1, "{text}");
    let report = ["analyse", "r/capture-server.pcapng", "--report=p.html"];
    airpath(folder.path(), &report);
    let page = fs::read_to_string(folder.path().join("p.html")).expect("a page");
    assert!(page.contains("Link 1, shared by 2 flows"));
}

#[test]
fn two_flows_with_bottlenecks_of_their_own_share_no_link() {
    let ue = |name: &str, x: u32| {
        format!("name = \"{name}\"\nplace = {{ x = \"{x} m\", y = \"30 m\" }}")
    };
    let (_folder, found) = analysed(APART, [&ue("one", 150), &ue("other", 1650)]);
    assert_eq!(found["links"], Value::Array(Vec::new()));
    for flow in found["flows"].as_array().expect("flows") {
        assert_eq!(flow["verdict"]["cause"], "bottleneck", "{flow:#}");
        assert_eq!(flow["down"]["link"], Value::Null);
    }
}

/// Two flows of Linux hosts through a link of 7.087 Mbit/s, which the bench of flows recorded at the server.
#[test]
fn recorded_flows_share_their_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/links/recorded-620.pcap.zst");
    let found = airpath(folder.path(), &["analyse", capture, "--json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let links = found["links"].as_array().expect("links");
    assert_eq!(links.len(), 1, "{links:#?}");
    let rate = links[0]["rate_bps"].as_f64().expect("a rate");
    assert!((rate / 7.087e6 / (1448.0 / 1500.0) - 1.0).abs() < 0.03, "{rate}");
}
