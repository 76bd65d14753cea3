use std::collections::BTreeMap;

use airpath_results::{DelaySummary, PageSummary, RequestSummary};
use serde_json::{Value, json};

use super::*;

/// A flow as `summary.json` has it.
fn flow(name: &str, ue: &str, goodput_mbps: f64) -> FlowSummary {
    let delay = json!({"mean": 10.0, "min": 1.0, "max": 30.0, "stddev": 1.0,
        "stddev_sample": 1.0, "p50": 9.0, "p95": 20.0, "p99": goodput_mbps});
    let mut keys = json!({
        "name": name, "kind": "tcp", "ue": ue, "direction": "down",
        "goodput_bps": goodput_mbps * 1e6, "delay_ms": delay, "jitter_ms": 1.0,
        "stages_ms": {"wired": 4.0, "rlc": 6.0}, "dropped": {},
        "sent_packets": 100, "received_packets": 90, "delivered_bytes": 90_000,
    });
    let zero = [
        "lost_packets",
        "in_flight_packets",
        "sent_bytes",
        "received_bytes",
        "marks",
        "retransmissions",
        "fast_retransmissions",
        "timeouts",
        "recoveries",
        "feedback_packets",
        "feedback_lost_packets",
    ];
    for key in zero {
        keys[key] = 0.into();
    }
    serde_json::from_value(keys).expect("a flow")
}

fn run(flows: Vec<FlowSummary>) -> RunSummary {
    let scenario = json!({"title": "A title", "ue": [{"name": "phone", "count": 9}]});
    let keys: BTreeMap<&str, Value> = [
        ("format", "x".into()),
        ("complete", true.into()),
        ("scenario", scenario),
        ("seed", 1.into()),
        ("duration_s", 5.0.into()),
        ("flows", serde_json::to_value(flows).expect("JSON")),
        ("ues", json!([])),
        ("cells", json!([])),
        ("bearers", json!([])),
        ("links", json!([])),
        ("events", serde_json::to_value(airpath_results::EventCounts::default()).expect("JSON")),
    ]
    .into();
    serde_json::from_value(serde_json::to_value(keys).expect("JSON")).expect("a run")
}

fn many(n: usize) -> Vec<FlowSummary> {
    (0..n)
        .map(|n| flow(&format!("page phone-{n}"), &format!("phone-{n}"), n as f64 + 1.0))
        .collect()
}

#[test]
fn up_to_eight_flows_have_a_row_each_and_more_one_for_their_group() {
    let eight = summary(&run(many(8)), false);
    assert!(eight.contains("page phone-7") && !eight.contains("--all"), "{eight}");
    let nine = summary(&run(many(9)), false);
    assert!(!nine.contains("phone-7") && nine.contains("--all shows each flow"), "{nine}");
    let row = nine.lines().rfind(|line| line.starts_with("page phone ")).expect("the group");
    // Flows, sent, lost; 9 x 90 000 bytes in 5 s; goodput 1 to 9 Mbit/s; delay with the worst p99.
    let cells: Vec<&str> = row.split_whitespace().skip(2).collect();
    assert_eq!(cells, ["9", "900", "0", "1.30", "1.00", "9.00", "10.0", "20.0", "9.00"]);
    assert!(nine.contains("goodput of all: over the run;"), "{nine}");
    let all = summary(&run(many(9)), true);
    assert!(all.contains("page phone-8") && !all.contains("--all"), "{all}");
}

#[test]
fn fairness_is_jains_index() {
    // (1 + 3)^2 / (2 * (1 + 9)) = 0.8.
    let two = vec![flow("a", "ue", 1.0), flow("b", "ue", 3.0)];
    let text = summary(&run(two), false);
    assert!(text.contains("Jain's index): 0.800 over 2 flows down\n"), "{text}");
    assert!(!summary(&run(many(1)), false).contains("Jain"));
}

#[test]
fn a_stage_that_some_flows_lack_counts_as_zero_in_them() {
    let mut flows = [flow("a", "ue", 1.0), flow("b", "ue", 1.0)];
    let stages = json!({"wired": 4.0, "rlc": 6.0, "handover": 3.0});
    flows[1].stages_ms = serde_json::from_value(stages).expect("stages");
    flows[1].received_packets = 270;
    let entry = Entry::of("both".into(), &[&flows[0], &flows[1]]);
    // 3 ms in 270 of 360 packets.
    assert_eq!((entry.stage("handover"), entry.stage("rlc")), (Some(2.25), Some(6.0)));
}

#[test]
fn marks_are_shown_where_there_are_any() {
    let mut flows = many(2);
    assert!(!summary(&run(flows.clone()), false).contains("CE %"));
    flows[1].marks = 25;
    let text = summary(&run(flows), false);
    let row = text.lines().rfind(|line| line.starts_with("page phone-1")).expect("a row");
    assert!(text.contains("CE %") && row.ends_with("25.0"), "{text}");
}

#[test]
fn whatever_the_names_a_screen_is_wide_and_high_enough() {
    let names = ["x", "a marked conversation with a person far away", "page beyond proxy"];
    let flows = (0..300).map(|n| flow(&format!("{} {n}", names[n % 3]), "tablet", 1.0)).collect();
    let text = summary(&run(flows), false);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.lines().count() <= 48, "{}", text.lines().count());
    assert!(text.contains("a marked conversation with a person far away 1\n"), "{text}");
    assert!(text.contains("and 288 more rows: --all shows each"), "{text}");
}

#[test]
fn a_group_is_that_of_the_scenario_only() {
    let groups = UeGroups::of(&json!({"ue": [{"name": "a", "count": 2}, {"name": "b-1"}]}));
    assert_eq!(["a-1", "a-x", "b-1", "a"].map(|ue| groups.name(ue)), ["a", "a-x", "b-1", "a"]);
}

#[test]
fn pages_stand_for_their_requests() {
    let delay = |mean: f64| flow("", "", mean).delay_ms.map(|delay| DelaySummary { mean, ..delay });
    let mut flows = many(2);
    for (flow, (asked, finished, mean)) in flows.iter_mut().zip([(5, 4, 100.0), (2, 1, 600.0)]) {
        flow.name = "web".to_owned();
        let duration_ms = delay(9.0);
        let requests = RequestSummary { asked: 70, answered: 70, first_byte_ms: None, duration_ms };
        flow.requests = Some(requests);
        flow.pages =
            Some(PageSummary { asked, finished, delay_ms: delay(mean), first_object_ms: None });
    }
    let both: Vec<&FlowSummary> = flows.iter().collect();
    let text = applications(&[Entry::of("web".to_owned(), &both)]);
    assert_eq!(text, "\nweb: 5 of 7 pages finished, 200 ms in the mean\n");
    flows.iter_mut().for_each(|flow| flow.pages = None);
    let both: Vec<&FlowSummary> = flows.iter().collect();
    let text = applications(&[Entry::of("web".to_owned(), &both)]);
    assert_eq!(text, "\nweb: 140 of 140 requests answered, 9.00 ms in the mean\n");
}

#[test]
fn changes_are_told_below_the_title() {
    let change = |at_s: f64, set: &[&str]| airpath_results::ChangeSummary {
        at_s,
        set: set.iter().map(|text| (*text).to_owned()).collect(),
    };
    let mut run = run(many(1));
    run.changes = vec![
        change(2.5, &["path.sgi.rate = 5 Mbit/s", "flow.download.active = false"]),
        change(10.0, &["ue.near.snr = 3 dB"]),
    ];
    let text = summary(&run, false);
    let expected = "5 s simulated, seed 1\n\
                    at 2.5 s: path.sgi.rate = 5 Mbit/s, flow.download.active = false\n\
                    at 10 s: ue.near.snr = 3 dB\n";
    assert!(text.contains(expected), "{text}");
    run.changes = vec![change(1.0, &["ue.near.snr = 3 dB"]); 20];
    let text = summary(&run, false);
    assert!(text.contains("and 8 more changes: --all shows each\n"), "{text}");
    assert_eq!(summary(&run, true).matches("at 1 s: ").count(), 20);
}

#[test]
fn inactive_ues_have_columns_of_their_own() {
    let radio = json!({"transmissions": 0, "resource_blocks": 0, "bytes": 0, "padding_bytes": 0,
        "bits_per_resource_block": null, "bler_first": null, "bler_by_attempt": [], "mean_mcs": null,
        "mean_sinr_db": null});
    let named = |rrc: Value| {
        let ue = json!({"name": "phone", "cell": "cell", "scheduling_requests": 0, "rrc": rrc,
            "down": radio, "up": radio});
        serde_json::from_value::<UeSummary>(ue)
    };
    let shares = json!({"idle": 0.1, "inactive": 0.2, "promotion": 0.03, "resume": 0.01,
        "active": 0.66, "short_drx": 0.0, "long_drx": 0.0});
    let rrc = |resumes: Value| {
        json!({"promotions": 3, "resumes": resumes, "seconds": {}, "share": shares, "paging_s": 0.0,
            "on_duration_s": 0.0, "energy_j": {}, "total_energy_j": 5.0, "states_omitted": 0})
    };
    let groups = UeGroups::of(&json!({}));
    let shown = |rrc: Value| states(&[named(rrc).expect("a UE")], &groups, true, 9);
    let inactive = shown(rrc(4.into()));
    let row: Vec<&str> = inactive.lines().last().expect("a row").split_whitespace().collect();
    // 3% and 1% connecting; three promotions, four resumes, 5 J.
    assert_eq!(row, ["phone", "10.0", "20.0", "4.00", "66.0", "0", "3", "4", "5.00"]);
    assert!(inactive.lines().all(|line| line.len() <= 80), "{inactive}");
    assert!(!shown(rrc(Value::Null)).contains("inactive"));
}
