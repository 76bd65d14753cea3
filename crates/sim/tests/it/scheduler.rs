//! Schedulers of a scenario, by what users notice.

use airpath_results::FlowSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// Three UEs that download without end, and two with video; 2.2 Mbit/s a cell of six resource
/// blocks has at most.
const SHARED: &str = r#"
duration = "4 s"
[cell]
resource_blocks = 6
control_symbols = 2
[path.s1]
rate = "50 Mbit/s"
[[ue]]
name = "web"
count = 3
snr = "12 dB"
[[ue]]
name = "screen"
count = 2
snr = "9 dB"
[[bearer]]
name = "web"
default = true
rlc = "am"
[[bearer]]
name = "video"
traffic_class = "video"
qci = 3
guaranteed_bit_rate = "400 kbit/s"
discard_timer = "infinity"
filter = [{ protocol = "udp", may_be_unused = true }]
[[flow]]
name = "download"
ue = "web"
kind = "tcp"
direction = "down"
"#;

/// A packet of 600 B each 10 ms: 480 kbit/s.
const VIDEO: &str = r#"
[[flow]]
name = "film"
ue = "screen"
kind = "rtp"
direction = "down"
[flow.rtp]
payload = "560 B"
interval = "10 ms"
"#;

fn flows(text: &str, scheduler: &str) -> Vec<FlowSummary> {
    let set = [format!("cell.scheduler={scheduler}")];
    let scenario = Scenario::parse("test.toml", text, &set);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run").summary.flows
}

/// The 95th percentile of the delay of the slower film in milliseconds, and bits a second of all
/// downloads. Films have a packet each `interval` milliseconds.
fn shared(scheduler: &str, interval: u64) -> (f64, f64) {
    let video = VIDEO.replace("10 ms", &format!("{interval} ms"));
    let flows = flows(&format!("{SHARED}{video}"), scheduler);
    let delays = flows.iter().filter(|flow| flow.name.contains("film"));
    let delays = delays.map(|flow| flow.delay_ms.as_ref().expect("packets arrived").p95);
    let downloads = flows.iter().filter(|flow| flow.name.contains("download"));
    (delays.fold(0.0, f64::max), downloads.filter_map(|flow| flow.goodput_bps).sum())
}

#[test]
fn delay_based_keeps_video_near_its_threshold() {
    let (turns, download) = shared("round-robin", 10);
    assert!(turns > 500.0, "{turns}");
    for more in ["", ", ues_per_slot = 1"] {
        let kind = format!("{{ kind = \"delay-based\", class = \"video\"{more} }}");
        let (delay, downloads) = shared(&kind, 10);
        assert!((10.0..25.0).contains(&delay) && downloads < 0.9 * download, "{delay}");
    }
    let (higher, _) =
        shared("{ kind = \"delay-based\", class = \"video\", threshold = \"30 ms\" }", 10);
    assert!((30.0..45.0).contains(&higher), "{higher}");
    let fair = "{ kind = \"proportional-fair\", raise = { class = \"video\" } }";
    assert!((10.0..25.0).contains(&shared(fair, 10).0));
}

#[test]
fn priority_starves_and_protection_helps() {
    let priority = "kind = \"round-robin\", priority = [\"video\"]";
    assert!(shared(&format!("{{ {priority} }}"), 10).0 < 12.0);
    // With more video than the cell can carry nothing is left.
    let (_, starved) = shared(&format!("{{ {priority} }}"), 4);
    let (_, protected) = shared(&format!("{{ {priority}, starvation = \"20 ms\" }}"), 4);
    // Three UEs of which each has a slot each 21 ms at least: 1 in 7, of about 2 Mbit/s.
    assert!(starved < 2e4 && (2e5..4.5e5).contains(&protected), "{starved} {protected}");
}

#[test]
fn a_minimum_rate_takes_from_those_above_it() {
    let (before, _) = shared("proportional-fair", 10);
    let (after, _) = shared("{ kind = \"proportional-fair\", minimum_rate = true }", 10);
    assert!(after < 0.7 * before, "{after} {before}");
}

#[test]
fn without_video_delay_based_is_round_robin() {
    let turns = flows(SHARED, "round-robin");
    let delay_based = flows(SHARED, "{ kind = \"delay-based\", class = \"video\" }");
    assert!(turns.iter().all(|flow| flow.received_packets > 100));
    assert_eq!(format!("{turns:?}"), format!("{delay_based:?}"));
    let other = flows(SHARED, "proportional-fair");
    assert_ne!(format!("{turns:?}"), format!("{other:?}"));
}
