//! Bytes of runs, which follow from scenario and seed alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use airpath_results::Timing;
use airpath_scenario::{FlowKind, Scenario, templates};
use airpath_sim::{Progress, RunOptions, run};

fn scenario(name: &str, overrides: &[&str]) -> Scenario {
    let template = templates().iter().find(|t| t.name == name).expect("a template");
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Scenario::parse(name, template.text, &overrides).expect("a valid scenario")
}

/// All files of a run's folder by name.
fn files(scenario: &Scenario, seed: Option<u64>) -> BTreeMap<String, Vec<u8>> {
    files_on(scenario, seed, 1)
}

/// Files of a run on so many threads.
fn files_on(scenario: &Scenario, seed: Option<u64>, threads: usize) -> BTreeMap<String, Vec<u8>> {
    let parent = tempfile::tempdir().expect("a folder");
    let out = parent.path().join("out");
    let options = RunOptions { seed, threads, out: Some(&out), ..RunOptions::default() };
    run(scenario, options).expect("a run without failure");
    read(&out)
}

fn read(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

/// Leaves times and sizes of captured packets: the head of each packet's block (pcapng, 4.3).
fn only_times_and_sizes(files: &mut BTreeMap<String, Vec<u8>>) {
    let captures = files.iter_mut().filter(|(name, _)| name.ends_with("pcapng"));
    for (name, bytes) in captures {
        let word = |at: usize| {
            bytes
                .get(at..at + 4)
                .and_then(|four| <[u8; 4]>::try_from(four).ok())
                .map(u32::from_le_bytes)
        };
        let (mut at, mut kept) = (0, Vec::new());
        while let (Some(kind), Some(len)) = (word(at), word(at + 4)) {
            let end = if kind == 6 { at + 28 } else { at + len as usize };
            kept.extend_from_slice(&bytes[at..end]);
            at += len as usize;
        }
        assert!(at == bytes.len() && kept.len() > 10_000, "{name}");
        *bytes = kept;
    }
    // The summary has digests of the captures, and of itself.
    let summary = files.get_mut("summary.json").expect("a summary");
    let text = String::from_utf8(std::mem::take(summary)).expect("text");
    let depends = |line: &&str| line.contains(".pcapng\": ") || line.contains("\"summary.json\": ");
    let lines: Vec<&str> = text.lines().filter(|line| !depends(line)).collect();
    assert_eq!(text.lines().count(), lines.len() + 5);
    *summary = lines.join("\n").into_bytes();
}

fn check_equal(
    first: &BTreeMap<String, Vec<u8>>,
    second: &BTreeMap<String, Vec<u8>>,
    template: &str,
) {
    assert!(first.keys().eq(second.keys()), "{template}");
    let differ: Vec<&String> = first.keys().filter(|name| first[*name] != second[*name]).collect();
    assert!(differ.is_empty(), "{template}: {differ:?}");
}

const RECORD: [&str; 3] = ["duration=1100 ms", "output.packets=true", "output.series=10 ms"];

/// Tables of UEs that move are there where they do.
fn check_tables_of_movement(
    scenario: &Scenario,
    files: &BTreeMap<String, Vec<u8>>,
    template: &str,
) {
    // Positions and handovers, where UEs have routes and change cells.
    let moving = scenario.ue.iter().any(|ue| ue.route.is_some());
    let changing = scenario.network.iter().any(|network| network.handover.is_some());
    let handovers = ["handovers.parquet", "handover_flows.parquet"].map(|name| (name, changing));
    for (name, expected) in handovers.into_iter().chain([("positions.parquet", moving)]) {
        assert_eq!(files.contains_key(name), expected, "{template}");
    }
    assert!(changing || !files.contains_key("handover_packets.parquet"), "{template}");
    let handover = scenario.network.iter().filter_map(|network| network.handover.as_ref());
    let balances = handover.into_iter().any(|own| own.load_balancing.is_some());
    assert!(balances || !files.contains_key("cell_offsets.parquet"), "{template}");
    let legs = scenario.carrier.iter().any(|carrier| carrier.is_leg());
    assert_eq!(files.contains_key("legs.parquet"), legs, "{template}");
}

#[test]
fn each_template_gives_the_same_files_twice() {
    for template in templates() {
        let radio = scenario(template.name, &[]).cell.is_some();
        let mut overrides = RECORD.to_vec();
        overrides.push(match radio {
            true => "output.pcap=['server', 'sgi', 's1', 'ue']",
            false => "output.pcap=['server', 'ue']",
        });
        let scenario = scenario(template.name, &overrides);
        let [mut first, mut second] = [(); 2].map(|()| files(&scenario, None));
        // str0m has the time of day in encrypted packets, so those of a call have times and sizes in common.
        if scenario.flow.iter().any(|flow| flow.kind == FlowKind::Webrtc) {
            [&mut first, &mut second].into_iter().for_each(only_times_and_sizes);
        }
        // Radio states are written if there are any, and so are requests if the output has them.
        let states = scenario.cell.iter().any(|cell| cell.rrc.is_some())
            || scenario.ue.iter().any(|ue| ue.rrc.is_some());
        assert_eq!(first.contains_key("states.parquet"), states, "{}", template.name);
        // Packets, where any flow has some.
        let packets = scenario.flow.iter().any(|flow| !flow.is_full_buffer());
        assert_eq!(first.contains_key("packets.parquet"), packets, "{}", template.name);
        check_tables_of_movement(&scenario, &first, template.name);
        let optional = [
            "packets.parquet",
            "requests.parquet",
            "states.parquet",
            "positions.parquet",
            "handovers.parquet",
            "handover_flows.parquet",
            "handover_packets.parquet",
            "cell_offsets.parquet",
            "legs.parquet",
            "capture.keys",
        ];
        // Keys of TLS, where a flow has any.
        let encrypts = scenario.flow.iter().any(|flow| flow.kind == FlowKind::Quic);
        assert_eq!(first.contains_key("capture.keys"), encrypts, "{}", template.name);
        let points: Vec<&str> =
            first.keys().filter_map(|name| name.strip_prefix("capture-")).collect();
        match radio {
            true => assert_eq!(points, ["s1.pcapng", "server.pcapng", "sgi.pcapng", "ue.pcapng"]),
            false => assert_eq!(points, ["server.pcapng", "ue.pcapng"]),
        }
        let optional = |name: &str| optional.contains(&name) || name.ends_with("pcapng");
        let names: Vec<&String> = first.keys().filter(|name| !optional(name)).collect();
        assert_eq!(
            names,
            [
                "bearers.parquet",
                "cells.parquet",
                "flows.parquet",
                "links.parquet",
                "metrics.json",
                "scenario.toml",
                "series.parquet",
                "summary.json",
                "ues.parquet",
                "users.parquet",
            ],
        );
        check_equal(&first, &second, template.name);
    }
}

#[test]
fn the_number_of_threads_changes_no_file() {
    let points = "output.pcap=['server', 'sgi', 's1', 'ue']";
    for more in [points, "output.blocks='all'"] {
        let load = ["ue.video.count=30", "ue.web.count=300"];
        let overrides =
            ["duration=1200 ms", "output.packets=true", "network.sites=4", load[0], load[1], more];
        let scenario = scenario("l4s-network", &overrides);
        assert!(files(&scenario, None) == files_on(&scenario, None, 3), "{more}");
    }
    // Further carriers act with their cell.
    let carriers = "\n[[carrier]]\nname = \"b\"\nfrequency = \"2.65 GHz\"\nuplink = true\n\
                    activation_threshold = \"2 kB\"\n";
    let template = templates().iter().find(|t| t.name == "l4s-network").expect("a template");
    let overrides = ["duration=600 ms", "network.sites=4", "ue.video.count=20", "ue.web.count=100"];
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let text = format!("{}{carriers}", template.text);
    let scenario = Scenario::parse("carriers", &text, &overrides).expect("a valid scenario");
    assert!(files(&scenario, None) == files_on(&scenario, None, 3));
}

#[test]
fn watching_changes_no_result() {
    let watched = scenario("lte-6rb", &["duration=2100 ms", "output.pcap=['s1', 'ue']"]);
    let plain = scenario("lte-6rb", &["duration=2100 ms"]);
    let (watched, plain) = (files(&watched, None), files(&plain, None));
    assert_eq!(watched["flows.parquet"], plain["flows.parquet"]);
    assert_eq!(watched["links.parquet"], plain["links.parquet"]);
}

#[test]
fn another_seed_gives_another_run_and_the_copy_of_the_scenario_the_same() {
    let written = scenario("lte-20-ues", &["duration=2100 ms"]);
    let (first, other) = (files(&written, None), files(&written, Some(2)));
    assert_ne!(first["flows.parquet"], other["flows.parquet"]);
    let copy = String::from_utf8(other["scenario.toml"].clone()).expect("text");
    let copy = Scenario::parse("copy", &copy, &[]).expect("a valid copy");
    assert_eq!(copy.seed, 2);
    assert!(files(&copy, None) == other);
}

#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let parent = tempfile::tempdir().expect("a folder");
    let out = parent.path().join("out");
    let interrupt = AtomicBool::new(false);
    let mut seen = Vec::new();
    let mut progress = |progress: Progress| {
        seen.push(progress.now.as_nanos());
        interrupt.store(seen.len() == 3, core::sync::atomic::Ordering::Relaxed);
    };
    let timing = |simulated_s: f64| Timing::new(simulated_s, 0.5, "here", 1);
    let options = RunOptions {
        out: Some(&out),
        progress: Some(&mut progress),
        interrupt: Some(&interrupt),
        timing: Some(&timing),
        ..RunOptions::default()
    };
    let outcome = run(&scenario("lte-6rb", &[]), options).expect("a run without failure");
    assert_eq!(seen, [100_000_000, 200_000_000, 300_000_000]);
    assert!(!outcome.summary.complete);
    assert_eq!(outcome.summary.duration_s, 0.3);
    let timing: Timing = serde_json::from_slice(&read(&out)["timing.json"]).expect("a timing");
    assert_eq!(timing.simulated_s_per_wall_s, Some(0.6));
}

#[test]
fn a_folder_of_somebody_else_is_not_touched() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("thesis.txt"), "years of work").expect("a file");
    let options = RunOptions { out: Some(parent.path()), ..RunOptions::default() };
    let failure = run(&scenario("lte-6rb", &[]), options).map(|_| ()).expect_err("a refusal");
    assert!(failure.to_string().contains("thesis.txt"), "{failure}");
    assert_eq!(read(parent.path()).len(), 1);
}
