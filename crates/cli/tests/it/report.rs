//! `airpath report` and `--report` as a user meets them.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{GOOD, airpath, names};

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("good.toml"), GOOD).expect("written");
    folder
}

/// Runs a command that must end so; gives what it says on standard error.
fn ends(folder: &Path, args: &[&str], code: i32) -> String {
    let output = airpath(folder, args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    error
}

fn page(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("a page")
}

#[test]
fn a_run_is_explained_in_its_folder_or_without_one() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["run", "good.toml", "--report", "--out", "out"], 0);
    let text = page(path, "out/report.html");
    let order = ["What was asked", "What limits each flow", "Where the time goes", "slot by slot"];
    let places = order.map(|title| text.find(&format!(">{title}")).or_else(|| text.find(title)));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    assert!(text.contains("class=\"component timeline\""));
    ends(path, &["run", "good.toml", "--report"], 0);
    assert_eq!(names(path), ["good.toml", "out", "report.html"], "no results are left behind");
    ends(path, &["report", "out", "-o", "again.html"], 0);
    assert!(page(path, "again.html").contains("class=\"component timeline\""));
}

#[test]
fn what_airpath_did_not_make_is_not_overwritten() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("mine.html"), "mine").expect("written");
    let said = ends(path, &["run", "good.toml", "--report=mine.html"], 2);
    assert!(said.contains("not made by airpath"), "{said}");
    assert_eq!(page(path, "mine.html"), "mine");
    assert!(ends(path, &["run", "good.toml", "--report=a.txt"], 2).contains(".html"));
    assert!(ends(path, &["report", "good.toml"], 2).contains("no summary.json"));
}

#[test]
fn a_title_is_no_script() {
    let folder = folder();
    let title = "title=\"<script>alert(1)</script>\"";
    ends(folder.path(), &["run", "good.toml", "--set", title, "--report=a.html"], 0);
    let text = page(folder.path(), "a.html");
    assert!(!text.contains("<script>alert(1)"));
    assert!(text.contains("<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>"));
}

/// Names in results and files that are HTML stand in a page as text, whatever the report is of.
#[test]
fn names_that_are_html_are_text() {
    const ODD: &str = "<img src=x onerror=alert(1)>";
    let folder = folder();
    let path = folder.path();
    let inert = |name: &str| {
        let text = page(path, name);
        assert!(!text.contains("<img src=x"), "{name}");
        assert!(text.contains("img src=x"), "{name} does not have the name at all");
    };
    ends(path, &["run", "good.toml", "--out", "out"], 0);
    // A scenario takes no such names; results from elsewhere may have them.
    let summary = fs::read_to_string(path.join("out/summary.json")).expect("a summary");
    let flow = summary.replace("\"name\": \"voice\"", &format!("\"name\": \"{ODD}\""));
    assert_ne!(flow, summary);
    fs::write(path.join("out/summary.json"), flow).expect("written");
    ends(path, &["report", "out", "-o", "run.html"], 0);
    inert("run.html");
    let vary = format!("title=\"{ODD}\",\"b\"");
    let sweep = ["sweep", "good.toml", "--vary", &vary, "--seeds", "2", "--report=sweep.html"];
    ends(path, &sweep, 0);
    inert("sweep.html");
    let odd = format!("{ODD}.toml");
    let slow = GOOD.replacen("[path.s1]", "[path.s1]\ndelay = \"9 ms\"", 1);
    fs::write(path.join(&odd), slow).expect("written");
    ends(path, &["compare", "good.toml", &odd, "--seeds", "2", "--report=compare.html"], 0);
    inert("compare.html");
}

/// The users of a network are on a map also where the scenario names files that do not lie beside
/// its results.
#[test]
fn a_network_has_a_map_wherever_its_files_are() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["new", "network", "net.toml"], 0);
    fs::write(path.join("sizes.txt"), "9000 1200 1300").expect("written");
    let text = fs::read_to_string(path.join("net.toml")).expect("a scenario");
    let video = "\n[[flow]]\nname = \"film\"\nue = \"download\"\nkind = \"rtp\"\ndirection = \"down\"\n\
                 [flow.rtp.video]\nmin_rate = \"1 Mbit/s\"\nmax_rate = \"1 Mbit/s\"\nframe_sizes = \"sizes.txt\"\n";
    fs::write(path.join("net.toml"), text + video).expect("written");
    let run = ["run", "net.toml", "--set", "duration=\"3 s\"", "--out", "out", "--report"];
    ends(path, &run, 0);
    let text = page(path, "out/report.html");
    assert!(text.contains("Users coloured by") && text.contains("Load of cells over time"));
}

#[test]
fn campaigns_and_comparisons_have_intervals_arms_and_pairs() {
    let folder = folder();
    let path = folder.path();
    let vary = "path.s1.rate=\"2 Mbit/s\",\"5 Mbit/s\"";
    let sweep = ["sweep", "good.toml", "--vary", vary, "--seeds", "3", "--out", "many", "--report"];
    ends(path, &sweep, 0);
    let text = page(path, "many/report.html");
    for part in ["The arms", "Pair by pair", "against", "Pareto"] {
        assert!(text.contains(part), "{part}");
    }
    let slow = GOOD.replacen("[path.s1]", "[path.s1]\ndelay = \"9 ms\"", 1);
    fs::write(path.join("slow.toml"), slow).expect("written");
    ends(path, &["compare", "good.toml", "slow.toml", "--seeds", "3", "--report=c.html"], 0);
    let text = page(path, "c.html");
    for part in
        ["Keys of the scenarios that differ", "Metric by metric", "Seed by seed", "Over time"]
    {
        assert!(text.contains(part), "{part}");
    }
}
