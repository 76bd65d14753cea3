//! `airpath drop`.

mod json;
mod map;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use airpath_base::random::Seed;
use airpath_plot::Chart;
use airpath_scenario::world::NetworkDrop;
use clap::Args as ClapArgs;

use crate::args::ScenarioArgs;
use crate::output::{fail, print, read, say};
use crate::{BAD_INPUT, FAILED};

/// Options of `drop`.
#[derive(Debug, ClapArgs)]
pub struct DropArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Seed of all randomness, in place of the scenario's.
    #[arg(long)]
    seed: Option<u64>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Draw a map: PNG if the file's name ends so, SVG otherwise.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
}

/// A chart in the format that the name of its file says.
fn drawn(path: &Path, chart: &Chart) -> Vec<u8> {
    match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        true => chart.png(),
        false => chart.svg().into_bytes(),
    }
}

/// Drops the UEs of a scenario's network and says what they get.
pub fn run(args: &DropArgs) -> u8 {
    let scenario = match read(&args.scenario) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    let seed = args.seed.unwrap_or(scenario.seed);
    let dropped = match NetworkDrop::new(&scenario, Seed(seed)) {
        Ok(Some(dropped)) => dropped,
        Ok(None) => {
            let file = args.scenario.scenario.display();
            let why =
                format!("{file} has no network: add [network], and leave out snr and distance");
            return fail(why, BAD_INPUT);
        }
        Err(error) => return fail(error, BAD_INPUT),
    };
    if let Some(path) = &args.map
        && let Err(error) = fs::write(path, drawn(path, &map::chart(&dropped)))
    {
        return fail(format!("cannot write {}: {error}", path.display()), FAILED);
    }
    match args.json {
        true => print(&format!("{:#}\n", json::of(&dropped, seed))),
        false => say(&text::of(&dropped, seed)),
    }
}
