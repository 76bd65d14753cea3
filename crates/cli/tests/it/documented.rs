//! Commands in the documentation print what stands below them.
//!
//! In a block that begins with three backticks and `console`, a line behind `$ ` is a command,
//! and the lines up to the next one are its standard output.
//! `UPDATE_DOCS=1 cargo test -p airpath documented` writes the output anew.

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

/// That a picture that a page's commands drew is the one that is kept.
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
    check("docs/tutorial.md", folder.path(), 11);
    check_picture(folder.path(), "controllers", "controllers");
}

#[test]
fn the_page_of_charts_shows_what_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    check("docs/plots.md", folder.path(), 8);
    for name in ["rate", "cdf", "stages", "metric", "heat", "rate-delay", "map"] {
        check_picture(folder.path(), name, &format!("plot-{name}"));
    }
}
