//! Kept cards of all controllers, and their page.
//!
//!     cards make FOLDER [SUITE]...     evaluates all controllers, and writes FOLDER/SUITE.json
//!     cards page FOLDER                prints the page of these files
//!     cards check FOLDER               makes one run of each file again, and compares its values
//!
//! Exit code 1 if a check fails or a file cannot be read or written.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use airpath_evaluate::{Controller, Kept, Options, SUITES, Suite, controllers, evaluate};

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["make", folder, ref suites @ ..] => make(Path::new(folder), suites),
        ["page", folder] => page(Path::new(folder)),
        ["check", folder] => check(Path::new(folder)),
        _ => Err("cards make FOLDER [SUITE]..., cards page FOLDER, or cards check FOLDER".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The seeds of each case are its own number.
fn make(folder: &Path, suites: &[&str]) -> Outcome {
    let all: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
    let controllers = controllers(&[])?;
    fs::create_dir_all(folder)?;
    for name in if suites.is_empty() { &all } else { suites } {
        let suite = Suite::known(name)?;
        let progress = |done: usize, all: usize| eprintln!("{name}: {done} of {all}");
        let options = Options { progress: Some(&progress), ..Options::default() };
        let card = evaluate(&[suite], &controllers, options)?;
        fs::write(folder.join(format!("{name}.json")), Kept::of(&card, name).to_json())?;
    }
    Ok(())
}

/// Kept cards of a folder, in the order of their names.
fn read(folder: &Path) -> Result<Vec<Kept>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let one =
        |file: &PathBuf| Ok(Kept::parse(&file.display().to_string(), &fs::read_to_string(file)?)?);
    files.iter().map(one).collect()
}

fn page(folder: &Path) -> Outcome {
    print!("{}", Kept::page(&read(folder)?)?);
    Ok(())
}

/// The first case of each file that is in `--quick`, with its first controller and seed 1.
fn check(folder: &Path) -> Outcome {
    for kept in read(folder)? {
        let mut suite = Suite::known(&kept.suite)?;
        let is_quick = |case: &str| {
            let case = suite.cases.iter().find(|own| own.name == case);
            case.is_some_and(|case| case.file.extent == airpath_evaluate::Extent::Quick)
        };
        let row = kept.rows.iter().find(|row| row.not_made.is_none() && is_quick(&row.case));
        let Some(row) = row else { continue };
        suite.cases.retain(|case| case.name == row.case);
        let controller = Controller::known(&row.controller)?;
        let options = Options { quick: true, ..Options::default() };
        let card = evaluate(&[suite], &[controller], options)?;
        for own in Kept::of(&card, &kept.suite).rows {
            let before = kept.rows.iter().find(|row| {
                (&row.case, &row.criterion, &row.controller)
                    == (&own.case, &own.criterion, &own.controller)
            });
            let before = before.and_then(|row| row.values.first());
            if before != own.values.first() {
                return Err(format!(
                    "{}/{} {}, {}: {:?} was kept, and it is {:?}: make cards",
                    kept.suite,
                    own.case,
                    own.controller,
                    own.criterion,
                    before,
                    own.values.first()
                )
                .into());
            }
        }
        println!("{}: {} with {} is what was kept", kept.suite, row.case, row.controller);
    }
    Ok(())
}
