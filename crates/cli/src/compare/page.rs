//! The report of a comparison: beside what differs, why, as a run of each shows it.

use std::path::{Path, PathBuf};

use airpath_campaign::compare::{Comparison, Side};
use airpath_report::{Results, comparison, record};
use airpath_results::Digests;
use airpath_scenario::Scenario;
use airpath_sim::RunOptions;

use super::CompareArgs;
use super::targets::{Targets, find};
use crate::output::note;
use crate::plot::Wanted;

/// Writes the page. The results have been checked.
pub fn write(mut wanted: Wanted, args: &CompareArgs, sides: &[Side; 2], found: &Comparison) -> u8 {
    let results = match find(&args.targets, Digests::Unchecked) {
        Ok(Targets::Files(files)) => match wanted.folder() {
            Ok(folder) => again(&files, sides, found, &folder),
            Err(code) => return code,
        },
        // Arms of a campaign are not the folder of a run, so the report has no courses of them.
        _ => Results::open(&args.targets, Digests::Unchecked).ok(),
    };
    wanted.write(Ok(comparison(sides, found, results.as_ref())))
}

/// Runs both scenarios once more with the first seed that they share, and records what explains
/// them.
fn again(
    files: &[PathBuf; 2],
    sides: &[Side; 2],
    found: &Comparison,
    folder: &Path,
) -> Option<Results> {
    let mut folders = Vec::new();
    for (n, (file, side)) in files.iter().zip(sides).enumerate() {
        let mut scenario = Scenario::read(file, &[]).ok()?;
        record(&mut scenario);
        let name: String =
            side.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let out = folder.join(n.to_string()).join(name);
        std::fs::create_dir_all(out.parent()?).ok()?;
        let seed = found.seeds.first().copied();
        let options = RunOptions { seed, out: Some(&out), ..RunOptions::default() };
        if let Err(error) = airpath_sim::run(&scenario, options) {
            note(format!("note: the report has no course of {}: {error}", side.name));
            return None;
        }
        folders.push(out.display().to_string());
    }
    Results::open(&folders, Digests::Unchecked).ok()
}
