//! Readings of whole runs, against what the collector counts of the same runs.

use std::fs;
use std::path::Path;

use airpath_base::Duration;
use airpath_results::live::{CellReading, FlowReading, Reading};
use airpath_results::{CellSummary, FlowInfo, FlowSummary, RunSummary};
use airpath_scenario::{Scenario, templates};
use airpath_sim::{Live, RunOptions, run};

/// Not a multiple of the interval, so the last interval is shorter.
const SHORT: &str = "duration=2100 ms";

fn template(name: &str, overrides: &[&str]) -> Scenario {
    let template = templates().iter().find(|t| t.name == name).expect("a template");
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    Scenario::parse(name, template.text, &overrides).expect("a valid scenario")
}

fn live(scenario: &Scenario, millis: u64, out: Option<&Path>) -> (Vec<Reading>, RunSummary) {
    let mut readings = Vec::new();
    let mut show = |reading| readings.push(reading);
    let live = Live { interval: Duration::from_millis(millis), show: &mut show };
    let options = RunOptions { live: Some(live), out, ..RunOptions::default() };
    let outcome = run(scenario, options).expect("a run without failure");
    (readings, outcome.summary)
}

/// Counts of a flow over all intervals, and in the summary.
fn counts(flow: &FlowReading) -> [u64; 5] {
    let packets = [flow.sent_packets, flow.received_packets, flow.lost_packets];
    [packets[0], packets[1], packets[2], flow.received_bytes, flow.marks]
}

fn counted(flow: &FlowSummary) -> [u64; 5] {
    let bytes = match flow.kind == FlowInfo::FULL_BUFFER {
        true => flow.delivered_bytes,
        false => flow.received_bytes,
    };
    [flow.sent_packets, flow.received_packets, flow.lost_packets, bytes, flow.marks]
}

fn add<const N: usize>(all: impl Iterator<Item = [u64; N]>) -> [u64; N] {
    all.fold([0; N], |mut sum, one| {
        sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
        sum
    })
}

#[test]
fn intervals_of_each_template_add_up_to_its_summary() {
    for name in templates().iter().map(|template| template.name) {
        let (readings, summary) = live(&template(name, &[SHORT]), 500, None);
        let ends: Vec<f64> = readings.iter().map(|reading| reading.time_s).collect();
        assert_eq!(ends, [0.5, 1.0, 1.5, 2.0, 2.1], "{name}");
        let found = add(readings.iter().flat_map(|reading| &reading.flows).map(counts));
        assert_eq!(found, add(summary.flows.iter().map(counted)), "{name}");
        // Flow by flow, where there are few enough.
        let alone = summary.flows.iter().enumerate().filter(|_| summary.flows.len() <= 8);
        for (n, flow) in alone {
            let own = readings.iter().map(|reading| &reading.flows[n]);
            assert_eq!(add(own.clone().map(counts)), counted(flow), "{name}: {}", flow.name);
            own.for_each(|row| assert_eq!((&row.name, row.flows), (&flow.name, 1)));
        }
        let totals = readings.iter().map(|reading| &reading.totals);
        let totals = add(totals.map(|all| [all.originated, all.consumed, all.dropped, all.marked]));
        let events = &summary.events;
        let known = [events.originated, events.consumed, events.dropped, events.marked];
        assert_eq!(totals, known, "{name}");
        let used = |cell: &CellReading| [cell.resource_blocks, cell.resource_blocks_up];
        let known = |cell: &CellSummary| [cell.down.resource_blocks, cell.up.resource_blocks];
        let found = add(readings.iter().flat_map(|reading| &reading.cells).map(used));
        assert_eq!(found, add(summary.cells.iter().map(known)), "{name}");
    }
}

#[test]
fn one_long_interval_is_the_summary() {
    let (readings, summary) = live(&template("lte-6rb", &[]), 60_000, None);
    let [reading] = &readings[..] else { panic!("one interval: {}", readings.len()) };
    let (cell, known) = (&reading.cells[0], &summary.cells[0]);
    assert_eq!((cell.utilisation, cell.utilisation_up), (known.utilisation, known.utilisation_up));
    let throughput = (Some(cell.throughput_bps), Some(cell.throughput_up_bps));
    assert_eq!(throughput, (known.down.throughput_bps, known.up.throughput_bps));
    for (row, flow) in reading.flows.iter().zip(&summary.flows) {
        let close = |found: f64, exact: f64| (found - exact).abs() <= 0.01 * exact + 1e-3;
        for (found, exact) in [(row.delay_ms, flow.delay_ms), (row.queue_ms, flow.queue_ms)] {
            let (found, exact) = (found.expect("delays"), exact.expect("delays"));
            assert!(close(found.p50, exact.p50) && close(found.p95, exact.p95), "{}", row.name);
        }
        assert_eq!(row.rate_bps, flow.received_bytes as f64 * 8.0 / 5.0);
    }
}

#[test]
fn who_reads_changes_nothing_and_reads_the_same_again() {
    let scenario = template("l4s-cell", &[SHORT, "output.series=10 ms"]);
    let parent = tempfile::tempdir().expect("a folder");
    let (watched, plain) = (parent.path().join("watched"), parent.path().join("plain"));
    let (readings, _) = live(&scenario, 10, Some(&watched));
    let options = RunOptions { out: Some(&plain), ..RunOptions::default() };
    run(&scenario, options).expect("a run without failure");
    let mut files = 0;
    for entry in fs::read_dir(&plain).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let read = |folder: &Path| fs::read(folder.join(&name)).expect("a file");
        assert!(read(&watched) == read(&plain), "{}", name.display());
        files += 1;
    }
    assert!(files > 8, "{files}");
    assert!(readings == live(&scenario, 10, None).0);
    assert_eq!(readings.len(), 210);
}
