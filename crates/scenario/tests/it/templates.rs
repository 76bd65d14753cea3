//! Templates, the resolved scenario, and the schema.

use std::fmt::Write as _;

use airpath_scenario::{Scenario, WITH_STACKS, has_stacks, profiles, templates};
use serde_json::Value as Json;

fn read(text: &str) -> Scenario {
    match Scenario::parse("scenario.toml", text, &[]) {
        Ok(scenario) => scenario,
        Err(errors) => panic!("{}", errors.plain()),
    }
}

/// A JSON value as TOML on one line.
fn toml(json: &Json) -> String {
    match json {
        Json::Object(table) => {
            let pairs: Vec<String> =
                table.iter().map(|(key, value)| format!("{key} = {}", toml(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

pub(crate) fn document(json: &Json) -> String {
    let mut text = String::new();
    for (key, value) in json.as_object().expect("a table") {
        writeln!(text, "{key} = {}", toml(value)).expect("a string takes what is written");
    }
    text
}

#[test]
fn each_template_is_valid_and_listed_once() {
    let names: Vec<&str> = templates().iter().map(|template| template.name).collect();
    let expected = [
        "lte-6rb",
        "lte-20-ues",
        "lte-upload",
        "lte-tdd",
        "lte-3cc",
        "short-tti",
        "lte-player",
        "lte-web",
        "idle-phone",
        "changes",
        "outage",
        "lte-proxy",
        "remote-control",
        "full-buffer",
        "controllers",
        "network",
        "l4s-cell",
        "l4s-bearers",
        "l4s-network",
        "drive",
        "train",
        "street-corner",
        "hot-spot",
        "two-carriers",
        "en-dc",
        "cloud-gaming",
        "cloud-gaming-5g",
        "xr-vr",
        "xr-ar",
        "urllc-control",
        "nr-100mhz-4x4",
        "five-qi",
        "wires-dualpi2",
        "wires-testbed",
    ];
    let stacks = WITH_STACKS.iter().filter(|_| has_stacks());
    assert!(names.iter().eq(expected.iter().chain(stacks)), "{names:?}");
    for template in templates() {
        let scenario = read(template.text);
        assert!(scenario.title.is_some() && !scenario.flow.is_empty(), "{}", template.name);
    }
}

#[test]
fn each_profile_states_sources_comparison_and_limits() {
    let names: Vec<&str> = profiles().iter().map(|own| own.name).collect();
    let expected =
        ["4g-train", "4g-city", "lte-rural", "5g-sa-city", "5g-sa-campus", "5g-l4s-home"];
    assert_eq!(names, expected);
    for own in profiles() {
        let head = own.text.split("\ntitle = ").next().unwrap_or_default();
        for part in ["# Sources\n", "# Held against\n", "# - Measured here", "# Limits\n"] {
            assert!(head.contains(part), "{}: {part}", own.name);
        }
        let scenario = read(own.text);
        // The phone is first, so that `emulate` and `export` take it.
        assert_eq!(scenario.ue[0].name, "phone", "{}", own.name);
        let flows: Vec<&str> = scenario.flow.iter().map(|flow| flow.name.as_str()).collect();
        assert!(
            ["ping", "download", "upload"].iter().all(|flow| flows.contains(flow)),
            "{flows:?}"
        );
        assert!(templates().iter().all(|template| template.name != own.name), "{}", own.name);
    }
}

#[test]
fn a_name_stands_for_its_profile_where_there_is_no_such_file() {
    let path = std::path::Path::new("4g-train");
    let scenario = Scenario::read(path, &["seed=7".to_owned()]).expect("the profile");
    assert_eq!((scenario.seed, scenario.ue[0].name.as_str()), (7, "phone"));
    let error = Scenario::read(std::path::Path::new("4g-trian"), &[]).expect_err("no such profile");
    assert!(error.plain().contains("4g-train"), "{}", error.plain());
    Scenario::read(std::path::Path::new("4g-train.toml"), &[]).expect_err("no such file");
}

#[test]
fn every_template_can_be_cut_short() {
    for template in templates() {
        for duration in ["1 ms", "100 ms", "1 s", "1.5 s"] {
            let cut = format!("duration=\"{duration}\"");
            let read = Scenario::parse(template.name, template.text, std::slice::from_ref(&cut));
            let whole = Scenario::parse(template.name, template.text, &[]).expect("valid");
            let scenario =
                read.unwrap_or_else(|e| panic!("{}, {cut}: {}", template.name, e.plain()));
            assert_eq!(scenario.flow.len(), whole.flow.len(), "{cut}: no flow is left out");
        }
    }
}

#[test]
fn a_start_behind_the_end_is_a_mistake_where_nobody_cut_the_run_short() {
    let text = templates()[0].text;
    let with = |overrides: &[&str], text: &str| {
        let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
        Scenario::parse("lte-6rb.toml", text, &overrides).map_err(|errors| errors.plain())
    };
    // The voice begins after 1 s.
    let cut = with(&["duration=500 ms"], text).expect("valid");
    assert_eq!(cut.late_flows().collect::<Vec<_>>(), ["voice"]);
    let in_file = with(&[], &text.replace("duration = \"5 s\"", "duration = \"500 ms\""));
    assert!(in_file.expect_err("a mistake").contains("`flow.voice.start` is not within the run"));
    for asked in [&["flow.voice.start=9 s"][..], &["duration=500 ms", "flow.voice.start=1 s"]] {
        let error = with(asked, text).expect_err("a mistake");
        assert!(error.contains("`flow.voice.start` is not within the run"), "{error}");
    }
}

#[test]
fn recordings_that_come_with_airpath_are_named_where_there_is_no_such() {
    let text = templates().iter().find(|t| t.name == "wires-testbed").expect("a template").text;
    let wrong = text.replace("builtin:lte-down", "builtin:lte-dwon");
    let errors = Scenario::parse("x.toml", &wrong, &[]).expect_err("no such").plain();
    assert!(errors.contains("\"lte-down\" or \"lte-up\""), "{errors}");
}

/// The words of a command as a shell takes them: quotes hold together what is in them.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in command.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ' ') if !word.is_empty() => words.push(std::mem::take(&mut word)),
            (None, ' ') => {}
            _ => word.push(letter),
        }
    }
    words
}

/// The commands that the comment at the head of a template proposes.
fn commands(text: &str) -> Vec<String> {
    let head = text.lines().map_while(|line| line.strip_prefix('#'));
    let head: String = head.map(|line| format!("{}\n", line.trim())).collect();
    let whole = head.replace("\\\n", " ");
    let lines = whole.lines().filter(|line| line.starts_with("airpath run "));
    // The rest is about the command.
    lines.map(|line| line.split(" # ").next().unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn what_a_template_proposes_can_be_run() {
    let mut proposed = 0;
    for template in templates() {
        for command in commands(template.text) {
            let words = words(&command);
            assert_eq!(words[2], format!("{}.toml", template.name), "{command}");
            let given = words[3..].chunks(2).filter(|pair| pair[0] == "--set");
            let overrides: Vec<String> = given.map(|pair| pair[1].clone()).collect();
            let files = |_: &str| Ok("1\n3\n3\n10\n".to_owned());
            let read = Scenario::parse_with(template.name, template.text, &overrides, &files);
            read.unwrap_or_else(|errors| panic!("{command}: {}", errors.plain()));
            proposed += 1;
        }
    }
    assert!(proposed > 30, "{proposed}");
}

#[test]
fn a_resolved_scenario_reads_back_as_itself() {
    for template in templates() {
        let scenario = read(template.text);
        let again = read(&document(&scenario.to_json()));
        assert_eq!(again, scenario, "{}", template.name);
        assert_eq!(again.digest(), scenario.digest());
        assert_eq!(serde_json::to_value(&scenario).ok(), Some(scenario.to_json()));
    }
}

#[test]
fn a_resolved_pattern_of_slots_reads_back_as_itself() {
    let common = "[{ period = \"5 ms\", downlink_slots = 6, downlink_symbols = 4, \
                  uplink_slots = 2, uplink_symbols = 4 }]";
    for (keys, letters) in [
        ("tdd_configuration = 3".to_owned(), "DSUUUDDDDD"),
        (format!("tti = \"mu1\"\ntdd_common = {common}"), "DDDDDDSSUU"),
    ] {
        let phone = "[[ue]]\nname = \"phone\"\nsnr = \"9 dB\"";
        let scenario =
            read(&format!("duration = \"1 s\"\n[cell]\nduplex = \"tdd\"\n{keys}\n{phone}"));
        let cell = scenario.cell.as_ref().expect("a cell");
        assert_eq!(cell.tdd_pattern.as_deref(), Some(letters));
        assert_eq!(read(&document(&scenario.to_json())), scenario);
    }
}

#[test]
fn the_digest_is_of_what_is_meant() {
    let text = templates()[0].text;
    let same = text.replace("\"5 s\"", "\"5000 ms\"").replace("seed = 1\n", "");
    assert_eq!(read(&same).digest(), read(text).digest());
    let other = text.replace("seed = 1\n", "seed = 2\n");
    assert_ne!(read(&other).digest(), read(text).digest());
}

#[test]
fn the_resolved_scenario_of_a_template() {
    let scenario = read(templates()[0].text);
    insta::assert_snapshot!(serde_json::to_string_pretty(&scenario).expect("JSON"));
}

/// Every key with its default, as a page of the manual would list it.
#[test]
fn all_keys_of_the_schema() {
    let mut keys = Vec::new();
    walk(&Scenario::schema(), "", &mut keys);
    insta::assert_snapshot!(keys.join("\n"));
}

fn walk(schema: &Json, path: &str, keys: &mut Vec<String>) {
    if let Some(properties) = schema["properties"].as_object() {
        for (key, property) in properties {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let default = property.get("default").or(property.get("const"));
            let default = default.map(|default| format!(" = {default}"));
            keys.push(format!("{path}{}", default.unwrap_or_default()));
            walk(property, &path, keys);
        }
    }
    for alternative in schema["anyOf"].as_array().into_iter().flatten() {
        walk(alternative, path, keys);
    }
    if schema["items"].is_object() {
        walk(&schema["items"], &format!("{path}[]"), keys);
    }
}

/// The decoder refuses a key that no table has, and names those that it knows: they
/// must be those of the schema, for every table.
#[test]
fn decoder_and_schema_know_the_same_keys() {
    let mut tables = Vec::new();
    collect_tables(&Scenario::schema(), &mut Vec::new(), &mut tables);
    assert!(tables.len() > 20, "{tables:?}");
    for (path, keys) in tables {
        let mut text = String::from("zzzzzzzzzzzz = 1");
        for step in path.iter().rev() {
            text = match (step.strip_prefix("kind "), step.strip_suffix("[]")) {
                (Some(kind), _) => format!("kind = {kind}, {text}"),
                (None, Some(key)) => format!("{key} = [{{ {text} }}]"),
                (None, None) => format!("{step} = {{ {text} }}"),
            };
        }
        let errors = Scenario::parse("s.toml", &text, &[]).expect_err("an unknown key");
        let unknown = errors.problems().iter().find(|p| p.message().contains("zzzzzzzzzzzz"));
        let known = unknown.and_then(|problem| problem.allowed()).unwrap_or_default();
        assert_eq!(known, format!("known keys here: {}", keys.join(", ")), "{path:?}");
    }
}

type Table = (Vec<String>, Vec<String>);

fn collect_tables(schema: &Json, path: &mut Vec<String>, tables: &mut Vec<Table>) {
    if let Some(properties) = schema["properties"].as_object() {
        // A table that may be of several kinds has a key that says which.
        let kind = &schema["properties"]["kind"]["const"];
        let length = path.len();
        path.extend(kind.as_str().map(|_| format!("kind {kind}")));
        tables.push((path.clone(), properties.keys().cloned().collect()));
        for (key, property) in properties {
            let list = property["type"] == "array";
            path.push(if list { format!("{key}[]") } else { key.clone() });
            collect_tables(if list { &property["items"] } else { property }, path, tables);
            path.pop();
        }
        path.truncate(length);
    }
    for alternative in schema["anyOf"].as_array().into_iter().flatten() {
        collect_tables(alternative, path, tables);
    }
}

/// A default that is written down is the one that counts when the key is left out.
#[test]
fn each_default_of_the_schema_is_a_value_of_its_own_kind() {
    // RRC with its DRX, and times of processing, are there only if a file has them.
    let given = ["cell.rrc={ drx = {} }", "cell.processing={}"].map(str::to_owned);
    let scenario = Scenario::parse("scenario.toml", templates()[0].text, &given);
    let resolved = scenario.expect("a valid scenario").to_json();
    // RRC_INACTIVE and cancellation uplink are of NR.
    let of_nr =
        ["cell.rrc={ inactive = {} }", "cell.uplink.cancellation={}", "bearer.wide.pre_empts=true"];
    let text = airpath_scenario::template("nr-100mhz-4x4").expect("a template").text;
    let of_nr = Scenario::parse("nr.toml", text, &of_nr.map(str::to_owned));
    let of_nr = of_nr.expect("a valid scenario").to_json();
    let mut defaults = Vec::new();
    collect_defaults(&Scenario::schema()["properties"]["cell"], "/cell", &mut defaults);
    assert!(defaults.len() > 30);
    for (path, default) in defaults {
        if path == "/cell/resource_blocks" {
            continue; // the template says 6
        }
        let is_of_nr = ["/cell/rrc/inactive", "/cell/uplink/cancellation"];
        let is_of_nr = is_of_nr.iter().any(|own| path.starts_with(own));
        let resolved = if is_of_nr { &of_nr } else { &resolved };
        assert_eq!(resolved.pointer(&path), Some(&default), "{path}");
    }
}

fn collect_defaults(schema: &Json, path: &str, defaults: &mut Vec<(String, Json)>) {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}/{key}");
        match property.get("default") {
            Some(default) => defaults.push((path, default.clone())),
            None => collect_defaults(property, &path, defaults),
        }
    }
}

#[test]
fn every_key_is_described() {
    fn check(schema: &Json, path: &str) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{key}");
            let text = property["description"].as_str().unwrap_or_default();
            assert!(text.len() > 5 && text.contains('.'), "{path}: {text:?}");
            check(property, &path);
            check(&property["items"], &path);
        }
        for alternative in schema["anyOf"].as_array().into_iter().flatten() {
            check(alternative, path);
        }
    }
    check(&Scenario::schema(), "");
}
