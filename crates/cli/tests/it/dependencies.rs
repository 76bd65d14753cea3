//! Dependencies of the program, counted, so that their growth is seen in a change.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Lines of `cargo tree` for the program on Linux, without what builds and tests it.
fn tree() -> Vec<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--locked", "--offline", "--package", "airpath", "--edges", "normal"]);
    command.args(["--prefix", "none", "--format", "{p}", "--target", "x86_64-unknown-linux-gnu"]);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// A package without the mark of `cargo tree` for one whose dependencies stand above.
fn package(line: &str) -> &str {
    line.trim_end_matches(" (*)")
}

#[test]
fn the_page_on_performance_has_the_number_of_crates() {
    let tree = tree();
    let crates: BTreeSet<&str> = tree.iter().map(|line| package(line)).collect();
    let own = crates.iter().filter(|package| package.contains("(/")).count();
    let sentence = format!(
        "The program consists of {} crates, {own} of them airpath's own; `cargo tree` has {} lines.",
        crates.len(),
        tree.len()
    );
    println!("{sentence}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance.md");
    let page = fs::read_to_string(&path).expect("a page");
    let kept = page.lines().find(|line| line.starts_with("The program consists of "));
    let kept = kept.expect("the page counts crates");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, page.replace(kept, &sentence)).expect("a page");
    } else {
        assert_eq!(kept, sentence, "UPDATE_DOCS=1 writes it: is the growth worth its price?");
    }
}
