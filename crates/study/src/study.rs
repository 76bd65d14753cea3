//! Studies as folders of data.
//!
//! A folder has
//!
//! - `title.txt`: the study in a line;
//! - `plan.json`: a [`Plan`], the runs;
//! - `claims.csv`: the [`Claim`]s on readings; `rows.json`: the rows on experiments;
//! - `page.md` and `screen.md`: its page, and the text that a person reads first;
//! - scenario files (TOML), and the files that these name;
//! - `tables/`: tables of runs that are kept;
//! - `network/`: a study of the same layout on a network, which sees the files of the folder too.
//!
//! Studies that airpath comes with stand in `studies/list.txt`. [`Study::open`] reads a folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

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

/// A study.
#[derive(Clone, Debug)]
pub struct Study {
    /// The name, from which pages and pictures are named.
    pub name: String,
    /// The study in a line.
    pub title: String,
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
        Study { name, title, files: files.collect() }
    }
}

impl Study {
    /// Reads the study of a folder, which gives it its name.
    ///
    /// # Errors
    ///
    /// A folder or file that cannot be read, or a folder without `plan.json`.
    pub fn open(folder: &Path) -> Result<Study, StudyError> {
        if !folder.join("plan.json").is_file() {
            return Err(StudyError::NoPlan(folder.display().to_string()));
        }
        let mut files = BTreeMap::new();
        collect(folder, "", &mut files)?;
        let name = folder.canonicalize().ok();
        let name = name.as_deref().and_then(Path::file_name).unwrap_or(folder.as_os_str());
        let name = name.to_string_lossy().into_owned();
        let mut study = Study { title: name.clone(), name, files };
        if let Some(title) = study.text("title.txt") {
            study.title = title.trim().to_owned();
        }
        Ok(study)
    }

    /// The same study with other text in a file.
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
            study.files.remove("claims.csv");
            study.files.extend(self.files.iter().filter_map(own));
            study
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
        self.json("plan.json")
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
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{before}{name}");
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files)?;
        } else {
            let read = fs::read(&path);
            let bytes =
                read.map_err(|source| StudyError::Io { path: path.display().to_string(), source })?;
            files.insert(name, Cow::Owned(bytes));
        }
    }
    Ok(())
}
