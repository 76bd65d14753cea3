//! Tests of whole studies.

use super::*;
use crate::{STUDIES, Verdict};

/// The first study with only a few of its runs.
fn part(campaign: &'static str, seeds: u64, threads: usize) -> Report {
    let study = Study { campaign, ..STUDIES[0] };
    let options = Options { seeds, progress: None, interrupt: None };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| reproduce(&study, options)).expect("a report")
}

const AUDIO: &str = r#"{
    "profiles": {
        "starts": { "exp1": ["flow.download.start={ min = \"20 ms\", max = \"520 ms\" }"] }
    },
    "runs": [
        { "name": "audio", "scenario": "exp1", "set": [] },
        { "name": "audio-marked", "scenario": "exp1", "set": ["flow.realtime.tos=\"0x14\""] }
    ],
    "readings": [
        { "name": "as published", "profiles": [] },
        { "name": "robust", "profiles": ["starts"], "repeated": true }
    ],
    "per_ue": ["audio"]
}"#;

#[test]
fn the_table_does_not_depend_on_threads() {
    let one = part(AUDIO, 3, 1);
    assert_eq!(one, part(AUDIO, 3, 2));
    assert!(one.per_ue.iter().any(|row| row.flow.starts_with("realtime")), "{:?}", one.per_ue);
}

#[test]
fn marking_helps_the_honest_flow() {
    let report = part(AUDIO, 1, 2);
    let row = |id: &str| {
        let found = report.rows.iter().find(|row| row.id == id && row.reading == "as published");
        found.expect("a row").clone()
    };
    assert_eq!(row("RD-021").verdict, Verdict::Agrees);
    let (control, marked) = (row("RD-001").measured, row("RD-006").measured);
    assert!(marked < control, "{marked:?} {control:?}");
    // Never below the wire (1 ms and 0.4 ms) and the radio (3 ms).
    assert!(row("RD-007").true_value > Some(4.387));
}
