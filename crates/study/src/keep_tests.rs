//! Tests of kept runs.

use std::sync::atomic::AtomicBool;

use airpath_scenario::Scenario;
use proptest::prelude::*;

use super::*;
use crate::observe::FlowMeasured;
use crate::{Options, RampFigures, Report, Risen, STUDIES, Study, StudyError, reproduce};

const CAMPAIGN: &str = r#"{
    "profiles": {
        "starts": { "exp1": ["flow.download.start={ min = \"20 ms\", max = \"520 ms\" }"] },
        "short": { "exp1": ["duration=\"3 s\"", "flow.realtime.rtp.count=40"] }
    },
    "runs": [
        { "name": "audio", "scenario": "exp1", "set": [] },
        { "name": "audio-marked", "scenario": "exp1", "set": ["flow.realtime.tos=\"0x14\""] }
    ],
    "readings": [
        { "name": "one", "profiles": ["short"], "from_s": { "exp1": 2 } },
        { "name": "many", "profiles": ["short", "starts"], "repeated": true }
    ],
    "per_ue": ["audio"], "stages": ["audio"]
}"#;
/// Runs of the campaign with three seeds.
const RUNS: usize = 2 + 6;

fn study(options: Options<'_>) -> Result<Report, StudyError> {
    reproduce(&Study { campaign: CAMPAIGN, ..STUDIES[0] }, Options { seeds: 3, ..options })
}

fn with(keep: &Keep) -> Report {
    study(Options { keep: Some(keep), ..Options::default() }).expect("a report")
}

fn task(resource_blocks: u32, from: Option<u64>) -> Task {
    let text = format!(
        "duration = \"1 s\"\ncell.resource_blocks = {resource_blocks}\n\
         [[ue]]\nname = \"phone\"\nsnr = \"20 dB\"\n\
         [[flow]]\nname = \"voice\"\nkind = \"rtp\"\ndirection = \"down\"\n"
    );
    let scenario = Scenario::parse("test", &text, &[]).expect("a scenario");
    let work = Work::Scenario(Box::new(scenario));
    Task { run: "run".into(), work, from, ramp: None, latency_ms: None }
}

fn measured(delays: &[u64], kbps: f64) -> Measured {
    let flow = FlowMeasured {
        flow: "voice".into(),
        delays: delays.to_vec(),
        span: (kbps / 3.0, kbps),
        ip_kbps: Some(kbps),
        ramp: Some(RampFigures {
            saturation_mbps: kbps / 7.0,
            seen: Risen { upt_kb: Some(kbps / 9.0), ..Risen::default() },
            moving_mbps: vec![kbps / 11.0, kbps],
            ..RampFigures::default()
        }),
        ..FlowMeasured::default()
    };
    Measured { flows: vec![flow], blocks: (u64::MAX, 7), ..Measured::default() }
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("runs");
    (root, folder)
}

fn open(folder: &Path) -> Keep {
    Keep::open(folder, b"program").expect("a folder of runs")
}

#[test]
fn a_study_that_was_interrupted_goes_on_and_comes_to_the_same() {
    let (_root, folder) = folder();
    let whole = study(Options::default()).expect("a report");
    let interrupt = AtomicBool::new(false);
    let stop = |_: &str, done: usize, all: usize| {
        interrupt.store(all == 6 && done >= 2, Ordering::SeqCst);
    };
    let keep = open(&folder);
    let options = Options {
        progress: Some(&stop),
        interrupt: Some(&interrupt),
        keep: Some(&keep),
        ..Options::default()
    };
    // One worker, so that the runs after the second of the second reading are not begun.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let interrupted = pool.install(|| study(options));
    assert!(matches!(interrupted, Err(StudyError::Interrupted)));
    assert_eq!((keep.resumed(), keep.kept()), (0, 4));
    drop(keep);
    let keep = open(&folder);
    assert_eq!(with(&keep), whole);
    assert_eq!((keep.resumed(), keep.kept()), (4, RUNS));
    drop(keep);
    let keep = open(&folder);
    assert_eq!(with(&keep), whole);
    assert_eq!((keep.resumed(), keep.kept()), (RUNS, RUNS));
    assert!(keep.faults().is_empty());
    assert!(keep.clear().expect("removed"));
    assert!(!folder.exists());
}

#[test]
fn what_is_of_another_run_or_program_is_not_used() {
    let (_root, folder) = folder();
    let keep = open(&folder);
    keep.put(&task(6, None), 1, &measured(&[1, 2], 80.0));
    drop(keep);
    let keep = open(&folder);
    assert_eq!(keep.get(&task(6, None), 1), Some(measured(&[1, 2], 80.0)));
    for (task, seed) in [(task(6, None), 2), (task(6, Some(1)), 1), (task(15, None), 1)] {
        assert_eq!(keep.get(&task, seed), None);
    }
    drop(keep);
    let other = Keep::open(&folder, b"another program").expect("a folder of runs");
    assert_eq!(other.get(&task(6, None), 1), None);
    // It is airpath's all the same, and of no use once there are results.
    assert!(other.clear().expect("removed"));
}

#[test]
fn what_is_damaged_or_foreign_is_told_of_and_left_alone() {
    let (_root, folder) = folder();
    let keep = open(&folder);
    let (one, two) = (task(6, None), task(15, None));
    keep.put(&one, 1, &measured(&[100, 200], 80.0));
    keep.put(&two, 1, &measured(&[100, 200], 80.0));
    let path = |task: &Task| folder.join(keep.key(task, 1).file(WHOLE));
    let (first, second) = (path(&one), path(&two));
    drop(keep);
    let text = fs::read_to_string(&first).expect("a run");
    let changed = text.replace("100,200", "100,300");
    assert_ne!(changed, text);
    fs::write(&first, &changed).expect("written");
    fs::write(&second, &text[..text.len() - 9]).expect("written");
    fs::write(folder.join("notes.txt"), "mine").expect("written");
    let keep = open(&folder);
    assert_eq!((keep.get(&one, 1), keep.get(&two, 1)), (None, None));
    let faults = keep.faults();
    assert!(faults.len() == 3 && faults[0].contains("notes.txt"), "{faults:?}");
    assert!(faults[1].contains("checksum") && faults[2].contains("checksum"), "{faults:?}");
    keep.put(&one, 1, &measured(&[100, 200], 80.0));
    assert!(!keep.clear().expect("nothing to remove"));
    assert_eq!(fs::read_to_string(&first).expect("still there"), changed);
    assert_eq!(fs::read_dir(&folder).expect("still there").count(), 3);
}

#[test]
fn the_whole_text_of_another_run_is_not_taken_for_this_one() {
    let (_root, folder) = folder();
    let keep = open(&folder);
    let task = task(6, None);
    keep.put(&task, 1, &measured(&[1], 80.0));
    let path = |seed| folder.join(keep.key(&task, seed).file(WHOLE));
    fs::copy(path(1), path(2)).expect("copied");
    drop(keep);
    assert_eq!(open(&folder).get(&task, 2), None);
}

#[test]
fn only_one_program_works_in_a_folder_and_nothing_kept_leaves_nothing() {
    let (_root, folder) = folder();
    let keep = open(&folder);
    assert!(Keep::open(&folder, b"program").is_err());
    drop(keep);
    assert!(!folder.exists());
    drop(open(&folder));
    // What a killed program had begun to write is no run.
    let keep = open(&folder);
    let part = folder.join(keep.key(&task(6, None), 1).file(PART));
    fs::write(&part, FORMAT).expect("written");
    drop(keep);
    let keep = open(&folder);
    assert_eq!((keep.get(&task(6, None), 1), keep.faults()), (None, Vec::new()));
    assert!(keep.clear().expect("removed"));
}

#[test]
fn a_file_in_the_folders_place_is_refused() {
    let (_root, folder) = folder();
    fs::write(&folder, "mine").expect("written");
    assert!(Keep::open(&folder, b"program").is_err());
    assert_eq!(fs::read_to_string(&folder).expect("there"), "mine");
}

proptest! {
    #[test]
    fn figures_come_back_to_the_last_bit(bits: u64, delays: Vec<u64>, seed: u64) {
        let kbps = f64::from_bits(bits);
        prop_assume!(kbps.is_finite());
        let key = Key { program: bits, run: !bits, seed };
        let text = key.text(&measured(&delays, kbps)).expect("text");
        let read = key.read(&text).expect("whole");
        prop_assert_eq!(read.flows[0].span.1.to_bits(), kbps.to_bits());
        prop_assert_eq!(read, measured(&delays, kbps));
        prop_assert!(has_form(&key.file(WHOLE), WHOLE) && !has_form(&key.file(PART), WHOLE));
    }

    #[test]
    fn nothing_that_is_cut_off_or_changed_is_read(at: prop::sample::Index, flip in 1_u8..128) {
        let key = Key { program: 1, run: 2, seed: 3 };
        let text = key.text(&measured(&[4, 5], 6.0)).expect("text");
        let at = at.index(text.len());
        prop_assert!(key.read(&text[..at]).is_err());
        let mut bytes = text.into_bytes();
        bytes[at] ^= flip;
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert!(key.read(&text).is_err());
        }
    }

    #[test]
    fn any_text_is_refused_or_read(text: String) {
        prop_assert!(Key::of(&text).is_err());
        prop_assert!(!has_form(&text, WHOLE));
    }
}
