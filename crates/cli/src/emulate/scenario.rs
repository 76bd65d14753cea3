//! The scenario of an emulation: a file, or recordings of capacity.

use std::io;
use std::path::Path;

use airpath_scenario::Scenario;
use serde_json::json;

use super::EmulateArgs;
use crate::args::ScenarioArgs;
use crate::output::{read, refuse};

/// Reads it; what is wrong with it has been printed.
///
/// # Errors
///
/// The exit code.
pub fn scenario(args: &EmulateArgs) -> Result<Scenario, u8> {
    match (&args.trace, &args.scenario) {
        (Some(down), _) => recorded(down, args.up.as_deref().unwrap_or(down), &args.overrides),
        (None, Some(scenario)) => {
            let (scenario, overrides) = (scenario.clone(), args.overrides.clone());
            read(&ScenarioArgs { scenario, overrides })
        }
        (None, None) => Err(crate::exit::BAD_INPUT),
    }
}

/// A link whose capacity was recorded, and nothing else.
fn recorded(down: &Path, up: &Path, overrides: &[String]) -> Result<Scenario, u8> {
    // What JSON has as a string, TOML has as well.
    let [down, up] = [down, up].map(|path| json!(path.to_string_lossy()).to_string());
    let text = format!(
        "title = \"Recorded capacity\"\nduration = \"86400 s\"\nradio = \"none\"\n\
         [path.sgi]\ncapacity = {down}\nup.capacity = {up}\n"
    );
    Scenario::read_from("--trace", io::Cursor::new(text), Path::new(""), overrides).map_err(refuse)
}
