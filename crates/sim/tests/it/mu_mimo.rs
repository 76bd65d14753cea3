//! Layers to several UEs, from the file to the results.

use std::collections::BTreeMap;

use airpath_results::RunSummary;
use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

const CELLS: &str = r#"
duration = "1 s"
[cell]
technology = "nr"
numerology = 0
bandwidth = "10 MHz"
duplex = "tdd"
tdd_pattern = "DDDDU"
[network]
sites = 1
site_distance = "500 m"
precoding.codebook = "type-1"
[[ue]]
name = "phone"
count = 18
[[flow]]
name = "down"
kind = "full-buffer"
direction = "down"
"#;

fn scenario(overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let scenario = Scenario::parse("s.toml", CELLS, &overrides);
    scenario.unwrap_or_else(|e| panic!("{}", e.plain()))
}

fn summary(overrides: &[&str]) -> RunSummary {
    run(&scenario(overrides), RunOptions::default()).expect("a run without failure").summary
}

fn rate(summary: &RunSummary) -> f64 {
    summary.flows.iter().filter_map(|flow| flow.goodput_bps).sum()
}

const SRS: &str = "cell.mu_mimo={ kind = \"srs\", period = \"5 ms\", delay = \"1 ms\" }";

#[test]
fn several_ues_share_resource_blocks_and_carry_more() {
    let still = "network.fading.scatterers=\"0 km/h\"";
    let alone = summary(&[still]);
    let known = summary(&[still, SRS]);
    let reported = summary(&[still, "cell.mu_mimo=\"reports\""]);
    // Independent ports at rest: the cell knows each channel. Four ports have room for several layers.
    assert!(rate(&known) > 1.1 * rate(&alone), "{} {}", rate(&known), rate(&alone));
    assert!(rate(&known) > rate(&reported), "{} {}", rate(&known), rate(&reported));
    for cell in &known.cells {
        let ues = cell.down.ues_per_resource_block.expect("several UEs");
        assert!((1.2..=4.0).contains(&ues), "{ues}");
        assert_eq!(cell.down.layers_per_resource_block, Some(ues), "a layer each");
        assert!(cell.utilisation.is_some_and(|used| used > 0.9 && used <= 1.01));
    }
    assert!(alone.cells.iter().all(|cell| cell.down.ues_per_resource_block.is_none()));
}

#[test]
fn one_layer_more_ues_at_most() {
    let of = |layers: u8| format!("cell.mu_mimo={{ kind = \"srs\", layers = {layers} }}");
    let two = summary(&[&of(2), "network.fading.scatterers=\"0 km/h\""]);
    for cell in &two.cells {
        assert!(cell.down.ues_per_resource_block.is_some_and(|ues| ues <= 2.0));
    }
}

#[test]
fn books_close_over_drops() {
    // A run fails if they do not. Drops have full buffers or downloads, several antennas and layers, few control channel
    // elements, and other schedulers.
    let traffic = "flow.down.kind=\"tcp\"";
    let changes: [&[&str]; 5] = [
        &[],
        &[traffic, "ue.phone.receivers=2", "cell.layers=2"],
        &["ue.phone.receivers=4", "cell.layers=4", "cell.scheduler=\"round-robin\""],
        &["cell.control_elements=8", "cell.pdcch=\"modelled\"", "cell.scheduler=\"delay-based\""],
        &[
            traffic,
            "cell.allocation=\"whole\"",
            "cell.placement=\"groups\"",
            "ue.phone.speed=\"30 km/h\"",
        ],
    ];
    for (seed, own) in (1..).zip(changes) {
        let seed = format!("seed={seed}");
        let overrides: Vec<&str> =
            [SRS, seed.as_str(), "duration=\"400 ms\""].iter().chain(own).copied().collect();
        let summary = summary(&overrides);
        assert!(summary.cells.iter().any(|cell| cell.down.bytes > 0), "{own:?}");
        assert!(summary.cells.iter().all(|cell| cell.utilisation.is_some_and(|u| u <= 1.01)));
    }
}

#[test]
fn the_number_of_threads_changes_no_file() {
    let scenario = scenario(&[SRS, "duration=\"300 ms\"", "output.pcap=['ue']"]);
    let files = |threads: usize| -> BTreeMap<String, Vec<u8>> {
        let parent = tempfile::tempdir().expect("a folder");
        let out = parent.path().join("out");
        let options = RunOptions { threads, out: Some(&out), ..RunOptions::default() };
        run(&scenario, options).expect("a run without failure");
        let entries = std::fs::read_dir(&out).expect("a folder");
        let entries = entries.map(|entry| entry.expect("an entry"));
        let read = |entry: std::fs::DirEntry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(entry.path()).expect("a file"))
        };
        entries.map(read).filter(|(name, _)| name != "timing.json").collect()
    };
    assert!(files(1) == files(3));
}
