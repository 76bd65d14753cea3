//! Removes what a crash left behind.
//!
//! A namespace's inode is used again when the namespace is gone, so it alone proves nothing. A
//! namespace is the session's if a process in it has the session's name in its environment.
//! Processes of other namespaces are left alone and named.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{OsError, Process, folder, processes};

/// Time for programs to end.
const GRACE: Duration = Duration::from_secs(2);

/// Found leftovers, and their removal.
#[derive(Debug, Default)]
pub struct Report {
    /// Sessions that were found and are gone now.
    pub removed: Vec<Leftover>,
    /// Folders of sessions that are alive.
    pub alive: Vec<PathBuf>,
    /// Folders that could not be removed, and why.
    pub failed: Vec<(PathBuf, String)>,
}

/// Leftovers of a session.
#[derive(Debug)]
pub struct Leftover {
    /// Its folder.
    pub folder: PathBuf,
    /// Programs that were ended.
    pub ended: Vec<Process>,
    /// Processes that may or may not have been the session's, and were left alone.
    pub spared: Vec<Process>,
}

/// Ends the programs and removes the folders of this user's sessions whose airpath has ended.
/// Nothing else is touched.
///
/// # Errors
///
/// The folder with all sessions cannot be used.
pub fn clean() -> Result<Report, OsError> {
    let base = folder::base();
    let bad = |source: io::Error| OsError::Folder { path: base.clone(), source };
    let mut report = Report::default();
    if !base.exists() {
        return Ok(report);
    }
    let held = folder::lock_base(&base).map_err(bad)?;
    let mut folders: Vec<PathBuf> =
        fs::read_dir(&base).map_err(bad)?.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        match folder::abandoned(&folder) {
            Ok(None) => report.alive.push(folder),
            Ok(Some(namespaces)) => report.add(folder, &namespaces),
            Err(error) => report.failed.push((folder, error.to_string())),
        }
    }
    drop(held);
    folder::remove_if_empty(&base);
    Ok(report)
}

/// Folders of this user's sessions that are alive.
pub fn sessions() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder::base()).into_iter().flatten().flatten();
    let alive = |folder: &PathBuf| matches!(folder::abandoned(folder), Ok(None));
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(alive).collect();
    folders.sort();
    folders
}

impl Report {
    fn add(&mut self, folder: PathBuf, namespaces: &[u64]) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (own, foreign): (Vec<u64>, Vec<u64>) =
            namespaces.iter().partition(|namespace| is_marked(**namespace, &name));
        let ended = processes::end(&own, GRACE);
        let spared = processes::living(&foreign);
        match remove(&folder) {
            Ok(()) => self.removed.push(Leftover { folder, ended, spared }),
            Err(error) => self.failed.push((folder, error.to_string())),
        }
    }
}

/// True if a process in a namespace has the name of a session in its environment.
fn is_marked(namespace: u64, session: &str) -> bool {
    let mark = format!("AIRPATH_SESSION={session}");
    let marked = |process: &Process| {
        let environment = fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    processes::living(&[namespace]).iter().any(marked)
}

/// A link is removed, not what it leads to.
fn remove(folder: &Path) -> io::Result<()> {
    if fs::symlink_metadata(folder)?.is_dir() {
        fs::remove_dir_all(folder)
    } else {
        fs::remove_file(folder)
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.removed.is_empty() && self.failed.is_empty() {
            writeln!(f, "nothing was left behind")?;
        }
        for leftover in &self.removed {
            writeln!(f, "removed {}", leftover.folder.display())?;
            for process in &leftover.ended {
                writeln!(f, "  ended {} (process {})", process.name, process.pid)?;
            }
            for process in &leftover.spared {
                let Process { name, pid } = process;
                writeln!(f, "  left alone {name} (process {pid}): it may be somebody else's")?;
            }
        }
        for (folder, reason) in &self.failed {
            writeln!(f, "could not remove {}: {reason}", folder.display())?;
        }
        match self.alive.len() {
            0 => Ok(()),
            count => writeln!(f, "sessions that are alive: {count}"),
        }
    }
}
