//! The run cache: finished runs on disk, so that what was interrupted goes on where it
//! stopped, and several processes share the work.
//!
//! Each worker, a process with a cache, appends its finished runs to a file of its own
//! (`NUMBER.runs`). A record has a checksum and a key, the fingerprint of the build, of the run's input
//! and of the seed. A run without a record is made. A damaged record is reported, and its run is made
//! again. Files that are not airpath's are left alone, and reported.
//!
//! The maker of a run holds a claim, so no other process makes the run meanwhile. The operating system
//! frees the locks of a process at any end of it, and the next process takes its runs over at once. No
//! clock and no process number is needed.
//!
//! Decision: one appended file for each worker, and one file of claims. Reason: files of their own cost
//! short runs half as much again as the runs. Price: a reader of other workers' records follows
//! the ends of their files.
//!
//! Folders of earlier versions hold a file for each run (`KEY.run`), which are read.
//!
//! Left out: runs that had begun when their process ended begin again. [`RunCache::clear`] alone
//! removes records. The file system must have locks (of NFS, version 4).

mod claims;
mod key;
mod records;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use airpath_base::Digest;
use airpath_results::is_at;
use serde::Serialize;
use serde::de::DeserializeOwned;

use claims::{CLAIMS, Claims, WORKER};
use key::{Key, single};
use records::{RECORDS, Records, number};

/// Endings of files of earlier versions: of a run, and of one that was being made.
const SINGLE: &str = "run";
const PART: &str = "part";
/// Held by all who work in the folder; alone, by who removes files.
const LOCK: &str = "lock";
/// Number of attempts to open a folder that another process removes meanwhile.
const TRIES: u32 = 100;

/// A folder of finished runs. Any number of threads and processes may work in it.
#[derive(Debug)]
pub struct RunCache {
    folder: PathBuf,
    build: String,
    state: Mutex<State>,
    /// Open, and so locked, until the end.
    lock: File,
}

#[derive(Debug)]
struct State {
    records: Records,
    claims: Claims,
    /// Runs that have a file of their own.
    single: BTreeSet<Key>,
    /// Runs that were taken from the folder, and those that were put there.
    resumed: BTreeSet<Key>,
    made: BTreeSet<Key>,
    /// Files that cannot be used or written, as text.
    faults: Vec<String>,
}

/// Claim of a run: the process that makes it.
pub(crate) enum Claimed<'a> {
    Ours(Claim<'a>),
    /// Somebody makes it now.
    Theirs,
    /// Nothing can be written; this has been reported.
    Nobody,
}

/// A run that is ours to make, until this is dropped.
pub(crate) struct Claim<'a> {
    cache: &'a RunCache,
    key: Key,
}

impl RunCache {
    /// Opens the folder, which need not exist. `build` identifies the code that runs and measures:
    /// the identity of a build, or any text that changes with the code.
    ///
    /// # Errors
    ///
    /// If it cannot be created, read or locked, or is no folder.
    pub fn open(folder: &Path, build: &str) -> io::Result<RunCache> {
        let lock = enter(folder)?;
        let (mut faults, mut single, mut files) = (Vec::new(), BTreeSet::new(), 0);
        for entry in fs::read_dir(folder)? {
            match entry?.file_name().into_string() {
                Ok(name) if has_form(&name, SINGLE) => single.extend(key_of(&name)),
                Ok(name) if name == LOCK || is_passing(&name) => {}
                Ok(name) if number(&name, RECORDS).is_some() => {
                    files = files.max(number(&name, RECORDS).map_or(0, |number| number + 1));
                }
                name => faults.push(foreign(folder, name)),
            }
        }
        faults.sort();
        let mut records = Records::new(folder, files);
        faults.extend(records.refresh()?);
        let claims = Claims::open(folder)?;
        let (resumed, made) = <(BTreeSet<Key>, BTreeSet<Key>)>::default();
        let state = Mutex::new(State { records, claims, single, resumed, made, faults });
        Ok(RunCache { folder: folder.to_owned(), build: build.to_owned(), state, lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of runs that were taken from the folder and made elsewhere.
    pub fn resumed(&self) -> usize {
        self.state().resumed.len()
    }

    /// Number of the finished runs in the folder that were taken or made here.
    pub fn kept(&self) -> usize {
        let state = self.state();
        state.resumed.len() + state.made.len()
    }

    /// Files found since the last call that cannot be used, and those that could not be written; a
    /// line for each.
    pub fn faults(&self) -> Vec<String> {
        std::mem::take(&mut self.state().faults)
    }

    /// Removes all runs, of whichever build, and the folder unless something else is in it;
    /// gives whether it is gone. Where another process works in the folder, nothing is
    /// removed: it may need the runs.
    ///
    /// # Errors
    ///
    /// If a file cannot be looked at or removed.
    pub fn clear(self) -> io::Result<bool> {
        if self.alone() {
            self.sweep(|name| {
                let text = || fs::read_to_string(self.folder.join(name));
                is_passing(name)
                    || number(name, RECORDS).is_some()
                    || has_form(name, SINGLE) && text().is_ok_and(|text| single(&text).is_ok())
            })?;
        }
        let folder = self.folder.clone();
        drop(self);
        Ok(!folder.exists())
    }

    /// Kept output of a run, if it is there and whole.
    pub fn get<T: DeserializeOwned>(&self, work: Digest, seed: u64) -> Option<T> {
        let key = Key::new(&self.build, work, seed);
        let body = self.state().body(key, &self.folder)?;
        let output = body.and_then(|body| {
            serde_json::from_str(&body)
                .map_err(|error| format!("{}: a run is not used: {error}", self.folder.display()))
        });
        match output {
            Ok(output) => {
                let mut state = self.state();
                if !state.made.contains(&key) {
                    state.resumed.insert(key);
                }
                Some(output)
            }
            Err(fault) => {
                self.tell(fault);
                None
            }
        }
    }

    /// Keeps what a run came to that was made for this process, unless it is there. What cannot be
    /// written is reported, and made again another time.
    pub fn put(&self, work: Digest, seed: u64, output: &impl Serialize) {
        self.add(Key::new(&self.build, work, seed), output, true);
    }

    /// Keeps the output of a run that was made earlier.
    pub fn keep(&self, work: Digest, seed: u64, output: &impl Serialize) {
        self.add(Key::new(&self.build, work, seed), output, false);
    }

    fn add(&self, key: Key, output: &impl Serialize, made: bool) {
        if self.state().has(key) {
            return;
        }
        let record = key.record(output).map_err(io::Error::from);
        let mut state = self.state();
        match record.and_then(|record| state.records.append(key, &record)) {
            Ok(()) if made => _ = state.made.insert(key),
            Ok(()) => {}
            Err(error) => {
                let fault = format!("a run is not kept in {}: {error}", self.folder.display());
                state.faults.push(fault);
            }
        }
    }

    /// Claims a run. What is claimed may have been finished just before: look again.
    pub(crate) fn claim(&self, work: Digest, seed: u64) -> Claimed<'_> {
        let key = Key::new(&self.build, work, seed);
        let claimed = self.state().claim(key);
        match claimed {
            Ok(true) => Claimed::Ours(Claim { cache: self, key }),
            Ok(false) => Claimed::Theirs,
            Err(error) => {
                self.tell(format!("{} cannot be written: {error}", self.folder.display()));
                Claimed::Nobody
            }
        }
    }

    /// True if no other process works in the folder; then none can until this is dropped.
    fn alone(&self) -> bool {
        self.lock.try_lock().is_ok()
    }

    fn sweep(&self, goes: impl Fn(&str) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(&goes) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn tell(&self, fault: String) {
        self.state().faults.push(fault);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has(&self, key: Key) -> bool {
        self.records.contains(key) || self.single.contains(&key)
    }

    /// The JSON of a run, which another worker may have made since the last call; why not, if that is
    /// kept and cannot be used.
    fn body(&mut self, key: Key, folder: &Path) -> Option<Result<String, String>> {
        if !self.has(key) {
            match self.records.refresh() {
                Ok(faults) => self.faults.extend(faults),
                Err(error) => return Some(Err(format!("{}: {error}", folder.display()))),
            }
        }
        if let Some(body) = self.records.read(key) {
            return Some(body);
        }
        let path = self.single.contains(&key).then(|| folder.join(single_name(key)))?;
        let text = fs::read_to_string(&path).map_err(|error| error.to_string());
        let body = text.and_then(|text| Ok(key.of_single(&text)?.to_owned()));
        Some(body.map_err(|why| {
            self.single.remove(&key);
            format!("{} is not used: {why}", path.display())
        }))
    }

    /// Claims a run for this worker; gives whether nobody else makes it.
    fn claim(&mut self, key: Key) -> io::Result<bool> {
        let worker = self.records.worker()?;
        self.claims.add(key, worker)
    }
}

impl Drop for RunCache {
    /// Leaves nothing behind but finished runs, and no folder without any.
    fn drop(&mut self) {
        if self.alone() {
            // All of this only tidies up: what stays is not used, and a folder that is not
            // empty cannot be removed.
            let empty = |name: &str| {
                let file = fs::metadata(self.folder.join(name));
                number(name, RECORDS).is_some() && file.is_ok_and(|file| file.len() == 0)
            };
            let _ = self.sweep(|name| is_passing(name) || empty(name));
            let _ = fs::remove_file(self.folder.join(LOCK));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Claim<'_> {
    /// Puts the output where all find it. What cannot be written is reported, and made again
    /// another time.
    pub(crate) fn put(self, output: &impl Serialize) {
        self.cache.add(self.key, output, true);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut state = self.cache.state();
        // A claim that stays in the file ends with the process.
        let _ = state.claims.remove(self.key);
    }
}

/// Creates the folder unless it is there, and locks it together with others.
fn enter(folder: &Path) -> io::Result<File> {
    let path = folder.join(LOCK);
    for _ in 0..TRIES {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let lock = match File::options().create(true).append(true).open(&path) {
            // Somebody removed the folder in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            lock => lock?,
        };
        lock.lock_shared()?;
        // A process that had the folder alone may have removed it, and others may have made a new
        // one.
        if is_at(&lock, &path) {
            return Ok(lock);
        }
    }
    Err(io::Error::other("the folder is removed again and again"))
}

/// True for a name in the folder that means nothing once nobody works there.
fn is_passing(name: &str) -> bool {
    name == CLAIMS || number(name, WORKER).is_some() || has_form(name, PART)
}

fn key_of(name: &str) -> Option<Key> {
    Key::parse(name.split_once('.')?.0)
}

/// True if a name is one of a run of an earlier version, with this ending.
fn has_form(name: &str, ending: &str) -> bool {
    key_of(name).is_some_and(|key| format!("{}.{ending}", key.text()) == name)
}

fn single_name(key: Key) -> String {
    format!("{}.{SINGLE}", key.text())
}

fn foreign(folder: &Path, name: Result<String, OsString>) -> String {
    let name = name.map_or_else(PathBuf::from, PathBuf::from);
    format!("{} is no cached run, and is left alone", folder.join(name).display())
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
