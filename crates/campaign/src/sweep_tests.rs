//! Tests of sweeps: what fails, and what is interrupted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use airpath_base::Duration;
use airpath_scenario::Variation;

use super::*;

const SCENARIO: &str = r#"
duration = "100 ms"
radio = "none"
[path.sgi]
rate = "2 Mbit/s"
[[flow]]
name = "voice"
kind = "rtp"
direction = "down"
start = { min = "0 ms", max = "50 ms" }
[sweep]
replications = 3
grid.path.sgi.rate = ["1 Mbit/s", "2 Mbit/s"]
"#;

fn campaign() -> Campaign {
    let none = |_: &str| Err("no files".to_owned());
    let read = Campaign::parse("s.toml", SCENARIO, Variation::default(), &none);
    read.unwrap_or_else(|errors| panic!("{}", errors.plain()))
}

fn means(report: &Report, arm: usize) -> Vec<f64> {
    report.estimates.iter().filter(|e| e.arm == arm).map(|e| e.mean).collect()
}

#[test]
fn a_run_that_fails_is_named_and_keeps_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("out");
    let options = Options { folder: Some(&target), ..Options::default() };
    let mut broken = campaign();
    // No file can say this: it is refused long before.
    let rtp = broken.arms[0].scenario.flow[0].rtp.as_mut().expect("of RTP");
    rtp.interval = Duration::ZERO;
    let report = sweep(&broken, options).expect("a report");
    let failed: Vec<_> = report.failures.iter().map(|f| (f.arm.as_str(), f.seed)).collect();
    assert_eq!(failed, [("1 Mbit/s", 1), ("1 Mbit/s", 2), ("1 Mbit/s", 3)]);
    assert_eq!(report.arms[1].seeds, [1, 2, 3]);
    assert!(means(&report, 0).is_empty() && !means(&report, 1).is_empty());
    let dataset = Dataset::open(&target, Digests::Checked).expect("a dataset");
    assert!(!dataset.summary.complete);
    // On the next call, the three that were made are there.
    let again = sweep(&broken, options).expect("a report");
    assert_eq!((again.resumed, again.failures.len()), (3, 3));
}

#[test]
fn what_was_made_before_an_interruption_is_not_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("out");
    let stop = AtomicBool::new(false);
    let made = AtomicUsize::new(0);
    let progress = |done: usize, _: usize| {
        made.store(done, Ordering::SeqCst);
        stop.store(done >= 2, Ordering::SeqCst);
    };
    let options = Options {
        folder: Some(&target),
        progress: Some(&progress),
        interrupt: Some(&stop),
        ..Options::default()
    };
    let stopped = sweep(&campaign(), options);
    assert!(matches!(stopped, Err(SweepError::Interrupted)), "{stopped:?}");
    assert!(!target.exists());
    let options = Options { folder: Some(&target), ..Options::default() };
    let report = sweep(&campaign(), options).expect("a report");
    assert_eq!(report.resumed, made.load(Ordering::SeqCst));
    // In memory it comes to the same.
    let memory = sweep(&campaign(), Options::default()).expect("a report");
    assert_eq!((memory.estimates, memory.metrics), (report.estimates, report.metrics));
}

#[test]
fn what_is_read_is_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("out");
    let options = Options { folder: Some(&target), jobs: Some(1), ..Options::default() };
    let report = sweep(&campaign(), options).expect("a report");
    let dataset = Dataset::open(&target, Digests::Checked).expect("a dataset");
    assert_eq!(dataset.estimates().expect("a table"), report.estimates);
    let arm = dataset.arm("2 Mbit/s").expect("an arm");
    let runs = dataset.runs(arm, &["goodput_bps"]).expect("a table");
    assert_eq!(runs.seeds, [1, 2, 3]);
    let values: Vec<f64> = runs.values[0].iter().flatten().copied().collect();
    let own = report.estimates.iter().find(|e| e.arm == arm && e.metric == "goodput_bps");
    let mean = values.iter().sum::<f64>() / 3.0;
    assert!((mean / own.expect("an estimate").mean - 1.0).abs() < 1e-12);
    let none = dataset.runs(arm, &["goodput"]);
    let error = none.expect_err("no such metric").to_string();
    assert_eq!(error, "no run has the metric `goodput`: did you mean `goodput_bps`?");
}

/// Makes the runs backwards, and gives up behind so many.
struct Backwards(usize);

impl Elsewhere for Backwards {
    fn make(&self, runs: &[(usize, u64)], take: &Take<'_>) -> Result<(), SweepError> {
        let campaign = campaign();
        for (place, (arm, seed)) in runs.iter().enumerate().rev().take(self.0) {
            let made = crate::make(&campaign.arms[*arm].scenario, *seed, None);
            take(place, made.map(|record| record.expect("nothing interrupts it")));
        }
        match runs.len() > self.0 {
            true => Err(SweepError::Elsewhere("it is gone".to_owned())),
            false => Ok(()),
        }
    }
}

#[test]
fn runs_that_are_made_elsewhere_are_kept_and_come_to_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let [here, there] = ["here", "there"].map(|name| folder.path().join(name));
    let options = Options { folder: Some(&here), ..Options::default() };
    let own = sweep(&campaign(), options).expect("a report");
    let options = |elsewhere: &'static dyn Elsewhere| Options {
        folder: Some(&there),
        elsewhere: Some(elsewhere),
        ..Options::default()
    };
    let error = sweep(&campaign(), options(&Backwards(4))).expect_err("it gives up");
    assert_eq!(error.to_string(), "it is gone");
    let theirs = sweep(&campaign(), options(&Backwards(2))).expect("a report");
    assert_eq!(theirs.resumed, 4);
    assert_eq!(Report { resumed: 0, folder: None, ..theirs }, Report { folder: None, ..own });
    let table = |folder: &Path| std::fs::read(folder.join("runs.parquet")).expect("a table");
    assert_eq!(table(&here), table(&there));
}
