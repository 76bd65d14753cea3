//! Queues and recorded capacity in the file: allowed values, their meaning, and the messages about
//! faults.

use airpath_base::Duration;
use airpath_base::random::Seed;
use airpath_scenario::{
    Chance, Errors, NativeMarking, QueueConfig, Scenario, Threshold, template, world::World,
};

const WITHOUT: &str = "queue = \"100 packets\"";

/// A template with another queue on its S1 link, or other lines instead.
fn with(lines: &str) -> Result<Scenario, Errors> {
    let text = template("lte-6rb").expect("a template").text;
    assert!(text.contains(WITHOUT));
    let files = |file: &str| match file {
        "cell.down" => Ok("1\n3\n3\n10\n".to_owned()),
        "bad.down" => Ok("1\n3\n2\n".to_owned()),
        other => Err(format!("there is no {other}")),
    };
    Scenario::parse_with("s.toml", &text.replacen(WITHOUT, lines, 1), &[], &files)
}

fn queue(lines: &str) -> QueueConfig {
    let scenario = with(lines).unwrap_or_else(|errors| panic!("{}", errors.plain()));
    let [sgi, s1] = [Some(&scenario.path.sgi), scenario.path.s1.as_ref()]
        .map(|link| link.expect("a link").queue.clone());
    let drop_tail = |queue: &QueueConfig| matches!(queue, QueueConfig::DropTail(_));
    if drop_tail(&sgi) { s1 } else { sgi }
}

fn wrong(lines: &str) -> String {
    with(lines).expect_err("a mistake").plain()
}

const KINDS: [&str; 10] =
    ["drop-tail", "red", "codel", "pie", "fq-codel", "dualpi2", "step", "ramp", "age", "l4span"];

#[test]
fn each_kind_may_be_a_word_or_a_table_and_reads_back_as_itself() {
    for kind in KINDS {
        let word = with(&format!("queue = \"{kind}\"")).expect("a word");
        let table = with(&format!("queue = {{ kind = \"{kind}\" }}")).expect("a table");
        assert_eq!(word, table);
        let json = word.to_json().to_string();
        assert!(json.contains(&format!("{{\"kind\":\"{kind}\"")), "{json}");
        World::build(&word, airpath_base::random::Seed(1)).expect("a world");
    }
}

#[test]
fn options_of_one_kind_are_not_those_of_another() {
    let QueueConfig::Pie(pie) = queue("queue = { kind = \"pie\", target = \"5 ms\", ecn = false }")
    else {
        panic!("a PIE queue");
    };
    assert_eq!((pie.target, pie.update), (Duration::from_millis(5), Duration::from_millis(15)));
    let QueueConfig::Step(step) = queue("queue = { kind = \"step\", threshold = \"20 packets\" }")
    else {
        panic!("a step");
    };
    assert!(matches!(step.threshold, Threshold::Packets(20)));
    insta::assert_snapshot!(wrong("queue = { kind = \"codel\", burst = \"5 ms\" }"));
}

#[test]
fn a_preset_decides_what_the_file_does_not() {
    let dual = |lines: &str| match queue(lines) {
        QueueConfig::DualPi2(dual) => dual,
        other => panic!("{other:?}"),
    };
    let rfc = dual("queue = \"dualpi2\"");
    assert_eq!(rfc.marking, Some(NativeMarking::Ramp));
    assert_eq!(
        rfc.dscp.as_ref().map(|list| list.iter().map(|dscp| dscp.0).collect()),
        Some(vec![45])
    );
    let linux = dual("queue = { kind = \"dualpi2\", preset = \"linux\", dscp = [\"NQB\", 3] }");
    assert_eq!(linux.marking, Some(NativeMarking::Step));
    assert_eq!(linux.decision, Some(Chance::Random));
    assert_eq!(linux.dscp.map(|list| list.len()), Some(2));
}

#[test]
fn mistakes_point_at_their_line_and_say_what_is_allowed() {
    insta::assert_snapshot!(
        [
            wrong("queue = \"dualpi\""),
            wrong("queue = { kind = \"cake\" }"),
            wrong("queue = \"5 ms\""),
            wrong("queue = { kind = \"red\", max = \"3 packets\" }"),
            wrong("queue = { kind = \"red\", max = \"30 kB\" }"),
            wrong("queue = { kind = \"red\", weight = 0 }"),
            wrong("queue = { kind = \"dualpi2\", ramp_low = \"2 ms\" }"),
            wrong("queue = { kind = \"dualpi2\", classic_percent = 90 }"),
            wrong("queue = { kind = \"ramp\", low = \"20 ms\" }"),
            wrong("queue = { kind = \"ramp\", age = { one = \"2 s\" } }"),
            wrong("queue = { kind = \"ramp\", free_above = 0.2 }"),
            wrong("queue = { kind = \"age\", one = \"2 s\" }"),
            wrong("queue = { kind = \"l4span\", window = 0 }"),
            wrong("queue = { kind = \"pie\", update = \"1 ns\" }"),
            wrong("capacity = \"bad.down\""),
            wrong("capacity = \"none.down\""),
        ]
        .join("\n")
    );
}

#[test]
fn drops_by_age_keep_a_distance_or_come_once_for_each_rise() {
    let both = ["again = \"below\"", "spacing = \"500 ms\""];
    let of_kind = |keys: &str| format!("queue = {{ kind = \"age\", {keys} }}");
    let of_ramp = |keys: &str| format!("queue = {{ kind = \"ramp\", age = {{ {keys} }} }}");
    for (lines, key) in [(of_kind(&both.join(", ")), ""), (of_ramp(&both.join(", ")), "age.")] {
        let text = wrong(&lines);
        let names = format!("`path.s1.queue.{key}again` is beside spacing = \"500 ms\"");
        assert!(text.contains(&names) && text.contains("s.toml:21"), "{text}");
    }
    both.iter().for_each(|key| drop(with(&of_kind(key)).expect("one of them")));
    // The resolved file has `spacing = "0 s"` beside the other key.
    let once = with(&of_ramp("again = \"below\"")).expect("a scenario");
    let again = Scenario::parse("s.toml", &once.to_toml(), &[]).expect("the resolved file");
    assert_eq!(once, again);
    let template = template("lte-6rb").expect("a template").text.replacen(WITHOUT, &of_kind(""), 1);
    let set = |value: &str| {
        Scenario::parse("s.toml", &template, &[format!("path.s1.queue.again={value}")])
    };
    let written = set("below").expect("a word").to_toml();
    assert!(written.contains("spacing = \"0 s\", again = \"below\""), "{written}");
    let text = set("above").expect_err("no such word").plain();
    assert!(text.contains("`path.s1.queue.again` cannot be \"above\""), "{text}");
}

#[test]
fn recorded_capacity_takes_the_place_of_a_rate() {
    let text = template("lte-6rb").expect("a template").text;
    let files = |_: &str| Ok("1\n3\n3\n10\n".to_owned());
    let overrides =
        |list: &[&str]| -> Vec<String> { list.iter().map(|s| (*s).to_owned()).collect() };
    let read = |list: &[&str]| Scenario::parse_with("s.toml", text, &overrides(list), &files);
    let capacity = "path.sgi.capacity=\"cell.down\"";
    let scenario = read(&["path.sgi.rate=unlimited", capacity]).expect("a scenario");
    let (down, up) = (scenario.path.sgi.down(), scenario.path.sgi.up());
    assert!(down.capacity.is_some_and(|capacity| capacity.recording().is_some()));
    assert!(up.capacity.is_some(), "both directions are alike");
    let up = read(&["path.sgi.rate=unlimited", capacity, "path.sgi.up.rate=\"1 Mbit/s\""]);
    assert!(up.expect("a scenario").path.sgi.up().capacity.is_none());
    let both = read(&["path.sgi.rate=\"1 Mbit/s\"", capacity]).expect_err("both");
    assert!(both.plain().contains("stands beside a rate"), "{}", both.plain());
    World::build(&scenario, airpath_base::random::Seed(1)).expect("a world");
}

#[test]
fn the_content_of_a_recording_is_part_of_the_digest() {
    let text = template("lte-6rb").expect("a template").text;
    let overrides = ["path.sgi.rate=unlimited".into(), "path.sgi.capacity=x".to_owned()];
    let digest = |content: &'static str| {
        let files = move |_: &str| Ok(content.to_owned());
        Scenario::parse_with("s.toml", text, &overrides, &files).expect("a scenario").digest()
    };
    assert_ne!(digest("1\n2\n"), digest("1\n3\n"));
    assert_eq!(digest("1\n2\n"), digest("1\n2"));
}

/// Wires with CellReplay's recordings downlink, and files that they name.
fn cellreplay(light: &str, heavy: &str) -> Result<Scenario, String> {
    let text = "duration = \"1 s\"\nradio = \"none\"\n[path.sgi]\n\
                capacity = { light = \"d.light\", heavy = \"d.heavy\" }\n\
                [[flow]]\nname = \"a\"\nkind = \"tcp\"\ndirection = \"down\"\n";
    let files = |name: &str| match name {
        "d.light" => Ok(light.to_owned()),
        _ => Ok(heavy.to_owned()),
    };
    Scenario::parse_with("s.toml", text, &[], &files).map_err(|errors| errors.plain())
}

#[test]
fn cellreplay_has_two_files_with_faults_of_their_own() {
    let light = "0 20 0 1\n100 20 0 1\n200 20 0 1\n";
    let scenario = cellreplay(light, "1\n2\n").expect("a scenario");
    let capacity = scenario.path.sgi.down().capacity.expect("recorded");
    assert_eq!((capacity.light_file(), capacity.file()), (Some("d.light"), "d.heavy"));
    // 2800 bytes in 2 ms.
    let rate = capacity.recording().expect("read").mean_rate().as_bps();
    assert_eq!(rate, 11_200_000);
    let again = Scenario::parse_with("s.toml", &scenario.to_toml(), &[], &|name| {
        Ok(if name == "d.light" { light.to_owned() } else { "1\n2\n".to_owned() })
    });
    assert_eq!(again.expect("the resolved file"), scenario);
    let other = cellreplay(&light.replace("100 20", "100 21"), "1\n2\n").expect("a scenario");
    assert_ne!(other.digest(), scenario.digest());
    let swapped = cellreplay("1\n2\n3\n", light).unwrap_err();
    assert!(
        swapped.contains("s.toml:4: `path.sgi.capacity.light` cannot be read: d.light:1"),
        "{swapped}"
    );
    let heavy = cellreplay(light, light).unwrap_err();
    assert!(heavy.contains("`path.sgi.capacity.heavy` cannot be read: d.heavy:1"), "{heavy}");
    assert!(heavy.contains("at which 1400 bytes can be delivered"), "{heavy}");
}

#[test]
fn files_lie_relative_to_the_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = template("lte-6rb").expect("a template").text;
    std::fs::write(folder.path().join("s.toml"), text).expect("a file");
    std::fs::write(folder.path().join("x.down"), "5\n").expect("a file");
    let overrides = ["path.sgi.rate=unlimited".into(), "path.sgi.capacity=x.down".to_owned()];
    Scenario::read(&folder.path().join("s.toml"), &overrides).expect("a scenario");
    let error = Scenario::parse("s.toml", text, &overrides).expect_err("no files");
    assert!(error.plain().contains("there are no files"), "{}", error.plain());
}

/// A bearer has any queue that a link has; a limit alone is drop-tail's, and counts at both ends.
#[test]
fn a_bearers_queue_is_any_that_a_link_has() {
    let text = template("lte-6rb").expect("a template").text;
    let with = |queue: &str| {
        let key = format!("bearer.default.queue={queue}");
        Scenario::parse("s.toml", text, &[key])
    };
    let limits = ["100 packets", "{ limit = \"100 packets\" }"];
    let [short, table] = limits.map(|limit| with(limit).expect("a queue"));
    let whole = with("{ kind = \"drop-tail\", limit = \"100 packets\" }").expect("a queue");
    assert_eq!((&short, &table), (&whole, &whole));
    assert_eq!(whole.bearer[0].uplink_queue, whole.bearer[0].queue);
    let codel = with("{ kind = \"codel\", target = \"7 ms\" }").expect("a queue");
    let usual = Scenario::parse("s.toml", text, &[]).expect("a scenario").bearer[0].queue.clone();
    assert_eq!(codel.bearer[0].uplink_queue, usual, "the UE's is as if nothing was said");
    let marks = with("dualpi2").expect("a queue");
    World::build(&marks, Seed(1)).expect("a world");
    let said = with("{ kind = \"ramp\", low = \"9 ms\", high = \"8 ms\" }").expect_err("a mistake");
    assert!(said.plain().contains("bearer.default.queue.low"), "{}", said.plain());
}
