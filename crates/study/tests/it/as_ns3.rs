//! Experiment 2 of the rate-delay study against ns-3 itself.
//!
//! `as_ns3.csv` holds what ns-3 (its development version of September 2018, with which
//! the study was made) gives when the second flow starts later than the first. The
//! study's own figures are those of one such run.

use airpath_scenario::Scenario;
use airpath_sim::{RunOptions, run};

const SCENARIO: &str = include_str!("../../../../studies/rate-delay/exp2.toml");
const NS3: &str = include_str!("as_ns3.csv");

/// Goodput in Mbit/s and retransmissions of one flow in one run.
struct Pair {
    marked: bool,
    flow: String,
    ours: [f64; 2],
    theirs: [f64; 2],
}

fn outcomes(marked: bool, start_ms: &str) -> Vec<(String, [f64; 2])> {
    let mut overrides = vec![format!("flow.liar.start=\"{start_ms} ms\"")];
    overrides.extend(marked.then(|| "flow.liar.tos=\"0x14\"".to_owned()));
    let scenario = Scenario::parse("exp2.toml", SCENARIO, &overrides).expect("a valid scenario");
    let outcome = run(&scenario, RunOptions::default()).expect("a run");
    let flows = outcome.summary.flows.into_iter();
    flows
        .map(|f| (f.name, [f.goodput_bps.unwrap_or(0.0) / 1e6, f.retransmissions as f64]))
        .collect()
}

fn pairs() -> Vec<Pair> {
    let mut reader = csv::Reader::from_reader(NS3.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("rows");
    let mut all = Vec::new();
    for both in rows.chunks(2) {
        let marked = &both[0][0] == "1";
        let ours = outcomes(marked, &both[0][1]);
        for row in both {
            let number = |n: usize| row[n].parse::<f64>().expect("a number");
            let (flow, ours) = ours.iter().find(|(name, _)| *name == row[2]).expect("the flow");
            let theirs = [number(3), number(4)];
            all.push(Pair { marked, flow: flow.clone(), ours: *ours, theirs });
        }
    }
    all
}

fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    // Thirteen values: the quartiles are among them.
    assert_eq!(values.len(), 13);
    [values[3], values[6], values[9]]
}

#[test]
fn two_greedy_flows_end_as_in_ns3() {
    let all = pairs();
    let same = |pair: &&Pair| {
        let [ours, theirs] = [pair.ours, pair.theirs];
        (ours[0] - theirs[0]).abs() < 1e-5 && ours[1] == theirs[1]
    };
    // In the run in which two timeouts meet a full send buffer the paths part.
    assert_eq!(all.iter().filter(same).count(), all.len() - 2);
    for (marked, flow) in [(false, "honest"), (false, "liar"), (true, "honest"), (true, "liar")] {
        let arm = || all.iter().filter(|pair| pair.marked == marked && pair.flow == flow);
        for (n, tolerance) in [(0, 0.15), (1, 0.40)] {
            let ours = quartiles(arm().map(|pair| pair.ours[n]).collect());
            let theirs = quartiles(arm().map(|pair| pair.theirs[n]).collect());
            for (ours, theirs) in ours.into_iter().zip(theirs) {
                assert!(
                    (ours / theirs - 1.0).abs() < tolerance,
                    "{flow}, marked {marked}: {ours} against {theirs}"
                );
            }
        }
    }
}
