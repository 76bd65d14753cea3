//! Servers at several distances.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A server farther away by 35 ms adds as much to the least one-way delay, downlink and uplink.
fn differences(head: &str) -> [f64; 2] {
    let mut text = format!("duration = \"3 s\"\n{head}\n");
    for direction in ["down", "up"] {
        // Begins differ, so that packets of both flows do not meet.
        for (name, delay, start) in [("near", 0, 0), ("far", 35, 7)] {
            text += &format!(
                "[[flow]]\nname = \"{name} {direction}\"\nkind = \"rtp\"\ndirection = \"{direction}\"\n\
                 server_delay = \"{delay} ms\"\nstart = \"{start} ms\"\n"
            );
        }
    }
    let scenario = Scenario::parse("s.toml", &text, &[]).expect("a scenario");
    let summary = run(&scenario, RunOptions::default()).expect("a run").summary;
    let least = |n: usize| summary.flows[n].delay_ms.as_ref().expect("delays").min;
    [least(1) - least(0), least(3) - least(2)]
}

#[test]
fn a_server_farther_away_adds_its_delay_in_each_direction() {
    let wires = "radio = \"none\"\n[path.sgi]\nrate = \"20 Mbit/s\"\ndelay = \"5 ms\"";
    for found in differences(wires) {
        assert!((found - 35.0).abs() < 1e-6, "{found}");
    }
    // Slots of a cell are a millisecond long. An uplink packet waits for a scheduling request, each 10 ms, and a grant.
    let cell = "[path.sgi]\ndelay = \"5 ms\"\n[path.s1]\n[cell]\nresource_blocks = 50\n\
                [[ue]]\nname = \"ue\"\nsnr = \"20 dB\"";
    let [down, up] = differences(cell);
    assert!((down - 35.0).abs() <= 1.0, "{down}");
    assert!((up - 35.0).abs() <= 10.0, "{up}");
}
