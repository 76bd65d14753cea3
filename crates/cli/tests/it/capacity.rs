//! `airpath capacity`: an answer that can be computed, resumed runs, and bad input.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::common::{airpath, said};

/// Files at a constant rate over a link of 10 Mbit/s: each UE takes 2 Mbit/s of it.
const WIRE: &str = r#"duration = "2 s"
radio = "none"
[path.sgi]
rate = "10 Mbit/s"
queue = "2000 packets"
[[ue]]
name = "xr"
[[flow]]
name = "view"
kind = "xr"
direction = "down"
xr = { model = "vr", size = "5000 B", frame_rate = 50, deviation = 0, jitter = "0 s", deadline = "40 ms" }
"#;

fn answer(folder: &std::path::Path, more: &[&str]) -> Value {
    let wanted = [
        "capacity",
        "wire.toml",
        "--satisfied",
        "share within 40 ms >= 99%",
        "--users",
        "ue.xr",
        "--json",
    ];
    let args: Vec<&str> = wanted.iter().chain(more).copied().collect();
    let output = airpath(folder, &args);
    assert!(output.status.success(), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_load_of_the_link_is_the_capacity_and_runs_are_kept() {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("wire.toml"), WIRE).expect("written");
    let more = ["--most", "8", "--seeds", "2", "--most-seeds", "2", "--out", "out"];
    let first = answer(folder.path(), &more);
    // Five UEs are 100% of the link: frames wait at most a period of 20 ms. Six are more than it carries.
    assert_eq!((&first["users_per_cell"], &first["ending"]), (&5.into(), &"found".into()));
    assert_eq!((&first["resumed"], &first["is_monotone"]), (&0.into(), &true.into()));
    let again = answer(folder.path(), &more);
    assert_eq!(again["resumed"], first["runs"], "no run is made again");
    assert_eq!((&again["points"], &again["crossing"]), (&first["points"], &first["crossing"]));
    let kept = fs::read_to_string(folder.path().join("out/capacity.json")).expect("an answer");
    assert_eq!(serde_json::from_str::<Value>(&kept).expect("JSON"), again);
}

#[test]
fn none_and_above_the_range_are_answers() {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("wire.toml"), WIRE).expect("written");
    let ending = |more: &[&str]| answer(folder.path(), more)["ending"].clone();
    let few = ["--seeds", "2", "--most-seeds", "2"];
    assert_eq!(ending(&[&few[..], &["--most", "3"]].concat()), "above");
    let slow = ["--set", "path.sgi.rate=\"1 Mbit/s\""];
    assert_eq!(ending(&[&few[..], &slow].concat()), "none");
}

#[test]
fn bad_input_has_a_mend() {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("wire.toml"), WIRE).expect("written");
    let cases = [
        (["share within 40 ms >= 99%", "ue.xrs"], "did you mean ue.xr?"),
        (["pdsch_share <= 90%", "ue.xr"], "not of users"),
        (["share within 40 >= 99%", "ue.xr"], "is no time"),
        (["page_delay_mean_ms <= 2 s", "ue.xr"], "no UE of ue.xr has a `page_delay_mean_ms`"),
    ];
    for ([satisfied, users], expected) in cases {
        let args =
            ["capacity", "wire.toml", "--satisfied", satisfied, "--users", users, "--most", "2"];
        let output = airpath(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
}

#[test]
fn fewer_seeds_at_most_than_at_first_are_refused() {
    let folder = tempdir().expect("a folder");
    fs::write(folder.path().join("wire.toml"), WIRE).expect("written");
    let wanted = ["capacity", "wire.toml", "--satisfied", "share within 40 ms >= 99%", "--users"];
    let run = |more: &[&str]| airpath(folder.path(), &[&wanted[..], &["ue.xr"], more].concat());
    let refused = run(&["--seeds", "8", "--most-seeds", "2"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("allow at least 8"), "{}", said(&refused));
    let one = run(&["--seeds", "2", "--most-seeds", "2", "--most", "1"]);
    assert!(said(&one).contains("At least 1 user a cell:"), "{}", said(&one));
}

#[test]
fn the_range_ends_before_numbers_that_the_scenario_refuses() {
    let folder = tempdir().expect("a folder");
    let template = airpath(folder.path(), &["new", "xr-vr"]);
    assert!(template.status.success(), "{}", said(&template));
    let wanted = ["capacity", "xr-vr.toml", "--satisfied", "share within 10 ms >= 0%", "--users"];
    let more = ["ue.xr", "--set", "duration=\"1 s\"", "--seeds", "2", "--most-seeds", "2"];
    let output = airpath(folder.path(), &[&wanted[..], &more].concat());
    assert!(output.status.success(), "{}", said(&output));
    let printed = said(&output);
    assert!(printed.contains("a cell on the scenario is refused: "), "{printed}");
    assert!(printed.contains("resource blocks") && !printed.contains("--most allows"), "{printed}");
}
