//! Whatever the scenario, packets are conserved and the run comes to its end.
//!
//! `run` itself checks the books of all nodes after each slice (in builds with debug
//! assertions) and at the end, and that the stages of each packet add up to its delay.

use std::fmt::Write as _;

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Flow {
    tcp: bool,
    up: bool,
    start: u32,
    size: Option<u32>,
    payload: u32,
    dscp: bool,
}

fn flow() -> impl Strategy<Value = Flow> {
    (
        any::<bool>(),
        any::<bool>(),
        0u32..300,
        prop::option::of(1u32..200_000),
        12u32..3_000,
        any::<bool>(),
    )
        .prop_map(|(tcp, up, start, size, payload, dscp)| Flow {
            tcp,
            up,
            start,
            size,
            payload,
            dscp,
        })
}

fn flow_text(n: usize, flow: &Flow, text: &mut String) {
    let Flow { tcp, up, start, size, payload, dscp } = flow.clone();
    let (kind, direction) = (if tcp { "tcp" } else { "rtp" }, if up { "up" } else { "down" });
    let dscp = if dscp { "dscp = \"EF\"\n" } else { "" };
    write!(
        text,
        "[[flow]]\nname = \"f{n}\"\nkind = \"{kind}\"\ndirection = \"{direction}\"\n\
         start = {{ min = \"{} ms\", max = \"{start} ms\" }}\n{dscp}",
        start / 2
    )
    .expect("a string takes what is written");
    match (tcp, size) {
        (true, Some(size)) => _ = writeln!(text, "size = \"{size} B\""),
        (true, None) => {}
        (false, _) => _ = writeln!(text, "rtp = {{ payload = \"{payload} B\" }}"),
    }
}

fn cell() -> impl Strategy<Value = String> {
    (
        prop::sample::select(vec![6, 15, 25, 50]),
        prop::sample::select(vec!["proportional-fair", "round-robin"]),
        prop::sample::select(vec!["by-need", "whole"]),
        prop::sample::select(vec!["priority", "equal"]),
        prop::sample::select(vec!["scheduling-request", "reported"]),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(blocks, scheduler, allocation, sharing, access, harq, header)| {
            format!(
                "[cell]\nresource_blocks = {blocks}\nscheduler = \"{scheduler}\"\n\
                 allocation = \"{allocation}\"\nsharing = \"{sharing}\"\nmac_header = {header}\n\
                 [cell.harq]\nenabled = {harq}\n[cell.uplink]\naccess = \"{access}\"\n"
            )
        })
}

fn wires() -> impl Strategy<Value = String> {
    let loss = || prop::sample::select(vec![0.0, 0.01, 0.3]);
    (1u32..100_000, 1u32..200, 0u32..60, loss(), loss(), any::<bool>(), any::<bool>()).prop_map(
        |(rate, queue, delay, loss, loss_up, ipsec, s5)| {
            let ipsec = if ipsec { "ipsec = {}\n" } else { "" };
            let s5 = if s5 { "s5 = { delay = \"1 ms\" }\n" } else { "" };
            format!(
                "[path]\n{ipsec}{s5}[path.sgi]\ndelay = \"{delay} ms\"\nloss = {loss}\n\
                 [path.s1]\nrate = \"{rate} kbit/s\"\nqueue = \"{queue} packets\"\n\
                 up = {{ loss = {loss_up} }}\n"
            )
        },
    )
}

fn radio() -> impl Strategy<Value = String> {
    let mode = || prop::sample::select(vec!["um", "am"]);
    let queue = prop::sample::select(vec!["unlimited", "10 packets", "20 KiB"]);
    let timer = prop::sample::select(vec!["50 ms", "infinity"]);
    (1u32..5, -12i32..35, -12i32..35, mode(), mode(), queue, timer).prop_map(
        |(count, down, up, default, voice, queue, timer)| {
            format!(
                "[[ue]]\nname = \"u\"\ncount = {count}\n\
                 snr = {{ down = \"{down} dB\", up = \"{up} dB\" }}\n\
                 [[ue]]\nname = \"far\"\ndistance = {{ min = \"50 m\", max = \"3 km\" }}\n\
                 [[bearer]]\nname = \"default\"\ndefault = true\nrlc = \"{default}\"\n\
                 queue = \"{queue}\"\n\
                 [[bearer]]\nname = \"voice\"\nqci = 7\nrlc = \"{voice}\"\n\
                 discard_timer = \"{timer}\"\nfilter = [{{ dscp = \"EF\" }}]\n"
            )
        },
    )
}

fn scenario() -> impl Strategy<Value = String> {
    let flows = prop::collection::vec(flow(), 1..4);
    (cell(), wires(), radio(), flows).prop_map(|(cell, wires, radio, mut flows)| {
        flows[0].dscp = true; // or the filter would match nothing
        let mut text = format!("duration = \"700 ms\"\n{wires}{cell}{radio}");
        flows.iter().enumerate().for_each(|(n, flow)| flow_text(n, flow, &mut text));
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn packets_are_conserved(text in scenario(), seed in any::<u64>()) {
        let scenario = match Scenario::parse("random.toml", &text, &[]) {
            Ok(scenario) => scenario,
            Err(errors) => panic!("{}\n{text}", errors.plain()),
        };
        let options = RunOptions { seed: Some(seed), ..RunOptions::default() };
        let outcome = match run(&scenario, options) {
            Ok(outcome) => outcome,
            Err(failure) => panic!("{failure}\n{text}"),
        };
        let summary = outcome.summary;
        prop_assert!(summary.complete);
        for flow in &summary.flows {
            let ended = flow.received_packets + flow.lost_packets + flow.in_flight_packets;
            prop_assert_eq!(flow.sent_packets, ended, "{}", &flow.name);
        }
    }
}
