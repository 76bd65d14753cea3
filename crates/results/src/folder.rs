//! A results folder: whole or not there.
//!
//! Files are written into a temporary folder beside the target, which takes the
//! target's name at the end; on an error it is removed. What a run that was killed
//! left there goes with the next. An earlier folder of airpath's own is replaced,
//! anybody else's files are not touched.

mod ours;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use self::ours::{check_ours, has_own_name, is_own};
use crate::blocks::BlockRecorder;
use crate::files::{Location, Memory};
use crate::leftover::{self, Lock};
use crate::{Collector, FORMAT, Folder, Named, RunSummary, Table, TableError, Timing, VERSION};
use crate::{digests, tables, users};

/// Name of the file that makes a folder one of airpath's.
pub(crate) const SUMMARY: &str = "summary.json";
/// Tables of packets, of handovers, of legs and of secondary cells.
const PACKETS: &str = "packets.parquet";
const HANDOVERS: [&str; 2] = ["handovers.parquet", "handover_flows.parquet"];
const LEGS: &str = "legs.parquet";
const SECONDARIES: &str = "secondary_cells.parquet";
/// File that describes the folder in words.
const README: &str = "README.md";
/// Folders in it: the scenarios of a campaign's arms, and a profile of Wireshark.
const FOLDERS: [&str; 3] = ["arms", "reports", WIRESHARK];
const WIRESHARK: &str = "wireshark";
/// Names that are tried for the temporary folder.
const TRIES: u32 = 1000;

/// Reason why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The target holds something that airpath did not write.
    #[error("{} holds {what}: choose another folder, or remove it", folder.display())]
    NotOurs {
        /// The target.
        folder: PathBuf,
        /// The obstacle.
        what: String,
    },
    /// A name of a file would lead out of the folder.
    #[error("{0:?} is no name for a file of results")]
    Name(String),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder that was being written.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// A table could not be written.
    #[error("{}: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: TableError,
    },
}

/// A results folder that is being written. Dropping it without [`finish`](ResultsFolder::finish) or
/// [`finish_incomplete`](ResultsFolder::finish_incomplete) leaves nothing behind.
#[derive(Debug)]
pub struct ResultsFolder {
    target: PathBuf,
    temporary: PathBuf,
    leftovers: Vec<PathBuf>,
    /// Held until the folder has its name.
    lock: Option<Lock>,
    /// Its files, if it is in memory.
    memory: Option<Memory>,
}

impl ResultsFolder {
    /// Begins a results folder at `target`, which need not exist.
    ///
    /// # Errors
    ///
    /// If `target` holds files that airpath did not write, or the folder beside
    /// it cannot be created.
    pub fn create(target: &Path) -> Result<ResultsFolder, FolderError> {
        let target = resolved(target)?;
        check_ours(&target)?;
        let leftovers = leftover::clear(&target, is_own).map_err(at(&target))?;
        let make = |path: &Path| fs::create_dir(path).and_then(|()| Lock::take(path));
        let (temporary, lock) = sibling(&target, "partial", make)?;
        Ok(ResultsFolder { target, temporary, leftovers, lock: Some(lock), memory: None })
    }

    /// Begins a results folder in memory that is called `name`.
    pub fn in_memory(name: &str) -> ResultsFolder {
        let (target, memory) = (PathBuf::from(name), Some(Memory::default()));
        ResultsFolder { temporary: target.clone(), target, leftovers: vec![], lock: None, memory }
    }

    /// Half-written folders of runs for this target that were killed; they have been
    /// removed.
    pub fn leftovers(&self) -> &[PathBuf] {
        &self.leftovers
    }

    /// Checks that results may be written to `target`, which is not touched. Gives the hidden path
    /// beside it, where work in progress for it may be kept.
    ///
    /// # Errors
    ///
    /// If `target` holds files that airpath did not write, or its parents cannot be
    /// created.
    pub fn beside(target: &Path, purpose: &str) -> Result<PathBuf, FolderError> {
        let target = resolved(target)?;
        check_ours(&target)?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        Ok(target.with_file_name(format!(".{name}.{purpose}")))
    }

    /// Removes the file of a lock from a whole folder, whose run was killed before it did so.
    ///
    /// # Errors
    ///
    /// If the file cannot be removed.
    pub fn unlock(folder: &Path) -> Result<(), FolderError> {
        leftover::unlock(folder).map_err(at(folder))
    }

    /// Location at which a file of this name is written for now. A name may have `arms/`, `reports/` or
    /// `wireshark/` before it.
    ///
    /// # Errors
    ///
    /// If the name is not a plain one with one of the endings of airpath's files, or its folder
    /// cannot be made.
    pub fn file(&self, name: &str) -> Result<Location, FolderError> {
        let (folder, plain_name) = match name.split_once('/') {
            Some((folder, name)) if FOLDERS.contains(&folder) => {
                (self.temporary.join(folder), name)
            }
            _ => (self.temporary.clone(), name),
        };
        let path = folder.join(plain_name);
        let plain = path.file_name().is_some_and(|n| n == plain_name) && !name.contains('\\');
        if !plain || !has_own_name(&path) {
            return Err(FolderError::Name(name.into()));
        }
        if let Some(memory) = &self.memory {
            return Ok(memory.file(name));
        }
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        Ok(path.into())
    }

    /// Writes `summary.json`.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_summary(&self, summary: &RunSummary) -> Result<(), FolderError> {
        self.write_json(SUMMARY, summary)
    }

    /// Writes `timing.json`.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_timing(&self, timing: &Timing) -> Result<(), FolderError> {
        self.write_json("timing.json", timing)
    }

    /// Writes any value as JSON.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or `name` is none for a file of results.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), FolderError> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|e| FolderError::Io { path: self.target.join(name), source: e.into() })?;
        self.write_text(name, &(text + "\n"))
    }

    /// Writes a text.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or `name` is none for a file of results.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), FolderError> {
        self.write_bytes(name, text.as_bytes())
    }

    /// Writes the contents of a file.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or `name` is none for a file of results.
    pub fn write_bytes(&self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let file = self.file(name)?.create();
        let written = file.and_then(|mut file| file.write_all(bytes));
        written.map_err(at(&self.target.join(name)))
    }

    /// Writes a table as `name`.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or `name` is none for a file of results.
    pub fn write_table(&self, name: &str, table: &Table) -> Result<(), FolderError> {
        table.write_parquet(self.file(name)?).map_err(self.table_error(name))
    }

    /// Lets a collector write its rows of packets as they come.
    ///
    /// # Errors
    ///
    /// If there can be no such file.
    pub fn begin_packets(&self, collector: &mut Collector) -> Result<(), FolderError> {
        collector.write_packets(self.file(PACKETS)?);
        Ok(())
    }

    /// Completes the file of packets, if the collector has [begun](Self::begin_packets) one.
    ///
    /// # Errors
    ///
    /// If it could not be written.
    pub fn finish_packets(&self, collector: &mut Collector) -> Result<(), FolderError> {
        collector.close_packets().map_err(self.table_error(PACKETS))
    }

    /// Writes the summary and all tables of a run: the series and the packets that the collector
    /// has kept only if they were recorded.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write_run(&self, collector: &Collector, run: &RunSummary) -> Result<(), FolderError> {
        self.write_summary(run)?;
        let metrics = collector.metrics(run).into_iter().map(|metric| (metric.name, metric.value));
        self.write_json("metrics.json", &metrics.collect::<Named<f64>>())?;
        self.write_table("flows.parquet", &tables::flows(run))?;
        self.write_table("cells.parquet", &tables::cells(run))?;
        self.write_table("ues.parquet", &tables::ues(run))?;
        self.write_table("bearers.parquet", &tables::bearers(run))?;
        self.write_table("links.parquet", &tables::links(run))?;
        self.write_table("users.parquet", &users::table(&collector.users(collector.end())))?;
        for (name, table) in tables::ON_REQUEST {
            let table = table(collector);
            let own = collector.inventory();
            let always = HANDOVERS.contains(&name) && own.handover
                || name == LEGS && own.dual_connectivity
                || name == SECONDARIES && own.secondary_cells;
            if always || table.rows() > 0 {
                self.write_table(name, &table)?;
            }
        }
        if !collector.packets().is_empty() {
            let to = self.file(PACKETS)?;
            tables::write_packets(collector, to).map_err(self.table_error(PACKETS))?;
        }
        Ok(())
    }

    /// Writes what was recorded of transport blocks, if anything was.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn write_blocks(&self, recorder: &BlockRecorder) -> Result<(), FolderError> {
        let Some(window) = recorder.summary() else { return Ok(()) };
        self.write_json("window.json", &window)?;
        let tables = recorder.tables();
        tables.iter().try_for_each(|(name, table)| self.write_table(name, table))
    }

    /// Adds [`Digests`](crate::Digests) to `summary.json` and gives the folder its name; an earlier one
    /// is replaced.
    ///
    /// # Errors
    ///
    /// If there is no `summary.json` in it, a file cannot be read, or it cannot be renamed; an earlier
    /// folder is then still there.
    pub fn finish(self) -> Result<Folder, FolderError> {
        let written = self.written();
        self.conclude(written)
    }

    /// Ends the folder of an interrupted run like [`finish`](ResultsFolder::finish): all written
    /// files are kept, and `summary.json` has `"complete": false`.
    ///
    /// # Errors
    ///
    /// If the summary cannot be written or the folder not be renamed.
    pub fn finish_incomplete(self) -> Result<Folder, FolderError> {
        let mut written = self.written();
        let text = written.text(SUMMARY).unwrap_or_default();
        let mut summary: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&text).unwrap_or_default();
        summary.insert("format".into(), FORMAT.into());
        summary.insert("version".into(), VERSION.into());
        summary.insert("complete".into(), false.into());
        let text = serde_json::to_string_pretty(&summary).map_err(io::Error::from);
        text.and_then(|text| written.write(SUMMARY, text + "\n"))
            .map_err(at(&self.target.join(SUMMARY)))?;
        self.conclude(written)
    }

    /// All files so far, which are no longer here if they are in memory.
    fn written(&self) -> Folder {
        match &self.memory {
            None => Folder::on_disk(&self.temporary),
            Some(files) => Folder::in_memory(&self.target, files.take()),
        }
    }

    fn conclude(mut self, mut written: Folder) -> Result<Folder, FolderError> {
        digests::add(&mut written).map_err(at(&self.target.join(SUMMARY)))?;
        if self.memory.is_some() {
            return Ok(written);
        }
        check_ours(&self.target).and_then(|()| self.replace())?;
        Ok(Folder::on_disk(&self.target))
    }

    /// Gives the folder its name, and then removes its lock. A run that is killed before leaves a folder that the next one
    /// removes. A run that is killed in between leaves a whole folder with the file of its lock ([`ResultsFolder::unlock`]).
    fn replace(&mut self) -> Result<(), FolderError> {
        self.take_its_name()?;
        let removed = self.lock.take().map_or(Ok(()), |lock| lock.remove(&self.target));
        removed.map_err(at(&self.target))
    }

    /// Takes the name. If another process gives the name to its own folder meanwhile, that is
    /// replaced too: the last folder stays.
    fn take_its_name(&self) -> Result<(), FolderError> {
        let mut tries = 0;
        loop {
            let earlier = self.set_aside()?;
            match fs::rename(&self.temporary, &self.target) {
                Ok(()) => return earlier.as_deref().map_or(Ok(()), discard),
                Err(error) if is_taken(&error) && tries < TRIES => {
                    check_ours(&self.target)?;
                    earlier.as_deref().map_or(Ok(()), discard)?;
                    tries += 1;
                }
                Err(error) => {
                    let back = earlier.map_or(Ok(()), |there| fs::rename(there, &self.target));
                    back.map_err(at(&self.target))?;
                    return Err(at(&self.target)(error));
                }
            }
        }
    }

    /// Moves what has the name to a hidden one, if there is something.
    fn set_aside(&self) -> Result<Option<PathBuf>, FolderError> {
        if !self.target.exists() {
            return Ok(None);
        }
        let (earlier, ()) = sibling(&self.target, "earlier", |path| fs::create_dir(path))?;
        match fs::rename(&self.target, &earlier) {
            Ok(()) => Ok(Some(earlier)), // onto an empty folder
            Err(error) => {
                let _ = fs::remove_dir(&earlier);
                match error.kind() {
                    io::ErrorKind::NotFound => Ok(None), // somebody else was faster
                    _ => Err(at(&self.target)(error)),
                }
            }
        }
    }

    fn table_error(&self, name: &str) -> impl FnOnce(TableError) -> FolderError {
        let path = self.target.join(name);
        move |source| FolderError::Table { path, source }
    }
}

impl Drop for ResultsFolder {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            // Nobody is left to hear of a failure; the name says what it is.
            let _ = lock.discard(&self.temporary);
        }
    }
}

/// The target without links and dots, its parents created.
fn resolved(target: &Path) -> Result<PathBuf, FolderError> {
    if let Ok(there) = target.canonicalize() {
        return Ok(there);
    }
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(FolderError::Name(target.display().to_string()));
    };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    fs::create_dir_all(parent).map_err(at(parent))?;
    Ok(parent.canonicalize().map_err(at(parent))?.join(name))
}

/// True if a name could not be given since something else has it.
fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists)
}

/// Removes an earlier folder, which another process may have done.
fn discard(earlier: &Path) -> Result<(), FolderError> {
    leftover::remove(earlier).map_err(at(earlier))
}

/// Makes a hidden folder beside `target` under the first free name. Another run may remove it meanwhile.
fn sibling<T>(
    target: &Path,
    purpose: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> Result<(PathBuf, T), FolderError> {
    use io::ErrorKind::{AlreadyExists, NotFound};
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut tries = 0;
    loop {
        let path = target.with_file_name(format!(".{name}.{purpose}-{tries}"));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(e) if matches!(e.kind(), AlreadyExists | NotFound) && tries < TRIES => tries += 1,
            // The user did not name the hidden folder: the target is the path that cannot be made.
            Err(source) => return Err(FolderError::Io { path: target.into(), source }),
        }
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_path_buf();
    move |source| FolderError::Io { path, source }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
