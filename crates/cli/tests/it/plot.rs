//! `airpath plot` as a user meets it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::{GOOD, airpath, names};

/// Exit code, standard output and standard error of a command.
fn said(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = airpath(folder, args);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn done(folder: &Path, args: &[&str]) -> String {
    let (code, out, error) = said(folder, args);
    assert_eq!(code, 0, "{args:?}: {error}");
    out
}

/// A folder with a run `out`, one `more` with another seed, and one `bare` without recordings.
fn runs() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let recorded = format!("{GOOD}[output]\nseries = \"20 ms\"\npackets = true\n");
    fs::write(folder.path().join("good.toml"), GOOD).expect("written");
    fs::write(folder.path().join("recorded.toml"), recorded).expect("written");
    done(folder.path(), &["run", "recorded.toml", "--out", "out", "-q"]);
    done(folder.path(), &["run", "recorded.toml", "--seed", "2", "--out", "more", "-q"]);
    done(folder.path(), &["run", "good.toml", "--out", "bare", "-q"]);
    folder
}

#[test]
fn a_run_is_shown_in_the_terminal_and_as_files() {
    let folder = runs();
    let path = folder.path();
    let text = done(path, &["plot", "out", "--what", "rate"]);
    for part in ["Goodput of voice: 0.", "voice  ", " Mbit/s", "-o FILE.svg", "cdf, stages"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let bare = done(path, &["plot", "bare"]);
    assert!(bare.contains("Where a packet's time goes"), "{bare}");
    for _ in 0..2 {
        for (file, begins) in [("a.svg", "<svg"), ("a.png", "\u{89}PNG"), ("a.html", "<!doctype")] {
            done(path, &["plot", "out", "--what", "cdf", "-o", file]);
            let bytes = fs::read(path.join(file)).expect("written");
            let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            assert!(text.starts_with(begins), "{file}");
        }
    }
    let svg = fs::read_to_string(path.join("a.svg")).expect("written");
    assert!(svg.contains("<desc") && svg.contains("Median and 95th percentile: voice "), "{svg}");
    done(path, &["plot", "out", "bare", "-o", "a.html"]);
    let page = fs::read_to_string(path.join("a.html")).expect("written");
    assert!(page.contains("out: voice") && page.contains("bare: voice"));
    let inside = ["a.html", "a.png", "a.svg", "bare", "good.toml", "more", "out", "recorded.toml"];
    assert_eq!(names(path), inside);
}

#[test]
fn runs_with_other_seeds_are_a_mean_with_a_band() {
    let folder = runs();
    done(folder.path(), &["plot", "out", "more", "--what", "rate", "-o", "a.svg"]);
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("written");
    assert!(svg.contains("line: mean of 2 runs; band: its 95% interval"), "{svg}");
    done(folder.path(), &["plot", "out", "out", "--what", "rate", "-o", "a.svg"]);
    let svg = fs::read_to_string(folder.path().join("a.svg")).expect("written");
    assert!(!svg.contains("mean of 2 runs"), "a run is not another of itself");
}

#[test]
fn a_campaign_is_shown_by_arm() {
    let folder = runs();
    let path = folder.path();
    let vary = [
        "--vary",
        "path.s1.rate=\"2 Mbit/s\",\"5 Mbit/s\"",
        "--vary",
        "ue.phone.snr=\"5 dB\",\"20 dB\"",
    ];
    let sweep =
        [&["sweep", "good.toml", "--seeds", "3", "--out", "sweep", "-q"][..], &vary].concat();
    done(path, &sweep);
    let metric = done(path, &["plot", "sweep"]);
    assert!(metric.starts_with("Goodput, by ue.phone.snr\n"), "{metric}");
    assert!(metric.contains("means of 3 runs each; more is better"), "{metric}");
    let heat = done(path, &["plot", "sweep", "--what", "heat", "--of", "delay_p95_ms"]);
    assert!(heat.contains("Delay, 95th percentile over path.s1.rate and ue.phone.snr"), "{heat}");
    let scatter = done(path, &["plot", "sweep", "--what", "rate-delay"]);
    assert!(scatter.contains("Mbit/s at "), "{scatter}");
    // The terminal names each arm with its figure.
    let arms = ["2 Mbit/s, 5 dB", "2 Mbit/s, 20 dB", "5 Mbit/s, 5 dB", "5 Mbit/s, 20 dB"];
    for text in [&metric, &scatter] {
        for arm in arms {
            let line = text.lines().find(|line| line.trim_start().starts_with(arm));
            assert!(line.is_some_and(|line| line.contains("Mbit/s")), "{arm}: {text}");
        }
    }
    let columns = heat.lines().any(|line| line.contains("2 Mbit/s") && line.contains("5 Mbit/s"));
    assert!(columns && heat.lines().any(|line| line.trim_start().starts_with("20 dB")), "{heat}");
    let users = done(path, &["plot", "sweep", "--what", "cdf", "--of", "ip_delay_mean_ms"]);
    assert!(users.contains("distribution over users"), "{users}");
    let arm = metric.split("most ").nth(1).and_then(|text| text.split(" with ").nth(1));
    let arm = arm.and_then(|text| text.split(", least").next()).expect("an arm");
    let one = done(path, &["plot", &format!("sweep:{arm}"), "--what", "cdf"]);
    assert!(one.contains(arm) && one.contains("distribution over runs"), "{one}");
    done(path, &["plot", "sweep", "--what", "all", "-o", "a.html"]);
    let (code, _, error) = said(path, &["plot", "sweep:no such arm"]);
    assert!(code == 2 && error.contains("there is no arm `no such arm`"), "{error}");
}

#[test]
fn users_are_where_the_network_has_them() {
    let folder = TempDir::new().expect("a folder");
    let network = "duration = \"300 ms\"\n[network]\nsites = 1\ncarrier = \"2 GHz\"\n[[ue]]\nname = \"web\"\n\
         count = 5\n[[flow]]\nname = \"full\"\nkind = \"full-buffer\"\ndirection = \"down\"\n";
    fs::write(folder.path().join("net.toml"), network).expect("written");
    done(folder.path(), &["run", "net.toml", "--out", "out", "-q"]);
    done(folder.path(), &["plot", "out", "--what", "map", "-o", "map.svg"]);
    let map = fs::read_to_string(folder.path().join("map.svg")).expect("written");
    assert!(map.contains("Transmitted rate of 5 users"), "{map}");
}

#[test]
fn what_cannot_be_shown_is_said_with_what_helps() {
    let folder = runs();
    let path = folder.path();
    fs::create_dir(path.join("thesis")).expect("a folder");
    fs::write(path.join("thesis/summary.json"), "{}").expect("written");
    fs::create_dir(path.join("later")).expect("a folder");
    let later = r#"{"format": "airpath-results-9"}"#;
    fs::write(path.join("later/summary.json"), later).expect("written");
    fs::write(path.join("mine.svg"), "<svg></svg>").expect("written");
    let before = names(path);
    let cases: [(&[&str], &[&str]); 16] = [
        (&["nowhere"], &["nowhere is not there", "airpath run --out"]),
        (&["thesis"], &["thesis is no results folder"]),
        (&["good.toml"], &["good.toml is no results folder"]),
        (&["later"], &["airpath-results-9", "run again"]),
        (&["out:arm"], &["out is a run and has no arms"]),
        (&["bare", "--what", "rate"], &["bare has no courses", "output.series = \"100 ms\""]),
        (&["bare", "--what", "marks"], &["bare has no table of packets", "output.packets = true"]),
        (&["out", "--what", "metric"], &["airpath sweep SCENARIO"]),
        (&["out", "--what", "map"], &["without a network"]),
        (&["out", "--what", "rtt"], &["no `srtt_ms`", "in_order_goodput_bps"]),
        (&["out", "--what", "ratee"], &["ratee", "'rate'"]),
        (&["out", "--what", "cdf", "--of", "ip_delay_p98_ms"], &["did you mean `ip_delay_p9"]),
        (&["out", "-o", "a.gif"], &["a.gif", ".svg, .png or .html"]),
        (&["out", "-o", "nowhere/a.svg"], &["nowhere/a.svg", "no such folder"]),
        (&["out", "-o", "mine.svg"], &["mine.svg is there and not made by airpath"]),
        (&["out", "--what", "cdf", "--what", "rate", "-o", "a.png"], &["a page (.html)"]),
    ];
    for (args, expected) in cases {
        let (code, out, error) = said(path, &[&["plot"], args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {error}");
        for part in expected {
            assert!(error.contains(part), "{args:?}: {part}: {error}");
        }
        assert_eq!(names(path), before, "{args:?}");
    }
    assert_eq!(fs::read_to_string(path.join("mine.svg")).expect("still there"), "<svg></svg>");
}

#[test]
fn damaged_tables_are_errors() {
    let folder = runs();
    let series = folder.path().join("out/series.parquet");
    let bytes = fs::read(&series).expect("a table");
    for bad in [&bytes[..bytes.len() / 2], &[], b"PAR1PAR1"] {
        fs::write(&series, bad).expect("written");
        let (code, _, error) = said(folder.path(), &["plot", "out", "--what", "rate"]);
        assert!(code == 2 && error.contains("series.parquet"), "{error}");
    }
}
