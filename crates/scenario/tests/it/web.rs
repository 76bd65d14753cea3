//! Users of the web in the file: what may be written, what it means, and that their pages do
//! not depend on the network.

use airpath_base::random::Seed;
use airpath_base::{Bytes, Duration, NodeId, Time};
use airpath_net::{AppEvent, Event, PageLoad, Probe};
use airpath_scenario::{Beyond, ControllerName, Errors, Scenario, Web, world::World};

const HEAD: &str = r#"
duration = "20 s"
[[ue]]
name = "reader"
count = 3
snr = "15 dB"
[[flow]]
name = "web"
kind = "tcp"
direction = "down"
"#;

fn with(head: &str, lines: &str) -> Result<Scenario, Errors> {
    Scenario::parse("s.toml", &format!("{head}{lines}"), &[])
}

fn valid(head: &str, lines: &str) -> Scenario {
    with(head, lines).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

fn web(lines: &str) -> Web {
    valid(HEAD, lines).flow[0].web.clone().expect("a user of the web")
}

/// Pages of the flows of a run.
#[derive(Default)]
struct Read([Vec<PageLoad>; 3]);

impl Probe for Read {
    fn on(&mut self, _: Time, _: NodeId, event: &Event<'_>) {
        if let Event::App(flow, AppEvent::Page(page)) = event {
            self.0[flow.index()].push(*page);
        }
    }
}

fn read(scenario: &Scenario) -> [Vec<PageLoad>; 3] {
    let mut world = World::build(scenario, Seed(3)).expect("a world");
    let mut read = Read::default();
    let end = Time::from_nanos(scenario.duration.as_nanos());
    world.engine.run_until(end, Some(&mut read)).expect("a run");
    world.engine.finish(Some(&mut read)).expect("an end");
    world.engine.audit().expect("books that close");
    read.0
}

#[test]
fn two_cells_and_two_controllers_have_the_same_pages() {
    let usual = read(&valid(HEAD, "[flow.web]\n"));
    let slow = HEAD.replace("15 dB", "2 dB");
    let other = "[flow.web]\n[flow.tcp]\ncontroller = \"newreno\"\n[cell]\nresource_blocks = 15\n";
    let other = read(&valid(&slow, other));
    for (a, b) in usual.iter().zip(&other) {
        let done = |pages: &[PageLoad]| pages.iter().filter(|page| page.done.is_some()).count();
        assert!(done(a) >= 3 && done(b) >= 1 && done(a) > done(b), "{} {}", done(a), done(b));
        for (a, b) in a.iter().zip(b) {
            assert_eq!((a.number, a.objects, a.bytes), (b.number, b.objects, b.bytes));
        }
        let away = |pages: &[PageLoad]| -> Vec<Duration> {
            let away = |pair: &[PageLoad]| pair[1].asked.saturating_since(pair[0].done.unwrap());
            pages.windows(2).map(away).collect()
        };
        assert!(away(a).iter().zip(away(b)).all(|(a, b)| *a == b), "reading time");
        // A page that was under way at the end is reported as not done.
        let open = |pages: &[PageLoad]| pages.len() - done(pages);
        assert!(open(a) <= 1 && open(b) <= 1);
    }
    let first = usual.each_ref().map(|pages| pages[0].bytes);
    assert!(first[0] != first[1] && first[1] != first[2], "each UE reads pages of its own");
}

#[test]
fn defaults_are_those_of_the_thesis_and_its_source() {
    let usual = web("[flow.web]\n");
    let bytes = |n| Some(Bytes(n));
    let sizes = |size: &airpath_scenario::PageSize| [size.mean, size.deviation, size.min, size.max];
    assert_eq!(sizes(&usual.index), [10_710, 25_032, 100, 2_000_000].map(bytes));
    assert_eq!(sizes(&usual.object), [7_758, 126_168, 50, 2_000_000].map(bytes));
    assert_eq!((usual.objects.location, usual.objects.shape, usual.connections), (15.0, 3.1, 6));
    let reading = usual.reading.expect("a time for reading");
    let secs = Duration::from_secs;
    assert_eq!((reading.mean, reading.max, reading.beyond), (secs(5), secs(7), Beyond::Clamp));
    let tcp = valid(HEAD, "[flow.web]\n").flow[0].tcp.clone().expect("options of TCP");
    assert_eq!((tcp.controller, tcp.initial_window), (ControllerName::Cubic, 10));
    let normal = web("[flow.web]\nsizes = \"normal\"\nindex = { deviation = \"158 B\" }\n");
    assert_eq!(sizes(&normal.index), [10_710, 158, 1, 2_000_000].map(bytes));
    assert_eq!(sizes(&normal.object)[2], bytes(1));
    let clock = web("[flow.web]\ninterval = \"4 s\"\n");
    assert_eq!((clock.interval, clock.reading), (Some(secs(4)), None));
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let cases = [
        ("[flow.web]\ninterval = \"4 s\"\nreading = {}\n", "is beside interval", 13),
        (
            "[flow.web]\ninterval = \"4 s\"\nsessions = { pages = 3, pause = \"1 s\" }\n",
            "is beside interval",
            13,
        ),
        ("size = \"1 MB\"\n[flow.web]\n", "is beside web", 11),
        ("[flow.web]\n[flow.requests]\nresponse = \"1 kB\"\ncount = 1\n", "is beside requests", 11),
        ("[flow.web]\nconnections = 9\n", "is too large: 9", 12),
        ("[flow.web]\nindex = { min = \"3 MB\" }\n", "is above max", 12),
        ("[flow.web]\nobject = { min = \"1900 kB\" }\n", "of its sizes within its bounds", 12),
        ("[flow.web]\nobjects = { location = 50, max = 20 }\n", "is above max", 12),
        ("[flow.web]\nsessions = { pages = 0.5, pause = \"1 s\" }\n", "is too small: 0.5", 12),
    ];
    for (lines, says, line) in cases {
        let text = with(HEAD, lines).expect_err("a mistake").plain();
        assert!(text.contains(says), "{lines}\n{text}");
        assert!(text.contains(&format!("s.toml:{line}")), "{line}: {text}");
    }
}
