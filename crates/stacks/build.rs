//! Checks that features have the quinn-proto that they need.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let has = |name: &str| env::var_os(name).is_some();
    let (accurate, main) = (has("CARGO_FEATURE_ACCURATE_ECN"), has("CARGO_FEATURE_QUINN_MAIN"));
    if accurate && main {
        fail("accurate-ecn and quinn-main are for two versions of quinn-proto: choose one");
    }
    // The build script of the changed crate sets it for crates that depend on it directly.
    if accurate && !has("DEP_QUINN_PROTO_ACCURATE_ECN_API") {
        fail(
            "the feature accurate-ecn needs quinn-proto 0.11.19 with the change of \
             crates/stacks/patches/quinn-proto-0.11.19.diff, and cargo uses a quinn-proto without it. Apply the change to a \
             copy of the published crate",
        );
    }
    let wanted = if main { "0.12." } else { "0.11." };
    match version() {
        Some(version) if !version.starts_with(wanted) => fail(&format!(
            "Cargo.lock has quinn-proto {version}, and {wanted}x is wanted: the feature quinn-main is for 0.12, and goes with \
             the main branch of quinn alone"
        )),
        _ => {}
    }
}

fn fail(reason: &str) {
    println!(
        "cargo::error={reason}. [patch.crates-io] of the workspace names a folder: quinn-proto = {{ path = \"...\" }}. Then: \
         cargo update -p quinn-proto. docs/stacks.md has each step."
    );
}

/// Version of quinn-proto in the Cargo.lock above the target folder; none if it is elsewhere, or has several.
fn version() -> Option<String> {
    let out = env::var_os("OUT_DIR")?;
    let lock = Path::new(&out).ancestors().map(|folder| folder.join("Cargo.lock"));
    let lock = lock.into_iter().find(|path| path.is_file())?;
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(lock).ok()?;
    let mut entries = text.split("\n\n").filter(|entry| {
        entry.starts_with("[[package]]") && entry.contains("\nname = \"quinn-proto\"\n")
    });
    let (only, other) = (entries.next()?, entries.next());
    let version = only.lines().find_map(|line| line.strip_prefix("version = \""))?;
    other.is_none().then(|| version.trim_end_matches('"').to_owned())
}
