//! Measures of users, from the file to the results.

use airpath_results::{Named, RunSummary};
use airpath_scenario::Scenario;
use airpath_sim::{Outcome, RunOptions, run};

/// Two users of video on bearers of a class, and three of the web on their default bearers.
const SCENARIO: &str = r#"
duration = "6 s"
output = { warm_up = "1 s", low_rate = "4 Mbit/s" }

[cell]
resource_blocks = 50
pdcch = "modelled"

[[ue]]
name = "gamer"
count = 2
snr = "15 dB"

[[ue]]
name = "reader"
count = 3
snr = "12 dB"

[[bearer]]
name = "games"
ue = ["gamer"]
qci = 7
traffic_class = "premium"
filter = [{ remote_port = 6000 }]

[[flow]]
name = "game"
ue = ["gamer"]
kind = "rtp"
direction = "down"
remote_port = 6000

[flow.rtp]
congestion_control = "scream"
video = { max_rate = "30 Mbit/s" }

[[flow]]
name = "pages"
ue = ["reader"]
kind = "tcp"
direction = "down"
web = {}
"#;

fn outcome() -> Outcome {
    let scenario =
        Scenario::parse("s.toml", SCENARIO, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    run(&scenario, RunOptions::default()).expect("a run")
}

fn mean(run: &RunSummary, application: &str, kpi: &str) -> Option<f64> {
    let users = run.users.iter().find(|of| of.application == application).expect(application);
    users.kpis.get(kpi).map(|over| over.mean)
}

#[test]
fn users_are_those_of_the_flows() {
    let outcome = outcome();
    let (summary, users) = (&outcome.summary, outcome.collector.users(outcome.collector.end()));
    let names: Vec<_> = users.iter().map(|user| (&*user.ue, &*user.application)).collect();
    let expected = ["reader-0", "reader-1", "reader-2"].map(|name| (name, "web"));
    assert_eq!(names[..2], [("gamer-0", "video"), ("gamer-1", "video")]);
    assert_eq!(names[2..], expected);
    // Each user has one flow: its goodput, its pages, its frames.
    for (user, flow) in users.iter().zip(&summary.flows) {
        assert_eq!((Some(&user.ue), user.transmitted_bps), (flow.ue.as_ref(), flow.goodput_bps));
        let pages = flow.pages.as_ref().map(|pages| (pages.asked, pages.finished));
        assert_eq!(user.pages.as_ref().map(|own| (own.asked, own.complete)), pages);
        assert_eq!(
            user.video.as_ref().and_then(|video| video.frame_delay),
            flow.media.as_ref().and_then(|media| media.frame_delay_ms)
        );
    }
    let finished: f64 =
        summary.flows[2..].iter().map(|f| f.pages.as_ref().expect("web").finished as f64).sum();
    assert!(finished > 0.0);
    let found = mean(summary, "web", "pages_finished").expect("pages");
    assert!((found - finished / 3.0).abs() < 1e-9);
    let low = users[..2].iter().filter(|user| user.transmitted_bps < Some(4e6)).count() as u64;
    let video = &summary.users[0];
    assert_eq!((video.low_rate_bps, video.low_rate_users), (4_000_000, low));
}

#[test]
fn parts_of_a_frames_delay_add_up() {
    let outcome = outcome();
    for user in &outcome.collector.users(outcome.collector.end())[..2] {
        let video = user.video.as_ref().expect("video");
        let mean = |of: &Option<airpath_results::DelaySummary>| of.expect("delays").mean;
        // A frame waits for its last packet, whose parts are above the mean: equation 3.1.
        let parts = mean(&video.rtp_queue) + mean(&user.ip_delay);
        let whole = mean(&video.frame_delay);
        assert!(whole >= parts && whole < 2.0 * parts, "{whole} ms of {parts} ms");
    }
}

#[test]
fn resources_are_shared_by_classes() {
    let resources = outcome().summary.resources;
    let sum = |of: &Named<f64>| of.iter().map(|(_, share)| share).sum::<f64>();
    let names = |of: &Named<f64>| of.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    // Gamers' default bearers carry nothing.
    assert_eq!(names(&resources.pdsch_by_class), ["other", "premium", "web"]);
    assert_eq!(resources.pdsch_by_class.get("other"), Some(&0.0));
    let (all, classes) = (resources.pdsch.expect("used"), sum(&resources.pdsch_by_class));
    assert!(classes <= all + 1e-9 && classes > 0.97 * all, "{classes} of {all}");
    assert!(sum(&resources.pusch_by_class) <= resources.pusch.expect("used") + 1e-9);
    assert!(resources.pdcch.is_some_and(|share| share > 0.0 && share < 1.0));
}
