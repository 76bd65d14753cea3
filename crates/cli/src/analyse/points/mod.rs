//! `airpath analyse --points`: the same flows at two or more points of their path.

mod folder;
mod text;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use airpath_analyse::points::{Capture, Pair, PairRecord, PointsError, compare, interfaces};
use airpath_analyse::{OpenError, Options};
use serde_json::json;

use super::captures::{advise, is_stdin};
use super::{AnalyseArgs, refuse};
use crate::output::{fail, note, print, say};
use crate::{BAD_INPUT, FAILED};

use super::sink::Failure;
use folder::Folder;

/// Captures that are compared at most, each with the next.
const MOST: usize = 16;

/// A capture in a file.
struct OfFile<'a> {
    path: &'a Path,
    name: String,
}

impl Capture for OfFile<'_> {
    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        if self.path.is_dir() {
            return Err(advise(self.path, io::ErrorKind::IsADirectory.into()));
        }
        let file = File::open(self.path).map_err(|error| advise(self.path, error))?;
        Ok(Box::new(file))
    }
}

/// Compares points.
pub fn run(args: &AnalyseArgs, options: &Options) -> u8 {
    if let Some(wrong) = wrong(args) {
        return fail(wrong, BAD_INPUT);
    }
    let named = |path| OfFile { path, name: Path::display(path).to_string() };
    let captures: Vec<OfFile<'_>> =
        args.captures.iter().map(|path| named(path.as_path())).collect();
    let pairs = match pairs(&captures, &args.interface) {
        Ok(pairs) => pairs,
        Err(reason) => return fail(reason, BAD_INPUT),
    };
    let (out, wanted) = match args.report.with_folder(args.out.as_deref(), "points") {
        Ok(asked) => asked,
        Err(code) => return code,
    };
    let mut folder = match out.as_deref().map(Folder::create).transpose() {
        Ok(folder) => folder,
        Err(error) => return refuse(Failure::Folder(error)),
    };
    let mut records = Vec::new();
    for (n, pair) in pairs.iter().enumerate() {
        match compared(args, options, (pair, n), &mut folder) {
            Ok(record) => records.push(record),
            Err(code) => return code,
        }
    }
    let told = tell(args, &records, folder);
    let names: Vec<&str> = captures.iter().map(|capture| capture.name.as_str()).collect();
    let title = format!("Points: {}", names.join(", "));
    let page = wanted.map(|wanted| wanted.report(out.as_slice(), &title));
    page.filter(|code| *code != 0).unwrap_or(told)
}

/// Reason for which these arguments cannot be served, if there is one.
fn wrong(args: &AnalyseArgs) -> Option<String> {
    if args.captures.iter().any(|path| is_stdin(path)) {
        return Some(
            "points are read more than once, which standard input cannot be: name files".into(),
        );
    }
    if args.captures.len() > MOST {
        return Some(format!("at most {MOST} points are compared, each with the next"));
    }
    if args.captures.len() > 1 && !args.interface.is_empty() {
        return Some("--interface is for the points of one capture: name only one".into());
    }
    (args.interface.len() == 1).then(|| "one point only: name a second --interface".into())
}

/// The points, each with the next.
fn pairs<'a>(captures: &'a [OfFile<'a>], named: &[String]) -> Result<Vec<Pair<'a>>, String> {
    let [only] = captures else {
        let pair = |two: &'a [OfFile<'a>]| Pair::Captures(&two[0], &two[1]);
        return Ok(captures.windows(2).map(pair).collect());
    };
    let names = match named.is_empty() {
        true => its_points(only)?,
        false => named.to_vec(),
    };
    let pair = |two: &[String]| Pair::Interfaces(only, [two[0].clone(), two[1].clone()]);
    Ok(names.windows(2).map(pair).collect())
}

/// The interfaces of a capture that has two.
fn its_points(capture: &OfFile<'_>) -> Result<Vec<String>, String> {
    let found = interfaces(capture).map_err(|error| error.to_string())?;
    let names: Vec<String> = found.into_iter().map(|(name, _)| name).collect();
    let name = capture.name();
    match names.len() {
        0 => Err(format!("{name} has no packet of TCP or UDP")),
        1 => Err(format!(
            "one point only: {name} has one interface ({}); name the capture of another point, too",
            names[0]
        )),
        2 => Ok(names),
        _ => Err(format!(
            "{name} has more than two interfaces ({}): say by --interface which are points, in \
             the order of the path",
            names.join(", ")
        )),
    }
}

fn compared(
    args: &AnalyseArgs,
    options: &Options,
    (pair, number): (&Pair<'_>, usize),
    folder: &mut Option<Folder>,
) -> Result<PairRecord, u8> {
    let mut failure = None;
    let record = compare(pair, args.same_clock, options, &mut |packet| {
        if let (Some(folder), None) = (folder.as_mut(), &failure) {
            failure = folder.packet(number, packet).err();
        }
    });
    let record = record.map_err(|error| fail(advised(&error), BAD_INPUT))?;
    let written = folder.as_mut().map_or(Ok(()), |folder| folder.pair(number, &record));
    match failure.map_or(written, Err) {
        Ok(()) => Ok(record),
        Err(error) => Err(fail(error, FAILED)),
    }
}

/// An error, with what to do.
fn advised(error: &PointsError) -> String {
    match error {
        PointsError::NoneInCommon(..) => {
            format!("{error}. Captures of two points have the same flows at the same time")
        }
        PointsError::Open { error: OpenError::Io(_), .. } => error.to_string(),
        _ => error.to_string(),
    }
}

fn tell(args: &AnalyseArgs, records: &[PairRecord], folder: Option<Folder>) -> u8 {
    let written = match folder.map(|folder| folder.finish(records)).transpose() {
        Ok(written) => written,
        Err(error) => return refuse(Failure::Folder(error)),
    };
    if args.json {
        return print(&format!("{:#}\n", json!({ "pairs": records })));
    }
    let warnings = records.iter().flat_map(|record| &record.warnings);
    warnings.for_each(|warning| note(format!("warning: {warning}")));
    let blocks: Vec<String> = records.iter().map(text::pair).collect();
    // A folder that passes is not named.
    let named = written.filter(|_| args.out.is_some());
    let told = named.map(|path| format!("\nresults in {path}\n")).unwrap_or_default();
    say(&(blocks.join("\n") + &told))
}
