//! Commands in the documentation print what stands below them.
//!
//! A block of commands begins with three backticks and `console`. A line behind `$ ` is a command;
//! the lines up to the next command are its standard output. `UPDATE_DOCS=1 cargo test -p airpath
//! documented` writes the output anew.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::airpath;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Words of a command line, with quotes as a shell reads them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None, ' ') => words.push(std::mem::take(&mut word)),
            (_, letter) => word.push(letter),
        }
    }
    words.push(word);
    words
}

/// The page with the output that its commands have in this folder, and how many there are.
fn as_printed(page: &str, folder: &Path) -> (String, usize) {
    let (mut text, mut commands, mut inside) = (String::new(), 0, false);
    for line in page.lines() {
        inside = if inside { line != "```" } else { line == "```console" };
        if let Some(command) = line.strip_prefix("$ airpath ").filter(|_| inside) {
            commands += 1;
            let words = words(command);
            let output = airpath(folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
            assert!(output.status.success(), "{command}");
            text += &format!("{line}\n{}", String::from_utf8_lossy(&output.stdout));
        } else if !inside || line == "```console" {
            text += &format!("{line}\n");
        }
    }
    (text, commands)
}

fn check(name: &str, folder: &Path, least: usize) {
    let path = root().join(name);
    let page = fs::read_to_string(&path).expect("a page");
    let (printed, commands) = as_printed(&page, folder);
    assert!(commands >= least, "{name} has {commands} commands");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &printed).expect("a page");
    } else {
        assert!(page == printed, "{name} is old (UPDATE_DOCS=1 writes it):\n{printed}");
    }
}

/// Checks that the picture which a page's commands drew equals the one that is kept.
fn check_picture(folder: &Path, name: &str, kept: &str) {
    let drawn = fs::read(folder.join(format!("{name}.svg"))).expect("a picture");
    let kept = root().join(format!("docs/img/{kept}.svg"));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&kept, &drawn).expect("a picture");
    } else {
        let same = fs::read(&kept).is_ok_and(|kept| kept == drawn);
        assert!(same, "{} is old (UPDATE_DOCS=1 writes it)", kept.display());
    }
}

#[test]
fn the_readme_shows_what_is_printed() {
    check("README.md", &root(), 1);
}

#[test]
fn the_tutorial_shows_what_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    check("docs/tutorial.md", folder.path(), 14);
    check_picture(folder.path(), "controllers", "controllers");
}

#[test]
fn the_page_of_latencies_shows_what_is_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    check("docs/latency.md", folder.path(), 3);
}

/// Pages that name commands, templates and files.
fn pages() -> Vec<(String, String)> {
    let docs = fs::read_dir(root().join("docs")).expect("a folder");
    let docs = docs.map(|entry| format!("docs/{}", entry.expect("one").file_name().display()));
    let own = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(str::to_owned);
    let pages = docs.filter(|name| name.ends_with(".md")).chain(own);
    let text = |name: &String| fs::read_to_string(root().join(name)).expect("a page");
    pages.map(|name| (name.clone(), text(&name))).collect()
}

/// Names that follow each `before` in a text.
fn behind<'t>(text: &'t str, before: &'t str) -> impl Iterator<Item = &'t str> {
    let letters = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    text.match_indices(before).map(move |(at, _)| {
        let rest = &text[at + before.len()..];
        rest.split(|c| !letters(c)).next().unwrap_or_default()
    })
}

#[test]
fn pages_name_only_what_there_is() {
    let templates: Vec<&str> = airpath_scenario::templates().iter().map(|t| t.name).collect();
    let help = airpath(&root(), &["--help"]);
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let commands = help.lines().filter_map(|line| line.strip_prefix("  "));
    let mut commands: Vec<&str> = commands.filter_map(|line| line.split(' ').next()).collect();
    let aliases = help.split("alias").skip(1).filter_map(|rest| rest.split_once(": "));
    commands.extend(aliases.filter_map(|(_, rest)| rest.split([']', ',']).next()));
    let mut counts = [0; 3];
    for (page, text) in pages() {
        let named = ["emplate `", "airpath new "].map(|before| behind(&text, before));
        for name in named.into_iter().flatten().filter(|name| !name.is_empty() && *name != "-") {
            if name.starts_with(|c: char| c.is_ascii_lowercase()) {
                assert!(templates.contains(&name), "{page}: there is no template {name}");
                counts[0] += 1;
            }
        }
        for name in behind(&text, "scenarios/").filter(|name| name.ends_with(".toml")) {
            let name = name.trim_end_matches(".toml");
            assert!(templates.contains(&name), "{page}: airpath new does not list {name}");
        }
        for before in ["`airpath ", "    airpath ", "$ airpath "] {
            for command in behind(&text, before).filter(|word| !word.starts_with('-')) {
                if command.starts_with(|c: char| c.is_ascii_lowercase()) {
                    assert!(commands.contains(&command), "{page}: airpath {command}");
                    counts[1] += 1;
                }
            }
        }
        let folders = ["crates/", "docs/", "studies/", "benches/", "site/", "calibrations/"];
        for folder in folders {
            for rest in behind(&text, &format!("`{folder}")) {
                let path = format!("{folder}{}", rest.trim_end_matches('.'));
                if !path.contains("yours") && !path.contains("NAME") {
                    assert!(root().join(&path).exists(), "{page}: there is no {path}");
                    counts[2] += 1;
                }
            }
        }
    }
    assert!(counts[0] > 20 && counts[1] > 60 && counts[2] > 30, "{counts:?}");
}

#[test]
fn the_page_of_charts_shows_what_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    check("docs/plots.md", folder.path(), 8);
    for name in ["rate", "cdf", "stages", "metric", "heat", "rate-delay", "map"] {
        check_picture(folder.path(), name, &format!("plot-{name}"));
    }
}
