//! Tests of a study's runs in a run cache.

use std::path::{Path, PathBuf};

use airpath_sim::RunCache;
use proptest::prelude::*;

use super::*;
use crate::observe::FlowMeasured;
use crate::{BUILD, Options, RampFigures, Report, Risen, STUDIES, StudyError, reproduce};

const PLAN: &str = r#"{
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
    reproduce(&STUDIES[0].study().with("plan.json", PLAN), Options { seeds: 3, ..options })
}

fn with(cache: &RunCache) -> Report {
    study(Options { cache: Some(cache), ..Options::default() }).expect("a report")
}

fn open(folder: &Path) -> RunCache {
    RunCache::open(folder, BUILD).expect("a folder of runs")
}

#[test]
fn a_study_that_was_interrupted_goes_on_and_comes_to_the_same() {
    let root = tempfile::tempdir().expect("a folder");
    let folder: PathBuf = root.path().join("runs");
    let whole = study(Options::default()).expect("a report");
    let interrupt = AtomicBool::new(false);
    let stop = |_: &str, done: usize, all: usize| {
        interrupt.store(all == 6 && done >= 2, Ordering::SeqCst);
    };
    let cache = open(&folder);
    let options = Options {
        progress: Some(&stop),
        interrupt: Some(&interrupt),
        cache: Some(&cache),
        ..Options::default()
    };
    // One worker, so that the runs after the second of the second reading are not begun.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let interrupted = pool.install(|| study(options));
    assert!(matches!(interrupted, Err(StudyError::Interrupted)));
    assert_eq!((cache.resumed(), cache.kept()), (0, 4));
    drop(cache);
    let cache = open(&folder);
    assert_eq!(with(&cache), whole);
    assert_eq!((cache.resumed(), cache.kept()), (4, RUNS));
    drop(cache);
    let cache = open(&folder);
    assert_eq!(with(&cache), whole);
    assert_eq!((cache.resumed(), cache.kept()), (RUNS, RUNS));
    assert!(cache.faults().is_empty());
    assert!(cache.clear().expect("removed"));
}

fn task(resource_blocks: u32, from: Option<u64>, ramp: Option<Ramp>) -> Task<'static> {
    let scenario = scenario(resource_blocks);
    let work = Work::Scenario(Box::new(scenario));
    Task { run: "run".into(), work, from, ramp, latency_ms: None, spans: Vec::new(), own: None }
}

pub(crate) fn scenario(resource_blocks: u32) -> Scenario {
    let text = format!(
        "duration = \"1 s\"\ncell.resource_blocks = {resource_blocks}\n\
         [[ue]]\nname = \"phone\"\nsnr = \"20 dB\"\n\
         [[flow]]\nname = \"voice\"\nkind = \"rtp\"\ndirection = \"down\"\n"
    );
    Scenario::parse("test", &text, &[]).expect("a scenario")
}

#[test]
fn what_is_run_and_how_it_is_measured_make_the_digest() {
    let ramp: Ramp = serde_json::from_str(
        r#"{ "window_ms": 10, "ahead_ms": 0, "origin": "start", "step_ms": 5, "share": 0.9,
             "kilobyte": 1000 }"#,
    )
    .expect("a way to read");
    let digest = task(6, None, None).digest();
    assert_eq!(digest, task(6, None, None).digest());
    for other in [task(15, None, None), task(6, Some(1), None), task(6, None, Some(ramp))] {
        assert_ne!(digest, other.digest());
    }
}

proptest! {
    #[test]
    fn what_is_cached_comes_back_to_the_last_bit(bits: u64, delays: Vec<u64>) {
        let kbps = f64::from_bits(bits);
        prop_assume!(!kbps.is_nan());
        let flow = FlowMeasured {
            flow: "voice".into(),
            delays,
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
        let whole = Measured { flows: vec![flow], blocks: (u64::MAX, 7), ..Measured::default() };
        let text = serde_json::to_string(&whole).expect("text");
        let read: Measured = serde_json::from_str(&text).expect("whole");
        prop_assert_eq!(read.flows[0].span.1.to_bits(), kbps.to_bits());
        prop_assert_eq!(read, whole);
    }
}
