//! The suites that airpath comes with, from the folder `cases`.
//!
//! Each folder there is a suite. All its files become data of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let root = own.join("../../cases");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut text = "&[\n".to_owned();
    for folder in entries(&root).into_iter().filter(|path| path.is_dir()) {
        let _ = writeln!(text, "({:?}, &[", name(&folder));
        for file in entries(&folder) {
            let path = file.display().to_string();
            let _ = writeln!(text, "({:?}, include_str!({path:?})),", name(&file));
        }
        text += "]),\n";
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it")).join("suites.rs");
    fs::write(out, text + "]\n").expect("a file of the build");
}

fn name(path: &Path) -> String {
    path.file_name().expect("a file of the folder").to_string_lossy().into_owned()
}

/// Paths in a folder, in the order of names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}
