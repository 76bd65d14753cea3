//! Digests of the files of a results folder, in its `summary.json`.
//!
//! The last key of `summary.json` has the SHA-256 of each file. The last digest is that of
//! `summary.json` itself, up to that digest. A damaged file is never believed: a reader checks all files
//! before it reads one. Left out are `timing.json`, which differs from machine to machine, and files that
//! are added later, as a report. Folders of earlier versions have no digests and are read. A folder in
//! another [`FORMAT`] is refused whether its files are checked or not.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::FORMAT;
use crate::Folder;
use crate::folder::SUMMARY;
use crate::leftover::LOCK;

/// Files without a digest.
const LEFT_OUT: [&str; 3] = ["timing.json", SUMMARY, LOCK];
/// Begins the key in `summary.json`.
const KEY: &str = "\"digests\": {";
/// Begins the digest of `summary.json` itself.
const OWN: &str = "\"summary.json\": \"";
/// Ends `summary.json` behind that digest.
const END: &str = "\"\n  }\n}\n";

/// Handling of a results folder whose files are not those of its digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digests {
    /// The folder is refused.
    #[default]
    Checked,
    /// The folder is read all the same.
    Unchecked,
}

/// Reason why a results folder is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// A file is not the one of its digest.
    #[error(
        "{} {fault}; make the results anew, or read them all the same: --unchecked, in Python \
         unchecked=True",
        path.display()
    )]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the file.
        fault: String,
    },
    /// The results are in another format.
    #[error(
        "{} has results in the format {format}, this airpath reads {FORMAT}; use the airpath that \
         wrote them, or run again",
        folder.display()
    )]
    Format {
        /// The folder.
        folder: PathBuf,
        /// Its format.
        format: String,
    },
}

impl Digests {
    /// Checks all files of a folder that its digests name, and its format.
    ///
    /// # Errors
    ///
    /// The first file that differs or is missing, or a format that is not read.
    pub fn check(self, folder: &Path) -> Result<(), Refused> {
        let Ok(summary) = fs::read(folder.join(SUMMARY)) else { return Ok(()) };
        if self == Digests::Checked {
            check_files(folder, &summary)?;
        }
        match of_format(&summary) {
            Some(format) if format.starts_with("airpath-") && format != FORMAT => {
                Err(Refused::Format { folder: folder.to_owned(), format })
            }
            _ => Ok(()),
        }
    }
}

/// Checks all files of a folder that the digests in its `summary` name.
fn check_files(folder: &Path, summary: &[u8]) -> Result<(), Refused> {
    let path = folder.join(SUMMARY);
    let fault = "is damaged: its SHA-256 is not the one at its end".to_owned();
    let digests = of_summary(summary).ok_or(Refused::Damaged { path, fault })?;
    for (name, digest) in digests {
        let path = folder.join(&name);
        let fault = match of_file(&Folder::on_disk(folder), &name) {
            Ok(found) if found == digest => continue,
            Ok(_) => "is damaged: its SHA-256 is not the one in summary.json".to_owned(),
            Err(error) => format!("cannot be checked: {error}"),
        };
        return Err(Refused::Damaged { path, fault });
    }
    Ok(())
}

/// The format that the bytes of a `summary.json` name.
fn of_format(summary: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Summary {
        format: String,
    }
    Some(serde_json::from_slice::<Summary>(summary).ok()?.format)
}

/// The digests in the bytes of a `summary.json`, by name of the file, without its own; none are known of
/// an earlier version. None if the bytes are not those of its own digest.
fn of_summary(summary: &[u8]) -> Option<BTreeMap<String, String>> {
    #[derive(Deserialize)]
    struct Summary {
        digests: BTreeMap<String, String>,
    }
    let find = |text: &str| summary.windows(text.len()).rposition(|bytes| bytes == text.as_bytes());
    let (key, own) = (find(KEY), find(OWN));
    if key.is_none() && own.is_none() {
        return Some(BTreeMap::new());
    }
    let (before, digest) = summary.split_at(own? + OWN.len());
    if digest != (hexadecimal(Sha256::digest(before).as_slice()) + END).as_bytes() {
        return None;
    }
    let mut digests = serde_json::from_slice::<Summary>(summary).ok()?.digests;
    digests.remove(SUMMARY);
    Some(digests)
}

/// Adds the digests of all files of a folder to its `summary.json`.
pub(crate) fn add(folder: &mut Folder) -> io::Result<()> {
    let text = folder.text(SUMMARY)?;
    let object = text.trim_end().strip_suffix('}').map(str::trim_end).filter(|text| *text != "{");
    let Some(object) = object else { return Ok(()) };
    let mut text = format!("{object},\n  {KEY}\n");
    for name in folder.names()?.into_iter().filter(|name| !LEFT_OUT.contains(&name.as_str())) {
        let digest = of_file(folder, &name)?;
        text += &format!("    {}: \"{digest}\",\n", serde_json::Value::from(name));
    }
    text = text + "    " + OWN;
    text += &hexadecimal(Sha256::digest(&text).as_slice());
    folder.write(SUMMARY, text + END)
}

/// SHA-256 of a file in hexadecimal digits.
fn of_file(folder: &Folder, name: &str) -> io::Result<String> {
    let mut file = folder.open(name)?;
    let mut digest = Sha256::new();
    loop {
        let bytes = file.fill_buf()?;
        let length = bytes.len();
        if length == 0 {
            return Ok(hexadecimal(digest.finalize().as_slice()));
        }
        digest.update(bytes);
        file.consume(length);
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "digests_tests.rs"]
mod tests;
