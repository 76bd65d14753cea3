//! Files and folders of airpath's own, which alone may be replaced.

use std::path::Path;
use std::{fs, io};

use super::{FOLDERS, FolderError, README, SUMMARY, WIRESHARK, at};
use crate::leftover;

/// Endings of the files that airpath writes.
const OWN: [&str; 8] = ["json", "parquet", "csv", "pcapng", "qlog", "keys", "html", "toml"];
/// Files of the profile.
const PROFILE: [&str; 3] = ["preferences", "drb_logchans", "heuristic_protos"];
/// Looks at a folder that seems not to be airpath's.
const LOOKS: u32 = 20;

/// Checks that the target may be replaced. Another process may replace it meanwhile, so a folder
/// that seems to be somebody else's is looked at again.
pub(super) fn check_ours(target: &Path) -> Result<(), FolderError> {
    let mut looks = (1..LOOKS).map(|_| look(target));
    looks.find(Result::is_ok).unwrap_or_else(|| look(target))
}

fn look(target: &Path) -> Result<(), FolderError> {
    let in_the_way = |what: String| Err(FolderError::NotOurs { folder: target.into(), what });
    if !target.exists() {
        return Ok(());
    }
    if !target.is_dir() {
        return in_the_way("a file".into());
    }
    let mut empty = true;
    for entry in fs::read_dir(target).map_err(at(target))? {
        let path = entry.map_err(at(target))?.path();
        empty = false;
        if !is_own(&path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return in_the_way(name);
        }
    }
    match empty || has_our_summary(target) {
        true => Ok(()),
        false => in_the_way("files but no results of airpath".into()),
    }
}

pub(super) fn has_our_summary(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join(SUMMARY)).unwrap_or_default();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    summary["format"].as_str().is_some_and(|format| format.starts_with("airpath-results"))
}

/// True if something in a results folder is airpath's: a file of its names, or a folder of its own
/// with such files only.
pub(super) fn is_own(path: &Path) -> bool {
    match path.is_dir() {
        false => path.is_file() && has_own_name(path),
        true => {
            let own = |entry: io::Result<fs::DirEntry>| {
                entry.is_ok_and(|entry| entry.path().is_file() && has_own_name(&entry.path()))
            };
            let known = FOLDERS.iter().any(|folder| path.ends_with(folder));
            known && fs::read_dir(path).is_ok_and(|mut files| files.all(own))
        }
    }
}

pub(super) fn has_own_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let profile = PROFILE.iter().any(|name| path.ends_with(Path::new(WIRESHARK).join(name)));
    let fixed = profile || path.ends_with(README) || path.ends_with(leftover::LOCK);
    fixed || ending.is_some_and(|ending| OWN.contains(&ending))
}
