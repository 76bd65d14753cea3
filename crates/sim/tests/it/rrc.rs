//! Radio states from the scenario to the results.

use airpath_results::RrcSummary;
use airpath_scenario::{Scenario, template};
use airpath_sim::{RunOptions, run};

fn phone(overrides: &[&str]) -> (RrcSummary, Vec<f64>) {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let text = template("idle-phone").expect("a template").text;
    let scenario = Scenario::parse("idle-phone.toml", text, &overrides).expect("valid");
    let summary = run(&scenario, RunOptions::default()).expect("a run").summary;
    assert_eq!(summary.events.stage_mismatches, 0);
    let waits = summary.flows.iter().filter_map(|flow| flow.stages_ms.get("rrc").copied());
    (summary.ues[0].rrc.clone().expect("RRC"), waits.collect())
}

#[test]
fn a_phone_is_promoted_for_each_of_its_wakes() {
    let (rrc, waits) = phone(&["ue.phone.rrc.promotion=300 ms"]);
    assert_eq!(rrc.promotions, 3);
    let seconds = |state: &str| rrc.seconds.get(state).copied().unwrap_or(0.0);
    assert!((seconds("promotion") - 0.9).abs() < 1e-9);
    let all: f64 = rrc.seconds.iter().map(|(_, seconds)| seconds).sum();
    assert!((all - 60.0).abs() < 1e-9, "{all}");
    // The request waits for a promotion, two of three push messages for a page too, which
    // takes up to 1.28 s and a subframe.
    assert!((waits[0] - 300.0).abs() < 1e-6 && waits[1] == 0.0, "{waits:?}");
    assert!((2.0 * 301.0 / 3.0..2.0 * 1_581.0 / 3.0).contains(&waits[2]), "{waits:?}");
}

#[test]
fn a_shorter_tail_saves_energy() {
    let (long, _) = phone(&[]);
    let (short, _) = phone(&["ue.phone.rrc.release_after=3 s"]);
    assert_eq!((long.promotions, short.promotions), (3, 3));
    // Three tails are 8.576 s shorter, in DRX at 1060 mW and for 1 ms in 40 at 1680.2 mW; idle
    // at 11.4 mW and for 43.2 ms in 1280 ms at 594.3 mW.
    let saved = long.total_energy_j - short.total_energy_j;
    let drx = 1.0600 + 0.6202 / 40.0;
    let idle = 0.0114 + (0.5943 - 0.0114) * 43.2 / 1_280.0;
    let expected = 3.0 * 8.576 * (drx - idle);
    assert!((saved - expected).abs() < 0.1, "{saved} J, {expected} J");
}

#[test]
fn always_connected_has_no_states() {
    let text = template("lte-6rb").expect("a template").text;
    let overrides = ["duration=2100 ms".to_owned()];
    let scenario = Scenario::parse("lte-6rb.toml", text, &overrides).expect("valid");
    let summary = run(&scenario, RunOptions::default()).expect("a run").summary;
    assert!(summary.ues.iter().all(|ue| ue.rrc.is_none()));
}

/// A phone in an NR cell with push messages each 5 s, and these keys of RRC: radio states, and mean wait in ms.
fn pushes(rrc: &str) -> (RrcSummary, f64) {
    let text = format!(
        "duration = \"60 s\"\n[cell]\ntechnology = \"nr\"\nbandwidth = \"20 MHz\"\n\
         [[ue]]\nname = \"phone\"\nsnr = \"15 dB\"\n\
         rrc = {{ start = \"connected\", release_after = \"1 s\", promotion = \"300 ms\", {rrc} }}\n\
         [[flow]]\nname = \"push\"\nkind = \"rtp\"\ndirection = \"down\"\nstart = \"5 s\"\n\
         [flow.rtp]\npayload = \"1 kB\"\ninterval = \"5003 ms\"\ncount = 10\n"
    );
    let scenario =
        Scenario::parse("push.toml", &text, &[]).unwrap_or_else(|e| panic!("{}", e.plain()));
    let summary = run(&scenario, RunOptions::default()).expect("a run").summary;
    assert_eq!(summary.events.stage_mismatches, 0);
    assert_eq!(summary.flows[0].received_packets, 10);
    (
        summary.ues[0].rrc.clone().expect("RRC"),
        summary.flows[0].stages_ms.get("rrc").copied().expect("a stage"),
    )
}

#[test]
fn pages_of_an_inactive_phone_are_answered_by_a_resume() {
    let (idle, from_idle) = pushes("paging_cycle = \"1.28 s\"");
    let (inactive, resumed) =
        pushes("paging_cycle = \"1.28 s\", inactive = { resume = \"20 ms\" }");
    // The same occasions: the waits differ by promotion and resume.
    assert!((from_idle - resumed - 280.0).abs() < 1e-6, "{from_idle} {resumed}");
    assert_eq!((idle.promotions, idle.resumes), (10, None));
    assert_eq!((inactive.promotions, inactive.resumes), (0, Some(10)));
    assert!(!idle.seconds.iter().any(|(state, _)| ["inactive", "resume"].contains(&state)));
    let seconds = |state: &str| inactive.seconds.get(state).copied().expect("a state");
    assert!((seconds("resume") - 0.2).abs() < 1e-9 && seconds("idle") == 0.0);
    let all: f64 = inactive.seconds.iter().map(|(_, seconds)| seconds).sum();
    assert!((all - 60.0).abs() < 1e-9, "{all}");
    // 2.8 s less of ten promotions than of ten resumes, at 1210.7 mW, and as much more at 11.4 mW. While it listens
    // for pages that is 594.3 mW.
    let saved = idle.total_energy_j - inactive.total_energy_j;
    let listening = inactive.paging_s - idle.paging_s;
    let expected = 2.8 * (1.2107 - 0.0114) - listening * (0.5943 - 0.0114);
    assert!((saved - expected).abs() < 1e-6, "{saved} J, {expected} J");
}

#[test]
fn an_inactive_phone_is_idle_after_its_own_timer() {
    let (rrc, _) = pushes("inactive = { release_after = \"2 s\" }");
    // Inactive for 2 s after each of eleven tails; all pages find it idle.
    assert_eq!((rrc.promotions, rrc.resumes), (10, Some(0)));
    let inactive = rrc.seconds.get("inactive").copied().expect("a state");
    assert!((inactive - 22.0).abs() < 1e-9, "{inactive}");
}
