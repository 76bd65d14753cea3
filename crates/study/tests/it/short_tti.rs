//! The short-TTI study as published on its page. Its figures must not change by accident, nor the
//! number of the source's figures that they meet.

use airpath_study::{Options, Report, Verdict, reproduce, study};

/// Ramp-up and user-perceived throughput of the six downloads: ms, KB, ms, KB.
const GOLDEN: [(&str, [f64; 4]); 6] = [
    ("1ms-sr5", [185.0, 134.368, 1360.0, 3317.704]),
    ("500us-sr5", [75.0, 65.208, 520.0, 1268.592]),
    ("100us-sr5", [20.0, 22.724, 115.0, 277.628]),
    ("1ms-sr1", [140.0, 89.908, 1085.0, 2645.864]),
    ("500us-sr1", [65.0, 52.364, 460.0, 1121.38]),
    ("100us-sr1", [15.0, 13.832, 105.0, 253.916]),
];

/// The readings with these names alone.
fn part(names: &[&str]) -> Report {
    let whole = study("short-tti").expect("the study");
    let plan = whole.text("plan.json").expect("a plan");
    let mut plan: serde_json::Value = serde_json::from_str(plan).expect("JSON");
    let readings = plan["readings"].as_array_mut().expect("readings");
    readings.retain(|reading| names.iter().any(|name| reading["name"] == *name));
    assert_eq!(readings.len(), names.len());
    let options = Options { seeds: 10, ..Options::default() };
    reproduce(&whole.with("plan.json", &plan.to_string()), options).expect("a report")
}

#[test]
fn the_published_reading_is_what_the_page_says() {
    let report = part(&["as published"]);
    let agree = |kind: &str| {
        let count = report.counts.iter().find(|count| count.kind == kind).expect("a count");
        (count.agree, count.of)
    };
    assert_eq!(agree("exact"), (48, 48));
    assert_eq!(agree("statement"), (5, 5));
    assert_eq!(agree("simulated"), (20, 31));
    for (run, figures) in GOLDEN {
        let row = report.ramps.iter().find(|row| row.run == run).expect("a download");
        let seen = row.figures.seen;
        let own = [seen.ramp_ms, seen.ramp_kb, seen.upt_ms, seen.upt_kb];
        for (own, golden) in own.into_iter().zip(figures) {
            let own = own.expect("it rises");
            assert!((own - golden).abs() < 1e-6, "{run}: {own} for {golden}");
        }
        // 2673 B a millisecond and at most 1000 of 1052 B of a packet, before headers of
        // the radio.
        let most = 2673.0 * 8e-3 / 1.012;
        let settled = row.figures.saturation_mbps;
        assert!(settled > 20.0 && settled < most * 1.05, "{run}: {settled}");
    }
}

#[test]
fn what_contradicts_itself_is_not_compared_and_says_why() {
    let report = part(&["as published"]);
    let row = report.rows.iter().find(|row| row.id == "TTI-008").expect("the row");
    assert_eq!(row.verdict, Verdict::NotComparable);
    let reason = row.reason.as_deref().expect("a reason");
    assert!(reason.contains("contradicts TTI-007"), "{reason}");
}

#[test]
fn observations_hold_whatever_the_phase_of_the_request() {
    let report = part(&["over starts, to 0.1 ms"]);
    let rows = report.rows.iter().filter(|row| row.verdict == Verdict::Holds).count();
    assert_eq!((rows, report.rows.len()), (5, 5));
}

#[test]
fn each_segment_acknowledged_is_the_published_case_of_a_request_in_each_tti() {
    let report = part(&["each segment"]);
    for id in ["TTI-013", "TTI-015", "TTI-016"] {
        let row = report.rows.iter().find(|row| row.id == id).expect("the row");
        assert_eq!(row.verdict, Verdict::Holds, "{id}");
    }
}
