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
    ends(path, &["report", "out", "-o", "run.html", "--unchecked"], 0);
    inert("run.html");
    let vary = format!("title=\"{ODD}\",\"b\"");
    let sweep = ["sweep", "good.toml", "--vary", &vary, "--seeds", "2", "--report=sweep.html"];
    ends(path, &sweep, 0);
    inert("sweep.html");
    let odd = format!("{ODD}.toml");
    // Two keys differ: with one, both files go by its values.
    let slow = GOOD.replacen("5 Mbit/s\"", "6 Mbit/s\"\ndelay = \"9 ms\"", 1);
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

/// The template says that links are lost in the crossing: the screen has them in one sentence, and with `--all` each.
#[test]
fn a_street_corner_loses_links() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["new", "street-corner", "corner.toml"], 0);
    let screen = |args: &[&str]| {
        let output = airpath(path, &[&["run", "corner.toml"], args].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let all = screen(&["--all"]);
    let links = all.lines().filter(|line| line.starts_with("radio link of car-")).count();
    assert!(links > 3 && all.contains(" too late"), "{all}");
    let text = screen(&[]);
    let sum = format!("radio link of {links} UEs failed {links} times");
    assert!(text.contains(&sum) && text.contains("--all shows each"), "{text}");
}

/// Only some flows of a drive have packets in handovers.
#[test]
fn a_drive_has_a_report() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["new", "drive", "drive.toml"], 0);
    ends(path, &["run", "drive.toml", "--set", "duration=\"3 s\"", "--out", "out", "--report"], 0);
    let text = page(path, "out/report.html");
    for part in [
        "handovers: ",
        "Where a packet's time goes",
        "Users coloured by",
        "Routes coloured by",
        "Routes and their throughput",
        "Routes and their one-way delay",
        "Cost of handovers for each flow",
        "The longest gap: ",
    ] {
        assert!(text.contains(part), "{part}");
    }
    ends(path, &["check", "out/scenario.toml"], 0);
}

/// Specification of the chart with this `id` on a page.
fn spec(page: &str, place: &str) -> serde_json::Value {
    let (_, behind) = page.split_once(&format!("id=\"{place}\"")).expect("a chart");
    let (_, behind) = behind.split_once("<script type=\"application/json\">").expect("its data");
    let (spec, _) = behind.split_once("</script>").expect("its end");
    serde_json::from_str(spec).expect("JSON")
}

/// The upper end of the y axis with this title, among the panels of a chart.
fn top(spec: &serde_json::Value, title: &str) -> f64 {
    let mut found = None;
    visit(spec, &mut |value| {
        let y = &value["encoding"]["y"];
        if y["title"] == title {
            found = found.or(y["scale"]["domain"][1].as_f64());
        }
    });
    found.unwrap_or_else(|| panic!("no axis {title}: {spec}"))
}

fn visit(value: &serde_json::Value, see: &mut dyn FnMut(&serde_json::Value)) {
    see(value);
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| visit(item, see)),
        serde_json::Value::Object(keys) => keys.values().for_each(|item| visit(item, see)),
        _ => {}
    }
}

/// No more than 5 Mbit/s pass the link in front of the cell. What a lost packet held back is handed
/// over in an interval of milliseconds, at many times that.
#[test]
fn axes_end_where_what_they_show_ends() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["new", "lte-6rb"], 0);
    ends(path, &["run", "lte-6rb.toml", "--set", "output.series=\"10 ms\"", "--report=a.html"], 0);
    let over_time = spec(&page(path, "a.html"), "over-time");
    let goodput = top(&over_time, "goodput (Mbit/s)");
    assert!((3.5..=7.0).contains(&goodput), "{goodput}");
    assert!(page(path, "a.html").contains("data that waited for a lost packet"));
    // A marker at random marks 2% of packets, whatever waits.
    let marked = ["new", "wires-dualpi2"];
    ends(path, &marked, 0);
    let marks = ["--set", "path.sgi={rate=\"100 Mbit/s\",delay=\"5 ms\",mark=0.02}"];
    let run = [
        &["run", "wires-dualpi2.toml", "--report=b.html", "--set", "duration=\"3 s\""],
        &marks[..],
    ];
    ends(path, &run.concat(), 0);
    let marked = top(&spec(&page(path, "b.html"), "over-time"), "marked (%)");
    assert!(marked <= 30.0, "{marked}");
}

/// Colours of the legends of a page by the arm that a series is of.
fn inks(page: &str, arms: [&str; 2]) -> [std::collections::BTreeSet<String>; 2] {
    let mut found = [const { std::collections::BTreeSet::new() }; 2];
    for entry in page.split("data-series=\"").skip(1) {
        let name = entry.split('"').next().unwrap_or_default();
        let ink = ["stroke=\"#", "fill=\"#"].iter().find_map(|begin| {
            let (_, behind) = entry.split("</button>").next()?.split_once(begin)?;
            behind.get(..6).map(str::to_owned)
        });
        for (arm, found) in arms.iter().zip(&mut found) {
            if name == *arm || name.starts_with(&format!("{arm}: ")) {
                found.extend(ink.clone());
            }
        }
    }
    found
}

#[test]
fn an_arm_has_one_colour_in_all_charts_of_a_page() {
    let folder = folder();
    let path = folder.path();
    let slow = GOOD.replace("5 Mbit/s", "60 kbit/s");
    fs::write(path.join("slow.toml"), slow).expect("written");
    ends(path, &["compare", "good.toml", "slow.toml", "--seeds", "3", "--report=c.html"], 0);
    let vary = "path.s1.rate=\"5 Mbit/s\",\"60 kbit/s\"";
    ends(path, &["sweep", "good.toml", "--vary", vary, "--seeds", "3", "--report=s.html"], 0);
    for (name, arms) in [("c.html", ["good", "slow"]), ("s.html", ["5 Mbit/s", "60 kbit/s"])] {
        let [first, second] = inks(&page(path, name), arms);
        assert_eq!((first.len(), second.len()), (1, 1), "{name}: {first:?} {second:?}");
        assert_ne!(first, second, "{name}");
    }
}

#[test]
fn what_was_asked_names_the_radio_and_what_was_set() {
    let folder = folder();
    let path = folder.path();
    let set = ["--set", "flow.voice.dscp=AF41", "--unset", "path.s1.rate"];
    let run = [&["run", "good.toml", "--out", "out", "--report"][..], &set].concat();
    ends(path, &run, 0);
    let text = page(path, "out/report.html");
    assert!(
        text.contains(
            "<dt>set over the file</dt><dd>unset path.s1.rate; flow.voice.dscp=AF41</dd>"
        )
    );
    assert!(text.contains("LTE, 50 resource blocks, FDD"), "{text}");
    ends(path, &["run", "good.toml", "--out", "plain", "-q"], 0);
    ends(path, &["report", "out", "plain", "-o", "both.html"], 0);
    let both = page(path, "both.html");
    assert!(both.contains("Keys of the scenarios that differ") && both.contains("flow.voice.dscp"));
}

#[test]
fn sentences_that_belong_together_stand_in_a_group() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["new", "lte-6rb"], 0);
    let bbr = fs::read_to_string(path.join("lte-6rb.toml")).expect("a scenario");
    fs::write(path.join("bbr.toml"), bbr.replace("\"cubic\"", "\"bbr\"")).expect("written");
    let short = ["--set", "duration=\"2500 ms\"", "--seeds", "2", "--report=c.html"];
    ends(path, &[&["compare", "lte-6rb.toml", "bbr.toml"][..], &short].concat(), 0);
    let text = page(path, "c.html");
    for title in ["All flows and cells", "Download", "Queues and marks", "Radio"] {
        assert!(text.contains(&format!("<section class=\"group\">\n<h3>{title}</h3>")), "{title}");
    }
}

#[test]
fn each_flow_of_a_capture_is_drawn() {
    let folder = folder();
    let path = folder.path();
    ends(path, &["new", "lte-6rb"], 0);
    let pcap = ["--set", "output.pcap=[\"server\"]", "--set", "duration=\"2500 ms\""];
    ends(path, &[&["run", "lte-6rb.toml", "--out", "out", "-q"][..], &pcap].concat(), 0);
    ends(path, &["analyse", "out/capture-server.pcapng", "--report=a.html", "-q"], 0);
    let text = page(path, "a.html");
    // The download and the voice flow, as --flow N draws them, and rates without --out.
    for part in ["Each flow", "id=\"flow-1\"", "id=\"flow-2\"", ">Flow 1: ", "id=\"rates\""] {
        assert!(text.contains(part), "{part}");
    }
    ends(path, &["analyse", "out/capture-server.pcapng", "--flow", "1", "-o", "one.html", "-q"], 0);
    let rows = |text: &str| spec(text, "flow-1")["data"]["values"].clone();
    let alone = rows(&page(path, "one.html"));
    assert!(alone.as_array().is_some_and(|rows| rows.len() > 100), "{alone}");
    assert_eq!(rows(&text), alone, "the same packets are drawn");
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
