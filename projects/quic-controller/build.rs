//! Check that cargo uses a quinn-proto that Cargo.toml patches.

use std::{env, fs, path::Path};

fn main() {
    let root = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let read = |name| {
        println!("cargo::rerun-if-changed={name}");
        fs::read_to_string(Path::new(&root).join(name)).unwrap_or_default()
    };
    let (manifest, lock) = (read("Cargo.toml"), read("Cargo.lock"));
    let patches = manifest.lines().any(|line| line == "[patch.crates-io]")
        && manifest.lines().any(|line| line.starts_with("quinn-proto"));
    // Entries of Cargo.lock. A package from a path has no source.
    let of_quinn = |entry: &&str| entry.lines().any(|line| line == "name = \"quinn-proto\"");
    let mut entries = lock.split("\n\n").filter(of_quinn);
    let version = |entry: &str| {
        let line = entry.lines().find_map(|line| line.strip_prefix("version = "));
        line.unwrap_or("of no version").trim_matches('"').to_owned()
    };
    let unused = lock.split("\n\n").filter(of_quinn).find(|e| e.contains("[[patch.unused]]"));
    let published = entries.find(|entry| entry.contains("\nsource = "));
    let reason = match (unused, published) {
        (Some(own), _) => format!("its version {} is not one that airpath takes", version(own)),
        (None, Some(own)) if patches => format!("Cargo.lock has {} as published", version(own)),
        _ => return,
    };
    println!(
        "cargo::error=cargo does not use the quinn-proto of [patch.crates-io]: {reason}. Its Cargo.toml must have a version \
         of 0.11 from 0.11.19 on. Then: cargo update -p quinn-proto"
    );
}
