//! `airpath analyse` on captures that `airpath run` made: the simulator knows the truth.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::common::DOWNLOAD;

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
    fs::write(folder.path().join("s.toml"), DOWNLOAD).expect("a file");
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
    assert!(text.contains("1 flow\n") && text.contains("results in"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    for name in ["flows", "hosts", "bandwidth"] {
        let parquet = fs::read(folder.path().join(format!("o/{name}.parquet"))).expect("a table");
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{name}");
    }
    let summary = fs::read(folder.path().join("o/summary.json")).expect("a summary");
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    assert_eq!(summary["flows"], 1);
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let (folder, bytes, _) = capture();
    fs::write(folder.path().join("c.pcapng"), &bytes).expect("a file");
    let run = |threads: &str| {
        let args =
            ["analyse", "c.pcapng", "c.pcapng", "--json", "--out", "o", "--threads", threads];
        let printed = airpath(folder.path(), &args, &[]).stdout;
        let names = ["flows.parquet", "hosts.parquet", "bandwidth.parquet", "summary.json"];
        let files = names.map(|name| fs::read(folder.path().join("o").join(name)).expect(name));
        (printed, files)
    };
    let one = run("1");
    let value: Value = serde_json::from_slice(&one.0).expect("JSON");
    assert_eq!(
        (value["hosts"][0]["flows"].as_u64(), value["all_hosts"]["hosts"].as_u64()),
        (value["flows"].as_array().map(|flows| flows.len() as u64), Some(1))
    );
    assert!(one == run("2") && one == run("7"));
}

#[test]
fn standard_input_is_one_capture() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = airpath(folder.path(), &["analyse", "-", "-"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("name - once"));
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

/// Phone that wakes up three times: for an upload, for a short one after its tail, and again.
/// Another short upload comes in between, to which the phone is awake.
const IDLE: &str = r#"duration = "70 s"
[path.sgi]
rate = "1 Gbit/s"
delay = "20 ms"
[[ue]]
name = "phone"
snr = "20 dB"
[ue.rrc]
promotion = "300 ms"
release_after = "10 s"
drx = {}
[[flow]]
name = "first"
kind = "tcp"
direction = "up"
size = "2 MB"
start = "1 s"
[[flow]]
name = "second"
kind = "tcp"
direction = "up"
size = "3 kB"
start = "30 s"
[[flow]]
name = "third"
kind = "tcp"
direction = "up"
size = "3 kB"
start = "35 s"
[[flow]]
name = "fourth"
kind = "tcp"
direction = "up"
size = "3 kB"
start = "55 s"
[output]
pcap = ["server"]
snaplen = "96 B"
"#;

#[test]
fn promotions_and_energy_are_those_of_the_phone() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), IDLE).expect("a file");
    let radio = "[rrc]\npromotion = \"300 ms\"\nrelease_after = \"10 s\"\ndrx = {}\n";
    fs::write(folder.path().join("radio.toml"), radio).expect("a file");
    let run = ["run", "s.toml", "--out", "r", "--json"];
    let truth = &json(&airpath(folder.path(), &run, &[]))["ues"][0]["rrc"];
    let args = ["analyse", "r/capture-server.pcapng", "--json", "--radio", "radio.toml"];
    let found = json(&airpath(folder.path(), &args, &[]));
    let host = &found["hosts"][0];
    assert_eq!(host["radio"]["promotions"], truth["promotions"]);
    assert_eq!(host["promotion_delay_ms"]["samples"], 2, "{host:#}");
    let number = |value: &Value| value.as_f64().expect("a number");
    for flow in [0, 1, 3] {
        let delay = number(&found["flows"][flow]["promotion_delay_ms"]);
        // Of the 360 ms at the phone, the clock's period is known to 1 %, and a tick is 1 ms.
        assert!((delay - 300.0).abs() < 4.6, "{delay}");
    }
    assert!(found["flows"][2]["promotion_delay_ms"].is_null());
    for part in ["promotion", "active", "drx", "up"] {
        let (found, truth) = (&host["radio"]["energy_j"][part], &truth["energy_j"][part]);
        assert!((number(found) / number(truth) - 1.0).abs() < 0.05, "{part}: {found} {truth}");
    }
}

#[test]
fn a_radio_that_cannot_be_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("radio.toml"), "[rrc]\nrelease_after = \"5 MB\"\n")
        .expect("a file");
    let refused = airpath(folder.path(), &["analyse", "-", "--radio", "radio.toml"], &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("release_after"));
}

/// Keeps windows of bandwidth.
#[derive(Default)]
struct Windows(Vec<airpath_analyse::Window>);

impl airpath_analyse::Sink for &mut Windows {
    fn flow(&mut self, _: &airpath_analyse::FlowRecord) {}

    fn window(&mut self, window: &airpath_analyse::Window) {
        self.0.push(window.clone());
    }
}

#[test]
fn the_bandwidth_that_was_there_is_that_of_the_bottleneck() {
    let (_folder, bytes, _) = capture();
    for (width, worst) in [(1000, 0.08), (100, 0.12)] {
        let windows = vec![airpath_base::Duration::from_millis(width)];
        let options = airpath_analyse::Options { windows, ..Default::default() };
        let mut found = Windows::default();
        let mut analyser = airpath_analyse::Analyser::with_sink(options, &mut found);
        analyser.read("capture", &bytes[..]).expect("a capture");
        analyser.finish();
        // 8 Mbit/s, of which GTP-U, UDP and IP take 36 bytes of each 1536, TCP and IP 52.
        let truth = 8e6 * 1448.0 / 1536.0;
        let errors: Vec<f64> = (found.0.iter().filter(|window| !window.up))
            .filter_map(|window| Some((window.available_bps? / truth - 1.0).abs()))
            .collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!(!errors.is_empty() && mean < worst, "{mean}: {errors:?}");
    }
}

#[test]
fn files_are_read_in_the_order_of_their_first_packets() {
    let (folder, bytes, _) = capture();
    let halves = |name: &str, from: usize, to: usize| {
        // The section and its interfaces, then some of the packets.
        let blocks = blocks(&bytes);
        let kind = |block: &[u8]| u32::from_le_bytes([block[0], block[1], block[2], block[3]]);
        let (packets, head): (Vec<&[u8]>, Vec<&[u8]>) =
            blocks.into_iter().partition(|block| kind(block) == 6);
        let some = &packets[packets.len() * from / 2..packets.len() * to / 2];
        let part = [head.concat(), some.concat()].concat();
        fs::write(folder.path().join(name), &part).expect("a file");
        part
    };
    let first = halves("first.pcapng", 0, 1);
    halves("second.pcapng", 1, 2);
    let right =
        airpath(folder.path(), &["analyse", "first.pcapng", "second.pcapng", "--json"], &[]);
    let value = json(&right);
    assert_eq!(value["flows"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["warnings"], serde_json::json!([]));
    for names in [["second.pcapng", "first.pcapng"], ["second.pcapng", "-"]] {
        let args = ["analyze", names[0], names[1], "--json", "--quiet"];
        let found = airpath(folder.path(), &args, &first);
        assert_eq!(json(&found), value, "{names:?}");
    }
    let quiet = airpath(folder.path(), &["analyse", "first.pcapng", "-q"], &[]);
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
}

/// Blocks of a pcapng file.
fn blocks(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut blocks = Vec::new();
    while let Some(len) = bytes.get(4..8) {
        let len = u32::from_le_bytes(len.try_into().expect("four bytes")) as usize;
        let (block, rest) = bytes.split_at(len);
        blocks.push(block);
        bytes = rest;
    }
    blocks
}

#[test]
fn a_radio_is_told_on_request_only() {
    let (folder, bytes, _) = capture();
    fs::write(folder.path().join("c.pcapng"), &bytes).expect("a file");
    let plain = json(&airpath(folder.path(), &["analyse", "c.pcapng", "--json"], &[]));
    assert!(plain["hosts"][0]["radio"].is_null() && plain["all_hosts"]["radio"].is_null());
    let text = airpath(folder.path(), &["analyse", "c.pcapng"], &[]).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(!text.contains("promotion") && !text.contains(" J\n"), "{text}");
    let lte = ["analyse", "c.pcapng", "--json", "--radio", "lte"];
    let with = json(&airpath(folder.path(), &lte, &[]));
    assert_eq!(with["hosts"][0]["radio"]["promotions"], 1);
    let file = ["analyse", "c.pcapng", "--json", "--radio", "-"];
    let same = json(&airpath(folder.path(), &file, b"[rrc]\nrelease_after = \"10 s\"\n"));
    assert_eq!(same["hosts"][0]["radio"]["promotions"], 1);
    let both = airpath(folder.path(), &["analyse", "-", "--radio", "-"], b"");
    assert_eq!(both.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&both.stderr).contains("standard input"), "{both:?}");
}

#[test]
fn what_is_no_capture_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, advice) in [(".", "name the captures in it"), ("none.pcap", "there is no such file")]
    {
        let output = airpath(folder.path(), &["analyse", path], &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(path) && said.contains(advice), "{said}");
    }
}
