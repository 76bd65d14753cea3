//! The program as a user meets it.

use std::fs;

use crate::common::{GOOD, airpath, names};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a wrong scenario and gives the error, on one line.
fn refused(scenario: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bad.toml"), scenario).expect("a file");
    let mut args = vec!["run", "bad.toml", "--out", "results"];
    args.extend(more);
    let output = airpath(folder.path(), &args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(names(folder.path()), ["bad.toml"], "{said}");
    assert!(output.stdout.is_empty());
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn bad_input_is_named_with_file_line_and_key() {
    let voice_bearer = "[[bearer]]\nname = \"b\"\nfilter = [{ protocol = \"tcp\" }]\n";
    let nobody = "[[bearer]]\nname = \"b\"\nue = \"tablet\"\nfilter = [{ dscp = \"EF\" }]\n";
    let replaced = |from: &str, to: &str| GOOD.replace(from, to);
    let cases = [
        (replaced("rate =", "rat ="), "bad.toml:3", "path.s1.rat"),
        (replaced("5 Mbit/s", "5 ms"), "bad.toml:3", "path.s1.rate"),
        (replaced("rate = \"5 Mbit/s\"", "layer2 = \"-5 B\""), "bad.toml:3", "path.s1.layer2"),
        (replaced("5 Mbit/s", "0 bit/s"), "bad.toml:3", "path.s1.rate"),
        (replaced("200 ms", "0 s"), "bad.toml:1", "duration"),
        (replaced("snr =", "count = 1000000\nsnr ="), "bad.toml:6", "count"),
        (GOOD.to_owned() + nobody, "bad.toml:14", "bearer.b.ue"),
        (GOOD.to_owned() + voice_bearer, "bad.toml:14", "bearer.b.filter"),
    ];
    for (scenario, place, key) in cases {
        let said = refused(&scenario, &[]);
        assert!(said.contains(place), "{place}: {said}");
        assert!(said.contains(key), "{key}: {said}");
    }
}

#[test]
fn a_bad_override_is_named() {
    let said = refused(GOOD, &["--set", "cell.resource_blocks=7"]);
    assert!(said.contains("cell.resource_blocks") && said.contains("--set"), "{said}");
}

#[test]
fn a_missing_file_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = airpath(folder.path(), &["run", "nowhere.toml", "--out", "results"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nowhere.toml"));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("good.toml"), GOOD).expect("a file");
    fs::create_dir(folder.path().join("thesis")).expect("a folder");
    fs::write(folder.path().join("thesis/thesis.tex"), "work").expect("a file");
    let output = airpath(folder.path(), &["run", "good.toml", "--out", "thesis"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("thesis.tex"));
    assert_eq!(names(&folder.path().join("thesis")), ["thesis.tex"]);
}

#[test]
fn each_template_is_written_and_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = text(&airpath(folder.path(), &["new"]).stdout);
    for name in ["lte-6rb", "lte-upload", "lte-20-ues"] {
        assert!(listed.contains(name), "{listed}");
        assert!(airpath(folder.path(), &["new", name]).status.success());
        let file = format!("{name}.toml");
        let again = airpath(folder.path(), &["new", name]);
        assert_eq!(again.status.code(), Some(2), "written over");
        assert!(airpath(folder.path(), &["check", &file]).status.success());
        let run = ["run", &file, "--set", "duration=2100 ms", "--out", name];
        let output = airpath(folder.path(), &run);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let table = text(&output.stdout);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        assert!(names(&folder.path().join(name)).contains(&"timing.json".to_owned()));
    }
}

#[test]
fn json_has_the_promised_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("good.toml"), GOOD).expect("a file");
    let output = airpath(folder.path(), &["run", "good.toml", "--json", "--seed", "7"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        [
            "format",
            "version",
            "complete",
            "scenario",
            "seed",
            "duration_s",
            "warm_up_s",
            "flows",
            "ues",
            "cells",
            "bearers",
            "links",
            "resources",
            "users",
            "events"
        ]
    );
    assert_eq!((&json["seed"], &json["scenario"]["seed"]), (&7.into(), &7.into()));
    assert_eq!(json["flows"][0]["sent_packets"], 11);
}

#[test]
fn quiet_says_nothing_and_the_schema_is_json() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("good.toml"), GOOD).expect("a file");
    let output = airpath(folder.path(), &["run", "good.toml", "--quiet"]);
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    let schema = airpath(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).expect("JSON");
    assert_eq!(schema["required"], serde_json::json!(["duration"]));
    let resolved = airpath(folder.path(), &["check", "good.toml", "--resolved"]);
    assert!(text(&resolved.stdout).contains("[cell.timing]"));
}
