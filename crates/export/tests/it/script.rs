//! The script for netem.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use airpath_export::{Format, Options, record};
use tempfile::tempdir;

use crate::paths::{WIRES, scenario};
use crate::skipped::skipped;

/// Writes the script of a recording of 1 s.
fn script(folder: &Path) {
    let scenario = scenario(&WIRES.replace("duration = \"10 s\"", "duration = \"1 s\""));
    let recording = record(&scenario, Options::default()).expect("a recording");
    for file in Format::Netem.files(&recording) {
        fs::write(folder.join(&file.name), &file.text).expect("it can be written");
    }
}

/// A program `tc` that writes down its arguments.
const TC: &str = "#!/bin/sh\necho \"$@\" >> \"$CALLS\"\n";

#[cfg(unix)]
#[test]
fn each_step_sets_both_devices() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().expect("a folder");
    script(folder.path());
    let (tc, calls) = (folder.path().join("tc"), folder.path().join("calls"));
    fs::write(&tc, TC).expect("it can be written");
    fs::set_permissions(&tc, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.arg(folder.path().join("netem.sh")).args(["d0", "d1"]);
    let done = command.env("PATH", path).env("CALLS", &calls).status().expect("a shell");
    assert!(done.success());
    let calls = fs::read_to_string(calls).expect("calls");
    let calls: Vec<&str> = calls.lines().collect();
    // Ten steps of both devices, and their end.
    assert_eq!(calls.len(), 22, "{calls:?}");
    // A step of 100 ms at 10 Mbit/s, and a packet of 1400 bytes behind 20 ms.
    let second = "qdisc replace dev d0 root handle 1: netem limit 1000 rate 9";
    assert!(calls[2].starts_with(second) || calls[2].contains("rate 10"), "{}", calls[2]);
    assert!(calls[2].contains("bit delay 21120us loss 0%"), "{}", calls[2]);
    assert!(calls[3].contains("dev d1") && calls[3].contains("delay 35600us"), "{}", calls[3]);
    assert_eq!(calls[20], "qdisc del dev d0 root");
}

/// Runs a line of the shell in network namespaces of its own.
fn in_namespace(line: &str) -> bool {
    let mut command = Command::new("unshare");
    command.args(["-rn", "sh", "-c", line]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn netem_takes_the_script() {
    let devices =
        "ip link add name d0 type veth peer name d1 && ip link set d0 up && ip link set d1 up";
    if !in_namespace(&format!("{devices} && tc qdisc add dev d0 root netem delay 1ms")) {
        return skipped("there is no netem, unshare, ip or tc, or no right to make namespaces");
    }
    let folder = tempdir().expect("a folder");
    script(folder.path());
    let script = folder.path().join("netem.sh");
    assert!(in_namespace(&format!("{devices} && sh {} d0 d1", script.display())));
}
