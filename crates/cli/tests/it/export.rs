//! `airpath export`: files, which a run reads back, and refusals.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::common::{airpath, names, run, said};
use crate::skipped::skipped;

/// A download through a cell behind wires of 10 ms.
const CELL: &str = r#"duration = "10 s"
[path.sgi]
rate = "1 Gbit/s"
delay = "10 ms"
[cell]
resource_blocks = 25
[[ue]]
name = "phone"
snr = "15 dB"
[[bearer]]
name = "default"
default = true
queue = "100 packets"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

/// The download over the files of an export.
const REPLAY: &str = r#"duration = "10 s"
radio = "none"
[path.sgi]
capacity = "traces/down.trace"
queue = "100 packets"
up.capacity = "traces/up.trace"
[[ue]]
name = "phone"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

/// The download over both recordings of CellReplay.
const CELLREPLAY: &str = r#"duration = "10 s"
radio = "none"
[path.sgi]
capacity = { light = "traces/down.light", heavy = "traces/down.heavy" }
queue = "100 packets"
up.capacity = { light = "traces/up.light", heavy = "traces/up.heavy" }
[[ue]]
name = "phone"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
"#;

/// Goodput of the download in Mbit/s; the delay is an option of the path.
fn goodput(folder: &std::path::Path, file: &str, delay: Option<f64>) -> f64 {
    let set = delay.map(|delay| format!("path.sgi.delay=\"{delay} ms\""));
    let mut args = vec!["run", file, "-q", "--json"];
    args.extend(set.iter().flat_map(|set| ["--set", set.as_str()]));
    let summary: Value = serde_json::from_str(&run(folder, &args, 0)).expect("JSON");
    summary["flows"][0]["goodput_bps"].as_f64().expect("a number") / 1e6
}

#[test]
fn a_download_over_an_export_has_the_rate_of_the_cell() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("cell.toml"), CELL).expect("written");
    fs::write(folder.join("replay.toml"), REPLAY).expect("written");
    let facts = run(folder, &["export", "cell.toml", "--out", "traces", "--json"], 0);
    let facts: Value = serde_json::from_str(&facts).expect("JSON");
    let least = |way: &str| facts[way]["least_delay_ms"].as_f64().expect("a number");
    // 10 ms of wires, 3 ms of an idle LTE cell, and the packet's time on the air.
    assert!((13.0..16.0).contains(&least("down")), "{facts:#}");
    let delay = f64::midpoint(least("down"), least("up")).round();
    let there = goodput(folder, "cell.toml", None);
    let here = goodput(folder, "replay.toml", Some(delay));
    assert!((here / there - 1.0).abs() < 0.05, "{there} and {here} Mbit/s");
    fs::write(folder.join("cellreplay.toml"), CELLREPLAY).expect("written");
    let here = goodput(folder, "cellreplay.toml", None);
    assert!((here / there - 1.0).abs() < 0.05, "{there} and {here} Mbit/s by CellReplay");
    // A second export goes to the same folder; one of some formats has theirs alone.
    run(folder, &["export", "cell.toml", "--mahimahi", "--out", "traces", "-q"], 0);
    assert_eq!(
        names(&folder.join("traces")),
        ["down.trace", "export.json", "mahimahi.sh", "up.trace"]
    );
}

/// Light trains with a base delay of 20 ms, and heavy opportunities of 11.2 Mbit/s.
const TRAINS: &str = "0 20 0 1\n100 20 0 1\n200 20 0 1\n";

#[cfg(target_os = "linux")]
#[test]
fn programs_run_behind_recordings_of_cellreplay_and_behind_a_profile() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::create_dir_all(folder.join("traces")).expect("made");
    // The names of CellReplay's own recordings, and those of airpath.
    for (name, text) in [
        ("down-delay-light-pdo", TRAINS),
        ("down-heavy-pdo", "1\n"),
        ("up.light", TRAINS),
        ("up.heavy", "1\n"),
    ] {
        fs::write(folder.join("traces").join(name), text).expect("written");
    }
    for source in [&["--cellreplay", "traces"][..], &["5g-sa-campus"]] {
        let args = [&["emulate"], source, &["--out", "out", "--client", "test -n \"$AIRPATH_UE\""]];
        let output = airpath(folder, &args.concat());
        let text = said(&output);
        if !output.status.success() && ["TUN", "namespace"].iter().any(|word| text.contains(word)) {
            return skipped(text);
        }
        assert!(output.status.success(), "{text}");
        assert!(folder.join("out/summary.json").exists());
    }
}

#[test]
fn a_results_folder_is_recorded_as_its_scenario() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("cell.toml"), CELL).expect("written");
    run(folder, &["run", "cell.toml", "-q", "--out", "results"], 0);
    let of =
        |what: &str| run(folder, &["export", what, "--out", "traces", "--for", "2 s", "--json"], 0);
    assert_eq!(of("results"), of("cell.toml"));
}

#[test]
fn what_cannot_be_exported_is_refused_and_nothing_is_lost() {
    let folder = tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("cell.toml"), CELL).expect("written");
    fs::create_dir_all(folder.join("mine")).expect("made");
    fs::write(folder.join("mine/notes"), "mine").expect("written");
    let refused = |args: &[&str]| run(folder, &[&["export"], args].concat(), 2);
    assert!(refused(&["cell.toml", "--out", "mine"]).contains("name another folder"));
    assert_eq!(names(&folder.join("mine")), ["notes"]);
    assert!(refused(&["mine", "--out", "traces"]).contains("it has no scenario.toml"));
    assert!(
        refused(&["cell.toml", "--ue", "table", "--out", "traces"]).contains("there are: phone")
    );
    assert!(refused(&["cell.toml"]).contains("--out"));
    assert!(refused(&["cell.toml", "--out", "cell.toml"]).contains("is a file; name a folder"));
    assert!(!folder.join("traces").exists());
}
