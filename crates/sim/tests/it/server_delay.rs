//! Servers at several distances.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// Least one-way delays of two flows in ms, and the least RTT of each.
fn delays(radio: &str) -> [(f64, f64); 2] {
    let text = format!(
        r#"
duration = "3 s"
{radio}
[[flow]]
name = "near"
kind = "tcp"
direction = "down"
size = "200 kB"
[[flow]]
name = "far"
kind = "tcp"
direction = "down"
start = "1500 ms"
size = "200 kB"
server_delay = "35 ms"
"#
    );
    let scenario = Scenario::parse("s.toml", &text, &[]).expect("a scenario");
    let summary = run(&scenario, RunOptions::default()).expect("a run").summary;
    [0, 1].map(|n| {
        let flow = &summary.flows[n];
        let least =
            |delay: &Option<airpath_results::DelaySummary>| delay.as_ref().expect("delays").min;
        (least(&flow.delay_ms), least(&flow.rtt_ms))
    })
}

#[test]
fn a_server_farther_away_adds_its_delay_in_each_direction() {
    let wires = "radio = \"none\"\npath.sgi.rate = \"20 Mbit/s\"\npath.sgi.delay = \"5 ms\"";
    let [near, far] = delays(wires);
    assert!((far.0 - near.0 - 35.0).abs() < 1e-6, "{near:?} {far:?}");
    assert!((far.1 - near.1 - 70.0).abs() < 1e-6, "{near:?} {far:?}");
    // The slots of a cell are a millisecond long, and both flows meet them at other phases.
    let cell = "[path.sgi]\ndelay = \"5 ms\"\n[path.s1]\n[cell]\nresource_blocks = 50\n[[ue]]\nname = \"ue\"\nsnr = \"20 dB\"";
    let [near, far] = delays(cell);
    assert!((far.0 - near.0 - 35.0).abs() <= 1.0, "{near:?} {far:?}");
}
