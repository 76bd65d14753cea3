//! Players and requests in the file: allowed values, their meaning, and the messages about faults.

use airpath_base::{Bytes, Duration, NodeId, Time};
use airpath_net::{AppEvent, Event, Probe};
use airpath_scenario::{Errors, Flow, Scenario, world::World};

const HEAD: &str = r#"
duration = "1 s"
radio = "none"
path.sgi.rate = "50 Mbit/s"
[[flow]]
name = "app"
kind = "tcp"
direction = "down"
"#;

fn with(lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{HEAD}{lines}"), &[])
}

fn flows(lines: &str) -> Vec<Flow> {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    World::build(&scenario, airpath_base::random::Seed(1)).expect("a world");
    scenario.flow
}

fn wrong(lines: &str) -> String {
    with(lines).expect_err("a mistake").plain()
}

#[test]
fn defaults_follow_from_other_keys() {
    let flow = &flows("[flow.player]\nbit_rate = \"1 Mbit/s\"\nstart = \"3 s\"\n")[0];
    let player = flow.player.as_ref().expect("a player");
    let chunk = player.chunk.as_ref().expect("a chunk");
    assert_eq!((chunk.min, chunk.max), (Bytes(1_000_000), Bytes(1_000_000)));
    let secs = |n| Some(Duration::from_secs(n));
    assert_eq!((player.resume, player.burst), (secs(3), secs(20)));
    assert_eq!((flow.size, flow.ports()), (None, 1));
    // One that holds back by not reading asks for all at once.
    let reads = "[flow.player]\nbit_rate = \"1 Mbit/s\"\nthrottle = \"reads\"\n";
    assert!(flows(reads)[0].player.as_ref().is_some_and(|player| player.chunk.is_none()));
}

#[test]
fn flows_of_several_connections_have_ports_of_their_own() {
    let lines = "
        [flow.requests]
        response = { min = \"1 kB\", max = \"9 kB\" }
        think = { min = \"1 s\", max = \"2 s\" }
        connections = 4
        [[flow]]
        name = \"other\"
        kind = \"tcp\"
        direction = \"down\"
        local_port = 49_170
        [[flow]]
        name = \"third\"
        kind = \"tcp\"
        direction = \"down\"
        [flow.player]
        bit_rate = \"1 Mbit/s\"
        requests_per_connection = 1
        [[flow]]
        name = \"fourth\"
        kind = \"tcp\"
        direction = \"down\"
        ";
    let ports: Vec<_> = flows(lines).iter().map(|f| (f.local_port, f.ports())).collect();
    let ports: Vec<_> = ports.into_iter().map(|(port, n)| (port.expect("a port"), n)).collect();
    assert_eq!(ports, [(49_152, 16), (49_170, 1), (49_171, 16), (49_187, 1)]);
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let player = "[flow.player]\nbit_rate = \"1 Mbit/s\"\n";
    let requests = "[flow.requests]\nresponse = \"1 kB\"\n";
    let cases = [
        (format!("size = \"1 MB\"\n{player}"), "is beside player", 9),
        (format!("{player}low = \"30 s\"\n"), "`flow.app.player.low` is above high", 11),
        (format!("{player}start = \"30 s\"\n"), "is never reached", 11),
        (format!("{player}resume = \"30 s\"\n"), "is never reached after a stall", 11),
        (format!("{player}chunk = {{ min = \"2 MB\", max = \"1 MB\" }}\n"), "is less than min", 11),
        (
            format!("{player}throttle = \"reads\"\n[flow.tcp]\nread_rate = \"1 Mbit/s\"\n"),
            "and so does tcp.read_rate",
            11,
        ),
        (format!("{player}[flow.tcp]\nopened_by = \"server\"\n"), "is not who asks", 12),
        (format!("{player}{requests}period = \"1 s\"\n"), "is beside player", 11),
        (requests.to_owned(), "has no time between its rounds", 9),
        (format!("{requests}period = \"1 s\"\nthink = \"1 s\"\n"), "is beside period", 12),
        (
            format!("local_port = 65530\n{requests}period = \"1 s\"\nconnections = 2\n"),
            "is the first of 16 ports",
            9,
        ),
        ("[flow.player]\n".to_owned(), "lacks `bit_rate`", 9),
    ];
    for (lines, says, line) in cases {
        let text = wrong(&lines);
        assert!(text.contains(says), "{lines}\n{text}");
        assert!(text.contains(&format!("s.toml:{line}")), "{line}: {text}");
    }
}

#[test]
fn only_who_receives_can_ask() {
    let up = HEAD.replace("down", "up") + "[flow.requests]\nresponse = \"1 kB\"\ncount = 1\n";
    let errors = Scenario::parse("s.toml", &up, &[]).expect_err("a mistake").plain();
    assert!(errors.contains("is not that of what a UE asks for"), "{errors}");
    let rtp = HEAD.replace("tcp", "rtp") + "[flow.requests]\nresponse = \"1 kB\"\ncount = 1\n";
    let errors = Scenario::parse("s.toml", &rtp, &[]).expect_err("a mistake").plain();
    assert!(errors.contains("is in a flow of another kind"), "{errors}");
}

#[test]
fn packets_with_answers_show_their_round_trip() {
    #[derive(Default)]
    struct Trips(Vec<Option<Duration>>);
    impl Probe for Trips {
        fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
            if let Event::App(_, AppEvent::Exchange(exchange)) = event {
                self.0.push(exchange.done.map(|done| done.since(exchange.asked)));
            }
        }
    }
    let text = "duration = \"1 s\"\nradio = \"none\"\npath.sgi.delay = \"10 ms\"\n[[flow]]\n\
        name = \"control\"\nkind = \"rtp\"\ndirection = \"up\"\n[flow.rtp]\ninterval = \"10 ms\"\n";
    let with = |line: &str| Scenario::parse("s.toml", &format!("{text}{line}\n"), &[]);
    let scenario = with("answer = { payload = \"100 B\", delay = \"1 ms\" }").expect("valid");
    let mut world = World::build(&scenario, airpath_base::random::Seed(1)).expect("a world");
    let mut trips = Trips::default();
    let end = Time::from_millis(1_000);
    world.engine.run_until(end, Some(&mut trips)).expect("a run");
    world.engine.finish(Some(&mut trips)).expect("an end");
    // Of 101, the last at the end itself, 98 are answered by then, each after 21 ms.
    let answered = trips.0.iter().flatten().count();
    assert_eq!((trips.0.len(), answered), (101, 98));
    assert!(trips.0.iter().flatten().all(|trip| *trip == Duration::from_millis(21)));
    let plain = with("answer = \"60 B\"").expect("valid");
    let answer = plain.flow[0].rtp.as_ref().and_then(|rtp| rtp.answer.clone()).expect("answers");
    assert_eq!((answer.payload, answer.delay), (Bytes(60), Duration::ZERO));
    for (line, says) in [
        ("answer = \"11 B\"", "is too small: 11 B"),
        ("answer = \"60 B\"\n[flow.rtp.video]", "is not for video"),
    ] {
        let text = with(line).expect_err("a mistake").plain();
        assert!(text.contains(says) && text.contains("s.toml:10"), "{text}");
    }
}
