//! Says which build this is, for the run cache.

#[path = "../sim/build/identity.rs"]
mod identity;

fn main() {
    identity::print("AIRPATH_CAMPAIGN_BUILD");
}
