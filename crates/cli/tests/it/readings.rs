//! Readings of a study on a network, and its tables as files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::airpath;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The tables of the L4S study in this checkout.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/l4s-5g/network/tables")
}

fn refused(output: &Output, says: &[&str]) {
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    for part in says {
        assert!(text(&output.stderr).contains(part), "{part}: {}", text(&output.stderr));
    }
}

#[test]
fn tables_that_are_not_found_are_named_with_the_mend() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
        command.current_dir(folder.path()).env("AIRPATH_STUDIES", folder.path());
        command
            .args(["reproduce", "l4s-5g", "--part", "main"])
            .args(args)
            .output()
            .expect("airpath")
    };
    refused(&run(&[]), &["l4s-5g: its tables", "--from-tables=DIR", "AIRPATH_STUDIES", "--quick"]);
    let tables = format!("--from-tables={}", kept().display());
    let found = run(&[&tables, "--json"]);
    assert!(found.status.success(), "{}", text(&found.stderr));
    let rows: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    assert!(rows.as_array().is_some_and(|rows| rows.iter().any(|row| row["reading"] == "first")));
}

#[test]
fn a_reading_that_a_part_has_not_is_refused_with_those_that_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| airpath(folder.path(), &[&["reproduce", "l4s-5g"], args].concat());
    let why = run(&["--part", "why", "--reading", "second"]);
    refused(&why, &["the second reading has no part \"why\"", "it has: main"]);
    refused(&run(&["--part", "traces", "--reading", "second"]), &["--reading first"]);
    let page = run(&["--reading", "second", "--page", "docs"]);
    refused(&page, &["--reading both"]);
    refused(&run(&["--fill", "t"]), &["--out"]);
    let both = run(&["--fill", "t", "--out", "o", "--reading", "both"]);
    refused(&both, &["first or second"]);
    refused(
        &airpath(folder.path(), &["reproduce", "rate-delay", "--reading", "first"]),
        &["no experiments on a network", "--reading"],
    );
}

#[test]
fn tables_of_another_campaign_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in ["runs", "users"] {
        // Arms of an experiment under the name of another.
        let from = kept().join(format!("open-slots.{kind}.parquet"));
        fs::copy(from, folder.path().join(format!("main.{kind}.parquet"))).expect("copied");
    }
    let output =
        airpath(folder.path(), &["reproduce", "l4s-5g", "--part", "main", "--from-tables=."]);
    refused(&output, &["the tables of main are those of another campaign", "--fill"]);
}

#[test]
fn nothing_has_moved_between_the_same_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let old = kept().display().to_string();
    let output = airpath(folder.path(), &["reproduce", "l4s-5g", "--since", &old]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let moved: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let moved = moved.as_array().expect("a list");
    assert!(moved.iter().any(|one| one["kpi"] == "rate"), "{moved:?}");
    assert!(moved.iter().all(|one| one["median"] == 1.0 || one["median"] == 0.0), "{moved:?}");
}
