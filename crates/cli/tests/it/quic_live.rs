//! Real QUIC programs behind the emulated path, beside quinn-proto in virtual time on the same path.
//!
//! `AIRPATH_TEST_QUIC` names the example `quic` of the benches: quinn on the sockets of the kernel. `AIRPATH_TEST_AIOQUIC`
//! names a Python that has aioquic.
#![cfg(all(target_os = "linux", feature = "stacks"))]

use std::env;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::common::{airpath, said};
use crate::skipped::skipped;

/// Seconds of a transfer, handshake included.
const TIME: f64 = 20.0;

/// Wires of `rate` Mbit/s with a round trip of `rtt` ms, and a queue of one product of both, at least 20 packets.
fn wires(rate: u32, rtt: u32) -> String {
    let packets = (rate * rtt * 1000 / 12_000).max(20);
    format!(
        "radio = \"none\"\n[path.sgi]\nrate = \"{rate} Mbit/s\"\ndelay = \"{} ms\"\nqueue = \"{packets} packets\"\n\
         [path.sgi.up]\nrate = \"unlimited\"\n[[ue]]\nname = \"phone\"\n",
        rtt / 2
    )
}

/// A cell with one UE behind wires.
fn cell(cell: &str) -> String {
    format!(
        "[path.sgi]\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n[cell]\n{cell}\n[[ue]]\nname = \"phone\"\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"default\"\ndefault = true\nqueue = \"100 packets\"\n"
    )
}

fn paths() -> [(&'static str, String); 6] {
    [
        ("5 Mbit/s, 20 ms", wires(5, 20)),
        ("5 Mbit/s, 60 ms", wires(5, 60)),
        ("20 Mbit/s, 20 ms", wires(20, 20)),
        ("20 Mbit/s, 60 ms", wires(20, 60)),
        ("LTE, 5 MHz", cell("technology = \"lte\"\nbandwidth = \"5 MHz\"")),
        ("NR, 20 MHz, FDD", cell("technology = \"nr\"\nbandwidth = \"20 MHz\"\nnumerology = 1")),
    ]
}

/// Goodput in Mbit/s and mean one-way delay in ms of a flow.
struct Figures {
    goodput: f64,
    delay: f64,
}

fn delay(folder: &Path, flow: &str) -> (f64, Value) {
    let text = fs::read_to_string(folder.join("summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    let flows = summary["flows"].as_array().expect("flows");
    let flow = flows.iter().find(|one| one["name"] == flow).expect("the flow");
    (flow["delay_ms"]["mean"].as_f64().expect("a mean"), flow.clone())
}

/// The transfer by quinn-proto in virtual time.
fn in_virtual_time(folder: &Path, control: &str) -> Figures {
    let control = format!("flow.quic.quic.congestion_control={control}");
    let output = airpath(folder, &["run", "path.toml", "--set", &control, "--out", "virtual"]);
    assert!(output.status.success(), "{}", said(&output));
    let (delay, flow) = delay(&folder.join("virtual"), "quic");
    let bytes = flow["delivered_bytes"].as_f64().expect("a number");
    Figures { goodput: bytes * 8e-6 / TIME, delay }
}

/// The transfer by programs that are called with these words; none where the machine forbids namespaces.
fn in_real_time(folder: &Path, program: &str, control: &str) -> Option<Figures> {
    let server = format!("{program} source 4433 {control}");
    let client = format!("{program} sink {{server}}:4433 {TIME}");
    let args = ["emulate", "path.toml", "--out", "real", "--server", &server, "--client", &client];
    let output = airpath(folder, &args);
    let text = said(&output);
    if !output.status.success() && ["TUN", "namespace"].iter().any(|word| text.contains(word)) {
        skipped(text);
        return None;
    }
    assert!(output.status.success(), "{text}");
    let taken = String::from_utf8_lossy(&output.stdout);
    let bytes = taken.lines().find_map(|line| line.trim().parse::<f64>().ok()).expect("bytes");
    let (delay, _) = delay(&folder.join("real"), "phone down");
    Some(Figures { goodput: bytes * 8e-6 / TIME, delay })
}

/// Ratios of goodput and of delay: in real time over in virtual time.
fn ratios(name: &str, path: &str, program: &str, control: &str) -> Option<[f64; 2]> {
    let folder = tempdir().expect("a folder");
    let flow = format!(
        "[[flow]]\nname = \"quic\"\nue = \"phone\"\nkind = \"quic\"\ndirection = \"down\"\nstop = \"{TIME} s\"\n"
    );
    let text = format!("duration = \"{TIME} s\"\n{path}{flow}");
    fs::write(folder.path().join("path.toml"), text).expect("it can be written");
    let model = in_virtual_time(folder.path(), control);
    let real = in_real_time(folder.path(), program, control)?;
    let both = [real.goodput / model.goodput, real.delay / model.delay];
    eprintln!(
        "{name} | {:.2}, {:.2} | {:.3} | {:.1}, {:.1} | {:.3}",
        model.goodput, real.goodput, both[0], model.delay, real.delay, both[1]
    );
    Some(both)
}

#[test]
fn quinn_in_real_time_is_quinn_in_virtual_time() {
    if env::var_os("AIRPATH_TEST_LONG").is_none() {
        return;
    }
    let Some(program) = env::var_os("AIRPATH_TEST_QUIC") else {
        return skipped("AIRPATH_TEST_QUIC names no program");
    };
    let program = program.to_string_lossy();
    let lte = paths()[4].clone();
    let all = paths().into_iter().map(|path| (path, "cubic")).chain([(lte, "bbr")]);
    for ((name, path), control) in all {
        let Some([goodput, delay]) = ratios(name, &path, &program, control) else { return };
        assert!((0.95..1.05).contains(&goodput), "{name}, {control}: goodput {goodput}");
        assert!((0.9..1.1).contains(&delay), "{name}, {control}: delay {delay}");
    }
}

/// aioquic has another NewReno than quinn-proto, with another pacer: it fills the same paths.
#[test]
fn aioquic_fills_the_path() {
    if env::var_os("AIRPATH_TEST_LONG").is_none() {
        return;
    }
    let Some(python) = env::var_os("AIRPATH_TEST_AIOQUIC") else {
        return skipped("AIRPATH_TEST_AIOQUIC names no Python with aioquic");
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/quinn/aioquic_transfer.py");
    let program = format!("{} {script}", python.to_string_lossy());
    for (name, path) in paths() {
        let Some([goodput, _]) = ratios(name, &path, &program, "newreno") else { return };
        assert!((0.9..1.05).contains(&goodput), "{name}: goodput {goodput}");
    }
}
