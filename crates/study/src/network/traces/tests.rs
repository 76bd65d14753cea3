use super::make::{at, scenario};
use super::*;
use crate::network::page::tests::study;

fn trace(arm: &str, metric: &str, points: Vec<(f64, f64)>) -> Trace {
    Trace {
        arm: arm.into(),
        position: "good position".into(),
        ue: "video-3".into(),
        metric: metric.into(),
        points,
    }
}

#[test]
fn users_are_chosen_by_nearest_rank_of_their_rates() {
    // Fifteen users, the last the slowest: ranks 14, 8 and 1 of 15 (0.9, 0.5 and 0.05 of 15).
    let rates: Vec<(String, f64)> =
        (0..15).map(|n| (format!("video-{n}"), f64::from(15 - n))).collect();
    let chosen = [90, 50, 5].map(|percentile| at(&rates, percentile).expect("a user"));
    assert_eq!(chosen, ["video-1", "video-7", "video-14"]);
    assert_eq!(at(&[], 50), None);
}

#[test]
fn each_arm_is_a_scenario_and_each_picture_has_its_arms_and_users() {
    for study in crate::STUDIES.iter().filter_map(|kept| kept.study().network()) {
        let spec = Spec::of(&study).expect("traces");
        for (scene, arm) in spec.scenes.iter().flat_map(|s| s.arms.iter().map(move |a| (s, a))) {
            scenario(&study, scene, arm).expect("a scenario");
        }
        for picture in &spec.pictures {
            let fits = |scene: &&Scene| {
                picture.arms.iter().all(|name| scene.arms.iter().any(|arm| arm.name == *name))
                    && picture.users.iter().all(|p| scene.users.iter().any(|u| u.position == *p))
            };
            assert!(spec.scenes.iter().any(|scene| fits(&scene)), "{}", picture.id);
        }
    }
}

#[test]
fn what_is_written_is_read_again_to_four_digits() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(read_traces(folder.path()).expect("none"), []);
    let written = [
        trace("RR with L4S", "transmitted_bps", vec![(20.2, 1_234_567.0), (20.4, 0.0)]),
        trace("RR with L4S", "rtp_queue_ms", vec![(20.2, 0.123_456)]),
        trace("DBS with L4S", "rtp_queue_ms", vec![(20.4, 7.0)]),
    ];
    write_traces(&written, folder.path()).expect("a table");
    let mut rounded = written;
    rounded[0].points[0].1 = 1_235_000.0;
    rounded[1].points[0].1 = 0.1235;
    assert_eq!(read_traces(folder.path()).expect("a table"), rounded);
}

#[test]
fn pictures_have_a_line_for_each_arm() {
    let study = &study();
    let traces = [
        trace("RR with L4S", "transmitted_bps", vec![(20.2, 3e6), (20.4, 5e6)]),
        trace("DBS with L4S", "transmitted_bps", vec![(20.2, 2e6)]),
    ];
    let charts = trace_pictures(study, &traces).expect("pictures");
    let chart = charts.iter().find(|chart| chart.id.ends_with("trace-good")).expect("a picture");
    let names: Vec<&str> = chart.series().iter().map(|series| series.name.as_str()).collect();
    assert_eq!((names, chart.panels.len()), (vec!["RR with L4S", "DBS with L4S"], 1));
    assert!(
        chart.sentence.contains("in Mbit/s: RR with L4S 4, DBS with L4S 2"),
        "{}",
        chart.sentence
    );
}
