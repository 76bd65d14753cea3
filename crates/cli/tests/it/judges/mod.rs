//! Counts of the analysis and of other programs in one capture, by direction, in one form for
//! comparison.

mod captures;
pub mod tcptrace;
pub mod tshark;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::skipped::skipped;
use serde_json::Value;

/// Counts of one direction of the flows between two ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub packets: u64,
    pub bytes: u64,
    pub retransmissions: u64,
    pub out_of_order: u64,
    pub duplicate_acks: u64,
    pub zero_windows: u64,
    pub window_full: u64,
}

/// Sender, receiver and protocol of a direction. Flows with the same are taken together.
pub type Way = (String, String, &'static str);

/// Samples and mean of a direction's RTTs, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rtt {
    pub samples: u64,
    pub mean: f64,
}

/// Checks that a program is installed; otherwise reports the test as skipped.
pub fn installed(program: &str) -> bool {
    let mut version = Command::new(program);
    let version = version.arg("-v").stdout(Stdio::null()).stderr(Stdio::null());
    let there = version.status().is_ok();
    if !there {
        skipped(format_args!("{program} is not installed (apt-get install {program})"));
    }
    there
}

/// Output of `airpath analyse --json` on a capture.
pub fn analysed(capture: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    let output = command.arg("analyse").arg(capture).arg("--json").output().expect("airpath");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Its counts.
pub fn counts(analysis: &Value) -> BTreeMap<Way, Count> {
    let mut counts: BTreeMap<Way, Count> = BTreeMap::new();
    each_way(analysis, |way, direction| {
        let number = |key: &str| direction[key].as_u64().expect("a count");
        let count = counts.entry(way).or_default();
        count.packets += number("packets");
        count.bytes += number("bytes");
        count.retransmissions += number("retransmissions");
        count.out_of_order += number("out_of_order");
        count.duplicate_acks += number("duplicate_acks");
        count.zero_windows += number("zero_windows");
        count.window_full += number("window_full");
    });
    counts.retain(|_, count| count.packets > 0);
    counts
}

/// Its RTTs; the mean over the flows between the same ends, by their samples.
pub fn rtts(analysis: &Value) -> BTreeMap<Way, Rtt> {
    let mut sums: BTreeMap<Way, (u64, f64)> = BTreeMap::new();
    each_way(analysis, |way, direction| {
        let rtt = &direction["rtt_ms"];
        if let (Some(samples), Some(mean)) = (rtt["samples"].as_u64(), rtt["mean"].as_f64()) {
            let sum = sums.entry(way).or_default();
            *sum = (sum.0 + samples, sum.1 + mean * samples as f64);
        }
    });
    let mean = |(samples, sum): (u64, f64)| Rtt { samples, mean: sum / samples as f64 };
    sums.into_iter().map(|(way, sum)| (way, mean(sum))).collect()
}

fn each_way(analysis: &Value, mut each: impl FnMut(Way, &Value)) {
    for flow in analysis["flows"].as_array().expect("flows") {
        let end = |key: &str| flow[key].as_str().expect("an endpoint").to_owned();
        let protocol = if flow["protocol"] == "tcp" { "tcp" } else { "udp" };
        each((end("client"), end("server"), protocol), &flow["up"]);
        each((end("server"), end("client"), protocol), &flow["down"]);
    }
}

/// An address and a port as airpath writes them.
pub fn endpoint(addr: &str, port: &str) -> String {
    if addr.contains(':') { format!("[{addr}]:{port}") } else { format!("{addr}:{port}") }
}
