//! Says which build this is, for the run cache.

#[path = "build/identity.rs"]
mod identity;

fn main() {
    identity::print("AIRPATH_SIM_BUILD");
}
