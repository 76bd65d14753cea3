//! A proxy in the file: its position, the flows that pass it, and the messages about faults.

use airpath_base::random::Seed;
use airpath_base::{FlowId, NodeId, Time};
use airpath_net::{AppEvent, Event, Probe};
use airpath_scenario::{Errors, ProxyPlace, Scenario, world::World};

const LTE: &str = r#"
duration = "1 s"
[path.sgi]
delay = "10 ms"
[path.s1]
[cell]
resource_blocks = 25
[[ue]]
name = "ue"
snr = "20 dB"
[[flow]]
name = "web"
kind = "tcp"
direction = "down"
remote_port = 80
[[flow]]
name = "other"
kind = "tcp"
direction = "down"
"#;

fn wires() -> String {
    let flows = LTE.find("[[flow]]").map_or("", |at| &LTE[at..]);
    format!("duration = \"1 s\"\nradio = \"none\"\n[path.sgi]\nrate = \"50 Mbit/s\"\n{flows}")
}

fn with(head: &str, lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{head}{lines}"), &[])
}

/// Names of the flows and links of the world.
fn world(head: &str, lines: &str) -> (Scenario, Vec<String>, Vec<String>) {
    let scenario = with(head, lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let facts = World::build(&scenario, Seed(1)).expect("a world").facts;
    let flows = facts.flows.into_iter().map(|flow| flow.name).collect();
    (scenario, flows, facts.links.into_iter().map(|link| link.name).collect())
}

#[test]
fn a_split_flow_counts_as_two() {
    let (scenario, flows, links) = world(LTE, "[path.proxy]\nremote_port = 80\n");
    assert_eq!(flows, ["web", "other", "web beyond proxy"]);
    assert_eq!(links, ["sgi down", "sgi up", "s1 down", "s1 up"]);
    let proxy = scenario.path.proxy.expect("a proxy");
    assert_eq!(proxy.at, Some(ProxyPlace::Gateway));
    assert!(proxy.link.is_none() && proxy.ue.is_some() && proxy.server.is_some());
    let (_, flows, _) = world(LTE, "[path.proxy]\nflow = [\"other\"]\n");
    assert_eq!(flows, ["web", "other", "other beyond proxy"]);
    let (_, flows, _) = world(LTE, "[path.proxy]\n");
    assert_eq!(flows, ["web", "other", "web beyond proxy", "other beyond proxy"]);
}

#[test]
fn on_the_servers_side_it_has_a_link_of_its_own() {
    let (_, _, links) = world(LTE, "[path.proxy]\nat = \"servers\"\nlink = { delay = \"5 ms\" }\n");
    assert_eq!(links[..4], ["sgi down", "sgi up", "proxy down", "proxy up"]);
    let (scenario, _, links) = world(&wires(), "[path.proxy]\n");
    assert_eq!(scenario.path.proxy.and_then(|proxy| proxy.at), Some(ProxyPlace::Servers));
    assert_eq!(links, ["sgi down", "sgi up", "proxy down", "proxy up"]);
}

/// Bytes that the UE's end of the first flow has read after a second.
fn read_by_first(head: &str, lines: &str) -> u64 {
    struct Read(u64);
    impl Probe for Read {
        fn on(&mut self, _now: Time, _node: NodeId, event: &Event<'_>) {
            if let Event::App(FlowId(0), AppEvent::Delivered { bytes }) = event {
                self.0 += bytes;
            }
        }
    }
    let scenario = with(head, lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    let mut read = Read(0);
    world.engine.run_until(Time::from_millis(1000), Some(&mut read)).expect("a run");
    world.engine.audit().expect("books that close");
    read.0
}

#[test]
fn data_pass_it_wherever_it_stands() {
    let link = "[path.proxy]\nat = \"servers\"\nlink = { delay = \"5 ms\" }\n";
    for head in [LTE, &wires()] {
        for lines in ["[path.proxy]\n", link] {
            assert!(read_by_first(head, lines) > 100_000, "{head}{lines}");
        }
    }
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let lte = |lines: &str| with(LTE, lines).expect_err("a mistake").plain();
    let cases = [
        (
            "[path.proxy]\nlink = { delay = \"1 ms\" }\n",
            "is not there with a proxy at the gateway",
            21,
        ),
        ("[path.proxy]\nflow = \"wep\"\n", "did you mean \"web\"?", 21),
        ("[path.proxy]\nremote_port = 8080\n", "splits no flow", 20),
        ("[path.proxy.ue]\nread_rate = \"1 Mbit/s\"\n", "is not for a proxy", 21),
        ("[path.proxy.server]\nopened_by = \"server\"\n", "is not for a proxy", 21),
        ("[path.proxy.server]\nmin_rto = \"70 s\"\n", "is above max_rto", 21),
        ("[output]\npcap = [\"proxy\"]\n", "is at a proxy, and there is none", 21),
    ];
    for (lines, says, line) in cases {
        let text = lte(lines);
        assert!(text.contains(says), "{lines}\n{text}");
        assert!(text.contains(&format!("s.toml:{line}")), "{line}: {text}");
    }
    let text = with(&wires(), "[path.proxy]\nat = \"gateway\"\n").expect_err("a mistake").plain();
    assert!(text.contains("which needs a radio"), "{text}");
}
