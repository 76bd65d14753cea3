//! Verdicts of `airpath analyse` on real flows, against what truly limited the flows.
//!
//! The example `flow_bench` of `airpath-live` judges them; it is built by `make unit` or
//! `cargo build --example flow_bench`. Recorded flows are judged always. With AIRPATH_TEST_LONG two hundred
//! are recorded afresh. That takes root, the programs ip, tc, nsenter, unshare, ethtool and tcpdump, and
//! half an hour.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skipped::skipped;
use tempfile::tempdir;

/// The program.
const AIRPATH: &str = env!("CARGO_BIN_EXE_airpath");
/// Flows that are recorded afresh, from a seed on that no recorded flow has.
const SEEDS: &str = "20000..20200";
/// Flows that are recorded at a time.
const JOBS: &str = "3";
/// Points of captures, as tables name them.
const POINTS: [&str; 3] = ["Sender", "Between", "Receiver"];
/// Captures of the kept flows that are right at each point, and their number. It is what was measured
/// when they were kept, as a floor and not as what is aimed at: 95% and 93%.
const KEPT: [(u32, u32); 3] = [(30, 36), (27, 32), (30, 36)];
/// Percent of fresh flows that are right at each point. It is what was measured of 349 flows (85.4, 86.2 and 84.5)
/// less what two hundred flows of other seeds may differ by.
const FRESH: [u32; 3] = [76, 77, 75];

#[test]
fn verdicts_on_ten_recorded_flows_are_right_at_both_ends() {
    let Some(bench) = bench() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/flows");
    let tables = judged(&bench, folder);
    assert_eq!([right(&tables, "Sender"), right(&tables, "Receiver")], [(10, 10); 2], "{tables}");
}

#[test]
fn verdicts_on_kept_flows_are_right_as_often_as_measured() {
    let Some(bench) = bench() else { return };
    let folder = "../live/examples/flow_bench/kept";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let tables = output(Command::new(bench).args(["kept", AIRPATH]).arg(folder));
    for (point, (floor, captures)) in POINTS.into_iter().zip(KEPT) {
        let (right, all) = right(&tables, point);
        assert!(right >= floor && all == captures, "{point}: {right} of {all}\n{tables}");
    }
}

#[test]
fn verdicts_on_two_hundred_fresh_flows_are_right_as_often_as_measured() {
    if std::env::var_os("AIRPATH_TEST_LONG").is_none() {
        return;
    }
    let Some(bench) = bench() else { return };
    if let Some(why) = missing() {
        return skipped(format_args!("no flows can be recorded: {why}"));
    }
    let folder = tempdir().expect("a folder");
    let mut record = Command::new(&bench);
    record.args(["record", AIRPATH]).arg(folder.path()).args([SEEDS, JOBS, "both"]);
    println!("{}", output(&mut record));
    let tables = judged(&bench, folder.path().to_owned());
    println!("{tables}");
    for (point, share) in POINTS.into_iter().zip(FRESH) {
        let (right, all) = right(&tables, point);
        assert!(all >= 150, "only {all} flows could be recorded and have a cause that leads");
        assert!(100 * right >= share * all, "{point}: {right} of {all}");
    }
}

/// The bench, if it is built.
fn bench() -> Option<PathBuf> {
    let path = Path::new(AIRPATH).with_file_name("examples").join("flow_bench");
    if !path.exists() {
        skipped(format_args!("flows cannot be judged: the example flow_bench is not built"));
    }
    Some(path).filter(|path| path.exists())
}

/// Tables of all flows in a folder.
fn judged(bench: &Path, folder: PathBuf) -> String {
    let all = fs::read_dir(folder).expect("recorded flows");
    let all = all.map(|entry| entry.expect("a folder").path()).filter(|path| path.is_dir());
    output(Command::new(bench).args(["judge", AIRPATH, "both"]).args(all))
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("the bench runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Right verdicts at a point, and all.
fn right(tables: &str, point: &str) -> (u32, u32) {
    let line = tables.lines().find(|line| line.starts_with(point) && line.ends_with("right"));
    let mut numbers = line.expect("a table").split(' ').filter_map(|word| word.parse().ok());
    (numbers.next().expect("a number"), numbers.next().expect("a number"))
}

/// Reason for which flows cannot be recorded on this machine, if there is one.
fn missing() -> Option<String> {
    let works = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    for (program, version) in [
        ("ip", "-V"),
        ("tc", "-V"),
        ("nsenter", "-V"),
        ("ethtool", "--version"),
        ("tcpdump", "--version"),
    ] {
        if !works(program, &[version]) {
            return Some(format!("{program} is not installed"));
        }
    }
    let namespaces = works("unshare", &["-n", "ip", "link", "add", "one", "type", "veth"]);
    (!namespaces).then(|| "network namespaces or veth are forbidden; root has them".to_owned())
}
