//! Recordings of paths whose capacity, delay and loss are known.

use airpath_export::{ExportError, FORMATS, Format, Options, judge, record};
use airpath_scenario::Scenario;

/// Wires of 10 and 2 Mbit/s, 20 and 30 ms, and 5% of loss uplink.
pub const WIRES: &str = r#"duration = "10 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
delay = "20 ms"
[path.sgi.up]
rate = "2 Mbit/s"
delay = "30 ms"
loss = 0.05
[[ue]]
name = "phone"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

pub fn scenario(text: &str) -> Scenario {
    Scenario::parse("test", text, &[]).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

#[test]
fn wires_are_recorded_as_they_are() {
    let recording = record(&scenario(WIRES), Options::default()).expect("a recording");
    let (down, up) = (&recording.down, &recording.up);
    // Nothing arrives in the first 20 ms.
    assert!((down.mean_mbps() / 9.98 - 1.0).abs() < 0.002, "{}", down.mean_mbps());
    assert!((up.mean_mbps() / (2.0 * 0.95 * 0.997) - 1.0).abs() < 0.02, "{}", up.mean_mbps());
    // 1400 bytes take 1.12 and 5.6 ms on the wire.
    assert!((down.least_delay_ms() - 21.12).abs() < 1e-3, "{}", down.least_delay_ms());
    assert!((up.least_delay_ms() - 35.6).abs() < 1e-3, "{}", up.least_delay_ms());
    assert_eq!(down.loss, 0.0);
    // 300 packets: 5% with a standard error of 1.3%.
    assert!((up.loss - 0.05).abs() < 0.04, "{}", up.loss);
    assert_eq!(down.trains.len(), 100);
    let train = &down.trains[7];
    assert_eq!((train.at_ms, train.arrivals_ms.len()), (700, 10));
    for (n, arrival) in (0..).zip(&train.arrivals_ms) {
        assert!((arrival - 1.12 * f64::from(n)).abs() < 1e-3, "{n}: {arrival}");
    }
}

#[test]
fn applications_over_wires_and_over_their_recording_are_alike() {
    let text = WIRES.replace("loss = 0.05", "");
    let recording = record(&scenario(&text), Options::default()).expect("a recording");
    let judged = judge(&scenario(&text), &recording, Options::default()).expect("figures");
    let names: Vec<&str> = judged.iter().map(|one| one.application).collect();
    assert_eq!(names, ["bulk", "page", "call", "game", "request"]);
    // Each format has its error, by each application.
    for one in &judged {
        let formats: Vec<&str> =
            one.replays.iter().flat_map(|own| own.formats.split(", ")).collect();
        assert_eq!(formats, FORMATS.map(Format::word), "{}", one.application);
        assert!(one.replays.iter().all(|own| one.error(own).is_some()), "{one:?}");
    }
    let bulk = &judged[0];
    // 10 Mbit/s with 1448 of 1500 bytes for the application.
    assert!(bulk.cell.is_some_and(|goodput| (9.0..9.66).contains(&goodput)), "{bulk:?}");
    for replay in &bulk.replays {
        let error = bulk.error(replay).expect("a value");
        assert!(error.abs() < 0.05, "{}: {error}", replay.formats);
    }
}

/// The group's first UE is recorded; the others keep their flows.
const GROUP: &str = r#"duration = "4 s"
[cell]
resource_blocks = 25
[[ue]]
name = "user"
count = 3
snr = "20 dB"
[[bearer]]
name = "default"
default = true
queue = "50 packets"
[[bearer]]
name = "voice"
filter = [{ dscp = "EF" }]
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
[[flow]]
name = "call"
kind = "rtp"
direction = "up"
dscp = "EF"
[[change]]
at = "2 s"
set = { "flow.download.active" = false }
[output]
pcap = ["server"]
"#;

#[test]
fn other_users_share_the_cell_until_they_pause() {
    let recording = record(&scenario(GROUP), Options::default()).expect("a recording");
    assert_eq!(recording.ue, "user-0");
    let mean = |from: usize, to: usize| {
        let bytes = &recording.down.bytes[from..to];
        f64::from(bytes.iter().sum::<u32>()) * 8e-3 / bytes.len() as f64
    };
    let (shared, alone) = (mean(500, 2_000), mean(2_500, 4_000));
    // One of three, then one of one; the others' queues drain for a while.
    assert!((2.4..3.6).contains(&(alone / shared)), "{shared} and {alone} Mbit/s");
}

#[test]
fn formats_have_the_same_length() {
    let recording = record(&scenario(WIRES), Options::default()).expect("a recording");
    let files: Vec<_> = [Format::Mahimahi, Format::CellReplay, Format::Rattan, Format::Netem]
        .into_iter()
        .flat_map(|format| format.files(&recording))
        .collect();
    let text = |name: &str| {
        let found = files.iter().find(|file| file.name == name);
        &found.unwrap_or_else(|| panic!("no {name}")).text
    };
    // 10 Mbit/s for 9.98 s are 8316 packets of 1500 bytes.
    let opportunities = text("down.trace").lines().count();
    assert!((8_310..8_320).contains(&opportunities), "{opportunities}");
    assert_eq!(text("down.trace").lines().last(), Some("10000"));
    // mm-cellular's opportunities have 1400 bytes: 8910 packets.
    let heavy = text("down.heavy").lines().count();
    assert!((8_900..8_915).contains(&heavy), "{heavy}");
    assert_eq!(text("down.steps").lines().count(), 100);
    assert_eq!(text("down.light").lines().next(), Some("0 21 0 1 2 3 4 5 6 7 8 10"));
    // Half of 21.12 + 35.6 ms.
    assert!(text("mahimahi.sh").contains("mm-delay 28 mm-link up.trace down.trace"));
}

#[test]
fn a_path_that_cannot_be_recorded_is_refused() {
    let error = |text: &str, ue| {
        let options = Options { ue, ..Options::default() };
        record(&scenario(text), options).expect_err("no recording").to_string()
    };
    assert_eq!(error(WIRES, Some("table")), "there is no UE table; there are: phone");
    let short = WIRES.replace("10 s", "500 ms");
    assert!(error(&short, None).contains("at least 1 s"));
    let arrives = GROUP.replace("count = 3", "arrivals = \"1 /s\"");
    assert!(error(&arrives, None).contains("arrive and leave"));
    assert!(matches!(
        record(&scenario(&GROUP.replace("20 dB", "-40 dB")), Options::default()),
        Err(ExportError::Silent("downlink"))
    ));
}

/// Flows of others begin behind the end, one has a name that probes had, and a proxy keeps its flow.
const LATE: &str = r#"duration = "20 s"
[path.proxy]
flow = ["download"]
[cell]
resource_blocks = 25
[[ue]]
name = "user"
snr = "20 dB"
[[ue]]
name = "other"
snr = "20 dB"
[[bearer]]
name = "default"
default = true
queue = { kind = "ramp", limit = "unlimited" }
[[flow]]
name = "download"
ue = "user"
kind = "tcp"
direction = "down"
[[flow]]
name = "down"
ue = "other"
kind = "full-buffer"
direction = "down"
start = "1 s"
[[flow]]
name = "late"
ue = "other"
kind = "tcp"
direction = "down"
start = "10 s"
[[change]]
at = "500 ms"
set = { "bearer.default.marking" = false }
"#;

#[test]
fn flows_that_are_late_odd_names_and_proxies_are_no_hindrance() {
    let cut = ["duration=2 s".to_owned()];
    let scenario = Scenario::parse("test", LATE, &cut);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let recording = record(&scenario, Options::default()).expect("a recording");
    let mean = |from: usize, to: usize| {
        let bytes = &recording.down.bytes[from..to];
        f64::from(bytes.iter().sum::<u32>()) * 8e-3 / bytes.len() as f64
    };
    // Alone, then beside a full buffer.
    let (alone, shared) = (mean(200, 1_000), mean(1_200, 2_000));
    assert!((1.7..2.3).contains(&(alone / shared)), "{alone} and {shared} Mbit/s");
}

#[test]
fn a_path_that_ends_soon_has_too_few_trains() {
    let text = GROUP.replace("count = 3\n", "").replace("at = \"2 s\"", "at = \"100 ms\"");
    let text = text.replace("\"flow.download.active\" = false", "\"ue.user.snr\" = \"-40 dB\"");
    let error = record(&scenario(&text), Options::default()).expect_err("no recording");
    assert!(matches!(error, ExportError::FewTrains("downlink", 1 | 2)), "{error}");
    assert!(error.to_string().contains("record for longer with --for"), "{error}");
}
