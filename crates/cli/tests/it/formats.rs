//! Results and scenarios of each format that was ever written: read, or refused with the format's name.
//!
//! `tests/formats` has an archive for each format, which never changes. It has the folders of a run, a
//! campaign and an analysis, and the scenarios of all templates with all their keys.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::{GOOD, airpath, names, run, said};

/// Formats whose folders are read.
const READ: [&str; 1] = ["1"];
/// The format that is written.
const OWN: &str = "airpath-results-1";
/// A format of a later airpath.
const LATER: &str = "airpath-results-999";

/// Path from the folder of this crate.
fn path(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// A folder with the contents of an archive.
fn kept(format: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = path("tests/formats").join(format!("{format}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.arg("xzf").arg(archive).arg("-C").arg(folder.path());
    assert!(tar.status().expect("tar is installed").success());
    folder
}

#[test]
fn folders_of_each_format_are_read() {
    for format in READ {
        let folder = kept(format);
        let read = |args: &[&str]| run(folder.path(), args, 0);
        for name in ["run", "campaign", "analysis"] {
            read(&["report", name, "-o", "page.html"]);
            fs::remove_file(folder.path().join("page.html")).expect("a page");
        }
        for chart in ["queue-delay", "rate", "stages", "cdf"] {
            read(&["plot", "run", "--what", chart]);
        }
        assert!(read(&["plot", "run", "--what", "stages"]).contains("download"));
        for (chart, of) in [("metric", "goodput_bps"), ("cdf", "goodput_bps")] {
            read(&["plot", "campaign", "--what", chart, "--of", of]);
        }
        let compared = read(&["compare", "campaign:5 ms", "campaign:20 ms", "--all"]);
        assert!(compared.contains("path.sgi.delay"), "{compared}");
        read(&["compare", "run", "run", "--all"]);
    }
}

#[test]
fn a_campaign_of_another_build_does_not_grow() {
    for format in READ {
        let folder = kept(format);
        fs::copy(path("scenarios/wires-dualpi2.toml"), folder.path().join("s.toml"))
            .expect("a file");
        let files = || -> Vec<Vec<u8>> {
            let of = folder.path().join("campaign");
            let paths = names(&of).into_iter().map(|file| of.join(file));
            let files = paths.filter(|path| path.is_file());
            files.map(|path| fs::read(path).expect("a file")).collect()
        };
        let before = files();
        let vary = "path.sgi.delay=5 ms,20 ms";
        let set = "duration=500 ms";
        let grow = ["sweep", "s.toml", "--set", set, "--vary", vary, "--seeds", "3", "--out"];
        let refusal = run(folder.path(), &[&grow[..], &["campaign"]].concat(), 2);
        assert!(refusal.contains("was made by another build of airpath"), "{refusal}");
        assert!(refusal.contains("choose another folder with --out, or remove it"), "{refusal}");
        assert_eq!(files(), before);
    }
}

#[test]
fn scenarios_of_each_format_are_read() {
    for format in READ {
        let folder = kept(format);
        let scenarios = folder.path().join("scenarios");
        let all = names(&scenarios).into_iter();
        let read = |name: String| {
            let output = airpath(&scenarios, &["check", &name]);
            assert!(output.status.success(), "{name}: {}", said(&output));
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!error.contains("warning"), "{name}: {error}");
        };
        assert!(all.map(read).count() >= 20);
    }
}

/// Rewrites the summary of a folder as that of a later format.
fn make_later(folder: &Path) {
    let path = folder.join("summary.json");
    let text = fs::read_to_string(&path).expect("a summary");
    let (text, _) = text.split_once(",\n  \"digests\"").expect("digests");
    fs::write(&path, text.replace(OWN, LATER) + "\n}\n").expect("written");
}

#[test]
fn a_later_format_is_refused_everywhere() {
    let folder = kept("1");
    for name in ["run", "campaign", "analysis"] {
        make_later(&folder.path().join(name));
    }
    fs::create_dir(folder.path().join("bare")).expect("a folder");
    let bare = format!("{{\"format\": \"{LATER}\"}}");
    fs::write(folder.path().join("bare/summary.json"), bare).expect("written");
    fs::write(folder.path().join("s.toml"), GOOD).expect("a file");
    let mut commands: Vec<Vec<&str>> = Vec::new();
    for name in ["run", "campaign", "analysis", "bare"] {
        commands.push(vec!["report", name, "-o", "page.html"]);
        commands.push(vec!["plot", name]);
        commands.push(vec!["compare", name, name]);
        commands.push(vec!["sweep", "s.toml", "--out", name]);
    }
    commands.push(vec!["reproduce", "short-tti", "--from-tables=run"]);
    commands.push(vec!["compare", "campaign"]);
    commands.push(vec!["compare", "campaign:5 ms", "campaign:20 ms"]);
    commands.push(vec!["plot", "campaign:5 ms"]);
    let before = names(folder.path());
    for command in commands {
        // Neither may be had by leaving out the digests.
        for more in [&[][..], &["--unchecked"][..]] {
            let refusal = run(folder.path(), &[&command[..], more].concat(), 2);
            let named = format!("has results in the format {LATER}, this airpath reads {OWN}");
            let words = refusal.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(&named), "{command:?}: {refusal}");
            assert!(words.contains("use the airpath that wrote them, or run again"), "{refusal}");
        }
        assert_eq!(names(folder.path()), before, "{command:?}");
    }
}
