//! Messages that lead on: what a new user writes, and the command or key that it says instead.

use std::fs;

use tempfile::TempDir;

use crate::common::{GOOD, airpath, run};

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("good.toml"), GOOD).expect("a file");
    folder
}

/// Message of the program that refuses these arguments, on one line.
fn refused(args: &[&str]) -> String {
    let folder = folder();
    run(folder.path(), args, 2).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_written_for_another_program_is_led_to_ours() {
    let cases: [(&[&str], &str); 12] = [
        (&["run", "good.toml", "--duration", "30"], "--set duration=\"30 s\""),
        (&["run", "good.toml", "--scheduler=rr"], "--set cell.scheduler=\"rr\""),
        (&["run", "good.toml", "--seeds", "20"], "airpath sweep good.toml --seeds 20"),
        (&["run", "good.toml", "--jobs", "2"], "--jobs is an option of airpath sweep"),
        (&["emulate", "good.toml", "curl", "http://x/"], "emulate good.toml -- curl http://x/"),
        (
            &["run", "good.toml", "--set", "flow.voice.tcp.controller=reno"],
            "did you mean \"newreno\"?",
        ),
        (&["run", "good.toml", "--set", "cell.scheduler=rr"], "did you mean \"round-robin\"?"),
        (&["new", "lte6rb"], "airpath new lte-6rb?"),
        (&["run", "lte6rb.toml"], "`airpath new lte-6rb` writes"),
        (&["run", "godo.toml"], "did you mean good.toml?"),
        (&["run", "good.toml", "--report", "page.html"], "--report=page.html"),
        (&["report", "good.toml"], "`airpath run good.toml --report` runs"),
    ];
    for (args, expected) in cases {
        let said = refused(args);
        assert!(said.contains(expected), "{args:?}: {expected}: {said}");
        assert!(!said.contains("as a value, use"), "{said}");
    }
}

#[test]
fn a_report_has_the_name_of_a_page() {
    for args in [
        &["run", "good.toml", "--report=page.pdf"][..],
        &["sweep", "good.toml", "--report=page.png"],
        &["report", "nowhere", "-o", "page.svg"],
    ] {
        let said = refused(args);
        assert!(said.contains("a report is a page") && said.contains("page.html"), "{said}");
    }
    assert!(refused(&["run", "good.toml", "--report=-"]).contains("ends in .html"));
}

/// 6 resource blocks of LTE are 1.08 MHz. With 30 kHz, 5 MHz are 11 resource blocks, 3.96 MHz. 100 are
/// 18 MHz; 20 MHz are 51 resource blocks, 18.36 MHz (TS 38.101-1, table 5.3.2-1).
#[test]
fn an_lte_cell_that_becomes_nr_is_told_its_bandwidth() {
    for (blocks, bandwidth, blocks_of_nr) in [(6, "5 MHz", 11), (100, "20 MHz", 51)] {
        let blocks = format!("cell.resource_blocks={blocks}");
        let args = ["check", "good.toml", "--set", &blocks, "--set", "cell.technology=nr"];
        let said = refused(&args);
        assert!(said.contains(&format!("bandwidth = \"{bandwidth}\"")), "{said}");
        assert!(said.contains(&format!("is {blocks_of_nr} resource blocks")), "{said}");
        assert!(said.contains("--unset cell.resource_blocks"), "{said}");
    }
    // And what it says works, with a file that has the key.
    let folder = folder();
    run(folder.path(), &["new", "lte-6rb"], 0);
    let nr = ["--set", "cell.technology=nr", "--set", "cell.bandwidth=5 MHz"];
    let args = ["check", "lte-6rb.toml", "--unset", "cell.resource_blocks"];
    run(folder.path(), &[&args[..], &nr].concat(), 0);
}

/// A scenario from which a key is taken is the file without its line.
#[test]
fn keys_are_taken_out_wherever_keys_are_set() {
    let folder = folder();
    let path = folder.path();
    let without = GOOD.replace("rate = \"5 Mbit/s\"\n", "");
    fs::write(path.join("without.toml"), without).expect("a file");
    let json = |args: &[&str]| airpath(path, &[args, &["--json"]].concat()).stdout;
    let unset = ["--unset", "path.s1.rate"];
    assert_eq!(json(&[&["run", "good.toml"][..], &unset].concat()), json(&["run", "without.toml"]));
    assert_ne!(json(&["run", "good.toml"]), json(&["run", "without.toml"]));
    let few = ["--seeds", "2"];
    assert_eq!(
        json(&[&["sweep", "good.toml"][..], &few, &unset].concat()),
        json(&[&["sweep", "without.toml"][..], &few].concat())
    );
    fs::write(path.join("slow.toml"), GOOD.replace("5 Mbit/s", "1 Mbit/s")).expect("a file");
    let both = [&["compare", "good.toml", "slow.toml", "--seeds", "2"][..], &unset].concat();
    let compared: serde_json::Value = serde_json::from_slice(&json(&both)).expect("JSON");
    assert_eq!(compared["keys"], serde_json::json!([]), "both are without it");
    let wrong = run(path, &["check", "good.toml", "--unset", "path.s1.rat"], 2);
    assert!(wrong.contains("--unset") && wrong.contains("did you mean `rate`?"), "{wrong}");
}

#[test]
fn errors_begin_alike_and_each_is_said_once() {
    let folder = folder();
    let heads = |args: &[&str]| {
        let said = run(folder.path(), args, 2);
        assert!(!said.contains("Error:") && !said.contains('×'), "{said}");
        let heads = said.lines().filter(|line| line.starts_with("error: ")).map(str::to_owned);
        heads.collect::<Vec<_>>()
    };
    assert_eq!(heads(&["run", "good.toml", "--set", "a=1", "--set", "b=2"]).len(), 2);
    assert_eq!(heads(&["run", "nowhere.toml"]).len(), 1);
    assert_eq!(heads(&["run"]).len(), 1);
    assert_eq!(heads(&["report", "nowhere"]).len(), 1);
    // One recording for both directions, which is not there.
    let twice = ["path.sgi.capacity=none", "path.sgi.up.capacity=none"];
    let args = ["check", "good.toml", "--set", twice[0], "--set", twice[1]];
    assert_eq!(heads(&args).len(), 1, "{:?}", heads(&args));
    let both = ["reproduce", "lte-in-depth", "--trace", "none"];
    assert_eq!(heads(&both), ["error: cannot read none: there is no such file"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_trace_that_is_not_there_is_named_once_with_its_option() {
    let said = refused(&["emulate", "--trace", "none", "--", "true"]);
    assert_eq!(said.matches("there is no such file").count(), 1, "{said}");
    assert!(said.contains("cannot read none") && said.contains("--trace takes"), "{said}");
    let up = refused(&["emulate", "--trace", "good.toml", "--up", "none", "--", "true"]);
    assert!(up.contains("cannot read none") && up.contains("--up takes"), "{up}");
}
