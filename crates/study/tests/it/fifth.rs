//! A study that is data alone: `tests/fifth`, read from its folder, judged from runs and from kept
//! tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use airpath_study::{Options, Report, Study, Values, Verdict, page, reproduce, screen};

/// The verdicts of the claims. The delay is 10 ms and 0.15 ms for 188 B at 10 Mbit/s, so 10 ms in
/// whole milliseconds; 30.15 ms differ from the published 60. Half of 300 packets is lost by the
/// scenario, so a call loses more than half of them at even chances.
const VERDICTS: [(&str, &str, Verdict); 9] = [
    ("F-1", "as published", Verdict::Holds),
    ("F-1", "slow", Verdict::NotComparable),
    ("F-2", "as published", Verdict::Fails),
    ("F-2", "slow", Verdict::NotComparable),
    ("F-3", "as published", Verdict::Recovered),
    ("F-4", "as published", Verdict::Holds),
    ("F-5", "over seeds", Verdict::NotResolved),
    ("F-6", "as published", Verdict::NotMade),
    ("F-6", "slow", Verdict::NotMade),
];

fn open(folder: &Path) -> Study {
    Study::open(folder).expect("a study")
}

fn own() -> Study {
    open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fifth")))
}

fn verdicts(report: &Report) -> Vec<(&str, &str, Verdict)> {
    report.rows.iter().map(|row| (row.id.as_str(), row.reading.as_str(), row.verdict)).collect()
}

#[test]
fn a_study_is_a_folder_of_data() {
    let study = own();
    assert_eq!((study.name.as_str(), study.title.as_str()), ("fifth", "Nobody: a wire (2026)"));
    let report = reproduce(&study, Options { seeds: 20, ..Options::default() }).expect("a report");
    assert_eq!(verdicts(&report), VERDICTS);
    let reasons: BTreeMap<&str, &str> = (report.rows.iter())
        .filter_map(|row| Some((row.id.as_str(), row.reason.as_deref()?)))
        .collect();
    assert_eq!(reasons["F-6"], "run testbed was not made: it takes the source's testbed");
    assert_eq!(reasons["F-2"], "the link is slower");
    let text = page(&study, &report).expect("a page").text;
    assert!(
        text.contains("| F-1 | delay mean, 10 ms away | ms | 10.2 | 10 | 10.15 | agrees |"),
        "{text}"
    );
    let screen = screen(&study, &report).expect("a screen");
    assert_eq!(screen.question, "What does distance cost?");
    // Twenty milliseconds farther, whatever the packets take on the wire.
    assert!(format!("{:?}", screen.answer).contains("costs 20 ms"), "{:?}", screen.answer);
}

#[test]
fn kept_tables_are_judged_as_the_runs_are() {
    let study = own();
    let made = reproduce(&study, Options { seeds: 20, ..Options::default() }).expect("a report");
    let copy = tempfile::tempdir().expect("a folder");
    let folder = copy.path().join("fifth");
    fs::create_dir_all(folder.join("tables")).expect("a folder");
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fifth")).expect("files") {
        let path = entry.expect("a file").path();
        fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    made.values.write(&folder.join("tables")).expect("a table");
    let study = open(&folder);
    let values = Values::kept(&study).expect("kept values");
    let options = Options { values: Some(&values), ..Options::default() };
    let read = reproduce(&study, options).expect("a report");
    assert_eq!(read, made);
    assert_eq!(screen(&study, &read).expect("a screen"), screen(&study, &made).expect("a screen"));
}

#[test]
fn a_study_without_tables_or_plan_is_refused() {
    let error = Values::kept(&own()).expect_err("no tables");
    assert!(error.is_bad_input() && error.to_string().contains("--from-tables=DIR"), "{error}");
    let empty = tempfile::tempdir().expect("a folder");
    let error = Study::open(empty.path()).expect_err("no plan");
    assert!(error.is_bad_input() && error.to_string().contains("plan.json"), "{error}");
    let error = Values::read(empty.path()).expect_err("no values");
    assert!(error.is_bad_input() && error.to_string().contains("values.parquet"), "{error}");
}
