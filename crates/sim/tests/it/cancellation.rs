//! Uplink cancellation beside a full buffer, from the file to the results.

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

/// A machine that sends a packet each 20 ms beside a full buffer, with these keys of the uplink and of its bearer.
fn beside_full_buffer(duplex: &str, uplink: &str, bearer: &str) -> RunSummary {
    let text = format!(
        "duration = \"2 s\"\n[cell]\ntechnology = \"nr\"\nnumerology = 0\nbandwidth = \"20 MHz\"\nharq.error = 0.0\n{duplex}\n\
         uplink = {{ sr_period = \"5 tti\", sr_offset = \"4 tti\", {uplink} }}\n\
         [[ue]]\nname = \"machine\"\nsnr = \"20 dB\"\n[[ue]]\nname = \"other\"\nsnr = \"20 dB\"\n\
         [[bearer]]\nname = \"control\"\nue = \"machine\"\ndefault = true\n{bearer}\n\
         [[flow]]\nname = \"command\"\nue = \"machine\"\nkind = \"rtp\"\ndirection = \"up\"\nstart = \"100.5 ms\"\n\
         rtp = {{ payload = \"32 B\", interval = \"20 ms\" }}\n\
         [[flow]]\nname = \"rest\"\nue = \"other\"\nkind = \"full-buffer\"\ndirection = \"up\"\n"
    );
    let scenario = Scenario::parse("s.toml", &text, &[]);
    let scenario = scenario.unwrap_or_else(|errors| panic!("{}", errors.plain()));
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

/// Mean delay of the commands in intervals of 1 ms.
fn delay(summary: &RunSummary) -> f64 {
    let flow = summary.flows.iter().find(|flow| flow.name == "command").expect("the flow");
    flow.delay_ms.as_ref().expect("packets").mean
}

#[test]
fn a_machine_saves_the_difference_of_k2() {
    let without = beside_full_buffer("", "", "");
    let with = beside_full_buffer("", "cancellation = {}", "pre_empts = true");
    // Of k2, 4 intervals and 2. All commands come at one time of a period of requests.
    assert!((delay(&without) - delay(&with) - 2.0).abs() < 1e-6);
    // A command each 20 ms from 100.5 ms on takes the carrier from the full buffer for an interval.
    let cancelled = with.ues.iter().map(|ue| ue.up.cancelled).collect::<Vec<_>>();
    assert_eq!(cancelled, [None, Some(95)]);
    assert_eq!((with.cells[0].up.cancelled, without.cells[0].up.cancelled), (Some(95), None));
}

#[test]
fn with_tdd_a_machine_saves_a_period() {
    // Slots n with n mod 5 = 4 are U. A request of slot 4 is detected at the begin of slot 6, which gives a grant in slot 7. Others
    // have slot 9 granted in slot 5, and slot 14 is granted in slot 10.
    let tdd = "duplex = \"tdd\"\ntdd_pattern = \"DDDSU\"\nspecial_slot = \"10:2:2\"\n\
               timing.grant_preparation = \"1 tti\"";
    let without = beside_full_buffer(tdd, "", "");
    let with = beside_full_buffer(tdd, "cancellation = {}", "pre_empts = true");
    assert!((delay(&without) - delay(&with) - 5.0).abs() < 1e-6);
    assert_eq!(with.cells[0].up.cancelled, Some(95));
}
