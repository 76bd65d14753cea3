//! Scenarios without a radio.

use airpath_base::random::Seed;
use airpath_scenario::world::World;
use airpath_scenario::{EcnOption, Pattern, RadioKind, Scenario};

const TEXT: &str = r#"
duration = "1 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

fn read(text: &str) -> Scenario {
    Scenario::parse("wires.toml", text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

#[test]
fn a_host_takes_the_place_of_the_cell() {
    let scenario = read(TEXT);
    assert_eq!(scenario.radio, RadioKind::None);
    assert!(scenario.cell.is_none() && scenario.path.s1.is_none() && scenario.bearer.is_empty());
    let facts = World::build(&scenario, Seed(1)).expect("a world").facts;
    assert_eq!(facts.ues.iter().map(|ue| ue.name.as_str()).collect::<Vec<_>>(), ["host"]);
    assert!(facts.radio.is_none() && facts.cells.is_empty() && facts.bearers.is_empty());
    let links: Vec<&str> = facts.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links, ["sgi down", "sgi up"]);
    assert_eq!(facts.flows[0].bearers, [None, None]);
}

#[test]
fn hosts_can_be_several_and_the_file_reads_again() {
    let text = format!("{TEXT}\n[[ue]]\nname = \"client\"\ncount = 3\n");
    let scenario = read(&text);
    let facts = World::build(&scenario, Seed(1)).expect("a world").facts;
    assert_eq!((facts.ues.len(), facts.flows.len()), (3, 3));
    for scenario in [scenario, read(TEXT)] {
        assert_eq!(read(&scenario.to_toml()), scenario);
    }
}

#[test]
fn what_needs_a_radio_is_an_error_at_its_line() {
    let more = [
        ("[cell]\n", "`cell`"),
        ("[path.s1]\n", "`path.s1`"),
        ("[path.s5]\n", "`path.s5`"),
        ("[path.ipsec]\n", "`path.ipsec`"),
        ("[path]\ngateway_delay = \"1 ms\"\n", "`path.gateway_delay`"),
        ("[[ue]]\nname = \"a\"\nsnr = \"20 dB\"\n", "`ue.a.snr`"),
        ("[[ue]]\nname = \"a\"\ndistance = \"20 m\"\n", "`ue.a.distance`"),
        ("[[bearer]]\nname = \"b\"\ndefault = true\n", "`bearer`"),
        ("[output]\npcap = [\"s1\"]\n", "no end of the link"),
        ("[output]\npcap = [\"mac\"]\n", "needs a radio"),
    ];
    for (lines, wanted) in more {
        let text = match lines.strip_prefix("[path]\n") {
            Some(key) => TEXT.replace("[path.sgi]", &format!("[path]\n{key}[path.sgi]")),
            None => format!("{TEXT}{lines}"),
        };
        let errors = Scenario::parse("wires.toml", &text, &[]).expect_err(lines);
        let report = errors.to_string() + &format!("{errors:?}");
        assert!(report.contains(wanted), "{lines}: {report}");
        assert!(report.contains("wires.toml:"), "{lines}: {report}");
    }
}

#[test]
fn a_path_on_which_tcp_would_never_end_an_instant_is_an_error() {
    let ideal = TEXT.replace("rate = \"10 Mbit/s\"\n", "");
    let errors = Scenario::parse("wires.toml", &ideal, &[]).expect_err("no limit");
    assert!(errors.plain().contains("`path.sgi` lets TCP send without end"), "{errors:?}");
    for key in ["delay = \"1 ms\"", "up.rate = \"1 Mbit/s\"", "up.delay = \"1 ms\""] {
        read(&ideal.replace("[path.sgi]", &format!("[path.sgi]\n{key}")));
    }
}

#[test]
fn with_a_radio_all_is_as_it_was() {
    let text = TEXT.replace("radio = \"none\"", "");
    let errors = Scenario::parse("wires.toml", &text, &[]).expect_err("no UE");
    assert!(format!("{errors:?}").contains("`ue` is missing"));
    let scenario = read(&format!("{text}[[ue]]\nname = \"a\"\nsnr = \"20 dB\"\n"));
    assert!(scenario.cell.is_some() && scenario.path.s1.is_some());
}

#[test]
fn losses_and_marks_are_random_or_periodic_and_each_way_may_have_its_own() {
    let keys = "rate = \"10 Mbit/s\"\nloss = { every = 1000 }\nmark = 0.25\nup = { loss = 0 }\n";
    let scenario = read(&TEXT.replace("rate = \"10 Mbit/s\"\n", keys));
    let (down, up) = (scenario.path.sgi.down(), scenario.path.sgi.up());
    assert_eq!((down.loss, up.loss), (Pattern::Every(1000), Pattern::Random(0.0)));
    assert_eq!((down.mark, up.mark), (Pattern::Random(0.25), Pattern::Random(0.25)));
    assert_eq!(read(&scenario.to_toml()), scenario);
    let overrides = ["path.sgi.loss={ every = 7 }", "path.sgi.mark.every=9"].map(str::to_owned);
    let changed = Scenario::parse("wires.toml", TEXT, &overrides).expect("valid");
    let down = changed.path.sgi.down();
    assert_eq!((down.loss, down.mark), (Pattern::Every(7), Pattern::Every(9)));
}

#[test]
fn the_option_is_stripped_where_it_can_be_seen() {
    let with = |line: &str| Scenario::parse("s.toml", &format!("{TEXT}{line}"), &[]);
    let stripped = with("[path.sgi.up]\necn_option = \"strip\"\n").expect("a scenario");
    assert_eq!(stripped.path.sgi.up().ecn_option, EcnOption::Strip);
    assert_eq!(stripped.path.sgi.down().ecn_option, EcnOption::Keep);
    let radio = TEXT.replace("radio = \"none\"", "") + "[[ue]]\nname = \"a\"\nsnr = \"20 dB\"\n";
    let text = format!("{radio}[path.s1]\necn_option = \"strip\"\n");
    let errors = Scenario::parse("s.toml", &text, &[]).expect_err("GTP-U hides it");
    assert!(errors.plain().contains("path.s1.ecn_option"), "{errors:?}");
}
