//! Changes while a world runs: allowed values, their meaning, and the messages about faults.

use airpath_base::random::Seed;
use airpath_base::{BearerId, BitRate, Db, Duration, NodeId, Time, UeId};
use airpath_net::{BearerQueue, Change, Direction, Pattern, QueueChange};
use airpath_scenario::change::Controls;
use airpath_scenario::world::World;
use airpath_scenario::{Errors, Scenario};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// Two groups of UEs, a bearer whose queues mark, and flows of all kinds.
const BASE: &str = r#"
duration = "20 s"
[path.sgi]
rate = "50 Mbit/s"
delay = "10 ms"
up.rate = "20 Mbit/s"
[path.s1]
queue = { kind = "step", threshold = "5 ms" }
[cell]
bandwidth = "5 MHz"
[[ue]]
name = "near"
count = 2
snr = "20 dB"
[[ue]]
name = "far"
distance = "500 m"
[[bearer]]
name = "default"
default = true
queue = "ramp"
[[bearer]]
name = "games"
ue = "far"
uplink_marking = {}
queue = "l4span"
filter = [{ protocol = "udp" }]
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
ue = "near"
[[flow]]
name = "upload"
kind = "tcp"
direction = "up"
only = "0"
ue = "near"
[[flow]]
name = "pages"
kind = "tcp"
direction = "down"
requests = { response = "100 kB", period = "50 ms" }
[[flow]]
name = "game"
kind = "rtp"
direction = "up"
ue = "far"
[[flow]]
name = "load"
kind = "full-buffer"
direction = "down"
ue = "near"
"#;

fn parse(changes: &str, overrides: &[&str]) -> Result<Scenario, Errors> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let files = |file: &str| match file {
        "cell.down" => Ok("1\n3\n3\n10\n".to_owned()),
        other => Err(format!("there is no {other}")),
    };
    Scenario::parse_with("s.toml", &format!("{BASE}{changes}"), &overrides, &files)
}

fn scenario(changes: &str) -> Scenario {
    parse(changes, &[]).unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

/// Changes with the names of their nodes.
fn named(world: &World, changes: &[(NodeId, Change)]) -> Vec<(String, Change)> {
    let name = |node| world.engine.name(node).to_owned();
    changes.iter().map(|(node, change)| (name(*node), change.clone())).collect()
}

/// A change: when, what is set, what becomes different.
type Planned = (Duration, Vec<String>, Vec<(NodeId, Change)>);

/// The schedule of a scenario.
fn schedule(scenario: &Scenario, world: &World) -> Vec<Planned> {
    let mut controls = Controls::new(scenario, &world.facts);
    let all = scenario.change.in_order().into_iter();
    let one = all.map(|change| {
        let changes = controls.timed(&change).unwrap_or_else(|e| panic!("{}", e.plain()));
        (change.at, change.set.shown(), changes)
    });
    one.collect()
}

/// Changes of one setting.
fn resolved(text: &str) -> Vec<(String, Change)> {
    let scenario = scenario("");
    let world = World::build(&scenario, Seed(1)).expect("a world");
    let mut controls = Controls::new(&scenario, &world.facts);
    let changes = controls.resolve(text).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    // A change that has been made is not made again.
    assert_eq!(controls.resolve(text).expect("the same"), []);
    named(&world, &changes)
}

fn one(node: &str, change: Change) -> Vec<(String, Change)> {
    vec![(node.to_owned(), change)]
}

fn rate(mbps: u64) -> Change {
    Change::Rate(Some(BitRate::from_mbps(mbps)))
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn links_change_as_their_keys_mean() {
    // The way up has a rate of its own, and the delay of the other.
    assert_eq!(resolved("path.sgi.rate=5 Mbit/s"), one("sgi down", rate(5)));
    assert_eq!(resolved("path.sgi.up.rate=5 Mbit/s"), one("sgi up", rate(5)));
    assert_eq!(resolved("path.sgi.rate=unlimited"), one("sgi down", Change::Rate(None)));
    let delay = Change::Delay(ms(30));
    let both = ["sgi down", "sgi up"].map(|name| (name.to_owned(), delay.clone()));
    assert_eq!(resolved("path.sgi.delay = 30 ms"), both);
    let loss = Change::Loss(Pattern::Every(7));
    assert_eq!(resolved("path.s1.up.loss={ every = 7 }"), one("s1 up", loss));
    let mark = Change::Mark(Pattern::Random(0.5));
    assert_eq!(resolved("path.s1.mark=0.5")[0], ("s1 down".to_owned(), mark));
    let threshold = airpath_net::queue::Threshold::Bytes(9_000);
    let threshold = Change::Queue(QueueChange::Threshold(threshold));
    let both = ["s1 down", "s1 up"].map(|name| (name.to_owned(), threshold.clone()));
    assert_eq!(resolved("path.s1.queue.threshold=9 kB"), both);
}

#[test]
fn groups_change_as_one_and_a_ratio_takes_the_place_of_a_distance() {
    let snr = |ue, direction, db| {
        ("cell".to_owned(), Change::Snr { ue: UeId(ue), direction, snr: Db(db) })
    };
    let all = [(0, DOWN), (0, UP), (1, DOWN), (1, UP)];
    assert_eq!(resolved("ue.near.snr=10 dB"), all.map(|(ue, way)| snr(ue, way, 10.0)));
    assert_eq!(resolved("ue.0.snr.up=3 dB"), [snr(0, UP, 3.0), snr(1, UP, 3.0)]);
    assert_eq!(resolved("ue.far.snr=7.5 dB"), [snr(2, DOWN, 7.5), snr(2, UP, 7.5)]);
}

#[test]
fn a_ratio_that_changes_is_that_of_one_antenna() {
    let base = BASE.replace("name = \"near\"", "name = \"near\"\nreceivers = 2");
    let scenario = Scenario::parse("s.toml", &base, &[]).expect("a scenario");
    let world = World::build(&scenario, Seed(1)).expect("a world");
    let mut controls = Controls::new(&scenario, &world.facts);
    let changes = controls.resolve("ue.near.snr=10 dB").expect("changes");
    let ratios = changes.iter().filter_map(|(_, change)| match change {
        Change::Snr { direction, snr, .. } => Some((*direction, (snr.0 * 100.0).round())),
        _ => None,
    });
    // 10 log10 2 downlink; the cell has one antenna.
    assert_eq!(ratios.collect::<Vec<_>>()[..2], [(DOWN, 1301.0), (UP, 1000.0)]);
}

#[test]
fn bearers_change_for_each_of_their_ues() {
    let queue = |bearer, direction, change| {
        let at = BearerQueue { bearer: BearerId(bearer), flow: 0, direction };
        ("cell".to_owned(), Change::BearerQueue(at, change))
    };
    let off = QueueChange::Marking(false);
    // The default bearer's queue at the UE is drop-tail. UE 2 has bearers 2 and 3.
    let expected = [0, 1, 2].map(|bearer| queue(bearer, DOWN, off));
    assert_eq!(resolved("bearer.default.marking=false"), expected);
    let marker = ("cell".to_owned(), Change::UplinkMarker(BearerId(3), off));
    assert_eq!(resolved("bearer.games.marking=false"), [queue(3, DOWN, off), marker]);
    let low = QueueChange::Low(ms(2));
    let expected = [0, 1, 2].map(|bearer| queue(bearer, DOWN, low));
    assert_eq!(resolved("bearer.default.queue.low=2 ms"), expected);
    let target = QueueChange::Target(ms(20));
    assert_eq!(resolved("bearer.games.queue.target=20 ms"), [queue(3, DOWN, target)]);
    let high = Change::UplinkMarker(BearerId(3), QueueChange::High(ms(40)));
    assert_eq!(resolved("bearer.games.uplink_marking.high=40 ms"), one("cell", high));
}

#[test]
fn controllers_of_queues_aim_at_another_delay() {
    let resolved = |kind: &str, text: &str| {
        let set = [format!("path.s1.queue={{ kind = \"{kind}\" }}")];
        let scenario = parse("", &[&set[0]]).expect("a scenario");
        let mut world = World::build(&scenario, Seed(1)).expect("a world");
        let mut controls = Controls::new(&scenario, &world.facts);
        let changes = controls.resolve(text).unwrap_or_else(|errors| panic!("{}", errors.plain()));
        for (node, change) in &changes {
            world.engine.change(Time::ZERO, *node, change, None).expect("the queue takes it");
        }
        changes.into_iter().map(|(_, change)| change).collect::<Vec<Change>>()
    };
    let both = |change| [Change::Queue(change), Change::Queue(change)];
    for kind in ["codel", "fq-codel", "pie", "dualpi2"] {
        let target = both(QueueChange::Target(ms(30)));
        assert_eq!(resolved(kind, "path.s1.queue.target=30 ms"), target, "{kind}");
    }
    let low = both(QueueChange::Low(ms(1)));
    assert_eq!(resolved("dualpi2", "path.s1.queue.ramp_low=1 ms"), low);
    let linux = "dualpi2\", preset = \"linux";
    let step = airpath_net::queue::Threshold::Delay(ms(3));
    let step = both(QueueChange::Threshold(step));
    assert_eq!(resolved(linux, "path.s1.queue.step=3 ms"), step);
    let scenario = parse("", &["path.s1.queue={ kind = \"dualpi2\" }"]).expect("a scenario");
    let world = World::build(&scenario, Seed(1)).expect("a world");
    let error = Controls::new(&scenario, &world.facts).resolve("path.s1.queue.step=3 ms");
    let error = error.expect_err("it marks by a ramp").plain();
    assert!(error.contains("the queue does not mark by it"), "{error}");
}

#[test]
fn flows_are_paused_where_their_data_are_made_or_asked_for() {
    let off = || Change::Active(false);
    let names = |text: &str| -> Vec<String> {
        let changes = resolved(text);
        assert!(changes.iter().all(|(_, change)| *change == off()));
        changes.into_iter().map(|(name, _)| name).collect()
    };
    let both = ["download near-0 server", "download near-1 server"];
    assert_eq!(names("flow.download.active=false"), both);
    assert_eq!(names("flow.upload.active=false"), ["upload ue"]);
    let three = ["pages near-0 ue", "pages near-1 ue", "pages far ue"];
    assert_eq!(names("flow.pages.active=false"), three);
    assert_eq!(names("flow.3.active=false"), ["game ue"]);
    let full =
        |bearer| Change::FullBuffer { bearer: BearerId(bearer), direction: DOWN, active: false };
    let both = [0, 1].map(|bearer| ("cell".to_owned(), full(bearer)));
    assert_eq!(resolved("flow.load.active=false"), both);
}

#[test]
fn a_schedule_is_in_the_order_of_its_times_and_builds_on_what_was_before() {
    let text = r#"
[[change]]
at = "10 s"
set = { "path.sgi.rate" = "5 Mbit/s", "flow.download.active" = true }
[[change]]
at = "2500 ms"
set = { path.sgi = { rate = "1 Mbit/s", delay = "1 ms" }, flow.download.active = false }
[[change]]
at = "10 s"
set."ue.near.snr" = { down = "3 dB", up = "4 dB" }
"#;
    let with = scenario(text);
    let world = World::build(&with, Seed(1)).expect("a world");
    let schedule = schedule(&with, &world);
    let times: Vec<Duration> = schedule.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [2_500, 10_000, 10_000].map(ms));
    let [first, second, third] = &schedule[..] else { panic!("three") };
    let what =
        ["path.sgi.rate = 1 Mbit/s", "path.sgi.delay = 1 ms", "flow.download.active = false"];
    assert_eq!(first.1, what);
    let nodes = |planned: &Planned| -> Vec<String> {
        named(&world, &planned.2).into_iter().map(|(name, _)| name).collect()
    };
    let flows = ["download near-0 server", "download near-1 server"];
    assert_eq!(nodes(first), [&["sgi down", "sgi down", "sgi up"], &flows[..]].concat());
    assert_eq!(nodes(second), [&["sgi down"], &flows[..]].concat());
    assert_eq!(third.1, ["ue.near.snr = {\"down\":\"3 dB\",\"up\":\"4 dB\"}"]);
    assert_eq!(third.2.len(), 4);
    // It is written and read again as it is, and the schema knows of it.
    let again = Scenario::parse("again.toml", &with.to_toml(), &[]).expect("itself");
    assert_eq!(again, with);
    let schema = Scenario::schema();
    assert!(schema["properties"]["change"]["items"]["properties"]["at"].is_object());
}

#[test]
fn a_schedule_can_be_set_and_nothing_is_there_without_one() {
    let text = "[[change]]\nat = \"10 s\"\nset = { \"path.sgi.rate\" = \"5 Mbit/s\" }\n";
    let overrides = ["change.0.at=3 s", "change.0.set.path.sgi.rate=7 Mbit/s"];
    let set = parse(text, &overrides).expect("a scenario");
    let world = World::build(&set, Seed(1)).expect("a world");
    let schedule = schedule(&set, &world);
    assert_eq!(schedule[0].0, ms(3_000));
    assert_eq!(named(&world, &schedule[0].2), one("sgi down", rate(7)));
    let none = scenario("").to_json();
    assert!(none.get("change").is_none() && !none.to_string().contains("\"active\""));
}

#[test]
fn what_begins_paused_and_unmarked_can_be_switched_on() {
    let off = ["flow.download.active=false", "bearer.default.marking=false"];
    let off = parse("", &off).expect("a scenario");
    let mut world = World::build(&off, Seed(1)).expect("a world");
    let end = Time::from_millis(1_000);
    world.engine.run_until(end, None).expect("a run");
    let sent = |world: &World, name: &str| {
        let node = world.engine.books().find(|(_, known, ..)| *known == name);
        node.map(|(_, _, ledger, _)| ledger.originated.packets).expect("a node")
    };
    assert!(sent(&world, "pages near-0 ue") > 10);
    // Its handshake alone.
    assert!(sent(&world, "download near-0 server") < 5);
    let mut controls = Controls::new(&off, &world.facts);
    for (node, change) in controls.resolve("flow.download.active=true").expect("a change") {
        world.engine.change(end, node, &change, None).expect("a source");
    }
    world.engine.run_until(Time::from_millis(2_000), None).expect("a run");
    let later = sent(&world, "download near-0 server");
    assert!(later > 30, "{later}");
}

fn wrong(set: &str) -> String {
    let text = format!("[[change]]\nat = \"10 s\"\nset = {{ {set} }}\n");
    parse(&text, &[]).expect_err("a mistake").plain()
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    let settings = [
        "\"path.sgi.rate\" = \"5 ms\"",
        "\"path.sgi.rate\" = \"0 Mbit/s\"",
        "\"path.sgi.rat\" = \"5 Mbit/s\"",
        "\"path.s5.rate\" = \"5 Mbit/s\"",
        "\"path.sgi.queue.threshold\" = \"5 ms\"",
        "\"path.s1.loss\" = 3",
        "\"cell.bandwidth\" = \"10 MHz\"",
        "\"ue.nera.snr\" = \"5 dB\"",
        "\"ue.near.snr\" = \"5 Mbit/s\"",
        "\"ue.far.snr.down\" = \"5 dB\"",
        "\"flow.download.active\" = 3",
        "\"flow.download.size\" = \"3 MB\"",
        "\"bearer.default.queue.low\" = \"50 ms\"",
        "\"bearer.games.queue.long_queue\" = \"3 kB\"",
        "\"bearer.games.uplink_queue.low\" = \"3 ms\"",
        "\"path.sgi.rate\" = \"5 ms\", \"ue.near.snr\" = 3",
        "",
    ];
    let mut report: Vec<String> = settings.map(|set| format!("{set}\n  {}", wrong(set))).to_vec();
    let second = "[[change]]\nat = \"2 s\"\nset = {}\n[[change]]\nset.\"path.sgi.rate\" = 3\n";
    report.push(parse(second, &[]).expect_err("two mistakes").plain());
    let none = ["bearer.default.queue=codel", "bearer.default.marking=true"];
    report.push(parse("", &none).expect_err("nothing marks").plain());
    insta::assert_snapshot!(report.join("\n"));
}

#[test]
fn links_with_recorded_capacity_keep_it() {
    let text = BASE.replace("rate = \"50 Mbit/s\"\n", "capacity = \"cell.down\"\n");
    let files = |_: &str| Ok("1\n3\n3\n10\n".to_owned());
    let change = "[[change]]\nat = \"1 s\"\nset = { \"path.sgi.delay\" = \"3 ms\" }\n";
    let fine = Scenario::parse_with("s.toml", &format!("{text}{change}"), &[], &files);
    let fine = fine.expect("a scenario");
    let world = World::build(&fine, Seed(1)).expect("a world");
    let mut controls = Controls::new(&fine, &world.facts);
    assert_eq!(schedule(&fine, &world)[0].2.len(), 2);
    let said = controls.resolve("path.sgi.rate=5 Mbit/s").expect_err("recorded").plain();
    assert_eq!(
        said,
        "change:1: `path.sgi.rate` cannot change (the link has recorded capacity, which is its \
         rate)"
    );
    assert_eq!(controls.resolve("path.sgi.up.rate=5 Mbit/s").expect("a rate").len(), 1);
}

#[test]
fn a_network_has_no_ratios_and_a_wire_no_radio() {
    let network = airpath_scenario::template("network").expect("a template").text;
    let scenario = Scenario::parse("network.toml", network, &[]).expect("a scenario");
    let group = &scenario.ue[0].name;
    let facts = airpath_scenario::world::Facts::default();
    let mut controls = Controls::new(&scenario, &facts);
    let said = controls.resolve(&format!("ue.{group}.snr=5 dB")).expect_err("a network").plain();
    assert_eq!(
        said,
        format!(
            "change:1: `ue.{group}.snr` is no key of a network (the links of a network follow \
             from where its UEs are dropped)"
        )
    );
    let wires = "duration = \"1 s\"\nradio = \"none\"\npath.sgi.delay = \"1 ms\"\n";
    let wires = Scenario::parse("wires.toml", wires, &[]).expect("a scenario");
    let mut controls = Controls::new(&wires, &facts);
    let said = |text: &str| controls.resolve(text).expect_err("a mistake").plain();
    let texts =
        ["ue.host.snr=5 dB", "path.s1.rate=5 Mbit/s", "path.sgi.rate", "=5", "path.sgi.rate="];
    insta::assert_snapshot!(texts.map(said).join("\n"));
}

#[test]
fn keys_that_can_change_are_named() {
    let scenario = scenario("");
    let controls = Controls::new(&scenario, &airpath_scenario::world::Facts::default());
    let keys = controls.keys();
    for key in ["path.sgi.rate", "path.s1.up.mark", "ue.far.snr", "flow.load.active"] {
        assert!(keys.iter().any(|known| known == key), "{key}: {keys:?}");
    }
    let marking: Vec<_> = keys.iter().filter(|key| key.ends_with("marking")).collect();
    assert_eq!(marking, ["bearer.default.marking", "bearer.games.marking"]);
}
