//! `airpath evaluate` as a user meets it, with the case of `projects/evaluate-case`.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{airpath, names, run};

fn case() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../projects/evaluate-case");
    path.canonicalize().expect("the folder").display().to_string()
}

#[test]
fn a_case_outside_the_suites_has_reports_of_its_runs() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let args = ["evaluate", "cubic", "--suite", &case(), "--quick", "--all", "--out", "out"];
    let printed = run(path, &args, 3);
    assert!(printed.contains("evaluate-case/room-for-a-call cubic, fills: holds"), "{printed}");
    // 250 kB at 10 Mbit/s are 200 ms.
    assert!(printed.contains("leaves room: fails, 198 ms (at most 60)"), "{printed}");
    let report = "evaluate-case-room-for-a-call-cubic-main.html";
    assert_eq!(names(&path.join("out/reports")), [report]);
    let text = fs::read_to_string(path.join("out/report.html")).expect("a page");
    assert_eq!(text.matches(&format!("\"reports/{report}\"")).count(), 2, "a link each criterion");
    let page = fs::read_to_string(path.join("out/reports").join(report)).expect("a page");
    assert!(page.contains("A bulk transfer leaves room for a call, cubic, run main"));
    assert!(page.contains("What limits each flow"));
    // The same command replaces its own folder.
    run(path, &[&args[..], &["--reports", "none"]].concat(), 3);
    assert_eq!(names(&path.join("out")), ["card.json", "report.html", "summary.json"]);
}

#[test]
fn names_and_changes_are_in_the_card() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let case = case();
    let card = |args: &[&str]| {
        let whole = [&["evaluate"], args, &["--suite", &case, "--quick", "--json"]].concat();
        let output = airpath(path, &whole);
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let before = card(&["mine=bbr", "cubic"]);
    fs::write(path.join("before.json"), &before).expect("written");
    let json = |text: &str| -> serde_json::Value { serde_json::from_str(text).expect("JSON") };
    assert_eq!(json(&before)["controllers"], serde_json::json!(["mine", "cubic"]));
    assert!(json(&before).get("changes").is_none());
    let after = json(&card(&["mine=cubic", "--against", "before.json"]));
    let changes = after["changes"].as_array().expect("changes");
    let waits = changes.iter().find(|own| own["criterion"] == "leaves room").expect("a change");
    assert_eq!(waits["changed"], "worse");
}

#[test]
fn bad_input_names_the_mend() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let printed = run(path, &["evaluate", "own.py:Mine", "--quick"], 2);
    assert!(printed.contains("python -m airpath evaluate own.py:Mine"), "{printed}");
    let printed = run(path, &["evaluate", "cubic", "cubic", "--quick"], 2);
    assert!(
        printed.contains("two controllers are named cubic; give one another name"),
        "{printed}"
    );
    let printed = run(path, &["evaluate", "cubic", "--reports", "all"], 2);
    assert!(printed.contains("--out"), "{printed}");
    assert!(names(path).is_empty());
}
