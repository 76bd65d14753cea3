//! Closed form of an air interface's latency, against the mean delay of simulated packets. The two
//! programs share no code, and each prints JSON. docs/latency.md has the steps that either side
//! includes.

use std::fs;
use std::process::Command;

use serde_json::Value;

/// Packets of 40 B with the headers of IP, in unacknowledged mode. They are so far apart that each
/// packet finds all queues empty. Their times wander through all phases of TTI and period.
const SCENARIO: &str = r#"duration = "400 s"

[cell]
resource_blocks = 100
tti = "TTI"

[cell.timing]
downlink_processing = "1.5 tti"
uplink_processing = "1.5 tti"
data_preparation = "PREPARATION"

[cell.harq]
max_transmissions = 2
error = BLER

[cell.link_adaptation]
min_mcs = 20
max_mcs = 20

[cell.uplink]
ACCESS

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

/// Access of the UE to the uplink, with the period of its opportunities in TTIs.
#[derive(Clone, Copy, Debug)]
enum Access {
    Request(u64),
    Configured(u64),
    Instant,
}

impl Access {
    /// For the simulation.
    fn toml(self) -> String {
        match self {
            Access::Request(period) => {
                format!("access = \"scheduling-request\"\nsr_period = \"{period} tti\"")
            }
            Access::Configured(period) => format!(
                "access = \"configured\"\nconfigured_period = \"{period} tti\"\n\
                 configured_resource_blocks = 50"
            ),
            Access::Instant => "access = \"instant\"".to_owned(),
        }
    }

    /// The 1.5 TTIs of encoding hold half a TTI of wait where that is counted nowhere else.
    fn preparation(self) -> &'static str {
        if matches!(self, Access::Instant) { "1 tti" } else { "1.5 tti" }
    }

    /// For the closed form.
    fn arguments(self) -> Vec<String> {
        let words = match self {
            Access::Request(period) => vec!["sr".to_owned(), "--sr".into(), period.to_string()],
            Access::Configured(period) => {
                vec!["configured".to_owned(), "--period".into(), period.to_string()]
            }
            Access::Instant => vec!["instant".to_owned()],
        };
        [vec!["--access".to_owned()], words].concat()
    }
}

fn airpath(args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    let output = command.args(args).output().expect("the program");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Mean one-way delays, up and down, by the convention that keeps half a period, in ms.
fn closed_form(tti: &str, access: Access, bler: &str) -> [f64; 2] {
    let access = access.arguments();
    let mut args = vec!["latency", "--tti", tti, "--bler", bler, "--json"];
    args.extend(access.iter().map(String::as_str));
    let json = airpath(&args);
    assert_eq!(json["settings"].as_array().map(Vec::len), Some(1));
    let totals = &json["settings"][0]["totals"]["half-period"]["errors"];
    ["uplink_ms", "downlink_ms"].map(|key| number(&totals[key]))
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// Holds a run's mean delays against the closed form.
fn compare(tti: &str, access: Access, bler: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("isolated.toml");
    let text = SCENARIO.replace("BLER", bler).replace("TTI", tti);
    let text = text.replace("ACCESS", &access.toml());
    let text = text.replace("PREPARATION", access.preparation());
    fs::write(&file, text).expect("a file");
    let run = airpath(&["run", file.to_str().expect("a path of text"), "--json"]);
    let closed = closed_form(tti, access, bler);
    for (flow, cell) in [(0, "up"), (1, "down")] {
        let own = &run["flows"][flow];
        let lost = number(&own["sent_packets"]) - number(&own["received_packets"]);
        assert!(lost <= 1.0, "{lost} lost");
        let (failed, bler) = (number(&run["cells"][0][cell]["bler_first"]), bler.parse::<f64>());
        assert!((failed - bler.expect("a number")).abs() <= 0.01, "{failed}");
        let simulated = number(&own["delay_ms"]["mean"]);
        let apart = (simulated / closed[flow] - 1.0).abs();
        let what = format!("{cell}, {tti}, {access:?}, {failed} failed");
        assert!(apart < 0.02, "{what}: {simulated} against {}", closed[flow]);
    }
}

/// Mean delays up and down in slots of half a millisecond, of the pattern D D D S U. Slot 10 is
/// the first of a pattern; a packet comes in the middle of each slot in the mean.
fn by_hand(bler: f64) -> [f64; 2] {
    // Come in 9 to 13, sent one slot later or more, at the end of which decoding takes 1.5.
    let arrivals = [9.0, 10.0, 11.0, 12.0, 13.0];
    let sent = [11.0, 12.0, 13.0, 15.0, 15.0];
    // Feedback four slots later or more in a special or uplink slot: 18, 18, 18, 19, 19. Four
    // more to the next downlink slot.
    let again = [22.0, 22.0, 22.0, 23.0, 23.0];
    let mean = |sent: [f64; 5]| {
        let delays = sent.iter().zip(arrivals).map(|(sent, at)| sent + 1.0 + 1.5 - (at + 0.5));
        delays.sum::<f64>() / 5.0
    };
    let share = |first: [f64; 5], again: [f64; 5]| (1.0 - bler) * mean(first) + bler * mean(again);
    // Requests are sent in the special slot 13, or 18, and detected in 15, or 20. Uplink slots are
    // 19, 24, 29, 34. Slot 24 is granted in 20, and slot 29 in 25, two slots after their decisions.
    let up = [24.0, 24.0, 24.0, 24.0, 29.0];
    // An error is known in 26.5; slot 34 is granted in 30, decided in 28.
    [share(up, up.map(|sent| sent + 10.0)), share(sent, again)]
}

#[test]
fn time_division_by_hand() {
    for bler in [0.0, 0.1] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("tdd.toml");
        let duplex = "duplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"";
        let text = SCENARIO.replace("tti = \"TTI\"", &format!("tti = \"mu1\"\n{duplex}"));
        let text = text.replace("ACCESS", &Access::Request(5).toml());
        let text = text.replace("PREPARATION", "1 tti").replace("BLER", &format!("{bler:?}"));
        fs::write(&file, text).expect("a file");
        let run = airpath(&["run", file.to_str().expect("a path of text"), "--json"]);
        for (flow, slots) in by_hand(bler).into_iter().enumerate() {
            let simulated = number(&run["flows"][flow]["delay_ms"]["mean"]);
            let apart = (simulated / (0.5 * slots) - 1.0).abs();
            assert!(apart < 0.01, "{flow}, {bler}: {simulated} against {}", 0.5 * slots);
        }
    }
}

/// Holds means and quantiles of a run with time division duplex against the closed form. `cell` are
/// keys of the run, `pattern` options of the closed form.
fn compare_tdd(cell: &str, pattern: &[&str], access: Access, bler: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tdd.toml");
    let text = SCENARIO.replace("tti = \"TTI\"", &format!("duplex = \"tdd\"\n{cell}"));
    let text = text.replace("uplink_processing = \"1.5 tti\"", "uplink_processing = \"1 tti\"");
    let text = text.replace("ACCESS", &access.toml()).replace("BLER", bler);
    fs::write(&file, text.replace("PREPARATION", access.preparation())).expect("a file");
    let run = airpath(&["run", file.to_str().expect("a path of text"), "--json"]);
    let access_words = access.arguments();
    for (flow, cell, way) in [(0, "up", "uplink"), (1, "down", "downlink")] {
        // The share that failed of the few that there are.
        let failed = format!("{:.6}", number(&run["cells"][0][cell]["bler_first"]));
        let mut args = vec!["latency", "--bler", &failed, "--json", "--step", "uplink-decoding=1"];
        args.extend(pattern.iter().copied().chain(access_words.iter().map(String::as_str)));
        let closed = &airpath(&args)["settings"][0];
        let (own, found) = (&run["flows"][flow]["delay_ms"], &closed[way]["errors"]);
        for (key, closed, most) in
            [("mean", "mean_ms", 0.01), ("p50", "p50_ms", 0.03), ("p95", "p95_ms", 0.03)]
        {
            let [simulated, closed] = [number(&own[key]), number(&found[closed])];
            let apart = (simulated / closed - 1.0).abs();
            let what = format!("{way}, {pattern:?}, {access:?}, {bler}: {key}");
            assert!(apart < most, "{what}: {simulated} against {closed}");
        }
    }
}

#[test]
fn patterns_of_slots() {
    let patterns: [(&str, &[&str]); 4] = [
        (
            "tti = \"mu1\"\ntdd_pattern = \"DDDSUDDSUU\"\nspecial_slot = \"10:2:2\"",
            &["--tti", "mu1", "--tdd", "DDDSUDDSUU"],
        ),
        (
            "tti = \"mu1\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"8:2:4\"\nspecial_uplink = true",
            &["--tti", "mu1", "--tdd", "DDDSU", "--special-uplink"],
        ),
        (
            "tti = \"mu0\"\ntdd_pattern = \"DFSUU\"\nspecial_slot = \"10:2:2\"",
            &["--tti", "mu0", "--tdd", "DFSUU"],
        ),
        (
            "tti = \"mu0\"\ntdd_pattern = \"DFSUF\"\nspecial_slot = \"10:2:2\"\nflexible = \"by-need\"",
            &["--tti", "mu0", "--tdd", "DFSUF", "--flexible-by-need"],
        ),
    ];
    for (cell, pattern) in patterns {
        for (access, bler) in [
            (Access::Request(5), "0"),
            (Access::Request(10), "0.1"),
            (Access::Configured(10), "0.1"),
            (Access::Instant, "0.1"),
        ] {
            compare_tdd(cell, pattern, access, bler);
        }
    }
}

#[test]
fn configurations_of_lte() {
    for configuration in 0..7 {
        let cell = format!("tti = \"1 ms\"\ntdd_configuration = {configuration}");
        let pattern = format!("lte{configuration}");
        for (access, bler) in
            [(Access::Request(5), "0"), (Access::Request(10), "0.1"), (Access::Instant, "0.1")]
        {
            compare_tdd(&cell, &["--tdd", &pattern], access, bler);
        }
    }
}

/// The six cases of the source's table 2.
fn six_cases(bler: &str) {
    for tti in ["1 ms", "0.5 ms", "0.1 ms"] {
        for period in [5, 1] {
            compare(tti, Access::Request(period), bler);
        }
    }
}

#[test]
fn without_errors() {
    six_cases("0");
}

#[test]
fn with_a_tenth_of_first_transmissions_in_error() {
    six_cases("0.1");
}

#[test]
fn grants_without_asking() {
    for (tti, period) in [("1 ms", 10), ("1 ms", 1), ("0.5 ms", 5), ("0.1 ms", 7)] {
        compare(tti, Access::Configured(period), "0");
        compare(tti, Access::Configured(period), "0.1");
    }
}

#[test]
fn instant_access() {
    for tti in ["1 ms", "0.5 ms", "0.1 ms"] {
        compare(tti, Access::Instant, "0");
        compare(tti, Access::Instant, "0.1");
    }
}

#[test]
fn slots_and_mini_slots_of_nr() {
    for tti in ["mu0/7sym", "mu1", "mu1/4sym", "mu1/2sym", "mu2/2sym", "mu3", "mu4"] {
        compare(tti, Access::Request(4), "0.1");
        compare(tti, Access::Instant, "0");
    }
    compare("mu1/2sym", Access::Configured(140), "0.1");
    compare("mu2/7sym", Access::Configured(20), "0");
}
