//! Full buffers in the file: what they need, what does not count with them, and where they go.

use airpath_base::random::Seed;
use airpath_net::Direction;
use airpath_scenario::{Errors, Scenario, world::World};

const HEAD: &str = r#"duration = "1 s"
[[ue]]
name = "phone"
count = 2
snr = "20 dB"
[[flow]]
name = "full"
kind = "full-buffer"
direction = "down"
"#;

fn with(lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{HEAD}{lines}"), &[])
}

fn wrong(text: &str) -> String {
    Scenario::parse("s.toml", text, &[]).expect_err("a mistake").plain()
}

/// Bearers of the flows, and their directions.
fn bearers(lines: &str) -> Vec<(u32, Direction)> {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let again = Scenario::parse("again.toml", &scenario.to_toml(), &[]).map_err(|e| e.plain());
    assert_eq!(again.as_ref(), Ok(&scenario));
    let flows = World::build(&scenario, Seed(1)).expect("a world").facts.flows;
    assert!(flows.iter().all(|flow| flow.tuple.is_none() && flow.bearers[1].is_none()));
    flows.iter().map(|flow| (flow.bearers[0].expect("a bearer").0, flow.direction)).collect()
}

#[test]
fn it_needs_nothing_but_ues() {
    let (down, up) = (Direction::Downlink, Direction::Uplink);
    assert_eq!(bearers(""), [(0, down), (1, down)]);
    let more = "[[flow]]\nname = \"back\"\nkind = \"full-buffer\"\ndirection = \"up\"\n";
    assert_eq!(bearers(more), [(0, down), (1, down), (0, up), (1, up)]);
}

#[test]
fn its_bearer_needs_no_filter() {
    let second = "bearer = \"second\"\n[[bearer]]\nname = \"second\"\nqci = 7\n";
    let down = Direction::Downlink;
    // UE by UE, the default bearer first.
    assert_eq!(bearers(second), [(1, down), (3, down)]);
    let both = format!(
        "{second}[[flow]]\nname = \"other\"\nkind = \"full-buffer\"\ndirection = \"down\"\n"
    );
    assert_eq!(bearers(&both), [(1, down), (3, down), (0, down), (2, down)]);
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let other = "[[flow]]\nname = \"other\"\nkind = \"full-buffer\"\ndirection = \"down\"\n";
    let filter = "[[bearer]]\nname = \"b\"\nqci = 7\n[[bearer.filter]]\ndscp = 0\n";
    let cases = [
        ("size = \"1 MB\"\n", "`flow.full.size` is in a flow of kind \"full-buffer\"", 10),
        ("tos = \"0x14\"\n", "`flow.full.tos` is in", 10),
        ("mark_feedback = false\n", "`flow.full.mark_feedback` is in", 10),
        ("remote_address = \"192.0.2.1\"\n", "`flow.full.remote_address` is in", 10),
        ("[flow.tcp]\n", "`flow.full.tcp` is in", 10),
        ("[flow.rtp]\n", "allowed are name, ue, only, direction, bearer, start, stop", 10),
        ("bearer = \"defualt\"\n", "did you mean \"default\"?", 10),
        ("stop = \"0 s\"\n", "`flow.full.stop`", 10),
        (other, "has the bearer and direction of \"full\" at the same UE", 10),
        (&format!("bearer = \"default\"\n{other}"), "has the bearer and direction of", 11),
        (filter, "matches nothing that is sent", 13),
        (
            "bearer = \"b\"\n[[bearer]]\nname = \"b\"\nonly = \"1\"\nqci = 7\n",
            "is not at each UE of the flow: phone-0 has none",
            10,
        ),
    ];
    for (lines, says, line) in cases {
        let text = wrong(&format!("{HEAD}{lines}"));
        assert!(text.contains(says), "{lines}\n{text}");
        assert!(text.contains(&format!("s.toml:{line}")), "{line}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn it_needs_a_cell_and_packets_need_filters() {
    let wires = "duration = \"1 s\"\nradio = \"none\"\n[[flow]]\nname = \"full\"\n\
                 kind = \"full-buffer\"\ndirection = \"down\"\n";
    let text = wrong(wires);
    assert!(text.contains("`flow.full.kind` needs a radio") && text.contains("s.toml:5"), "{text}");
    let tcp = HEAD.replace("full-buffer", "tcp") + "bearer = \"default\"\n";
    let text = wrong(&tcp);
    assert!(text.contains("`flow.full.bearer` is for no flow of packets"), "{text}");
    assert!(text.contains("s.toml:10") && text.contains("[[bearer.filter]]"), "{text}");
}
