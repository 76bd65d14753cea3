//! Flows of WebRTC in the file: allowed values, defaults, and the messages about faults.

#[cfg(feature = "stacks")]
use airpath_base::random::Seed;
#[cfg(feature = "stacks")]
use airpath_base::{BitRate, Direction, Duration};
use airpath_scenario::{Errors, Scenario, has_stacks};
#[cfg(feature = "stacks")]
use airpath_scenario::{Webrtc, world::World};

const HEAD: &str = r#"
duration = "2 s"
radio = "none"
path.sgi.delay = "5 ms"
[[flow]]
name = "call"
kind = "webrtc"
direction = "down"
"#;

fn with(lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{HEAD}{lines}"), &[])
}

#[test]
fn without_stacks_the_kind_names_the_feature() {
    match with("") {
        Ok(_) => assert!(has_stacks()),
        Err(errors) => {
            assert!(!has_stacks());
            assert!(errors.plain().contains("--features stacks"), "{}", errors.plain());
        }
    }
}

#[cfg(feature = "stacks")]
fn call(lines: &str) -> (Webrtc, World) {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let world = World::build(&scenario, Seed(1)).expect("a world");
    (scenario.flow[0].webrtc.clone().expect("options of a call"), world)
}

#[test]
#[cfg(feature = "stacks")]
fn a_call_has_video_both_ways_and_two_flows() {
    let (own, world) = call("");
    let video = own.video.expect("video");
    assert_eq!((video.frame_rate, video.max_rate), (60.0, BitRate::from_mbps(70)));
    assert_eq!(own.media_after, Duration::from_secs(1));
    let flows = |world: &World| {
        let of = |flow: &airpath_scenario::world::FlowFacts| {
            (flow.name.clone(), flow.kind, flow.direction, flow.source.is_some())
        };
        world.facts.flows.iter().map(of).collect::<Vec<_>>()
    };
    let there = ("call".to_owned(), "webrtc", Direction::Downlink, true);
    let back = ("call back".to_owned(), "webrtc", Direction::Uplink, true);
    assert_eq!(flows(&world), [there.clone(), back]);
    let (_, world) = call("[flow.webrtc]\nboth_directions = false\n");
    assert_eq!(flows(&world), [there]);
}

#[test]
#[cfg(feature = "stacks")]
fn faults_name_the_key_and_the_mend() {
    let all = [
        ("[flow.webrtc]\necn = \"l4s\"\n", "flow.call.webrtc.ecn", "neither sets nor reads"),
        ("[flow.webrtc]\necn = \"classic\"\n", "flow.call.webrtc.ecn", "\"off\""),
        ("[flow.rtp]\n", "flow.call.rtp", "use [flow.webrtc]"),
        ("[flow.quic]\n", "flow.call.quic", "use [flow.webrtc]"),
        ("[flow.webrtc]\nmedia_after = \"2 s\"\n", "webrtc.media_after", "less than 2 s"),
        ("size = \"1 MB\"\n", "flow.call.size", "say stop"),
        ("[flow.web]\n", "flow.call.web", "kind = \"tcp\""),
        ("[flow.webrtc]\nstart_rate = \"1 Mbit/s\"\n", "webrtc.start_rate", "2 Mbit/s to"),
        (
            "[flow.webrtc]\nbandwidth_estimation = false\nstart_rate = \"3 Mbit/s\"\n",
            "webrtc.start_rate",
            "leave it out",
        ),
        ("[flow.webrtc]\nvideo = { packet = \"1351 B\" }\n", "webrtc.video.packet", "1350 B"),
        ("[flow.webrtc]\nvideo = { min_rate = \"80 Mbit/s\" }\n", "video.min_rate", "max_rate"),
        (
            "[flow.webrtc]\nbandwidth_estimation = false\n\
             video = { give_up = { below = \"1 Mbit/s\", after = \"1 s\" } }\n",
            "webrtc.video.give_up",
            "bandwidth_estimation = true",
        ),
        (
            "[flow.webrtc]\nvideo = { frame_sizes = \"none.txt\" }\n",
            "webrtc.video.frame_sizes",
            "frame sizes",
        ),
    ];
    for (lines, key, mend) in all {
        let text = with(lines).expect_err("a mistake").plain();
        assert!(text.contains(key) && text.contains(mend), "{lines}: {text}");
    }
    let text = format!("{HEAD}[flow.webrtc]\n").replace("kind = \"webrtc\"", "kind = \"rtp\"");
    let text = Scenario::parse("s.toml", &text, &[]).expect_err("a mistake").plain();
    assert!(text.contains("use [flow.rtp]"), "{text}");
}
