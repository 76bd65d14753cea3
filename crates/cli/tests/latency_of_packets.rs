//! The closed form of an air interface's latency against the mean delay of simulated
//! packets: two programs that share no code, each asked for its JSON. docs/latency.md
//! says what either side includes.

use std::fs;
use std::process::Command;

use serde_json::Value;

/// Packets of 40 B with the headers of IP, in unacknowledged mode, far enough apart that
/// each finds everything empty, at times that wander through all phases of TTI and period.
const SCENARIO: &str = r#"duration = "400 s"

[cell.timing]
downlink_processing = "1.5 tti"
uplink_processing = "1.5 tti"

[cell.harq]
max_transmissions = 2

[cell.link_adaptation]
min_mcs = 10
max_mcs = 10

[[ue]]
name = "ue"
snr = "100 dB"

[[bearer]]
name = "default"
default = true
qci = 7

[[flow]]
name = "up"
kind = "rtp"
direction = "up"
rtp = { payload = "12 B", interval = "50.137 ms" }

[[flow]]
name = "down"
kind = "rtp"
direction = "down"
start = "20 ms"
rtp = { payload = "12 B", interval = "50.137 ms" }
"#;

fn airpath(args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    let output = command.args(args).output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Mean one-way delay by the convention that keeps half a period, in ms.
fn closed_form(direction: &str, period: &str, bler: f64) -> f64 {
    let bler = format!("{bler:.9}");
    let json = airpath(&["latency", "--tti", "1ms", "--sr", period, "--bler", &bler, "--json"]);
    let totals = &json["settings"][0]["totals"]["half-period"]["errors"];
    totals[format!("{direction}_ms")].as_f64().expect("a number")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Holds a run's mean delays against the closed form with the run's own share of errors,
/// which must be near `bler`.
fn compare(snr: &str, period: &str, bler: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("isolated.toml");
    fs::write(&file, SCENARIO.replace("100 dB", snr)).expect("a file");
    let period_ms = format!("cell.uplink.sr_period=\"{period} ms\"");
    let path = file.to_str().expect("a path of text");
    let run = airpath(&["run", path, "--json", "--set", &period_ms]);
    for (flow, direction, cell) in [(0, "uplink", "up"), (1, "downlink", "down")] {
        let flow = &run["flows"][flow];
        let lost = number(&flow["sent_packets"]) - number(&flow["received_packets"]);
        assert!(lost <= 1.0, "{lost} lost");
        let own = number(&run["cells"][0][cell]["bler_first"]);
        assert!((own - bler).abs() <= 0.2 * bler, "{own} for {bler}");
        let simulated = number(&flow["delay_ms"]["mean"]);
        let closed = closed_form(direction, period, own);
        let apart = (simulated / closed - 1.0).abs();
        assert!(apart < 0.02, "{direction}, SR every {period}: {simulated} against {closed}");
    }
}

#[test]
fn without_errors() {
    compare("100 dB", "5", 0.0);
    compare("100 dB", "1", 0.0);
}

#[test]
fn with_a_tenth_of_first_transmissions_in_error() {
    compare("3.8 dB", "5", 0.1);
    compare("3.8 dB", "1", 0.1);
}
