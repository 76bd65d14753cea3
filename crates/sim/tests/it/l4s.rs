//! Results that the templates about low latency in a cell are meant to show.

use airpath_results::{BearerSummary, FlowSummary, RunSummary};
use airpath_scenario::{Scenario, template};
use airpath_sim::{RunOptions, run};

fn ran(name: &str, overrides: &[&str]) -> RunSummary {
    let text = template(name).expect("a template").text;
    let overrides: Vec<String> =
        ["duration=6 s"].iter().chain(overrides).map(|one| (*one).to_owned()).collect();
    let scenario = Scenario::parse(name, text, &overrides).expect("a valid scenario");
    run(&scenario, RunOptions::default()).expect("a run without failure").summary
}

fn flow<'a>(run: &'a RunSummary, name: &str) -> &'a FlowSummary {
    run.flows.iter().find(|flow| flow.name == name).expect("a flow of this name")
}

fn mbps(run: &RunSummary, name: &str) -> f64 {
    flow(run, name).goodput_bps.expect("data") / 1e6
}

fn stage(run: &RunSummary, name: &str, stage: &str) -> f64 {
    let stages = &flow(run, name).stages_ms;
    stages.iter().find(|(of, _)| *of == stage).map_or(0.0, |(_, mean)| *mean)
}

const LIAR: [&str; 2] = ["flow.cubic.tcp.ecn=off", "flow.cubic.tcp.ect=ect1"];

#[test]
fn dual_pi2_keeps_the_scalable_queue_short_and_leaves_both_a_share() {
    for place in ["phone", "other"] {
        let run = ran("l4s-cell", &[&format!("flow.cubic.ue=\"{place}\"")]);
        let [prague, cubic] = ["prague", "cubic"].map(|name| stage(&run, name, "pdcp"));
        assert!(prague < 2.0 && cubic > 2.0 * prague, "{place}: {prague} ms, {cubic} ms");
        let [prague, cubic] = ["prague", "cubic"].map(|name| mbps(&run, name));
        assert!(prague > 4.0 && cubic > 4.0, "{place}: {prague}, {cubic} Mbit/s");
    }
}

#[test]
fn each_marker_keeps_the_queue_short_of_drop_tail() {
    let long = stage(&ran("l4s-cell", &["bearer.default.queue=300 packets"]), "prague", "pdcp");
    for queue in [
        "{ kind = \"ramp\", end = \"head\" }",
        "ramp",
        "{ kind = \"ramp\", free_above = 0.02 }",
        "l4span",
    ] {
        let run = ran("l4s-cell", &[&format!("bearer.default.queue={queue}")]);
        let wait = stage(&run, "prague", "pdcp");
        assert!(
            wait < 0.6 * long && flow(&run, "prague").marks > 0,
            "{queue}: {wait} of {long} ms"
        );
    }
}

#[test]
fn a_liar_takes_the_cell_unless_flows_are_protected() {
    let alone = ran("l4s-cell", &LIAR);
    let protected = [LIAR.as_slice(), &["bearer.default.queue.protection=true"]].concat();
    let protected = ran("l4s-cell", &protected);
    let share = |run: &RunSummary| mbps(run, "cubic") / (mbps(run, "prague") + mbps(run, "cubic"));
    let (alone_share, protected_share) = (share(&alone), share(&protected));
    assert!(alone_share > 0.9, "{alone_share}");
    assert!(protected_share < alone_share - 0.1, "{alone_share} becomes {protected_share}");
    assert!(mbps(&protected, "prague") > 5.0 * mbps(&alone, "prague"));
}

#[test]
fn after_bleaching_nothing_is_marked() {
    let run = ran("l4s-cell", &["path.sgi.ecn=bleach"]);
    assert_eq!(["prague", "cubic"].map(|name| flow(&run, name).marks), [0, 0]);
    let plain = ran("l4s-cell", &[]);
    let [with, without] = [&plain, &run].map(|run| stage(run, "prague", "pdcp"));
    assert!(without > 4.0 * with, "{with} ms with marks, {without} ms without");
    assert!(flow(&plain, "prague").marks > 0);
}

#[test]
fn one_queue_without_l4s_on_the_path_spoils_it() {
    let slow = ["path.s1.rate=20 Mbit/s", "path.s1.queue=300 packets"];
    let everywhere = ["path.s1.rate=20 Mbit/s", "path.s1.queue=dualpi2"];
    let wait = |overrides: &[&str]| stage(&ran("l4s-cell", overrides), "prague", "wired_queue");
    let (spoilt, sound) = (wait(&slow), wait(&everywhere));
    assert!(sound < 2.0 && spoilt > 10.0 * sound, "{spoilt} ms and {sound} ms");
}

#[test]
fn the_bearer_of_low_latency_is_for_those_whose_bits_say_so() {
    let run = ran("l4s-bearers", &[]);
    let classic = ran(
        "l4s-bearers",
        &["flow.game.rtp.scream.ecn=off", "flow.camera.rtp.scream.ecn=off", "flow.keys.dscp=0"],
    );
    let used = |run: &RunSummary| {
        let own = run.bearers.iter().filter(|bearer| bearer.name == "low-latency");
        own.map(|bearer| bearer.resource_blocks).sum::<f64>()
    };
    assert!(used(&run) > 10_000.0, "{}", used(&run));
    assert_eq!(used(&classic), 0.0);
    let [fast, slow] = [&run, &classic].map(|run| stage(run, "game", "pdcp"));
    assert!(fast < 6.0 && slow > 2.0 * fast, "{fast} ms and {slow} ms");
}

#[test]
fn configured_grants_spare_the_player_the_asking() {
    let wait = |overrides: &[&str]| {
        let run = ran("cloud-gaming", &[&["duration=3 s"], overrides].concat());
        assert!(mbps(&run, "game") > 20.0, "{overrides:?}: {}", mbps(&run, "game"));
        stage(&run, "input", "uplink_access")
    };
    let (configured, asked) = (wait(&[]), wait(&["cell.uplink.access=scheduling-request"]));
    assert!(configured < 3.0 && asked > configured, "{configured} ms and {asked} ms");
}

#[test]
fn a_class_with_little_time_waits_less() {
    let run = ran("five-qi", &[]);
    let without = ran("five-qi", &["bearer.reality.five_qi=9"]);
    let [fast, slow] = [&run, &without].map(|run| stage(run, "reality", "pdcp"));
    assert!(fast < 10.0 && slow > fast, "{fast} ms and {slow} ms");
    let reality = run.bearers.iter().find(|bearer| bearer.name == "reality").expect("a bearer");
    assert_eq!((reality.qci, reality.five_qi), (80, Some(80)));
    // 10 ms are too short beside downloads, 100 ms for voice are not.
    let within = |name: &str, up: bool| {
        let own = run.bearers.iter().filter(|bearer| bearer.name == name);
        let share = |bearer: &BearerSummary| match up {
            true => bearer.within_delay_budget_up,
            false => bearer.within_delay_budget,
        };
        own.filter_map(share).fold(f64::INFINITY, f64::min)
    };
    let [reality, gaming] = ["reality", "gaming"].map(|name| within(name, false));
    assert!(reality < gaming && gaming > 0.95, "{reality}, {gaming}");
    assert!(within("voice", true) > 0.99, "{}", within("voice", true));
}

#[test]
fn a_network_of_video_and_web_users_in_lte_and_in_nr() {
    let nr = [
        "cell.technology=nr",
        "cell.bandwidth=100 MHz",
        "cell.numerology=1",
        "cell.duplex=tdd",
        "cell.tdd_pattern=DDDSU",
        "cell.special_slot=10:2:2",
        "network.carrier=3.5 GHz",
    ];
    let delay = |overrides: &[&str]| {
        let run = ran("l4s-network", &[&["duration=2100 ms"], overrides].concat());
        assert_eq!(run.cells.len(), 21);
        let videos = run.flows.iter().filter(|flow| flow.name.starts_with("video"));
        let delays = videos.filter_map(|flow| Some(flow.delay_ms.as_ref()?.mean));
        let delays: Vec<f64> = delays.collect();
        assert_eq!(delays.len(), 15);
        delays.iter().sum::<f64>() / 15.0
    };
    let (lte, nr) = (delay(&[]), delay(&nr));
    assert!(nr < lte, "{nr} ms and {lte} ms");
}
