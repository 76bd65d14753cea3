//! Suites of cases.

use std::path::Path;

use crate::{Case, EvaluateError};

/// A suite of cases.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// Its cases, in the order of their names.
    pub cases: Vec<Case>,
}

/// Files of a suite that airpath comes with, by their names.
type Files = &'static [(&'static str, &'static str)];

/// Suites that airpath comes with: their names and files.
pub const SUITES: &[(&str, Files)] = include!(concat!(env!("OUT_DIR"), "/suites.rs"));

/// End of the name of a case's file.
const CASE: &str = ".case.toml";

impl Suite {
    /// A suite that airpath comes with.
    ///
    /// # Errors
    ///
    /// A name that is not known, or a case with a fault.
    pub fn known(name: &str) -> Result<Suite, EvaluateError> {
        let known = SUITES.iter().find(|(known, _)| *known == name);
        let (_, files) = known.ok_or_else(|| {
            let mut names: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
            names.push(ALL);
            EvaluateError::unknown("suite", name, &names)
        })?;
        let read = |wanted: &str| {
            let found = files.iter().find(|(file, _)| *file == wanted);
            found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "no such file".to_owned())
        };
        let cases = files.iter().filter(|(file, _)| file.ends_with(CASE));
        let cases = cases.map(|(file, text)| Case::parse(&format!("{name}/{file}"), text, &read));
        Ok(Suite { name: name.to_owned(), cases: cases.collect::<Result<_, _>>()? })
    }

    /// The suite of a file of a case, or of a folder with such files.
    ///
    /// # Errors
    ///
    /// A path that cannot be read, a folder without cases, or a case with a fault.
    pub fn open(path: &Path) -> Result<Suite, EvaluateError> {
        let fault = |why: String| EvaluateError::Case(format!("{}: {why}", path.display()));
        let mut files = vec![path.to_owned()];
        if path.is_dir() {
            let entries = std::fs::read_dir(path).map_err(|error| fault(error.to_string()))?;
            files = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            files.retain(|file| file.to_string_lossy().ends_with(CASE));
            files.sort();
        }
        if files.is_empty() {
            return Err(fault(format!("the folder has no file *{CASE}")));
        }
        let cases = files.iter().map(|file| open(file)).collect::<Result<_, _>>()?;
        // The folder `.` has a name too.
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = whole.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let name = name.strip_suffix(".case").unwrap_or(&name).to_owned();
        Ok(Suite { name, cases })
    }
}

fn open(file: &Path) -> Result<Case, EvaluateError> {
    let shown = file.display().to_string();
    let missing = "give the path of the file of a case";
    let text = airpath_scenario::read_text(file, missing)
        .map_err(|errors| EvaluateError::Case(errors.plain()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let read = |name: &str| {
        let missing = "the scenario stands beside the file of its case";
        airpath_scenario::read_text(&folder.join(name), missing).map_err(|errors| errors.plain())
    };
    Case::parse(&shown, &text, &read)
}

/// Name of all suites together.
const ALL: &str = "all";

/// The suites of a list of names with commas between them: `all`, or names, or paths of cases and their folders.
///
/// # Errors
///
/// A name that is neither known nor a path, or a case with a fault.
pub fn suites(names: &str) -> Result<Vec<Suite>, EvaluateError> {
    if names == ALL {
        return SUITES.iter().map(|(name, _)| Suite::known(name)).collect();
    }
    let one = |name: &str| match Path::new(name) {
        path if name.contains(['/', '.']) && path.exists() => Suite::open(path),
        _ => Suite::known(name),
    };
    names.split(',').map(one).collect()
}
