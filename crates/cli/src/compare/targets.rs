//! Targets of a comparison: scenario files, results folders, arms of a campaign.

use std::path::{Path, PathBuf};

use airpath_campaign::compare::Side;
use airpath_campaign::{Dataset, SweepError};
use airpath_results::Digests;

use super::CompareArgs;
use crate::exit::BAD_INPUT;
use crate::output::{fail, note};

/// Arms that a message lists.
const LISTED: usize = 10;

/// Targets of a comparison.
pub enum Targets {
    /// Two scenario files that have yet to run.
    Files([PathBuf; 2]),
    /// Two arms that have run.
    Sides(Box<[Side; 2]>),
}

/// One of two results.
enum Place {
    File(PathBuf),
    Folder(PathBuf),
    Arm(PathBuf, String),
}

/// Finds out what the arguments stand for.
///
/// # Errors
///
/// The exit code, if there is no such thing; the reason is printed.
pub fn find(targets: &[String], digests: Digests) -> Result<Targets, u8> {
    let found = match targets {
        [folder] => return sides(two_of(Path::new(folder), digests)),
        [first, second] => [place(first)?, place(second)?],
        [folder, first, second, ..] => {
            [first, second].map(|arm| Place::Arm(folder.into(), arm.clone()))
        }
        [] => return Err(fail("name what to compare", BAD_INPUT)),
    };
    match found {
        [Place::File(first), Place::File(second)] => Ok(Targets::Files([first, second])),
        [Place::File(file), other] | [other, Place::File(file)] => {
            let folder = match other {
                Place::File(folder) | Place::Folder(folder) | Place::Arm(folder, _) => folder,
            };
            let (file, folder) = (file.display(), folder.display());
            let why = "compare two scenarios, or two results";
            Err(fail(format!("{file} is a scenario and {folder} a folder: {why}"), BAD_INPUT))
        }
        [first, second] => {
            let names = names(&first, &second);
            let side = |place: &Place, name: &str| side(place, name, digests);
            sides(side(&first, &names[0]).and_then(|a| Ok([a, side(&second, &names[1])?])))
        }
    }
}

fn sides(found: Result<[Side; 2], SweepError>) -> Result<Targets, u8> {
    match found {
        Ok(sides) => Ok(Targets::Sides(Box::new(sides))),
        // Every error here is a fault of the input.
        Err(error) => Err(fail(error, BAD_INPUT)),
    }
}

fn place(text: &str) -> Result<Place, u8> {
    let path = PathBuf::from(text);
    if path.is_dir() {
        return Ok(Place::Folder(path));
    }
    if path.is_file() {
        return Ok(Place::File(path));
    }
    let places = text.match_indices(':').map(|(at, _)| text.split_at(at));
    let arm = places.map(|(folder, arm)| (PathBuf::from(folder), arm[1..].to_owned()));
    match arm.into_iter().find(|(folder, _)| folder.is_dir()) {
        Some((folder, arm)) => Ok(Place::Arm(folder, arm)),
        None => Err(fail(
            format!("{text}: there is no such scenario or results folder; an arm is DIR:ARM"),
            BAD_INPUT,
        )),
    }
}

/// Names of both targets: the last component of each path, or the whole path where those are equal.
fn names(first: &Place, second: &Place) -> [String; 2] {
    let whole = |place: &Place| match place {
        Place::File(path) | Place::Folder(path) => path.display().to_string(),
        Place::Arm(folder, arm) => format!("{}:{arm}", folder.display()),
    };
    let last = |place: &Place| match place {
        Place::File(path) => path.file_stem().map(|name| name.to_string_lossy().into_owned()),
        Place::Folder(path) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
        Place::Arm(_, arm) => Some(arm.clone()),
    };
    match (last(first), last(second)) {
        (Some(first), Some(second)) if first != second => [first, second],
        _ => [whole(first), whole(second)],
    }
}

/// Names for two scenario files.
pub fn file_names(files: &[PathBuf; 2]) -> [String; 2] {
    let [first, second] = files.each_ref().map(|path| Place::File(path.clone()));
    names(&first, &second)
}

fn side(place: &Place, name: &str, digests: Digests) -> Result<Side, SweepError> {
    let mut side = match place {
        Place::Arm(folder, arm) => {
            let side = Side::of_arm(&Dataset::open(folder, digests)?, arm)?;
            if name == arm {
                return Ok(side);
            }
            side
        }
        Place::File(folder) | Place::Folder(folder) => match Dataset::is_one(folder) {
            true => only(&Dataset::open(folder, digests)?)?,
            false => Side::of_run(name, folder, digests)?,
        },
    };
    name.clone_into(&mut side.name);
    Ok(side)
}

/// The arm of a campaign that has one.
fn only(dataset: &Dataset) -> Result<Side, SweepError> {
    match dataset.summary.arms.as_slice() {
        [arm] => Side::of_arm(dataset, &arm.name),
        _ => Err(several(dataset, "name one of them, as DIR:ARM")),
    }
}

/// The two arms of a campaign that has two.
fn two_of(folder: &Path, digests: Digests) -> Result<[Side; 2], SweepError> {
    if !folder.is_dir() {
        let what = "is no folder".to_owned();
        let mend = "name two scenarios, or the folder of a campaign".to_owned();
        return Err(SweepError::Other { folder: folder.to_owned(), what, mend });
    }
    let dataset = Dataset::open(folder, digests)?;
    match dataset.summary.arms.as_slice() {
        [first, second] => {
            Ok([Side::of_arm(&dataset, &first.name)?, Side::of_arm(&dataset, &second.name)?])
        }
        _ => Err(several(&dataset, "name two of them behind the folder")),
    }
}

fn several(dataset: &Dataset, mend: &str) -> SweepError {
    let arms = &dataset.summary.arms;
    let names: Vec<String> =
        arms.iter().take(LISTED).map(|arm| format!("\"{}\"", arm.name)).collect();
    let more = if arms.len() > LISTED { ", …" } else { "" };
    let count = airpath_plot::plural(arms.len(), "arm");
    let what = format!("has {count} ({}{more})", names.join(", "));
    SweepError::Other { folder: dataset.folder().to_owned(), what, mend: mend.to_owned() }
}

/// Says what a person should know of results that were made before.
pub fn warn_of_options(args: &CompareArgs) {
    let over = !args.over.all().is_empty();
    if args.seeds.is_some() || args.jobs.is_some() || over {
        note("note: nothing is run, so --seeds, --jobs, --set and --unset change nothing");
    }
}
