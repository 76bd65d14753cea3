//! A study that is data alone: `tests/fifth`, read from its folder, judged from runs and from kept
//! tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use airpath_results::Digests;
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
    // A table without a reading of the plan judges nothing.
    let plan = study.text("plan.json").expect("a plan");
    let renamed = plan.replace("as published", "x").replace("\"slow\", \"prof", "\"y\", \"prof");
    let renamed = study.with("plan.json", &renamed.replace("over seeds", "z"));
    let error = reproduce(&renamed, options).expect_err("no reading");
    assert!(error.to_string().contains("no reading of the study"), "{error}");
}

#[test]
fn a_study_without_tables_or_plan_is_refused() {
    let error = Values::kept(&own()).expect_err("no tables");
    assert!(error.is_bad_input() && error.to_string().contains("--from-tables=DIR"), "{error}");
    let empty = tempfile::tempdir().expect("a folder");
    let error = Study::open(empty.path()).expect_err("no plan");
    assert!(error.is_bad_input() && error.to_string().contains("plan.json"), "{error}");
    let error = Values::read(empty.path(), Digests::Checked).expect_err("no values");
    assert!(error.is_bad_input() && error.to_string().contains("values.parquet"), "{error}");
}

#[test]
fn names_that_nothing_has_are_refused_before_a_run() {
    let refused = |file: &str, old: &str, new: &str, says: &str| {
        let study = own();
        let text = study.text(file).expect("a text");
        assert!(text.contains(old), "{file}: {old}");
        let error = study.clone().with(file, &text.replacen(old, new, 1)).check().expect_err(new);
        assert!(error.is_bad_input() && error.to_string().contains(says), "{says}: {error}");
    };
    own().check().expect("whole data");
    refused("claims.csv", "delay-mean@far.voice", "delay-mean@far.vioce", "no flow \"vioce\"");
    refused("screen.md", "{{F-1|", "{{F-9|", "screen.md: there is nothing for {{F-9|as published");
    refused("screen.md", "{{figure|farther|", "{{figure|father|", "screen.md: there is nothing");
    refused("screen.md", "# What differs", "## What differs", "screen");
    refused(
        "page.md",
        "{{claims|as published}}",
        "{{claims|published}}",
        "page.md: there is nothing",
    );
    refused("claims.csv", "delay-mean@far", "delay-mean@fra", "F-2: there is no run \"fra\"");
    refused(
        "claims.csv",
        ",chance,",
        ",chances,",
        "reading over seeds: there is no claim of the kind",
    );
    refused("claims.csv", ",10.2,", ",inf,", "F-1: a figure or its tolerance");
    refused(
        "plan.json",
        "\"slow\": { \"wire\"",
        "\"slow\": { \"wier\"",
        "profile slow: there is no run",
    );
    // A part on a network has texts of its own: those of the outer study are about other rows.
    let network = own()
        .with("network/plan.json", r#"{ "axes": { "arm": [] } }"#)
        .with("network/measures.json", r#"{ "kind": "", "users": [], "runs": [], "measures": [] }"#)
        .with("network/rows.json", "[]");
    let error = network.check().expect_err("no text");
    assert!(error.to_string().contains("no file page.md"), "{error}");
    let none = own().with("claims.csv", "").check().expect_err("no claim");
    assert!(none.to_string().contains("no claim"), "{none}");
}

#[test]
fn files_that_are_no_text_are_named_and_what_is_no_file_is_left_out() {
    let copy = tempfile::tempdir().expect("a folder");
    fs::write(copy.path().join("plan.json"), "{}").expect("a file");
    fs::create_dir(copy.path().join(".git")).expect("a folder");
    fs::write(copy.path().join(".git/claims.csv"), [0xe9]).expect("a file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(copy.path(), copy.path().join("self")).expect("a link");
        std::os::unix::fs::symlink("/dev/zero", copy.path().join("endless")).expect("a link");
        std::os::unix::fs::symlink("nothing", copy.path().join("dangling")).expect("a link");
    }
    Study::open(copy.path()).expect("a folder with a plan");
    fs::write(copy.path().join("claims.csv"), b"id\nF-1\xe9\n").expect("a file");
    let error = Study::open(copy.path()).expect_err("no text");
    assert!(error.to_string().contains("claims.csv: line 2: not UTF-8"), "{error}");
}
