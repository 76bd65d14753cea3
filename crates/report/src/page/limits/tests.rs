use airpath_results::RunSummary;
use serde_json::{Value, json};

use super::*;

fn queue() -> Value {
    json!({"mean_packets": 0.1, "max_packets": 9, "mean_bytes": null, "max_bytes": 0,
        "mean_delay_ms": null, "max_delay_ms": null})
}

/// Transport blocks in so many resource blocks.
fn radio(blocks: u64) -> Value {
    json!({"transmissions": 5, "resource_blocks": blocks, "bytes": 5, "padding_bytes": 0,
        "bits_per_resource_block": null, "bler_first": 0.1, "bler_by_attempt": [],
        "mean_mcs": 12.0, "mean_sinr_db": 9.5})
}

fn delays(mean: f64) -> Value {
    json!({"mean": mean, "min": 10.0, "max": mean, "stddev": 0.0, "stddev_sample": 0.0,
        "p50": mean, "p95": mean, "p99": mean})
}

/// A second of a flow that gets 5 Mbit/s in 1000 packets. Its cell is used by `used`, and its link
/// has `link` Mbit/s. Waits at the radio and at the link are in milliseconds.
fn run(used: f64, link: u64, waits: [f64; 2]) -> RunSummary {
    let flow = json!({"name": "web", "kind": "tcp", "ue": "phone", "direction": "down",
        "sent_packets": 1000, "received_packets": 1000, "lost_packets": 0,
        "in_flight_packets": 0, "sent_bytes": 650_000, "received_bytes": 650_000,
        "delivered_bytes": 625_000, "goodput_bps": 5e6,
        "delay_ms": delays(10.0 + waits[0] + waits[1]), "jitter_ms": null,
        "jitter_from_first_ms": null,
        "stages_ms": {"wired_queue": waits[1], "pdcp": waits[0], "rlc": 0.0}, "dropped": {},
        "marks": 0, "retransmissions": 0, "fast_retransmissions": 0, "timeouts": 0,
        "recoveries": 0, "rtt_ms": 20.0 + waits[0] + waits[1], "feedback_packets": 0,
        "feedback_lost_packets": 0, "start_s": null, "finish_s": null});
    let value = json!({
        "format": "airpath-results-1", "complete": true, "scenario": {}, "seed": 1,
        "duration_s": 1.0, "flows": [flow],
        "ues": [{"name": "phone", "cell": "c", "down": radio(500), "up": radio(0),
            "scheduling_requests": 0}],
        "cells": [{"name": "c", "utilisation": used, "utilisation_up": 0.0, "down": radio(500),
            "up": radio(0)}],
        "bearers": [],
        "links": [{"name": "sgi down", "rate_bps": link * 1_000_000, "queue": queue(),
            "dropped": {}}],
        "events": {"events": 0, "originated": 0, "consumed": 0, "dropped": 0, "marked": 0,
            "blocks": 0, "suspicious_ecn": 0, "stage_mismatches": 0, "dropped_at": {},
            "packets_omitted": 0, "series_truncated_s": null},
    });
    serde_json::from_value(value).expect("a summary")
}

fn of(run: &RunSummary) -> Limited {
    limited(run, &run.flows[0])
}

/// A flow as video by SCReAM, whose encoder makes so many Mbit/s at most.
fn video(mut run: RunSummary, most: u32, target: f64) -> RunSummary {
    let flow = &mut run.flows[0];
    (flow.kind, flow.rtt_ms) = ("rtp".into(), None);
    let none = json!({"mean": null, "min": null, "max": null, "stddev": null,
        "stddev_sample": null, "p50": null, "p95": null, "p99": null});
    let media = json!({"frames": 60, "key_frames": 1, "frames_complete": 60, "frames_lost": 0,
        "frames_late": 0, "frame_delay_ms": none, "rtp_queue_ms": none, "network_queue_ms": none,
        "discarded_packets": 0, "target_bps": target});
    flow.media = Some(serde_json::from_value(media).expect("a summary"));
    run.scenario = json!({"flow": [{"name": "web", "kind": "rtp", "rtp": {
        "congestion_control": "scream", "scream": {"ecn": "l4s"},
        "video": {"max_rate": format!("{most} Mbit/s")}}}]});
    run
}

#[test]
fn an_element_that_is_full_is_the_limit() {
    let full = of(&run(0.97, 100, [30.0, 1.0]));
    assert_eq!(full.limit, Limit::FullCell);
    assert_eq!(
        full.rate,
        "It gets 5 Mbit/s. It waits for c, which is full (97% of its resource blocks, 1 UE); \
         SINR 9.5 dB, MCS 12, 10% of blocks repeated."
    );
    let radio = of(&run(0.5, 100, [30.0, 1.0]));
    assert_eq!(radio.limit, Limit::Radio, "{}", radio.rate);
    // 5.2 of 5.5 Mbit/s.
    let mut link = run(0.5, 55, [1.0, 80.0]);
    link.links[0].rate_bps = Some(5_500_000);
    let link = of(&link);
    assert!(
        link.rate.ends_with("the link sgi down of 5.5 Mbit/s, which is full."),
        "{}",
        link.rate
    );
    assert_eq!(link.limit, Limit::Link);
}

/// The cell at the start says nothing of a UE that others have served.
#[test]
fn a_ue_of_several_cells_waits_for_no_single_one() {
    let mut moved = run(0.97, 100, [30.0, 1.0]);
    moved.ues[0].cells = Some(3);
    let radio = of(&moved);
    assert_eq!(radio.limit, Limit::Radio);
    let words =
        "It waits for its radio link, in 3 cells; SINR 9.5 dB, MCS 12, 10% of blocks repeated.";
    assert!(radio.rate.ends_with(words), "{}", radio.rate);
}

/// GCC grows with losses below 2%.
#[test]
fn few_losses_do_not_hold_gcc() {
    let mut one = video(run(0.1, 100, [0.0, 0.0]), 50, 5e6);
    one.flows[0].lost_packets = 10;
    assert_eq!(of(&one).limit, Limit::Losses);
    one.scenario["flow"][0]["rtp"]["congestion_control"] = "gcc".into();
    assert_eq!(of(&one).limit, Limit::Sender);
    one.flows[0].lost_packets = 60;
    assert_eq!(of(&one).limit, Limit::Losses);
}

/// 1000 packets a second and an RTT of 20 ms are a window of 20 packets. One loss in 200 allows
/// sqrt(1.5 · 200) = 17, and two marks in a round trip are 10%.
#[test]
fn the_signal_that_allows_least_is_the_limit() {
    let mut one = run(0.1, 100, [0.0, 0.0]);
    assert_eq!(of(&one).limit, Limit::Sender);
    one.flows[0].lost_packets = 5;
    assert_eq!(of(&one).limit, Limit::Losses);
    one.scenario = json!({"flow": [{"name": "web", "tcp": {"controller": "prague"}}]});
    one.flows[0].marks = 150;
    let marks = of(&one);
    assert_eq!(marks.limit, Limit::Marks, "{}", marks.rate);
    assert!(marks.rate.contains("15% of its packets were marked"), "{}", marks.rate);
    one.flows[0].delivered_bytes = 0;
    assert_eq!(of(&one).limit, Limit::Nothing);
}

/// A window of 12.5 kB in 20 ms is 5 Mbit/s.
#[test]
fn a_receive_window_of_quic_holds_a_flow_beside_a_full_cell() {
    // The cell is full by others; 5 Mbit/s in an RTT of 20 ms are 12.5 kB.
    let with = |window: &str, marks: u64| {
        let mut one = run(0.9, 100, [0.0, 0.0]);
        one.flows[0].kind = "quic".into();
        one.flows[0].marks = marks;
        one.scenario = json!({"flow": [{"name": "web", "quic": {"connections": 1, "streams": 1,
            "congestion_control": "cubic", "receive_window": window, "datagrams": null}}]});
        of(&one)
    };
    let held = with("13000 B", 0);
    assert_eq!(held.limit, Limit::Window, "{}", held.rate);
    let sentence = "Its receive window of 13 kB allows no more in an RTT of 20 ms.";
    assert!(held.rate.ends_with(sentence), "{}", held.rate);
    // A larger window, or a mark: the cell may have held it.
    assert_ne!(with("20000 B", 0).limit, Limit::Window);
    assert_ne!(with("13000 B", 5).limit, Limit::Window);
}

#[test]
fn a_buffer_allows_its_size_in_each_round_trip() {
    let mut one = run(0.1, 100, [0.0, 0.0]);
    let tcp =
        json!({"controller": "cubic", "send_buffer": "4194304 B", "receive_buffer": "12500 B"});
    one.scenario = json!({"flow": [{"name": "web", "tcp": tcp}]});
    let buffer = of(&one);
    assert_eq!(buffer.limit, Limit::Window, "{}", buffer.rate);
    let said = "Its receive buffer of 12.5 kB allows no more in an RTT of 20 ms.";
    assert!(buffer.rate.ends_with(said), "{}", buffer.rate);
}

#[test]
fn an_mcs_of_ltes_table_with_256qam_says_so() {
    let mut full = run(1.0, 100, [2.0, 0.0]);
    let said = |run: &RunSummary| of(run).rate;
    assert!(said(&full).contains("MCS 12, "), "{}", said(&full));
    let cell = |technology| {
        json!({"cell": {"technology": technology,
        "link_adaptation": {"mcs_table": {"down": "256qam", "up": "64qam"}}}})
    };
    full.scenario = cell("nr");
    assert!(said(&full).contains("MCS 12, "), "{}", said(&full));
    full.scenario = cell("lte");
    assert!(said(&full).contains("MCS 12 (256QAM from 20 on), "), "{}", said(&full));
}

/// Marks hold video at 5 of 40 Mbit/s: it has not what its application asks for.
#[test]
fn what_the_encoder_wants_and_its_controller_lets_is_said() {
    let mut marked = video(run(0.3, 100, [2.0, 0.0]), 40, 5.2e6);
    marked.flows[0].marks = 120;
    let held = of(&marked);
    assert_eq!(held.limit, Limit::Marks, "{}", held.rate);
    assert_eq!(
        held.rate,
        "It gets 5 Mbit/s of the 40 Mbit/s that its encoder makes at most; its controller lets the \
         encoder make 5.2 Mbit/s on average. Marks hold it: 12% of its packets were marked, and \
         its sender slows down for them; c is used to 30%."
    );
    let all = of(&video(run(0.3, 100, [2.0, 0.0]), 5, 4.9e6));
    assert_eq!(all.limit, Limit::Application, "{}", all.rate);
    // It has its rate, and waits for most of its delay.
    let waits = of(&video(run(0.3, 100, [40.0, 0.0]), 5, 4.9e6));
    assert_eq!(waits.limit, Limit::Radio, "{}", waits.rate);
    let full = of(&video(run(0.98, 100, [40.0, 0.0]), 40, 5.2e6));
    assert_eq!(full.limit, Limit::FullCell, "{}", full.rate);
}

/// Frames of extended reality come by a model, which nothing holds back.
#[test]
fn frames_of_a_model_have_what_they_ask_for_unless_they_are_lost() {
    let mut frames = run(0.3, 100, [2.0, 0.0]);
    frames.flows[0].kind = "xr".into();
    frames.scenario = json!({"flow": [{"name": "web", "kind": "xr", "xr": {"model": "vr"}}]});
    assert_eq!(of(&frames).limit, Limit::Application, "{}", of(&frames).rate);
    frames.flows[0].lost_packets = 300;
    assert_eq!(of(&frames).limit, Limit::Losses, "{}", of(&frames).rate);
}
