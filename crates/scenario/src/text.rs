//! Reading text files, and messages about those that cannot be read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use airpath_schema::nearest;

use crate::error::Errors;
use crate::template::{built_in, profiles, templates};

/// A file larger than this is none that a person or a program wrote for airpath.
const LARGEST: u64 = 16 << 20;

/// Reason for which there is no text.
#[derive(Debug)]
pub(crate) enum Fault {
    /// There is no such file.
    Missing,
    /// It is a directory; with scenario files in it, perhaps.
    Directory(Vec<String>),
    /// The user may not read it.
    Denied,
    /// It is not UTF-8; the line of the first byte that is not.
    NotText(usize),
    /// It has more bytes than [`LARGEST`].
    TooLarge,
    /// Any other fault of the system.
    Other(io::Error),
}

impl Fault {
    /// Fault as the rest of a sentence.
    pub fn why(&self) -> String {
        match self {
            Fault::Missing => "there is no such file".to_owned(),
            Fault::Directory(_) => "it is a directory".to_owned(),
            Fault::Denied => "you have no permission to read it".to_owned(),
            Fault::NotText(line) => format!("it is not UTF-8 text (line {line})"),
            Fault::TooLarge => format!("it is larger than {} MiB", LARGEST >> 20),
            Fault::Other(error) => error.to_string(),
        }
    }

    /// The error of a scenario file that `name` should be.
    pub fn of_scenario(&self, name: &str) -> Errors {
        let begin = "give the path of a scenario file; `airpath new` writes one to begin with";
        self.of(name, &meant(name).unwrap_or_else(|| begin.to_owned()))
    }

    /// The error of a file; `missing` is what helps where there is none.
    pub fn of(&self, name: &str, missing: &str) -> Errors {
        let help = match self {
            Fault::Missing | Fault::Other(_) => missing.to_owned(),
            Fault::Directory(files) if files.is_empty() => {
                "give a file, not a directory".to_owned()
            }
            Fault::Directory(files) => format!("give a file in it: {}", files.join(", ")),
            Fault::Denied => {
                format!("`chmod u+r {name}` allows it, if the file is yours; `ls -l {name}` says")
            }
            Fault::NotText(_) => {
                "save it as UTF-8 in your editor; captures are read by `airpath analyse`".to_owned()
            }
            Fault::TooLarge => "a scenario file is text of some kilobytes".to_owned(),
        };
        Errors::without_place(format!("cannot read {name}: {}", self.why()), &help)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::NotFound => Fault::Missing,
            io::ErrorKind::PermissionDenied => Fault::Denied,
            io::ErrorKind::IsADirectory => Fault::Directory(Vec::new()),
            _ => Fault::Other(error),
        }
    }
}

/// Help where there is no scenario file of this name. It names a file beside it that has nearly
/// this name, or the template of this name.
fn meant(name: &str) -> Option<String> {
    let path = Path::new(name);
    let folder = path.parent().unwrap_or(Path::new(""));
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let file = path.file_name()?.to_str()?;
    let beside = fs::read_dir(here).into_iter().flatten().flatten();
    let beside = beside.filter_map(|entry| entry.file_name().into_string().ok());
    let mut beside: Vec<String> = beside.filter(|name| name.ends_with(".toml")).collect();
    beside.sort_unstable();
    let whole = |file: &str| folder.join(file).display().to_string();
    if let Some(near) = nearest(file, beside.iter().map(String::as_str)) {
        return Some(format!("did you mean {}?", whole(near)));
    }
    let stem = file.strip_suffix(".toml").unwrap_or(file);
    let all = templates().iter().chain(profiles());
    let template = nearest(stem, all.map(|template| template.name))?;
    Some(format!("`airpath new {template}` writes the template of that name to {template}.toml"))
}

/// The text of a file that is no scenario; `missing` is what helps where there is none.
///
/// # Errors
///
/// Why it cannot be read.
pub fn read_text(path: &Path, missing: &str) -> Result<String, Errors> {
    read(path).map_err(|fault| fault.of(&path.display().to_string(), missing))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, Fault> {
    if path.is_dir() {
        return Err(Fault::Directory(scenarios_in(path)));
    }
    read_all(File::open(path)?)
}

/// The text of a scenario file, or of the profile or template of this name where there is no such file.
pub(crate) fn read_scenario(path: &Path) -> Result<String, Fault> {
    match (read(path), path.to_str().and_then(built_in)) {
        (Err(Fault::Missing), Some(own)) => Ok(own.text.to_owned()),
        (read, _) => read,
    }
}

/// All that comes, as text.
pub(crate) fn read_all(from: impl Read) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Fault::TooLarge);
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        Fault::NotText(1 + good.iter().filter(|&&byte| byte == b'\n').count())
    })
}

/// Files in a directory that look like scenarios, a few in the order of their names.
fn scenarios_in(folder: &Path) -> Vec<String> {
    const FEW: usize = 5;
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = entries.filter(|path| path.extension().is_some_and(|end| end == "toml"));
    let mut files: Vec<String> = files.map(|path| path.display().to_string()).collect();
    files.sort();
    files.truncate(FEW);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_words_of_its_own() {
        let said = |fault: Fault| fault.of_scenario("x.toml").plain();
        let denied = said(io::Error::from(io::ErrorKind::PermissionDenied).into());
        assert!(denied.contains("no permission") && denied.contains("chmod"), "{denied}");
        let missing = said(io::Error::from(io::ErrorKind::NotFound).into());
        assert!(missing.contains("no such file") && missing.contains("airpath new"), "{missing}");
        let text = said(read_all(&b"a\nb\n\xff"[..]).expect_err("not text"));
        assert!(text.contains("UTF-8 text (line 3)") && !text.contains("airpath new"), "{text}");
        let large = said(read_all(io::repeat(b' ')).expect_err("too large"));
        assert!(large.contains("larger than 16 MiB") && !large.contains("airpath new"), "{large}");
    }

    #[test]
    fn a_directory_names_the_scenarios_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = || read(folder.path()).expect_err("a directory").of_scenario("d").plain();
        assert!(said().contains("it is a directory"), "{}", said());
        for name in ["b.toml", "a.toml", "notes.txt"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        let said = said();
        assert!(said.contains("a.toml") && said.contains("b.toml"), "{said}");
        assert!(!said.contains("notes.txt") && !said.contains("airpath new"), "{said}");
    }
}
