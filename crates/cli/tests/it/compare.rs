//! `airpath compare`: what it says, of what, and what it refuses.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{airpath, run};

/// Link whose runs depend on the seed. Each scenario adds the controller of its download.
const SCENARIO: &str = r#"duration = "300 ms"
radio = "none"
[path.sgi]
rate = "20 Mbit/s"
delay = "5 ms"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
start = { min = "0 ms", max = "100 ms" }
[flow.tcp]
initial_window = WINDOW
"#;

/// A folder with two scenarios: a small initial window, and a large one.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, window) in [("small", "2"), ("large", "20")] {
        let text = SCENARIO.replace("WINDOW", window);
        fs::write(folder.path().join(format!("{name}.toml")), text).expect("a file");
    }
    folder
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = airpath(folder, args);
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn two_scenarios_in_sentences() {
    let folder = folder();
    let compare = ["compare", "small.toml", "large.toml", "--seeds", "8"];
    let text = run(folder.path(), &compare, 0);
    let whole = text.replace("\n  ", " ");
    let first = whole.lines().next().expect("a line");
    assert!(first.contains("with large than with small"), "{text}");
    assert!(whole.contains("The goodput is"), "{text}");
    assert!(whole.contains("Mbit/s higher with large than with small"), "{text}");
    assert!(text.contains("8 paired seeds"), "{text}");
    assert!(text.contains("flow.download.tcp.initial_window: 2 | 20"), "{text}");
    assert!(text.contains("share the level of 5% (Holm)"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    // The same with one thread, and once more.
    assert_eq!(run(folder.path(), &[&compare[..], &["--jobs", "1"]].concat(), 0), text);
}

#[test]
fn one_pair_has_no_interval() {
    let folder = folder();
    for name in ["small", "large"] {
        let out = format!("{name}-run");
        run(folder.path(), &["run", &format!("{name}.toml"), "--out", &out], 0);
    }
    let metric = ["--metric", "goodput_bps"];
    let folders = [&["compare", "small-run", "large-run"], &metric[..]].concat();
    let text = run(folder.path(), &folders, 0).replace("\n  ", " ");
    assert!(text.contains("by the one seed that both have; one pair gives no interval"), "{text}");
    // A run's folder says what the run itself says.
    let scenarios =
        [&["compare", "small.toml", "large.toml", "--seeds", "1"], &metric[..]].concat();
    let (kept, made) = (
        json(folder.path(), &[&folders[..], &["--json"]].concat()),
        json(folder.path(), &[&scenarios[..], &["--json"]].concat()),
    );
    assert_eq!(kept["metrics"][0]["difference"], made["metrics"][0]["difference"]);
    assert_eq!(kept["keys"], made["keys"]);
    assert_eq!(kept["metrics"][0]["difference"]["low"], Value::Null);
}

/// Two arms of a campaign come to what the same scenarios come to, however they are named.
#[test]
fn arms_of_a_campaign() {
    let folder = folder();
    let sweep = ["sweep", "small.toml", "--seeds", "5", "--out", "out"];
    let vary = ["--vary", "flow.download.tcp.initial_window=2,20"];
    run(folder.path(), &[&sweep[..], &vary].concat(), 0);
    let summary = fs::read_to_string(folder.path().join("out/summary.json")).expect("a file");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    let name = |n: usize| summary["arms"][n]["name"].as_str().expect("a name").to_owned();
    let (first, second) = (name(0), name(1));
    let metrics = |args: &[&str]| {
        let all = [&["compare"], args, &["--all", "--json"]].concat();
        let found = json(folder.path(), &all);
        let rows = found["metrics"].as_array().expect("rows");
        let row =
            |row: &Value| (row["metric"].clone(), row["difference"].clone(), row["p"].clone());
        (rows.iter().map(row).collect::<Vec<_>>(), found["keys"].clone())
    };
    let made = metrics(&["small.toml", "large.toml", "--seeds", "5"]);
    assert!(made.0.len() > 10);
    assert!(made.0.iter().any(|(name, ..)| name == "users.tcp.down.transmitted_bps.p50"));
    assert_eq!(metrics(&["out"]), made);
    assert_eq!(metrics(&["out", &first, &second]), made);
    assert_eq!(metrics(&[&format!("out:{first}"), &format!("out:{second}")]), made);
    // A value alone says nothing: key and value do.
    let text = run(folder.path(), &["compare", "out"], 0).replace("\n  ", " ");
    let named = ["window=20 than with", "with flow.download.tcp.initial_window=2,"];
    assert!(named.iter().all(|part| text.contains(part)), "{text}");
    let refused = run(folder.path(), &["compare", "out", "out"], 2);
    assert!(refused.contains("out has 2 arms") && refused.contains("DIR:ARM"), "{refused}");
    let refused = run(folder.path(), &["compare", "out", &first, "nothing"], 2);
    assert!(refused.contains("out has no arm `nothing`: its README.md lists"), "{refused}");
}

#[test]
fn bad_input_names_the_place_and_the_mend() {
    let folder = folder();
    let refused = |args: &[&str]| run(folder.path(), &[&["compare"], args].concat(), 2);
    let two = ["small.toml", "large.toml", "--seeds", "2"];
    let text = refused(&[&two[..], &["--metric", "godput_bps"]].concat());
    assert!(
        text.contains("`godput_bps`") && text.contains("did you mean `goodput_bps`?"),
        "{text}"
    );
    let text = refused(&["small.toml", "nothing.toml"]);
    assert!(text.contains("nothing.toml: there is no such"), "{text}");
    let text = refused(&["small.toml"]);
    assert!(text.contains("small.toml is no folder"), "{text}");
    run(folder.path(), &["run", "small.toml", "--out", "one"], 0);
    run(folder.path(), &["run", "small.toml", "--out", "two", "--seed", "2"], 0);
    let text = refused(&["one", "two"]);
    assert!(text.contains("`one` has seeds 1, `two` 2: none is in both"), "{text}");
    let text = refused(&["one", "small.toml"]);
    assert!(text.contains("small.toml is a scenario and one a folder"), "{text}");
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    let text = refused(&["one", "empty"]);
    assert!(text.contains("empty is no results folder of airpath"), "{text}");
    let path = folder.path().join("two/summary.json");
    let summary = fs::read_to_string(&path).expect("a file");
    fs::write(&path, summary.replace("airpath-results-1", "airpath-results-9")).expect("a file");
    let text = refused(&["one", "two", "--unchecked"]);
    assert!(text.contains("airpath-results-9") && text.contains("run again"), "{text}");
    fs::remove_file(folder.path().join("one/metrics.json")).expect("a file");
    let text = refused(&["one", "one", "--unchecked"]);
    assert!(text.contains("one has no metrics.json: run it again"), "{text}");
    refused(&["one", "one", "--margin", "0%"]);
    refused(&["one", "one", "--all", "--metric", "goodput_bps"]);
}
