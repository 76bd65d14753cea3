//! Check that the feature `accurate-ecn` has the quinn-proto that it needs.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_wanted = env::var_os("CARGO_FEATURE_ACCURATE_ECN").is_some();
    // The build script of the changed crate sets it for crates that depend on it directly.
    let is_changed = env::var_os("DEP_QUINN_PROTO_ACCURATE_ECN_API").is_some();
    if is_wanted && !is_changed {
        println!(
            "cargo::error=the feature accurate-ecn needs quinn-proto 0.11.19 with the change of \
             crates/stacks/patches/quinn-proto-0.11.19.diff, and cargo uses a quinn-proto without it. Apply the change to a \
             copy of the published crate, and name its folder: [patch.crates-io] quinn-proto = {{ path = \"...\" }} in the \
             workspace's Cargo.toml. Cargo takes a patch only if its version is one that Cargo.lock allows: \
             cargo update -p quinn-proto. docs/stacks.md has each step."
        );
    }
}
