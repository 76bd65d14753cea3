//! Flows of extended reality: defaults of models, worlds, and the messages about faults.

use std::collections::BTreeMap;

use airpath_base::random::Seed;
use airpath_base::{BitRate, Bytes, Duration, FlowId, NodeId, Time};
use airpath_net::{AppEvent, Event, FrameMade, Probe};
use airpath_scenario::{Errors, Scenario, VoiceCodec, Xr, world::World};

const HEAD: &str = r#"
duration = "1 s"
[path.sgi]
[path.s1]
[cell]
resource_blocks = 100
[[ue]]
name = "xr"
count = 2
snr = "20 dB"
"#;

fn with(lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{HEAD}{lines}"), &[])
}

fn flow(name: &str, direction: &str, xr: &str) -> String {
    format!("[[flow]]\nname = \"{name}\"\nkind = \"xr\"\ndirection = \"{direction}\"\nxr = {xr}\n")
}

fn xr(text: &str) -> Xr {
    let scenario = with(&flow("view", "down", text)).unwrap_or_else(|e| panic!("{}", e.plain()));
    scenario.flow[0].xr.clone().expect("options")
}

fn wrong(xr: &str) -> String {
    with(&flow("view", "down", xr)).expect_err("a mistake").plain()
}

#[test]
fn defaults_are_those_of_the_model() {
    let ms = Duration::from_millis;
    let vr = xr("\"vr\"");
    assert_eq!((vr.rate, vr.size, vr.frame_rate), (Some(BitRate::from_mbps(30)), None, Some(60.0)));
    assert_eq!((vr.jitter, vr.jitter_range, vr.deadline), (Some(ms(2)), Some(ms(4)), Some(ms(10))));
    assert_eq!(vr.deviation, Some(0.105));
    // 30 Mbit/s at 60 frames/s are 62500 B (TR 38.838, 5.1.1.1).
    assert!((vr.mean_size() - 62_500.0).abs() < 0.01, "{}", vr.mean_size());
    let pose = xr("\"pose\"");
    assert_eq!((pose.size, pose.period(), pose.jitter), (Some(Bytes(100)), ms(4), Some(ms(0))));
    assert_eq!(xr("\"cloud-gaming\"").deadline, Some(ms(15)));
    assert_eq!(xr("\"ar-scene\"").rate, Some(BitRate::from_mbps(10)));
    let files = xr("\"ftp-3\"");
    assert_eq!((files.interval, files.frame_rate, files.phase), (Some(ms(200)), None, None));
}

#[test]
fn a_resolved_scenario_reads_back_as_itself() {
    for model in ["vr", "pose", "audio", "ftp-3"] {
        let scenario = with(&flow("view", "down", &format!("\"{model}\""))).expect("valid");
        let again = Scenario::parse("again.toml", &scenario.to_toml(), &[]);
        assert_eq!(again.expect("valid").flow, scenario.flow, "{model}");
    }
}

/// Frames by flow, with their times.
#[derive(Default)]
struct Frames(BTreeMap<FlowId, Vec<(Time, FrameMade)>>);

impl Probe for Frames {
    fn on(&mut self, now: Time, _: NodeId, event: &Event<'_>) {
        if let Event::App(flow, AppEvent::Frame(frame)) = event {
            self.0.entry(*flow).or_default().push((now, *frame));
        }
    }
}

fn frames(lines: &str) -> Frames {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    let mut frames = Frames::default();
    world.engine.run_until(Time::from_millis(900), Some(&mut frames)).expect("a run");
    frames
}

#[test]
fn streams_of_one_encoder_share_times_and_other_ues_have_other_phases() {
    let part = |name: &str, part: &str| {
        flow(name, "down", &format!("{{ model = \"ar\", part = \"{part}\", encoder = \"view\" }}"))
    };
    let Frames(made) = frames(&(part("one", "i-slice") + &part("rest", "p-slices")));
    let times = |flow: u32| made[&FlowId(flow)].iter().map(|(at, _)| *at).collect::<Vec<_>>();
    // Flows 0 and 1 are the first part of two UEs, 2 and 3 the other.
    assert_eq!((times(0), times(1)), (times(2), times(3)));
    assert_ne!(times(0), times(1));
    let bytes =
        |flow: u32| made[&FlowId(flow)].iter().map(|(_, f)| f64::from(f.bytes)).sum::<f64>();
    // 1.5 and 7 of 8.5; headers take 3% of each.
    let share = bytes(0) / (bytes(0) + bytes(2));
    assert!((share - 1.5 / 8.5).abs() < 0.01, "{share}");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_mend() {
    let cases = [
        ("\"wr\"", "did you mean \"vr\"?"),
        (
            "{ model = \"vr\", size = \"60 kB\", rate = \"30 Mbit/s\" }",
            "`flow.view.xr.size` is beside rate",
        ),
        ("{ model = \"vr\", frame_rate = 200 }", "a jitter_range of at most 2.5 ms"),
        ("{ model = \"pose\", size = \"60 B\" }", "frames of 41 B or more"),
        ("{ model = \"vr\", interval = \"20 ms\" }", "is not for \"vr\""),
        ("{ model = \"ftp-3\", frame_rate = 60 }", "whose files come as a Poisson process"),
        ("{ model = \"vr\", input = \"pose\" }", "there is no such flow"),
        ("{ model = \"vr\", importance = 16 }", "importance"),
    ];
    for (xr, expected) in cases {
        let found = wrong(xr);
        assert!(found.contains(expected), "{xr}: {found}");
    }
    let none = with("[[flow]]\nname = \"view\"\nkind = \"xr\"\ndirection = \"down\"\n");
    assert!(none.expect_err("a mistake").plain().contains("has no model"));
    let two = flow("one", "down", "{ model = \"vr\", encoder = \"e\" }")
        + &flow("two", "down", "{ model = \"vr\", encoder = \"e\", frame_rate = 30 }");
    assert!(with(&two).expect_err("a mistake").plain().contains("is not that of \"one\""));
    let same = flow("view", "down", "{ model = \"vr\", input = \"other\" }")
        + &flow("other", "down", "\"pose\"");
    assert!(with(&same).expect_err("a mistake").plain().contains("is not from the other end"));
}

#[test]
fn voice_has_a_codec_where_packets_are_those_of_g711() {
    let codec = |rtp: &str| {
        let lines = format!("[[flow]]\nname = \"v\"\nkind = \"rtp\"\ndirection = \"down\"\n{rtp}");
        with(&lines).expect("valid").flow[0].rtp.clone().expect("options").codec
    };
    assert_eq!(codec(""), Some(VoiceCodec::G711Plc));
    assert_eq!(codec("rtp = { interval = \"8 ms\" }"), None);
    assert_eq!(codec("rtp = { payload = \"32 B\", codec = \"g729a\" }"), Some(VoiceCodec::G729a));
    // Frames of G.723.1: 24 B each 30 ms (RFC 3551, 4.5.3), here with the tag of SRTP.
    let tagged = "rtp = { payload = \"46 B\", interval = \"30 ms\", codec = \"g723.1\" }";
    assert_eq!(codec(tagged), Some(VoiceCodec::G7231));
    let refused = |rtp: &str| {
        let lines = format!("[[flow]]\nname = \"v\"\nkind = \"rtp\"\ndirection = \"down\"\n{rtp}");
        with(&lines).expect_err("a mistake").plain()
    };
    for (rtp, is_wrong, mend) in [
        ("codec = \"g729a\"", "20 ms has 20 B", "payload = \"32 B\""),
        ("codec = \"g711\", interval = \"30 ms\"", "30 ms has 240 B", "payload = \"252 B\""),
        ("codec = \"g723.1\", payload = \"36 B\"", "frames last 30 ms", "interval = \"30 ms\""),
        ("codec = \"g711\", video = {}", "there is video", "leave one of them out"),
    ] {
        let message = refused(&format!("rtp = {{ {rtp} }}"));
        let all = ["`flow.v.rtp.codec`", is_wrong, mend];
        assert!(all.iter().all(|words| message.contains(words)), "{message}");
    }
}
