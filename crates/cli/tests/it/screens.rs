//! Screens for people, which fit and have the expected text, and output for pipes.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{GOOD, airpath, names};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Output of a command that must succeed.
fn printed(args: &[&str]) -> String {
    let output = airpath(root(), args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

fn piped(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(folder).env("NO_COLOR", "1").args(args).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a start");
    child.stdin.take().expect("a pipe").write_all(input).expect("room");
    child.wait_with_output().expect("the program")
}

fn fits(text: &str, columns: usize, lines: usize) {
    assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
    assert!(text.lines().count() <= lines, "{} lines:\n{text}", text.lines().count());
}

#[test]
fn a_run_of_twenty_ues_is_one_screen_of_groups() {
    let run = ["run", "scenarios/lte-20-ues.toml", "--set", "duration=2500 ms"];
    let screen = printed(&run);
    fits(&screen, 80, 40);
    for part in
        ["one-way delay, ms", "Jain's index", "MCS down 27.0, up 26.4", "voice far", "--all"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(!screen.contains("near-0") && !screen.contains('~'), "{screen}");
    let all = printed(&[&run[..], &["--all"]].concat());
    assert!(all.contains("marked voice near-0") && all.contains("voice far-9"), "{all}");
    fits(&all, 80, 200);
}

#[test]
fn each_templates_run_is_one_screen() {
    for name in [
        "full-buffer",
        "lte-3cc",
        "idle-phone",
        "lte-player",
        "lte-proxy",
        "lte-upload",
        "short-tti",
        "nr-100mhz-4x4",
        "remote-control",
        "lte-web",
    ] {
        let path = format!("scenarios/{name}.toml");
        fits(&printed(&["run", &path, "--set", "duration=6 s"]), 80, 40);
    }
}

#[test]
fn marks_are_shown_as_a_share() {
    let screen = printed(&["run", "scenarios/wires-dualpi2.toml", "--set", "duration=3 s"]);
    assert!(screen.contains("CE %"), "{screen}");
    assert!(!printed(&["run", "scenarios/lte-6rb.toml"]).contains("CE %"));
}

/// Checks that the screen of a study is one, with these parts and its answer.
fn is_one_screen_with_its_answer(study: &str, screen: &str, parts: &[&str]) {
    fits(screen, 100, 47);
    let more = format!("reproduce {study} --all");
    let page = format!("docs/studies/{study}");
    for part in parts.iter().copied().chain([more.as_str(), &page, "Does it hold here?"]) {
        assert!(screen.contains(part), "{part}: {screen}");
    }
}

/// One test for all studies but one, since each takes seconds.
#[test]
fn each_study_is_one_screen_with_its_answer() {
    let says: [(&str, &[&str]); 3] = [
        ("rate-delay", &["What does the mark bring?", "Marked voice waits", "as meant", "robust"]),
        ("short-tti", &["shorter TTI bring?", "37 readings with one thing varied"]),
        (
            "l4s-5g",
            &["What does L4S bring", "What differs, and why", "6 differ", "-network.md", "--quick"],
        ),
    ];
    for (study, parts) in says {
        let screen = printed(&["reproduce", study, "--seeds", "1"]);
        is_one_screen_with_its_answer(study, &screen, parts);
        // Each row that differs there has its reason.
        assert!(study != "l4s-5g" || !screen.contains("no reason is known"), "{screen}");
    }
    if std::env::var_os("AIRPATH_TEST_LONG").is_some() {
        let wires = printed(&["reproduce", "l4s-5g", "--part", "fixed-network"]);
        assert!(wires.contains("Does it hold here?") && !wires.contains("not made"), "{wires}");
    }
}

/// The in-depth study of LTE. Methods that are measured on the simulator keep their verdicts. Rows that
/// the source measured in a network never agree; they are recovered at most.
#[test]
fn methods_agree_and_measured_rows_are_recovered_or_say_why_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let made =
        airpath(folder.path(), &["reproduce", "lte-in-depth", "--seeds", "1", "--out", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let screen = text(&made.stdout).replace("Results are in made.\n", "");
    let parts = ["65 recovered", "nothing about LTE", "no evidence for it"];
    is_one_screen_with_its_answer("lte-in-depth", &screen, &parts);

    let rows = fs::read(folder.path().join("made/claims.json")).expect("rows");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&rows).expect("JSON");
    let row = |id: &str| rows.iter().find(|row| row["id"] == id).expect("a row");
    // The clock within 0.1 %, bandwidth within 8 %.
    for (id, most) in [("LTE-001", 0.1), ("LTE-002", 8.0)] {
        assert!(row(id)["measured"].as_f64().expect("an error") <= most, "{}", row(id));
    }
    let agree = ["LTE-001", "LTE-002", "LTE-004", "LTE-005", "LTE-006", "LTE-053"];
    for id in agree {
        assert_eq!(row(id)["verdict"], "agrees", "{id}");
    }
    for row in &rows {
        let id = row["id"].as_str().expect("a name");
        if id <= "LTE-006" || id == "LTE-053" {
            continue;
        }
        match id.starts_with("LTE-034") {
            true => {
                assert!(row["reason"].is_string() && row["verdict"] == "not comparable", "{row}")
            }
            false => assert_eq!(row["verdict"], "recovered", "{row}"),
        }
    }
    assert_eq!(rows.len(), 75);
}

#[test]
fn experiments_on_a_network_are_asked_for_where_there_are_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |args: &[&str], says: &[&str]| {
        let out = airpath(folder.path(), &[&["reproduce"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        for part in says {
            assert!(text(&out.stderr).contains(part), "{part}: {}", text(&out.stderr));
        }
    };
    refused(&["rate-delay", "--quick"], &["no experiments on a network", "--quick"]);
    refused(&["l4s-5g", "--part", "fixed-network", "--runs", "9"], &["fixed-network", "--runs"]);
    refused(&["l4s-5g", "--runs", "9"], &["--runs", "--out DIR"]);
    refused(&["l4s-5g", "--part", "mian"], &["mian", "fixed-network, main"]);
    refused(&["l4s-5g", "--from-tables=."], &["no tables of experiments", "main.runs.parquet"]);
    refused(&["l4s-5g", "--quick", "--from-tables"], &["cannot be used with"]);
    fs::write(folder.path().join("main.runs.parquet"), "no table").expect("a file");
    refused(&["l4s-5g", "--from-tables=."], &["main.runs.parquet"]);
}

#[test]
fn a_study_may_be_a_folder() {
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../study/tests/fifth");
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| airpath(folder.path(), &[&["reproduce", study], args].concat());
    let made = run(&["--seeds", "20", "--out", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    // A claim agrees, one differs, one was put in, one is left open and one has no run.
    let screen = text(&made.stdout);
    for part in
        ["What does distance cost?", "1 of 2 figures, 1 of 1 finding; 1 recovered; 1 not made"]
    {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    // The values that were written say the same.
    let read = run(&["--from-tables=made", "--json"]);
    let rows = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("rows") };
    let kept = fs::read_to_string(folder.path().join("made/claims.json")).expect("rows");
    assert_eq!(rows(&text(&read.stdout)), rows(&kept));
    let refused = |args: &[&str], says: &str| {
        let out = run(args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(text(&out.stderr).contains(says), "{says}: {}", text(&out.stderr));
    };
    refused(&["--from-tables"], "keeps no tables");
    refused(&["--from-tables=."], "values.parquet");
    // Results are not written over the study.
    refused(&["--out", study], "the study itself is there");
    // A table of another study is none of this one.
    let other = airpath(folder.path(), &["reproduce", "short-tti", "--from-tables=made"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("the study fifth; expected"), "{}", text(&other.stderr));
    let none = airpath(folder.path(), &["reproduce", "made"]);
    assert!(text(&none.stderr).contains("no plan.json"), "{}", text(&none.stderr));
}

#[test]
fn all_rows_of_a_study_are_whole_and_in_the_order_of_its_readings() {
    let text = printed(&["reproduce", "short-tti", "--seeds", "1", "--all"]);
    fits(&text, 100, 2_000);
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("\"true\" below: ") < at("Reading: as published\n"));
    let parts = ["Reading: over starts\n", "Reading: over starts, to 0.1 ms\n", "one thing varied"];
    let places = parts.map(at);
    assert!(places.is_sorted() && at("Reading: as published\n") < places[0], "{places:?}");
    let whole = "time to user-perceived throughput of 90% (ms): TTI 0.1 ms, SR every 5 TTI";
    assert!(text.contains(whole) && text.contains("each segment, 1460 B, core 1.5 ms"), "{text}");
    assert!(at("Does it hold here?") > places[2]);
}

#[test]
fn studies_are_named_where_one_is_due() {
    let help = printed(&["reproduce", "--help"]);
    let list = printed(&["reproduce"]);
    let wrong = airpath(root(), &["reproduce", "rate-dealy"]);
    assert_eq!(wrong.status.code(), Some(2));
    for study in ["rate-delay", "short-tti", "l4s-5g", "lte-in-depth", "latency-as-built"] {
        assert!(help.contains(study) && list.contains(study), "{help}{list}");
        assert!(text(&wrong.stderr).contains(study));
    }
}

#[test]
fn json_and_quiet_go_together() {
    let folder = tempfile::tempdir().expect("a folder");
    // It asks for recordings, of which a note is made otherwise.
    let scenario = GOOD.to_owned() + "[output]\nseries = \"10 ms\"\n";
    fs::write(folder.path().join("good.toml"), scenario).expect("a file");
    let study = concat!(env!("CARGO_MANIFEST_DIR"), "/../study/tests/fifth");
    let commands: [&[&str]; 3] =
        [&["run", "good.toml"], &["latency"], &["reproduce", study, "--seeds", "1"]];
    for command in commands {
        let both = airpath(folder.path(), &[command, &["--json", "--quiet"]].concat());
        assert!(both.status.success() && both.stderr.is_empty(), "{}", text(&both.stderr));
        let json: Result<serde_json::Value, _> = serde_json::from_slice(&both.stdout);
        assert!(json.is_ok(), "{command:?}");
        let quiet = airpath(folder.path(), &[command, &["-q"]].concat());
        assert!(quiet.status.success(), "{command:?}");
        assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{}", text(&quiet.stdout));
    }
    let wrong = airpath(folder.path(), &["-q", "run", "nowhere.toml", "--json"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("nowhere.toml") && wrong.stdout.is_empty());
}

#[test]
fn a_dash_is_standard_input_or_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let template = airpath(folder.path(), &["new", "lte-6rb", "-"]);
    assert!(template.status.success() && names(folder.path()).is_empty());
    let checked = piped(folder.path(), &["check", "-"], &template.stdout);
    let said = text(&checked.stdout);
    assert!(said.starts_with("standard input is valid: 1 UE, 2 flows, 5 s"), "{said}");
    let run =
        piped(folder.path(), &["run", "-", "--set", "flow.voice.start=2 s"], &template.stdout);
    assert!(text(&run.stdout).contains("download"), "{}", text(&run.stderr));
    let wrong = piped(folder.path(), &["run", "-"], b"duration = 5\n");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("standard input:1"), "{}", text(&wrong.stderr));
    let trace = b"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    let study = piped(folder.path(), &["reproduce", "rate-delay", "--trace", "-"], trace);
    assert_eq!(study.status.code(), Some(2), "this study takes none");
}

#[test]
fn files_that_are_no_scenario_have_words_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("some")).expect("a folder");
    fs::write(folder.path().join("some/good.toml"), GOOD).expect("a file");
    fs::write(folder.path().join("latin1.toml"), b"title = \"caf\xe9\"\n").expect("a file");
    let said = |name: &str| {
        let output = airpath(folder.path(), &["check", name]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let directory = said("some");
    assert!(directory.contains("it is a directory") && directory.contains("some/good.toml"));
    let latin1 = said("latin1.toml");
    assert!(latin1.contains("not UTF-8 text (line 1)") && latin1.contains("save it as UTF-8"));
    assert!(!directory.contains("airpath new") && !latin1.contains("airpath new"));
    assert!(said("nowhere.toml").contains("airpath new"));
}

#[test]
fn shells_complete_and_manual_pages_are_there() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&["completions", shell]);
        for word in ["reproduce", "analyse", "--quiet"] {
            assert!(script.contains(word.trim_matches('-')), "{shell}: {word}");
        }
    }
    assert!(printed(&["completions", "bash"]).contains("rate-delay"));
    let page = printed(&["man"]);
    assert!(page.contains(".TH airpath 1") && page.contains("Exit codes"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man/man1");
    let output = airpath(folder.path(), &["man", "man/man1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for page in ["airpath.1", "airpath-run.1", "airpath-reproduce.1"] {
        assert!(names(&pages).contains(&page.to_owned()), "{:?}", names(&pages));
    }
    fs::write(folder.path().join("file"), "").expect("a file");
    assert_eq!(airpath(folder.path(), &["man", "file/deeper"]).status.code(), Some(1));
}

#[test]
fn exit_codes_are_documented_as_help_has_them() {
    let help = printed(&["--help"]);
    let (_, codes) = help.split_once("Exit codes:\n").expect("exit codes");
    let page = fs::read_to_string(root().join("docs/commands.md")).expect("a page");
    let mut known = 0;
    for line in codes.lines().filter(|line| !line.trim().is_empty()) {
        let (code, meaning) = line.trim().split_once("  ").expect("a code and its meaning");
        assert!(page.contains(&format!("| {code} | {meaning} |")), "{line}");
        known += 1;
    }
    assert_eq!(known, 7);
    let page = printed(&["man"]);
    assert!(page.contains("143") && page.contains("SIGTERM"), "{page}");
}
