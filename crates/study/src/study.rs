//! Studies as folders of data.
//!
//! A folder has
//!
//! - `title.txt`: the study in a line;
//! - `plan.json`: a [`Plan`], the runs;
//! - `claims.csv`: the [`Claim`]s on readings; `rows.json`: the rows on experiments, and `rules.json`:
//!   the source's sentences behind them;
//! - `page.md` and `screen.md`: its page, and the text that a person reads first;
//! - scenario files (TOML), and the files that these name;
//! - `tables/`: tables of runs that are kept;
//! - `network/`: a study of the same layout on a network, which sees the files of the folder too.
//!
//! Studies that airpath comes with stand in `studies/list.txt`. [`Study::open`] reads a folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use airpath_base::Digest;

use crate::network::Shares;
use crate::{Claim, Plan, StudyError};

/// A study that airpath comes with.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The name, as `airpath reproduce` takes it.
    pub name: &'static str,
    /// The study in a line.
    pub title: &'static str,
    /// The files by their path in the folder.
    files: &'static [(&'static str, &'static [u8])],
}

/// The studies that airpath comes with, in the order of `studies/list.txt`.
pub const STUDIES: &[Kept] = include!(concat!(env!("OUT_DIR"), "/studies.rs"));

/// Folder of the part of a study that is on a network.
const NETWORK: &str = "network/";
/// Files of a study that its part on a network does not see.
const OWN: [&str; 3] = ["claims.csv", "page.md", "screen.md"];
/// Largest file of a study, in bytes.
const MOST: u64 = 256 << 20;
/// Endings of files that are text.
const TEXTS: [&str; 5] = [".csv", ".json", ".md", ".toml", ".txt"];
/// Files and folders that decide nothing of a run.
const NOT_OF_RUNS: [&str; 8] = [
    "claims.csv",
    "page.md",
    "rows.json",
    "rules.json",
    "screen.md",
    "title.txt",
    "tables/",
    NETWORK,
];

/// A study.
#[derive(Clone, Debug)]
pub struct Study {
    /// The name, from which pages and pictures are named.
    pub name: String,
    /// The study in a line.
    pub title: String,
    /// The folder that it was read from; none of a study that airpath comes with.
    pub folder: Option<PathBuf>,
    /// The files by their path in the folder.
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

/// The study that airpath comes with under this name.
pub fn study(name: &str) -> Option<Study> {
    STUDIES.iter().find(|kept| kept.name == name).map(Kept::study)
}

impl Kept {
    /// The study with its files.
    pub fn study(&self) -> Study {
        let files = self.files.iter();
        let files = files.map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes)));
        let (name, title) = (self.name.to_owned(), self.title.to_owned());
        Study { name, title, folder: None, files: files.collect() }
    }
}

impl Study {
    /// Reads the study of a folder, which gives it its name. Hidden files, links to folders, and what
    /// is no file are left out.
    ///
    /// # Errors
    ///
    /// A folder or file that cannot be read, a text that is not UTF-8, a file of more than 256 MB, or
    /// a folder without `plan.json`.
    pub fn open(folder: &Path) -> Result<Study, StudyError> {
        if !folder.join("plan.json").is_file() {
            return Err(StudyError::NoPlan(folder.display().to_string()));
        }
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files)?;
        let name = folder.canonicalize().ok();
        let name = name.as_deref().and_then(Path::file_name).unwrap_or(folder.as_os_str());
        let name = name.to_string_lossy().into_owned();
        let mut study = Study { title: name.clone(), name, folder: Some(folder.to_owned()), files };
        if let Some(title) = study.text("title.txt") {
            study.title = title.trim().to_owned();
        }
        Ok(study)
    }

    /// A study of these files, by their path in its folder.
    pub fn of(name: &str, title: &str, files: BTreeMap<String, String>) -> Study {
        let files = files.into_iter().map(|(name, text)| (name, Cow::Owned(text.into_bytes())));
        Study {
            name: name.to_owned(),
            title: title.to_owned(),
            folder: None,
            files: files.collect(),
        }
    }

    /// This study with other text in a file.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Study {
        self.files.insert(name.to_owned(), Cow::Owned(text.as_bytes().to_vec()));
        self
    }

    /// The part on a network; none of a study without one.
    pub fn network(&self) -> Option<Study> {
        self.files.contains_key(&format!("{NETWORK}plan.json")).then(|| {
            let mut study = self.clone();
            let own = |(name, bytes): (&String, &Cow<'static, [u8]>)| {
                Some((name.strip_prefix(NETWORK)?.to_owned(), bytes.clone()))
            };
            // The claims and texts of the outer study are none of this one.
            OWN.iter().for_each(|name| drop(study.files.remove(*name)));
            study.files.extend(self.files.iter().filter_map(own));
            study
        })
    }

    /// The fingerprint of all files that runs may depend on.
    pub(crate) fn state(&self) -> Digest {
        let of_runs = |name: &&String| !NOT_OF_RUNS.iter().any(|other| name.starts_with(other));
        let files = self.files.keys().filter(of_runs);
        files.fold(Digest::new(), |digest, name| {
            digest.field(name.as_bytes()).field(&self.files[name])
        })
    }

    /// The bytes of a file, by its path in the folder.
    pub(crate) fn bytes(&self, name: &str) -> Option<&Cow<'static, [u8]>> {
        self.files.get(name)
    }

    /// The text of a file, by its path in the folder; none where it is not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.bytes(name)?).ok()
    }

    /// The text of a file that the study needs.
    ///
    /// # Errors
    ///
    /// A file that is not there.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, StudyError> {
        self.text(name).ok_or_else(|| StudyError::Data(format!("no file {name}")))
    }

    /// The contents of a file in JSON.
    ///
    /// # Errors
    ///
    /// A file that is not there, or has another form.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, StudyError> {
        let read = serde_json::from_str(self.needed(name)?);
        read.map_err(|error| StudyError::Data(format!("{name}: {error}")))
    }

    /// The files that a scenario of the study names.
    pub(crate) fn files(&self) -> impl Fn(&str) -> Result<String, String> {
        |name: &str| self.text(name).map(str::to_owned).ok_or_else(|| "no such file".to_owned())
    }

    /// The plan.
    ///
    /// # Errors
    ///
    /// A text that is none.
    pub fn plan(&self) -> Result<Plan, StudyError> {
        let mut plan: Plan = self.json("plan.json")?;
        plan.experiments.extend(plan.shares.iter().flat_map(Shares::experiments));
        Ok(plan)
    }

    /// The names of the files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The claims; none of a study without readings.
    ///
    /// # Errors
    ///
    /// A text that is no table of claims.
    pub fn claims(&self) -> Result<Vec<Claim>, StudyError> {
        let text = self.text("claims.csv").unwrap_or_default();
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
        rows.collect::<Result<_, _>>()
            .map_err(|error| StudyError::Data(format!("claims.csv: {error}")))
    }
}

/// Reads the files of a folder and of the folders in it, each under its path from the first.
fn collect(
    folder: &Path,
    before: &str,
    files: &mut BTreeMap<String, Cow<'static, [u8]>>,
) -> Result<(), StudyError> {
    let fault = |source| StudyError::Io { path: folder.display().to_string(), source };
    for entry in fs::read_dir(folder).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('.') {
            continue;
        }
        let name = format!("{before}{name}");
        // A link to a folder may lead back to this one.
        if entry.file_type().map_err(fault)?.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else if let Some(bytes) = contents(&path)? {
            files.insert(name, Cow::Owned(bytes));
        }
    }
    Ok(())
}

/// The bytes of a file; none of what is no file.
fn contents(path: &Path) -> Result<Option<Vec<u8>>, StudyError> {
    let shown = path.display();
    let Some(about) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return Ok(None);
    };
    if about.len() > MOST {
        let why = format!("{shown}: {} MB, a file of a study has at most 256", about.len() >> 20);
        return Err(StudyError::Data(why));
    }
    let read = fs::read(path);
    let bytes = read.map_err(|source| StudyError::Io { path: shown.to_string(), source })?;
    let is_text = TEXTS.iter().any(|end| path.to_string_lossy().ends_with(end));
    match std::str::from_utf8(&bytes) {
        Err(error) if is_text => {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Err(StudyError::Data(format!("{shown}: line {}: not UTF-8", line + 1)))
        }
        _ => Ok(Some(bytes)),
    }
}
