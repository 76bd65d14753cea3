//! `airpath drop`.

mod along;
mod json;
mod map;
mod reach;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use airpath_base::random::Seed;
use airpath_plot::Chart;
use airpath_scenario::world::{NetworkDrop, World};
use clap::Args as ClapArgs;

use crate::args::ScenarioArgs;
use crate::output::{fail, print, read, say};
use crate::{BAD_INPUT, FAILED};

/// Options of `drop`.
#[derive(Debug, ClapArgs)]
pub struct DropArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Seed of all randomness, instead of the scenario's.
    #[arg(long)]
    seed: Option<u64>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Draw a map of a network: PNG if the file's name ends so, SVG otherwise.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Show the path of a UE on its route instead: its name, or that of its group.
    #[arg(long, value_name = "UE")]
    along: Option<String>,
    /// Step between positions of the path, as "1 s" or "50 m". Default: at most 13 positions.
    #[arg(long, value_name = "STEP", value_parser = along::step, requires = "along")]
    every: Option<along::Step>,
}

/// A chart in the format that the name of its file says.
fn drawn(path: &Path, chart: &Chart) -> Vec<u8> {
    match path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        true => chart.png(),
        false => chart.svg().into_bytes(),
    }
}

/// Drops the UEs of a scenario. Prints their positions in a network, the UEs out of reach, and SINR
/// in dB, MCS and rate of each UE alone in its cell.
pub fn run(args: &DropArgs) -> u8 {
    let scenario = match read(&args.scenario) {
        Ok(scenario) => scenario,
        Err(code) => return code,
    };
    let seed = args.seed.unwrap_or(scenario.seed);
    let file = args.scenario.scenario.display();
    if scenario.cell.is_none() {
        let why = format!("{file} has no cell: with radio = \"none\" there is no radio link");
        return fail(why, BAD_INPUT);
    }
    let dropped = match NetworkDrop::with_carriers(&scenario, Seed(seed)) {
        Ok(dropped) => dropped,
        Err(error) => return fail(error, BAD_INPUT),
    };
    let ues = match World::build(&scenario, Seed(seed)) {
        Ok(world) => world.facts.ues,
        Err(error) => return fail(error, FAILED),
    };
    match (&args.map, &dropped) {
        (Some(path), Some(dropped)) => {
            if let Err(error) = fs::write(path, drawn(path, &map::chart(&scenario, dropped))) {
                return fail(format!("cannot write {}: {error}", path.display()), FAILED);
            }
        }
        (Some(_), None) => {
            let why = format!(
                "{file} has no network, which --map draws: add [network], and leave out snr and distance"
            );
            return fail(why, BAD_INPUT);
        }
        (None, _) => {}
    }
    if let Some(name) = &args.along {
        let step = (name.as_str(), args.every);
        return match along::of((&scenario, seed), dropped.as_ref(), &ues, step) {
            Ok(path) if args.json => print(&format!("{:#}\n", along::json(&path))),
            Ok(path) => say(&along::text(&path)),
            Err(why) => fail(why, BAD_INPUT),
        };
    }
    match args.json {
        true => print(&format!("{:#}\n", json::of(&scenario, dropped.as_ref(), &ues, seed))),
        false => {
            let text = text::of(&scenario, dropped.as_ref(), &ues, seed);
            let moves = along::first_with_route(&scenario, &ues);
            let hint =
                moves.map(|name| format!("on its route: airpath drop {file} --along {name}\n"));
            say(&(text + &hint.unwrap_or_default()))
        }
    }
}
