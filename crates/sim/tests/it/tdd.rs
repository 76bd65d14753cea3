//! Whole runs with time division duplex.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

const TEXT: &str = r#"
duration = "10 s"
[path.sgi]
delay = "2 ms"
[cell]
bandwidth = "20 MHz"
duplex = "tdd"
tdd_pattern = "DSUDDDSUDD"
special_slot = "10:2:2"
[[ue]]
name = "phone"
count = 2
snr = "15 dB"
[[bearer]]
name = "voice"
qci = 1
discard_timer = "infinity"
filter = [{ dscp = "EF" }]
[[flow]]
name = "voice"
kind = "rtp"
direction = "up"
dscp = "EF"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

/// Acknowledgements leave empty reports on their way when voice asks to send. One that was made
/// before the request does not undo it: otherwise the UE waits for retxBSR-Timer, 320 ms.
#[test]
fn a_report_from_before_a_request_does_not_undo_it() {
    let scenario = Scenario::parse("tdd.toml", TEXT, &[]).expect("a valid scenario");
    let summary = run(&scenario, RunOptions::default()).expect("a run without failure").summary;
    let voices: Vec<_> =
        summary.flows.iter().filter(|flow| flow.direction.as_deref() == Some("up")).collect();
    assert_eq!(voices.len(), 2);
    for voice in voices {
        let delay = voice.delay_ms.as_ref().expect("packets");
        assert!(delay.p99 < 60.0, "{}: {} ms", voice.name, delay.p99);
    }
}
