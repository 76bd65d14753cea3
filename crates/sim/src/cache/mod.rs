//! The run cache: finished runs on disk, so that what was interrupted goes on where it
//! stopped, and several processes share the work.
//!
//! A file for each finished run holds its output. The file's name and its first line are a
//! fingerprint of the build, of the run's input and of the seed. A file that does not match is not
//! used, and its run is made again. Files that are not whole, or not airpath's, are left alone, and
//! reported.
//!
//! The maker of a run holds the lock of the file that it will write (`KEY.part`), so no other
//! process makes the run meanwhile. The file takes its name (`KEY.run`) in one step when it is
//! whole. The operating system frees the locks of a process at any end of it, and the next process
//! takes its runs over at once. No clock and no process number is needed.
//!
//! Left out: runs that had begun when their process ended begin again. [`RunCache::clear`] alone
//! removes files. The file system must have locks (of NFS, version 4).

mod key;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use airpath_base::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

use key::{Key, has_form};

/// Endings of a cached run, and of one that is being made.
const WHOLE: &str = "run";
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

#[derive(Debug, Default)]
struct State {
    /// Runs that were taken from the folder, and those that were put there.
    resumed: BTreeSet<Key>,
    made: BTreeSet<Key>,
    /// Files that cannot be used or written, as text.
    faults: Vec<String>,
}

/// State of a run in the cache.
pub(crate) enum Found<T> {
    /// Its output.
    Whole(T),
    /// A file under its name that is not it.
    Unusable,
    Nothing,
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
    file: File,
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
        let mut faults = Vec::new();
        for entry in fs::read_dir(folder)? {
            match entry?.file_name().into_string() {
                Ok(name) if has_form(&name, WHOLE) || has_form(&name, PART) || name == LOCK => {}
                name => faults.push(foreign(folder, name)),
            }
        }
        faults.sort();
        let state = Mutex::new(State { faults, ..State::default() });
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
                has_form(name, PART)
                    || has_form(name, WHOLE) && text().is_ok_and(|text| Key::of(&text).is_ok())
            })?;
        }
        let folder = self.folder.clone();
        drop(self);
        Ok(!folder.exists())
    }

    /// Kept output of a run, if it is there and whole.
    pub fn get<T: DeserializeOwned>(&self, work: Digest, seed: u64) -> Option<T> {
        match self.find(work, seed) {
            Found::Whole(output) => Some(output),
            Found::Unusable | Found::Nothing => None,
        }
    }

    /// Keeps what a run came to that was made for this process, unless it is there or somebody
    /// makes it now. What cannot be written is reported.
    pub fn put(&self, work: Digest, seed: u64, output: &impl Serialize) {
        let there = self.folder.join(Key::new(&self.build, work, seed).file(WHOLE)).exists();
        if let (false, Claimed::Ours(claim)) = (there, self.claim(work, seed)) {
            claim.put(output);
        }
    }

    /// Keeps the result of a run that was made earlier.
    pub fn keep(&self, work: Digest, seed: u64, output: &impl Serialize) {
        let key = Key::new(&self.build, work, seed);
        let before = self.state().made.contains(&key);
        self.put(work, seed, output);
        if !before {
            self.state().made.remove(&key);
        }
    }

    pub(crate) fn find<T: DeserializeOwned>(&self, work: Digest, seed: u64) -> Found<T> {
        let key = Key::new(&self.build, work, seed);
        let path = self.folder.join(key.file(WHOLE));
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::Nothing,
            text => text.map_err(|error| error.to_string()),
        };
        match text.and_then(|text| key.read(&text)) {
            Ok(output) => {
                let mut state = self.state();
                if !state.made.contains(&key) {
                    state.resumed.insert(key);
                }
                Found::Whole(output)
            }
            Err(why) => {
                self.tell(format!("{} is not used: {why}", path.display()));
                Found::Unusable
            }
        }
    }

    /// Claims a run. What is claimed may have been finished just before: look again.
    pub(crate) fn claim(&self, work: Digest, seed: u64) -> Claimed<'_> {
        let key = Key::new(&self.build, work, seed);
        let path = self.folder.join(key.file(PART));
        // The rest of a killed process stays in the file until its owner is known.
        let file = File::options().create(true).write(true).truncate(false).open(&path);
        let locked = file.and_then(|file| match file.try_lock() {
            // The owner before may have given the file its name.
            Ok(()) => Ok(is_at(&file, &path).then_some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        });
        match locked {
            Ok(Some(file)) => Claimed::Ours(Claim { cache: self, key, file }),
            Ok(None) => Claimed::Theirs,
            Err(error) => {
                self.tell(format!("{} cannot be written: {error}", path.display()));
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

impl Drop for RunCache {
    /// Leaves nothing behind but finished runs, and no folder without any.
    fn drop(&mut self) {
        if self.alone() {
            // All of this only tidies up: what stays is not used, and a folder that is not
            // empty cannot be removed.
            let _ = self.sweep(|name| has_form(name, PART));
            let _ = fs::remove_file(self.folder.join(LOCK));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Claim<'_> {
    /// Puts the output where all find it. What cannot be written is reported, and made again
    /// another time.
    pub(crate) fn put(mut self, output: &impl Serialize) {
        let [part, whole] = [PART, WHOLE].map(|end| self.cache.folder.join(self.key.file(end)));
        let text = self.key.text(output).map_err(io::Error::from);
        let written = text.and_then(|text| self.write(&text));
        match written.and_then(|()| fs::rename(part, &whole)) {
            Ok(()) => _ = self.cache.state().made.insert(self.key),
            Err(error) => self.cache.tell(format!("{} is not kept: {error}", whole.display())),
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all(text.as_bytes())
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

/// True if an open file is the one at `path`.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(|(a, b)| same(a, b))
}

/// True if there is a file at `path`: here an open file cannot be replaced.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

fn foreign(folder: &Path, name: Result<String, OsString>) -> String {
    let name = name.map_or_else(PathBuf::from, PathBuf::from);
    format!("{} is no cached run, and is left alone", folder.join(name).display())
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
