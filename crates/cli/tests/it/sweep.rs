//! `airpath sweep`: what it writes, and that nothing is lost or made twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use airpath_base::random::Seed;

use crate::common::{names, run, said};

/// Two arms of a link, whose runs depend on the seed.
const SCENARIO: &str = r#"duration = "400 ms"
radio = "none"
[path.sgi]
rate = "20 Mbit/s"
delay = "5 ms"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
start = { min = "0 ms", max = "100 ms" }
[[flow]]
name = "voice"
kind = "rtp"
direction = "down"
start = { min = "0 ms", max = "100 ms" }
[sweep]
replications = 12
[[sweep.arm]]
name = "cubic"
"flow.download.tcp.controller" = "cubic"
[[sweep.arm]]
name = "bbr"
"flow.download.tcp.controller" = "bbr"
"#;

/// Number of campaigns that are killed; ten times as many in long tests.
fn kills() -> u64 {
    if std::env::var_os("AIRPATH_TEST_LONG").is_some() { 50 } else { 5 }
}

/// Files of a campaign that nothing interrupts, and its time.
#[allow(clippy::disallowed_methods, reason = "the test waits for a process")]
fn whole() -> (BTreeMap<String, Vec<u8>>, Duration) {
    let (folder, begun) = (folder(), Instant::now());
    done(folder.path(), &SWEEP);
    (files(&folder.path().join("out")), begun.elapsed())
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("s.toml"), SCENARIO).expect("a file");
    folder
}

fn done(folder: &Path, args: &[&str]) -> String {
    run(folder, args, 0)
}

fn refused(folder: &Path, args: &[&str]) -> String {
    run(folder, args, 2)
}

/// All files below a folder with their bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for name in names(folder) {
        let path = folder.join(&name);
        match path.is_dir() {
            true => all.extend(files(&path).into_iter().map(|(f, b)| (format!("{name}/{f}"), b))),
            false => _ = all.insert(name, fs::read(path).expect("a file")),
        }
    }
    all
}

/// Checks that a campaign's results have the bytes of one that nothing interrupted.
fn check_equal(folder: &tempfile::TempDir, whole: &BTreeMap<String, Vec<u8>>) {
    let made = files(&folder.path().join("out"));
    assert!(made.keys().eq(whole.keys()), "{:?}", made.keys());
    for (name, bytes) in whole {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(made[name] == *bytes, "{name}: {} instead of {}", text(&made[name]), text(bytes));
    }
}

fn rows(csv: &[u8]) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv);
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

const SWEEP: [&str; 4] = ["sweep", "s.toml", "--out", "out"];

#[test]
fn a_campaign_is_tables_that_explain_themselves() {
    let folder = folder();
    let text = done(folder.path(), &SWEEP);
    assert!(text.contains("12 runs of each arm"), "{text}");
    assert_eq!(names(folder.path()), ["out", "s.toml"]);
    let out = files(&folder.path().join("out"));
    let expected = [
        "README.md",
        "arms/bbr.toml",
        "arms/cubic.toml",
        "intervals.csv",
        "intervals.parquet",
        "runs.csv",
        "runs.parquet",
        "summary.json",
        "users.csv",
        "users.parquet",
    ];
    assert_eq!(out.keys().map(String::as_str).collect::<Vec<_>>(), expected);
    let runs = rows(&out["runs.csv"]);
    assert_eq!(runs.len(), 24);
    for (n, row) in runs.iter().enumerate() {
        let (arm, seed) = (["cubic", "bbr"][n / 12], (n % 12 + 1).to_string());
        assert_eq!((row["arm"].as_str(), &row["seed"]), (arm, &seed));
        assert_eq!(row["flow.download.tcp.controller"], arm);
    }
    // The run of an arm and seed is what `airpath run` makes of its scenario.
    let alone = done(
        folder.path(),
        &["run", "out/arms/bbr.toml", "--seed", "7", "--out", "alone", "--quiet"],
    );
    assert_eq!(alone, "");
    let summary = fs::read(folder.path().join("alone/summary.json")).expect("a summary");
    let summary: serde_json::Value = serde_json::from_slice(&summary).expect("JSON");
    let goodput: f64 = runs[18]["download.goodput_bps"].parse().expect("a number");
    assert_eq!(summary["flows"][0]["goodput_bps"].as_f64(), Some(goodput));
    // The interval is Student's t over the runs: t(0.975; 11) = 2.200985.
    let values: Vec<f64> =
        runs[..12].iter().map(|row| row["goodput_bps"].parse().expect("a number")).collect();
    let mean = values.iter().sum::<f64>() / 12.0;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 11.0;
    let half = 2.200_985 * (variance / 12.0).sqrt();
    let intervals = rows(&out["intervals.csv"]);
    let own = intervals.iter().find(|row| row["arm"] == "cubic" && row["metric"] == "goodput_bps");
    let low: f64 = own.expect("an interval")["low"].parse().expect("a number");
    assert!((low - (mean - half)).abs() < 1e-5 * mean, "{low} is not {}", mean - half);
    let readme = String::from_utf8_lossy(&out["README.md"]).into_owned();
    assert!(readme.contains("| `download.goodput_bps` | bit/s |"), "{readme}");
    // No run is made again, and all files stay the same.
    let again = done(folder.path(), &SWEEP);
    assert!(again.contains("24 of all were there"), "{again}");
    assert_eq!(files(&folder.path().join("out")), out);
}

#[test]
fn more_seeds_and_arms_come_to_what_is_there() {
    let folder = folder();
    done(folder.path(), &[&SWEEP[..], &["--seeds", "4"]].concat());
    let more = ["--seeds", "6", "--vary", "path.sgi.delay=5 ms"];
    let refusal = refused(folder.path(), &[&SWEEP[..], &more].concat());
    assert!(refusal.contains("holds another campaign"), "{refusal}");
    let text = done(folder.path(), &[&SWEEP[..], &["--seeds", "6"]].concat());
    assert!(text.contains("8 of all were there"), "{text}");
    let own = files(&folder.path().join("out"));
    done(folder.path(), &["sweep", "s.toml", "--out", "whole", "--seeds", "6"]);
    assert!(own == files(&folder.path().join("whole")), "grown is not as made at once");
    let fewer = refused(folder.path(), &[&SWEEP[..], &["--seeds", "5"]].concat());
    assert!(fewer.contains("would be lost"), "{fewer}");
    assert_eq!(files(&folder.path().join("out")), own);
}

#[test]
fn killed_at_any_moment_it_comes_to_the_same_bytes() {
    let (whole, span) = whole();
    let mut half_way = 0;
    for n in 0..kills() {
        let folder = folder();
        let mut child = start(folder.path());
        // Moments that are spread over the time that the campaign takes.
        wait(span.mul_f64((n + 1) as f64 / (kills() + 1) as f64));
        child.kill().expect("may be killed");
        child.wait().expect("a status");
        half_way += u32::from(folder.path().join(".out.runs").exists());
        done(folder.path(), &SWEEP);
        assert_eq!(names(folder.path()), ["out", "s.toml"]);
        check_equal(&folder, &whole);
    }
    assert!(half_way > 0, "no campaign was killed half way");
}

#[test]
fn one_campaign_that_is_killed_at_fifty_moments_comes_to_the_same_bytes() {
    let (whole, span) = whole();
    let folder = folder();
    let mut half_way = 0;
    let mut random = Seed(50).stream("moments");
    for _ in 0..50 {
        let mut child = start(folder.path());
        wait(span.mul_f64(random.uniform()));
        child.kill().expect("may be killed");
        child.wait().expect("a status");
        half_way += u32::from(folder.path().join(".out.runs").exists());
        // The next campaign begins where one has ended.
        if folder.path().join("out").exists() && !folder.path().join(".out.runs").exists() {
            done(folder.path(), &SWEEP); // its lock may be there
            check_equal(&folder, &whole);
            fs::remove_dir_all(folder.path().join("out")).expect("removed");
        }
    }
    done(folder.path(), &SWEEP);
    assert_eq!(names(folder.path()), ["out", "s.toml"]);
    check_equal(&folder, &whole);
    assert!(half_way > 10, "{half_way} campaigns were killed half way");
}

#[test]
fn a_damaged_record_is_made_again_with_a_warning() {
    let folder = folder();
    done(folder.path(), &SWEEP);
    let whole = files(&folder.path().join("out"));
    fs::remove_dir_all(folder.path().join("out")).expect("removed");
    let records = folder.path().join(".out.runs/0000.runs");
    let mut child = start(folder.path());
    while fs::metadata(&records).map_or(0, |file| file.len()) < 20_000 {
        assert!(child.try_wait().expect("a status").is_none(), "the campaign has ended");
    }
    child.kill().expect("may be killed");
    child.wait().expect("a status");
    let mut bytes = fs::read(&records).expect("records");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 16;
    fs::write(&records, bytes).expect("written");
    let text = done(folder.path(), &SWEEP);
    assert!(text.contains("0000.runs: the record at byte "), "{text}");
    assert!(text.contains("damaged; its run is made again"), "{text}");
    assert!(files(&folder.path().join("out")) == whole, "the bytes differ");
    assert_eq!(names(folder.path()), ["out", "s.toml"]);
}

#[test]
fn two_processes_share_the_work() {
    let folder = folder();
    let children = [start(folder.path()), start(folder.path())];
    for child in children {
        let output = child.wait_with_output().expect("the program");
        assert!(output.status.success(), "{}", said(&output));
    }
    let own = files(&folder.path().join("out"));
    done(folder.path(), &["sweep", "s.toml", "--out", "alone", "--jobs", "1"]);
    assert!(own == files(&folder.path().join("alone")), "shared is not as made alone");
    assert_eq!(names(folder.path()), ["alone", "out", "s.toml"]);
}

#[test]
fn runs_go_on_until_a_metric_is_known() {
    let folder = folder();
    let text = SCENARIO.replace(
        "replications = 12",
        "until = { metric = \"goodput_bps\", interval = \"0.1%\", least = 4, most = 11 }",
    );
    fs::write(folder.path().join("s.toml"), text).expect("a file");
    let text = done(folder.path(), &SWEEP);
    assert!(text.contains("goodput_bps is not known to 0.1% after 11 runs in: "), "{text}");
    let wide = ["--set", "sweep.until.interval=90%", "--out", "wide"];
    let text = done(folder.path(), &[&["sweep", "s.toml"], &wide[..]].concat());
    assert!(text.contains("4 runs of each arm") && !text.contains("not known"), "{text}");
    let none = ["--set", "sweep.until.metric=goodput", "--out", "none"];
    let refusal = refused(folder.path(), &[&["sweep", "s.toml"], &none[..]].concat());
    assert!(refusal.contains("did you mean `goodput_bps`?"), "{refusal}");
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = folder();
    done(folder.path(), &["run", "s.toml", "--out", "run", "--quiet"]);
    let refusal = refused(folder.path(), &["sweep", "s.toml", "--out", "run"]);
    assert!(refusal.contains("holds no campaign"), "{refusal}");
    fs::create_dir(folder.path().join("own")).expect("a folder");
    fs::write(folder.path().join("own/thesis.txt"), "mine").expect("a file");
    let refusal = refused(folder.path(), &["sweep", "s.toml", "--out", "own"]);
    assert!(refusal.contains("thesis.txt"), "{refusal}");
    done(folder.path(), &[&SWEEP[..], &["--seeds", "2"]].concat());
    let path = folder.path().join("out/summary.json");
    let text = fs::read_to_string(&path).expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let build = summary["build"].as_str().expect("a build");
    fs::write(&path, text.replace(build, "0123")).expect("a file");
    let refusal = refused(folder.path(), &[&SWEEP[..], &["--seeds", "2", "--unchecked"]].concat());
    assert!(refusal.contains("another build of airpath"), "{refusal}");
    fs::write(&path, text.replace("airpath-results-1", "airpath-results-0")).expect("a file");
    let refusal = refused(folder.path(), &[&SWEEP[..], &["--seeds", "2", "--unchecked"]].concat());
    assert!(refusal.contains("format airpath-results-0"), "{refusal}");
}

#[test]
fn bad_input_is_named() {
    let folder = folder();
    let cases: [(&[&str], &str); 7] = [
        (&["--vary", "flow.download.tcp.controler=cubic"], "unknown key"),
        (&["--vary", "flow.upload.tcp.controller=cubic"], "there is \"download\" or \"voice\""),
        (&["--vary", "seed="], "a value is missing"),
        (&["--vary", "seed=1,1"], "is there twice"),
        (&["--set", "path.sgi.rat=3"], "did you mean `rate`"),
        (&["--seeds", "0"], "0 is not in 1..=100000"),
        (&["--seeds", "2", "--metric", "goodput"], "did you mean `goodput_bps`?"),
    ];
    for (args, expected) in cases {
        let text = refused(folder.path(), &[&["sweep", "s.toml"], args].concat());
        assert!(text.contains(expected), "{expected:?} is not in {text}");
    }
    assert_eq!(names(folder.path()), ["s.toml"]);
    let text = done(folder.path(), &["check", "s.toml"]);
    assert!(text.contains("; a campaign of 2 arms"), "{text}");
}

#[test]
fn a_cluster_needs_python() {
    let folder = folder();
    let dask = refused(folder.path(), &["sweep", "s.toml", "--dask", "tcp://10.0.0.5:8786"]);
    assert!(dask.contains("pip install '.[cluster]'"), "{dask}");
    let store = refused(folder.path(), &["sweep", "s.toml", "--store", "s3://bucket"]);
    assert!(store.contains("--dask <ADDRESS>"), "{store}");
}

fn start(folder: &Path) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(folder).args(SWEEP);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program")
}

#[allow(clippy::disallowed_methods, reason = "the test lets a process work for a while")]
fn wait(time: Duration) {
    thread::sleep(time);
}
