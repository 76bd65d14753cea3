//! The world that a scenario becomes.

use airpath_base::random::Seed;
use airpath_base::{Duration, NodeId, Time};
use airpath_net::{Event, PointId, Probe, TunnelKind};
use airpath_scenario::world::{FlowFacts, World};
use airpath_scenario::{RlcMode, Scenario, Timer};

const TEXT: &str = r#"
duration = "1 s"
[path]
ipsec = {}
s5 = { delay = "1 ms" }
[[ue]]
name = "phone"
count = 2
snr = "30 dB"
[[bearer]]
name = "voice"
qci = 1
filter = [{ dscp = "EF" }]
[[flow]]
name = "call"
kind = "rtp"
direction = "down"
dscp = "EF"
[[flow]]
name = "upload"
kind = "rtp"
direction = "up"
only = "1"
[output]
pcap = ["server", "sgi", "s1", "ue"]
"#;

/// Kinds of packets that passed a point: down, up, and the outermost header.
#[derive(Default)]
struct Seen(Vec<(PointId, bool, &'static str)>);

impl Probe for Seen {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        let Event::Passed { point, packet } = event else { return };
        let outer = match packet.outermost().map(|outer| outer.kind) {
            None => "plain",
            Some(TunnelKind::Gtpu { .. }) => "gtpu",
            Some(TunnelKind::Esp { .. }) => "esp",
        };
        let seen = (*point, packet.tuple.src.port >= 49_152, outer);
        if !self.0.contains(&seen) {
            self.0.push(seen);
        }
    }
}

fn seen(text: &str) -> Vec<(PointId, bool, &'static str)> {
    let scenario = Scenario::parse("world.toml", text, &[]).expect("a valid scenario");
    let mut world = World::build(&scenario, Seed(1)).expect("a world");
    let mut seen = Seen::default();
    world.engine.run_until(Time::from_millis(1_000), Some(&mut seen)).expect("a run");
    seen.0.sort();
    seen.0
}

#[test]
fn each_point_sees_both_directions() {
    let expected = |s1| {
        let kinds = ["plain", "plain", s1, "plain"];
        let points = (0..).map(PointId).zip(kinds);
        let both = points.flat_map(|(point, kind)| [(point, false, kind), (point, true, kind)]);
        both.collect::<Vec<_>>()
    };
    assert_eq!(seen(TEXT), expected("esp"));
    assert_eq!(seen(&TEXT.replace("ipsec = {}", "")), expected("gtpu"));
}

#[test]
fn flows_and_bearers_are_numbered_ue_by_ue() {
    let scenario = Scenario::parse("world.toml", TEXT, &[]).expect("a valid scenario");
    let facts = World::build(&scenario, Seed(1)).expect("a world").facts;
    let bearers: Vec<_> = facts.bearers.iter().map(|b| (&*b.name, b.ue.0, b.teid)).collect();
    assert_eq!(bearers, [("default", 0, 1), ("voice", 0, 2), ("default", 1, 3), ("voice", 1, 4)]);
    let bearer = |f: &FlowFacts| f.bearers[0].expect("a bearer").0;
    let flows: Vec<_> = facts.flows.iter().map(|f| (&*f.name, f.ue.0, bearer(f))).collect();
    assert_eq!(flows, [("call phone-0", 0, 1), ("call phone-1", 1, 3), ("upload", 1, 2)]);
}

#[test]
fn a_5qi_configures_its_bearer_and_reads_back() {
    let text = TEXT.replace("qci = 1", "five_qi = 85\nguaranteed_bit_rate = \"1 Mbit/s\"");
    let scenario = Scenario::parse("world.toml", &text, &[]).expect("a valid scenario");
    let voice = scenario.bearer.iter().find(|bearer| bearer.name == "voice").expect("a bearer");
    assert_eq!((voice.qci, voice.priority, voice.group), (None, Some(8), Some(1)));
    let default = scenario.bearer.iter().find(|bearer| bearer.default).expect("a bearer");
    assert_eq!((default.qci, default.five_qi), (Some(9), None));
    // 3 ms of radio budget: UM and the timer of 4 ms.
    assert_eq!(voice.rlc, Some(RlcMode::Um));
    assert_eq!(voice.discard_timer, Some(Timer::After(Duration::from_millis(4))));
    let again = Scenario::parse("world.toml", &scenario.to_toml(), &[]).expect("a valid scenario");
    assert_eq!(again, scenario);
    let facts = World::build(&scenario, Seed(1)).expect("a world").facts;
    let classes: Vec<_> = facts.bearers.iter().map(|b| (&*b.name, b.qci, b.five_qi)).collect();
    assert_eq!(classes[..2], [("default", 9, None), ("voice", 85, Some(85))]);
}
