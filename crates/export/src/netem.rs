//! A script of `tc` that gives netem the rate and the delay of each step (iproute2, tc-netem(8)), and the loss.

use std::fmt::Write as _;

use crate::format::File;
use crate::{Recording, STEP_MS, Step, Way};

/// Least rate, bit/s: for netem a rate of 0 is none at all.
const LEAST: u64 = 1_000;
/// Packets that wait in a device.
const LIMIT: u32 = 1_000;

pub(crate) fn files(recording: &Recording) -> Vec<File> {
    vec![
        File::new("down.steps", steps(&recording.down)),
        File::new("up.steps", steps(&recording.up)),
        File::new("netem.sh", script(recording)),
    ]
}

/// A line for each step: bit/s, and microseconds.
fn steps(way: &Way) -> String {
    let mut text = String::new();
    for Step { kbps, delay_ms } in way.steps() {
        let _ = writeln!(text, "{} {}", (kbps * 1_000).max(LEAST), (delay_ms * 1e3).round() as u64);
    }
    text
}

/// The script ends when its last step does, unless it is to repeat.
fn script(recording: &Recording) -> String {
    let step = f64::from(STEP_MS) / 1e3;
    let [down, up] = [&recording.down, &recording.up].map(|way| way.loss * 100.0);
    format!(
        r#"#!/bin/sh
{head}# Usage: netem.sh DEVICE-TO-UE DEVICE-FROM-UE [repeat]
# Needs the right to change the devices (CAP_NET_ADMIN). Both may be ends of a pair of veth in different namespaces, if
# this script can see both.
set -eu
cd "$(dirname "$0")"
down=$1 up=$2
trap 'tc qdisc del dev "$down" root; tc qdisc del dev "$up" root' EXIT
begin=$(date +%s%N) n=0
step() {{ # DEVICE RATE DELAY LOSS
  tc qdisc replace dev "$1" root handle 1: netem limit {LIMIT} rate "$2bit" delay "$3us" loss "$4%"
}}
while :; do
  paste -d ' ' down.steps up.steps > steps.both
  while read -r down_rate down_delay up_rate up_delay; do
    step "$down" "$down_rate" "$down_delay" {down}
    step "$up" "$up_rate" "$up_delay" {up}
    n=$((n + 1))
    sleep "$(awk "BEGIN {{ left = $n * {step} - ($(date +%s%N) - $begin) / 1e9; print (left > 0 ? left : 0) }}")"
  done < steps.both
  [ "${{3:-}}" = repeat ] || break
done
"#,
        head = crate::format::head(recording, "#")
    )
}
