//! `airpath calibrate`.

mod args;
mod compared;
mod json;
mod report;
mod rows;
mod text;

pub use args::CalibrateArgs;

use std::fs;
use std::io;

use airpath_base::random::Seed;

use crate::BAD_INPUT;
use crate::output::{STDIN, fail, is_standard, print, say};
use crate::plot::Wanted;
use crate::watch::Steps;
use rows::Row;

/// The published rows that come with airpath.
const PUBLISHED: [(&str, &str); 3] = [
    ("calibrations/3gpp.csv", include_str!("../../../../calibrations/3gpp.csv")),
    ("calibrations/38901-inh.csv", include_str!("../../../../calibrations/38901-inh.csv")),
    ("calibrations/rp180524.csv", include_str!("../../../../calibrations/rp180524.csv")),
];

/// Compares published calibrations with what is measured here.
pub fn run(args: &CalibrateArgs) -> u8 {
    let wanted = match args.report.wanted(None) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    let steps = Steps::new("reading what was published", "set-ups");
    let told = |done: usize, all: usize| steps.show("measuring", done, all);
    let compared =
        rows(args).and_then(|rows| compared::compare(rows, Seed(args.seed), args.users, &told));
    steps.clear();
    match compared {
        Err(why) => fail(why, BAD_INPUT),
        Ok(all) => {
            let code = match args.json {
                true => print(&format!("{:#}\n", json::rows(&all))),
                false => say(&text::all(&all, args.users)),
            };
            let page = |wanted: Wanted| wanted.write(Ok(report::page(&all, args.users, args.seed)));
            wanted.map(page).filter(|page| *page != 0).unwrap_or(code)
        }
    }
}

fn rows(args: &CalibrateArgs) -> Result<Vec<Row>, String> {
    let mut all = Vec::new();
    match &args.file {
        Some(path) => {
            let (name, text) = match is_standard(path) {
                true => (STDIN.to_owned(), io::read_to_string(io::stdin())),
                false => (path.display().to_string(), fs::read_to_string(path)),
            };
            let text = text.map_err(|error| format!("{name}: {error}"))?;
            all = rows::parse(&name, &text)?;
        }
        None => {
            for (name, text) in PUBLISHED {
                all.extend(rows::parse(name, text)?);
            }
        }
    }
    let Some(only) = &args.only else { return Ok(all) };
    let (chosen, others): (Vec<Row>, Vec<Row>) =
        all.into_iter().partition(|row| row.is_called(only));
    if chosen.is_empty() {
        let mut names: Vec<String> =
            others.iter().map(|row| format!("\"{}\"", row.scenario)).collect();
        names.dedup();
        return Err(format!("no rows of \"{only}\": there are {}", names.join(", ")));
    }
    Ok(chosen)
}
