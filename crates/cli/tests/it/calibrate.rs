//! `airpath calibrate` as a user meets it.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::airpath;

const FIRST: &str = "calibration,scenario,carrier_ghz,metric,p5,p50,p95\n";
const SECOND: &str = "configuration,metric,n_companies,percentile,mean_db,min_db,max_db\n";

fn calibrate(folder: &Path, args: &[&str]) -> Output {
    airpath(folder, &[&["calibrate"], args].concat())
}

fn json(folder: &Path, args: &[&str]) -> Vec<Value> {
    let output = calibrate(folder, &[&["--json"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a JSON array")
}

/// Error of the program for rows that it refuses.
fn refused(rows: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("rows.csv"), rows).expect("written");
    let output = calibrate(folder.path(), &["--file", "rows.csv"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).expect("text")
}

/// The published figures that come with airpath, and what may be off them. In two scenarios, percentiles
/// of few users differ by more than that.
#[test]
fn published_figures_are_met() {
    let folder = TempDir::new().expect("a folder");
    let many = |scenario| json(folder.path(), &["--users", "20000", "--only", scenario]);
    let spread = ["UMa", "UMi"];
    let few = match std::env::var_os("AIRPATH_TEST_LONG") {
        Some(_) => "20000",
        None => "5000",
    };
    let mut all = json(folder.path(), &["--users", few]);
    let rows = all.len();
    all.retain(|row| spread.iter().all(|scenario| row["scenario"] != *scenario));
    all.extend(spread.into_iter().flat_map(many));
    assert_eq!(all.len(), rows);
    for row in all {
        let number = |key: &str| row[key].as_f64();
        let percentile = number("percentile").expect("a percentile");
        let shown = [5.0, 95.0].contains(&percentile) || percentile % 10.0 == 0.0;
        let off = number("difference_db").expect("a difference").abs();
        let measured = number("measured_db").expect("a figure");
        let near = match (number("low_db"), number("high_db")) {
            (Some(low), Some(high)) => off <= 1.5 || (low..=high).contains(&measured),
            _ if row["metric"] == "geometry_db" => off <= 1.0,
            _ if row["scenario"] == "3D-UMa K=M=10" && percentile <= 10.0 => off <= 2.0,
            _ => off <= 1.2,
        };
        assert!(near || !shown, "{row}");
    }
}

#[test]
fn rows_of_a_file_take_the_place_of_those_that_come_along() {
    let folder = TempDir::new().expect("a folder");
    let rows = format!(
        "{FIRST}TR 38.901 large scale,InH open office,30,geometry_db,-4,3,18\n\
         TR 36.873 phase 1,3D-UMi K=M=1,2,coupling_gain_db,-130,-110,-80\n"
    );
    fs::write(folder.path().join("rows.csv"), rows).expect("written");
    let all = json(folder.path(), &["--file", "rows.csv", "--users", "500"]);
    let keys = |key: &str| all.iter().map(|row| row[key].clone()).collect::<Vec<Value>>();
    assert_eq!(keys("percentile"), [5.0, 50.0, 95.0, 5.0, 50.0, 95.0]);
    assert_eq!(keys("published_db"), [-4.0, 3.0, 18.0, -130.0, -110.0, -80.0]);
    assert_eq!((&all[0]["carrier_ghz"], &all[0]["low_db"]), (&30.0.into(), &Value::Null));
    assert_eq!(all[3]["scenario"], "3D-UMi K=M=1");
    for row in &all {
        let [ours, theirs, off] = ["measured_db", "published_db", "difference_db"]
            .map(|key| row[key].as_f64().expect("a number"));
        assert!((ours - theirs - off).abs() < 2e-3, "{row}");
    }
    let again = json(folder.path(), &["--file", "rows.csv", "--users", "500"]);
    assert_eq!(all, again);
    let other = json(folder.path(), &["--file", "rows.csv", "--users", "500", "--seed", "2"]);
    assert_ne!(all, other);
}

#[test]
fn every_configuration_of_the_second_form_is_known() {
    let folder = TempDir::new().expect("a folder");
    let names = [
        "Rural_700M_ModelA",
        "UMa_mMTC_500m_ModelA",
        "UMa_URLLC_700MHz_ModelA",
        "UMa_URLLC_4GHz_ModelA",
    ];
    let rows = names.map(|name| format!("{name},geometry_db,15,50,5,4,6\n")).concat();
    fs::write(folder.path().join("rows.csv"), SECOND.to_owned() + &rows).expect("written");
    let all = json(folder.path(), &["--file", "rows.csv", "--users", "300"]);
    let carriers: Vec<f64> = all.iter().filter_map(|row| row["carrier_ghz"].as_f64()).collect();
    assert_eq!(carriers, [0.7, 0.7, 0.7, 4.0]);
    assert_eq!((&all[0]["low_db"], &all[0]["high_db"]), (&4.0.into(), &6.0.into()));
}

#[test]
fn one_scenario_is_shown_in_full_and_several_by_their_differences() {
    let folder = TempDir::new().expect("a folder");
    let printed = |args: &[&str]| {
        let output = calibrate(folder.path(), &[args, &["--users", "100"]].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("text")
    };
    let one = printed(&["--only", "umi"]);
    assert!(one.contains("published") && one.contains("p95       -74.80"), "{one}");
    let all = printed(&[]);
    for text in [&one, &all] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().last().is_some_and(|line| line.starts_with("result: ")), "{text}");
        assert!(text.lines().count() <= 40, "{text}");
    }
}

#[test]
fn bad_rows_are_named_by_their_line_with_what_is_allowed() {
    let row = |text: &str| refused(&format!("{FIRST}{text}\n"));
    for (message, words) in [
        (
            row("TR 38.901 large scale,UMx,6,geometry_db,1,2,3"),
            ["rows.csv:2", "\"InH open office\""],
        ),
        (row("TR 38.999,UMa,6,geometry_db,1,2,3"), ["rows.csv:2", "\"TR 36.873 phase 1\""]),
        (
            row("TR 38.901 large scale,UMa,600,geometry_db,1,2,3"),
            ["rows.csv:2", "0.5 GHz to 100 GHz"],
        ),
        (
            row("TR 36.873 phase 1,3D-UMa K=M=1,30,geometry_db,1,2,3"),
            ["rows.csv:2", "2 GHz to 6 GHz"],
        ),
        (row("TR 38.901 large scale,UMa,6,sinr_db,1,2,3"), ["rows.csv:2", "\"coupling_gain_db\""]),
        (
            row("TR 38.901 large scale,UMa,6,geometry_db,1,2"),
            ["rows.csv:2", "6 fields where the header has 7"],
        ),
        (row("TR 38.901 large scale,UMa,6,geometry_db,1,x,3"), ["rows.csv:2", "\"x\" in column 6"]),
        (row("TR 38.901 large scale,UMa,6,geometry_db,1,NaN,3"), ["rows.csv:2", "column 6"]),
        (
            refused(&format!("{SECOND}Rural_ModelB,geometry_db,9,5,1,0,2\n")),
            ["rows.csv:2", "\"Rural_700M_ModelA\""],
        ),
        (
            refused(&format!("{SECOND}Rural_700M_ModelA,geometry_db,9,500,1,0,2\n")),
            ["rows.csv:2", "0 to 100"],
        ),
        (
            refused(&format!("{SECOND}Rural_700M_ModelA,geometry_db,9,5,1,2,0\n")),
            ["rows.csv:2", "max_db"],
        ),
        (refused("name,value\na,1\n"), ["rows.csv:1", "configuration,metric"]),
        (
            refused("calibration,scenario,carrier_ghz,metric,p5,median\n"),
            ["rows.csv:1", "p0 to p100"],
        ),
        (refused(""), ["rows.csv", "at least one row"]),
    ] {
        assert!(words.iter().all(|word| message.contains(word)), "{message} {words:?}");
        assert!(message.starts_with("error: "), "{message}");
    }
}

#[test]
fn an_unknown_name_and_a_missing_file_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let message = |args: &[&str]| {
        let output = calibrate(folder.path(), args);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(message(&["--only", "UMx"]).contains("\"UMa_mMTC_500m_ModelA\""));
    assert!(message(&["--file", "none.csv"]).contains("none.csv"));
}
