//! Flows of QUIC in the file: allowed values, defaults, and the messages about faults.

#[cfg(feature = "stacks")]
use airpath_base::random::Seed;
use airpath_scenario::{Errors, Scenario, has_stacks};
#[cfg(feature = "stacks")]
use airpath_scenario::{Quic, QuicEcn, world::World};

const HEAD: &str = r#"
duration = "1 s"
radio = "none"
path.sgi.delay = "5 ms"
[[flow]]
name = "quic"
kind = "quic"
direction = "down"
"#;

fn with(lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{HEAD}{lines}"), &[])
}

#[cfg(feature = "stacks")]
fn quic(lines: &str) -> Quic {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    World::build(&scenario, Seed(1)).expect("a world");
    scenario.flow[0].quic.clone().expect("options of QUIC")
}

#[cfg(feature = "stacks")]
fn wrong(lines: &str) -> String {
    with(lines).expect_err("a mistake").plain()
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

#[test]
#[cfg(feature = "stacks")]
fn streams_follow_from_the_application() {
    assert_eq!(quic("").streams, Some(1));
    assert_eq!(quic("[flow.requests]\nresponse = \"1 kB\"\ncount = 1\n").streams, Some(100));
    assert_eq!(quic("[flow.web]\n").streams, Some(100));
    assert_eq!(quic("[flow.quic]\nstreams = 3\n").streams, Some(3));
    assert_eq!(quic("[flow.quic.datagrams]\n").datagrams.expect("datagrams").payload.0, 1_000);
}

#[test]
#[cfg(feature = "stacks")]
fn the_ecn_field_follows_from_the_congestion_control() {
    let ecn = |control| quic(&format!("[flow.quic]\ncongestion_control = \"{control}\"\n")).ecn;
    assert_eq!(ecn("cubic"), Some(QuicEcn::Classic));
    assert_eq!(ecn("airpath-newreno"), Some(QuicEcn::Classic));
    assert_eq!(ecn("airpath-bbr"), Some(QuicEcn::Off));
    let text = wrong("[flow.quic]\ncongestion_control = \"airpath-bbr\"\necn = \"classic\"\n");
    assert!(text.contains("answers no marks") && text.contains("\"off\""), "{text}");
}

#[test]
#[cfg(all(feature = "stacks", not(feature = "accurate-ecn")))]
fn accurate_ecn_names_the_feature() {
    for (key, value) in [("ecn", "l4s"), ("congestion_control", "airpath-prague")] {
        let text = wrong(&format!("[flow.quic]\n{key} = \"{value}\"\n"));
        assert!(text.contains(&format!("flow.quic.quic.{key}")), "{text}");
        assert!(text.contains("the feature accurate-ecn"), "{text}");
    }
}

#[test]
#[cfg(feature = "accurate-ecn")]
fn l4s_goes_with_prague_alone() {
    assert_eq!(
        quic("[flow.quic]\ncongestion_control = \"airpath-prague\"\n").ecn,
        Some(QuicEcn::L4s)
    );
    for lines in ["ecn = \"l4s\"\n", "congestion_control = \"airpath-prague\"\necn = \"classic\"\n"]
    {
        let text = wrong(&format!("[flow.quic]\n{lines}"));
        assert!(text.contains("airpath-prague"), "{text}");
    }
}

#[test]
#[cfg(feature = "stacks")]
fn faults_name_the_key_and_the_mend() {
    let all = [
        ("[flow.tcp]\n", "flow.quic.tcp", "use [flow.quic]"),
        ("[flow.rtp]\n", "flow.quic.rtp", "use [flow.quic]"),
        ("[flow.player]\nbit_rate = \"1 Mbit/s\"\n", "flow.quic.player", "kind = \"tcp\""),
        ("[flow.web]\nconnections = 3\n", "web.connections", "quic.connections"),
        ("[flow.web]\nrequest = \"4 B\"\n", "web.request", "at least 8 B"),
        ("[flow.web]\n[flow.quic.datagrams]\n", "flow.quic.web", "two flows"),
        ("size = \"1 MB\"\n[flow.quic.datagrams]\n", "flow.quic.size", "stop"),
        ("[flow.quic.datagrams]\npayload = \"1163 B\"\n", "payload", "1162 B"),
        ("[flow.quic]\nlargest_payload = \"1199 B\"\n", "largest_payload", "1200 B"),
        ("[flow.quic]\nstreams = 0\n", "streams", "1"),
        ("[flow.quic]\nstreams = 2\n[flow.quic.datagrams]\n", "quic.streams", "no streams"),
        (
            "[flow.quic]\nconnections = 2\n[flow.quic.datagrams]\n",
            "quic.connections",
            "one connection",
        ),
        ("[flow.quic]\nidle_timeout = \"999 us\"\n", "idle_timeout", "1 ms"),
        ("[flow.quic.datagrams]\ninterval = \"1 us\"\n", "interval", "10 us"),
        ("local_port = 65535\n[flow.quic]\nnew_port = \"1 s\"\n", "local_port", "at most 65534"),
    ];
    for (lines, key, mend) in all {
        let text = wrong(lines);
        assert!(text.contains(key) && text.contains(mend), "{lines}: {text}");
    }
    // Not two kinds of options in one flow.
    let text = format!("{HEAD}[flow.quic]\n").replace("kind = \"quic\"", "kind = \"tcp\"");
    let text = Scenario::parse("s.toml", &text, &[]).expect_err("a mistake").plain();
    assert!(text.contains("use [flow.tcp]"), "{text}");
}
