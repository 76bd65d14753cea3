//! The identity of a build: a fingerprint of all that decides the results of a run.
//!
//! The identity is made while the crate is compiled. So it is the same in a program, in a test
//! and inside a Python module, and needs no file when a run is made. It covers
//!
//! - the files of `study`, which keeps measured runs as campaigns do, and of all crates of airpath that
//!   `study` sees, directly or not; this crate is one of them,
//! - `Cargo.lock`, and so the versions of all other crates,
//! - the compiler, its flags without their paths, the target, and the profile.
//!
//! Tests, examples and benchmarks are left out: they decide nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use digest::Digest;

#[path = "../base/src/digest.rs"]
#[allow(dead_code, reason = "a build needs less of it than the library has")]
mod digest;
#[path = "build/flags.rs"]
mod flags;

/// Names in a crate that are no part of what it does.
const LEFT_OUT: [&str; 5] = ["tests", "examples", "benches", "proptest-regressions", "tests.rs"];
/// Environment variables by which Cargo describes a build.
const SETTINGS: [&str; 5] =
    ["TARGET", "OPT_LEVEL", "DEBUG", "CARGO_CFG_DEBUG_ASSERTIONS", "CARGO_CFG_TARGET_FEATURE"];

/// The topmost crate that keeps runs under this identity.
const TOP: &str = "study";

fn main() {
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let crates = own.parent().expect("a crate lies in a folder").to_path_buf();
    let lock = crates.with_file_name("Cargo.lock");
    let mut digest = with_file(Digest::new(), &lock, "Cargo.lock");
    for folder in seen(&crates, TOP) {
        digest = with(digest, &crates.join(folder), &crates);
    }
    for setting in SETTINGS {
        let value = env::var(setting).unwrap_or_default();
        digest = digest.field(setting.as_bytes()).field(value.as_bytes());
    }
    for (flag, file) in flags::counted(&env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default()) {
        digest = digest.field(flag.as_bytes());
        if let Some(file) = file {
            digest = with_file(digest, &file, "");
        }
    }
    let rustc = env::var_os("RUSTC").expect("Cargo sets it");
    let version = Command::new(&rustc).arg("-vV").output().expect("the compiler runs");
    digest = digest.field(&version.stdout);
    println!("cargo::rustc-env=AIRPATH_BUILD={:032x}", digest.value());
}

/// Folders of the crates that one sees, itself included, in the order of their names.
fn seen(crates: &Path, own: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![own.to_owned()];
    while let Some(folder) = open.pop() {
        let path = crates.join(&folder).join("Cargo.toml");
        let text = String::from_utf8(read(&path)).expect("a manifest is text");
        if found.insert(folder) {
            open.extend(dependencies(&text).map(str::to_owned));
        }
    }
    found
}

/// Airpath's own crates among the dependencies of a manifest. Those of its tests and of its
/// build script are none.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let own = lines.take_while(|line| !line.starts_with('['));
    own.filter_map(|line| line.strip_prefix("airpath-")?.split(['.', ' ', '=']).next())
}

/// With a file or all files of a folder, under their names in the folder of crates.
fn with(digest: Digest, path: &Path, crates: &Path) -> Digest {
    if path.is_dir() {
        return list(path).into_iter().fold(digest, |digest, path| with(digest, &path, crates));
    }
    let name = path.strip_prefix(crates).unwrap_or(path).to_string_lossy().replace('\\', "/");
    with_file(digest, path, &name)
}

fn with_file(digest: Digest, path: &Path, name: &str) -> Digest {
    println!("cargo::rerun-if-changed={}", path.display());
    digest.field(name.as_bytes()).field(&read(path))
}

/// Files of a folder that count, in the order of names. Cargo watches files only: one that is
/// added is named by another, which changes with it.
fn list(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| !is_test(path)).collect()
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    LEFT_OUT.contains(&name.as_ref()) || name.ends_with("_tests.rs")
}

fn read(path: &Path) -> Vec<u8> {
    let build = "airpath is built in its own folder, with all its crates and Cargo.lock";
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}; {build}", path.display()))
}
