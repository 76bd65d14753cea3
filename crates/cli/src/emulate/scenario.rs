//! The scenario of an emulation: a file, or recordings of capacity.

use std::fs;
use std::path::Path;

use airpath_scenario::{Scenario, read_text};
use serde_json::json;

use super::EmulateArgs;
use crate::BAD_INPUT;
use crate::args::ScenarioArgs;
use crate::output::{fail, read, refuse};

/// Reads it; what is wrong with it has been printed.
///
/// # Errors
///
/// The exit code.
pub fn scenario(args: &EmulateArgs) -> Result<Scenario, u8> {
    if let Some(folder) = &args.cellreplay {
        return cellreplay(folder, &args.over.all());
    }
    match (&args.trace, &args.scenario) {
        (Some(down), _) => recorded(down, args.up.as_deref(), &args.over.all()),
        (None, Some(scenario)) => {
            read(&ScenarioArgs { scenario: scenario.clone(), over: args.over.clone() })
        }
        (None, None) => Err(BAD_INPUT),
    }
}

/// A link whose capacity was recorded, and nothing else.
fn recorded(down: &Path, up: Option<&Path>, overrides: &[String]) -> Result<Scenario, u8> {
    let first = recording("--trace", down)?;
    let second = up.map(|up| recording("--up", up)).transpose()?;
    let names = [down, up.unwrap_or(down)].map(|path| path.to_string_lossy().into_owned());
    // Each is read once: a pipe cannot be read again.
    let files = |name: &str| match &second {
        _ if name == names[0] => Ok(first.clone()),
        Some(second) if name == names[1] => Ok(second.clone()),
        _ => fs::read_to_string(name).map_err(|error| error.to_string()),
    };
    // A string of JSON is also one of TOML.
    let [down, up] = names.each_ref().map(|name| json!(name).to_string());
    let text = format!(
        "title = \"Recorded capacity\"\nduration = \"86400 s\"\nradio = \"none\"\n\
         [path.sgi]\ncapacity = {down}\nup.capacity = {up}\n"
    );
    Scenario::parse_with("--trace", &text, overrides, &files).map_err(refuse)
}

/// Names of CellReplay's files: as `airpath export` writes them, and as in the project's own recordings.
const CELLREPLAY: [[&str; 2]; 4] = [
    ["down.light", "down-delay-light-pdo"],
    ["down.heavy", "down-heavy-pdo"],
    ["up.light", "up-delay-light-pdo"],
    ["up.heavy", "up-heavy-pdo"],
];

/// A link with recordings of CellReplay, and nothing else.
fn cellreplay(folder: &Path, overrides: &[String]) -> Result<Scenario, u8> {
    let mut paths = Vec::new();
    for names in CELLREPLAY {
        let Some(path) = names.map(|name| folder.join(name)).into_iter().find(|path| path.exists())
        else {
            let (folder, names) = (folder.display(), names.join(" or "));
            let help = "--cellreplay takes a folder as airpath export --cellreplay writes it";
            return Err(fail(format!("{folder} has no {names}; {help}"), BAD_INPUT));
        };
        paths.push(json!(path.to_string_lossy()).to_string());
    }
    let [down_light, down_heavy, up_light, up_heavy] = paths.as_slice() else {
        return Err(BAD_INPUT);
    };
    let text = format!(
        "title = \"Recordings of CellReplay\"\nduration = \"86400 s\"\nradio = \"none\"\n[path.sgi]\n\
         capacity = {{ light = {down_light}, heavy = {down_heavy} }}\n\
         up.capacity = {{ light = {up_light}, heavy = {up_heavy} }}\n"
    );
    Scenario::read_from("--cellreplay", text.as_bytes(), Path::new(""), overrides).map_err(refuse)
}

/// The text of a recording that an option names.
fn recording(option: &str, path: &Path) -> Result<String, u8> {
    let help = format!(
        "{option} takes a file in mahimahi's format: each line is a time in whole milliseconds at \
         which 1500 bytes can be delivered"
    );
    read_text(path, &help).map_err(refuse)
}
