//! tcptrace's RTTs.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::{Rtt, Way};

/// RTTs of a capture by direction, as tcptrace measures them. The folder `scratch` takes a copy of
/// the capture in the format of tcptrace.
pub fn rtts(capture: &Path, scratch: &Path) -> BTreeMap<Way, Rtt> {
    let classic = scratch.join("classic.pcap");
    let mut convert = Command::new("tshark");
    convert.arg("-r").arg(capture).args(["-F", "pcap", "-w"]).arg(&classic);
    let converted = convert.output().expect("tshark").status.success();
    let read = if converted { &classic } else { capture };
    let output = Command::new("tcptrace").args(["-n", "-l", "-r"]).arg(read).output();
    parse(&String::from_utf8_lossy(&output.expect("tcptrace").stdout))
}

/// The two ends of each connection, then two columns of values.
fn parse(text: &str) -> BTreeMap<Way, Rtt> {
    let mut sums: BTreeMap<Way, (u64, f64)> = BTreeMap::new();
    let (mut ends, mut samples) = ([String::new(), String::new()], [0; 2]);
    for line in text.lines().map(str::trim) {
        if let Some((_, host)) = line.strip_prefix("host ").and_then(|line| line.split_once(':')) {
            ends.rotate_left(1);
            ends[1] = host.trim().to_owned();
        } else if let Some(values) = columns(line, "RTT samples:") {
            samples = values.map(|value| value as u64);
        } else if let Some(values) = columns(line, "RTT avg:") {
            for (from, value) in values.into_iter().enumerate().filter(|(n, _)| samples[*n] > 0) {
                let way = (end(&ends[from]), end(&ends[1 - from]), "tcp");
                let sum = sums.entry(way).or_default();
                *sum = (sum.0 + samples[from], sum.1 + value * samples[from] as f64);
            }
        }
    }
    let mean = |(samples, sum): (u64, f64)| Rtt { samples, mean: sum / samples as f64 };
    sums.into_iter().map(|(way, sum)| (way, mean(sum))).collect()
}

/// `name: 2 ms name: 183 ms`.
fn columns(line: &str, name: &str) -> Option<[f64; 2]> {
    let mut values = line.strip_prefix(name)?.split(name).map(|value| {
        value.split_whitespace().next().and_then(|value| value.parse().ok()).unwrap_or(0.0)
    });
    Some([values.next()?, values.next()?])
}

/// tcptrace writes IPv6 addresses without brackets.
fn end(text: &str) -> String {
    match text.rsplit_once(':') {
        Some((addr, port)) => super::endpoint(addr, port),
        None => text.to_owned(),
    }
}
