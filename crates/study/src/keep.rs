//! Finished runs on disk, so that a study that was interrupted goes on where it stopped.
//!
//! A file for each finished run holds what is kept of it. Its name and its first line say
//! which run of which program it is: a hash of the scenario with all its defaults, the
//! second from which it is measured, how ramp-ups are read, the seed, and a hash of the program itself. Whatever
//! does not match is not used, and so is made again. A file appears under its name when it
//! is whole. Files that are not whole, or not airpath's, are left alone, and told of.
//!
//! Left out: runs that had begun when the study was interrupted begin anew.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use airpath_scenario::Scenario;

use crate::execute::{Task, Work};
use crate::observe::Measured;

/// Begins the first line of a kept run.
const FORMAT: &str = "airpath-kept-run-1";
/// Endings of a kept run, and of one that is being written.
const WHOLE: &str = "run";
const PART: &str = "part";
/// Held while a program works in the folder.
const LOCK: &str = "lock";

/// A folder of finished runs. Only one program at a time works in it.
#[derive(Debug)]
pub struct Keep {
    folder: PathBuf,
    /// Hash of the program.
    program: u64,
    /// Kept runs that were there at the beginning.
    there: BTreeSet<String>,
    /// What cannot be used or written, as text.
    faults: Mutex<Vec<String>>,
    resumed: AtomicUsize,
    kept: AtomicUsize,
    /// Open, and so locked, until the end.
    _lock: File,
}

impl Keep {
    /// Opens the folder, which need not exist, for the program of these bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be created or read, is no folder, or another program works in it.
    pub fn open(folder: &Path, program: &[u8]) -> io::Result<Keep> {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let lock = folder.join(LOCK);
        let lock = File::options().create(true).append(true).open(lock)?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::other("another airpath writes results there"),
            TryLockError::Error(error) => error,
        })?;
        let (mut there, mut faults) = (BTreeSet::new(), Vec::new());
        for entry in fs::read_dir(folder)? {
            match entry?.file_name().into_string() {
                Ok(name) if has_form(&name, WHOLE) => _ = there.insert(name),
                Ok(name) if has_form(&name, PART) || name == LOCK => {}
                name => faults.push(foreign(folder, name)),
            }
        }
        faults.sort();
        let folder = folder.to_owned();
        let (program, faults) = (fnv(program), Mutex::new(faults));
        let (resumed, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Keep { folder, program, there, faults, resumed, kept, _lock: lock })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many runs were taken from the folder.
    pub fn resumed(&self) -> usize {
        self.resumed.load(Ordering::SeqCst)
    }

    /// How many finished runs of this study there are in the folder by now.
    pub fn kept(&self) -> usize {
        self.resumed() + self.kept.load(Ordering::SeqCst)
    }

    /// What was found since the last call that cannot be used, and what could not be
    /// written; a line for each.
    pub fn faults(&self) -> Vec<String> {
        self.faults.lock().map(|mut faults| std::mem::take(&mut *faults)).unwrap_or_default()
    }

    /// What is kept of a run, if it was there at the beginning.
    pub(crate) fn get(&self, task: &Task, seed: u64) -> Option<Measured> {
        let key = self.key(task, seed);
        let name = key.file(WHOLE);
        if !self.there.contains(&name) {
            return None;
        }
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path);
        match text.map_err(|error| error.to_string()).and_then(|text| key.read(&text)) {
            Ok(measured) => {
                self.resumed.fetch_add(1, Ordering::SeqCst);
                Some(measured)
            }
            Err(why) => {
                self.tell(format!("{} is not used: {why}", path.display()));
                None
            }
        }
    }

    /// Keeps a run. What was there at the beginning is never replaced, and whoever cannot
    /// be written is made again another time.
    pub(crate) fn put(&self, task: &Task, seed: u64, measured: &Measured) {
        let key = self.key(task, seed);
        let name = key.file(WHOLE);
        if self.there.contains(&name) {
            return;
        }
        let (part, whole) = (self.folder.join(key.file(PART)), self.folder.join(name));
        let written = key.text(measured).and_then(|text| fs::write(&part, text));
        match written.and_then(|()| fs::rename(&part, &whole)) {
            Ok(()) => _ = self.kept.fetch_add(1, Ordering::SeqCst),
            Err(error) => self.tell(format!("{} is not kept: {error}", whole.display())),
        }
    }

    /// Removes all kept runs, of whichever study and program, and the folder unless
    /// something else is in it; gives whether it is gone.
    ///
    /// # Errors
    ///
    /// If a file cannot be looked at or removed.
    pub fn clear(self) -> io::Result<bool> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(|name| self.may_go(name)) {
                fs::remove_file(entry.path())?;
            }
        }
        let folder = self.folder.clone();
        drop(self);
        Ok(!folder.exists())
    }

    /// Whether a file is ours to remove: by its name, and by what is in it.
    fn may_go(&self, name: &str) -> bool {
        let text = || fs::read_to_string(self.folder.join(name));
        has_form(name, PART)
            || has_form(name, WHOLE) && text().is_ok_and(|text| Key::of(&text).is_ok())
    }

    fn tell(&self, fault: String) {
        if let Ok(mut faults) = self.faults.lock() {
            faults.push(fault);
        }
    }

    fn key(&self, task: &Task, seed: u64) -> Key {
        let work = match &task.work {
            Work::Scenario(scenario) => scenario.hash().to_string(),
            Work::Ensemble(scenarios) => {
                let hashes: Vec<Vec<_>> = scenarios
                    .iter()
                    .map(|arms| arms.iter().map(Scenario::hash).collect())
                    .collect();
                format!("{hashes:?}")
            }
            Work::Population(params) => format!("{params:?}"),
        };
        let run = fnv(format!("{work} {:?} {:?}", task.from, task.ramp).as_bytes());
        Key { program: self.program, run, seed }
    }
}

impl Drop for Keep {
    /// Leaves no folder behind in which nothing is kept.
    fn drop(&mut self) {
        // Both only tidy up: the lock is free once its file is closed, and a folder that
        // is not empty cannot be removed.
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Which run of which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    program: u64,
    /// Hash of the scenario and of how it is measured.
    run: u64,
    seed: u64,
}

impl Key {
    fn file(self, ending: &str) -> String {
        format!("{:016x}-{:016x}-{}.{ending}", self.program, self.run, self.seed)
    }

    fn text(self, measured: &Measured) -> io::Result<String> {
        let body = serde_json::to_string(measured)? + "\n";
        Ok(self.title(&body) + &body)
    }

    fn title(self, body: &str) -> String {
        let Key { program, run, seed } = self;
        let sum = fnv(body.as_bytes());
        format!("{FORMAT} {program:016x} {run:016x} {seed} {sum:016x}\n")
    }

    /// Which run a text is of, if it is whole, and what was measured.
    fn of(text: &str) -> Result<(Key, &str), &'static str> {
        let cut = || "it is cut off, or no run that was kept";
        let (title, body) = text.split_once('\n').ok_or_else(cut)?;
        let mut words = title.split(' ').skip(1);
        let mut word = |base| words.next().and_then(|word| u64::from_str_radix(word, base).ok());
        let key = word(16).zip(word(16)).zip(word(10));
        let key = key.map(|((program, run), seed)| Key { program, run, seed }).ok_or_else(cut)?;
        match text.starts_with(&key.title(body)) {
            true => Ok((key, body)),
            false => Err("its checksum is wrong"),
        }
    }

    /// What was measured, if the text is this run's.
    fn read(self, text: &str) -> Result<Measured, String> {
        let (key, body) = Key::of(text)?;
        match key == self {
            true => serde_json::from_str(body).map_err(|error| error.to_string()),
            false => Err("it is another run under this one's name".to_owned()),
        }
    }
}

/// Whether a name is one of ours with this ending.
fn has_form(name: &str, ending: &str) -> bool {
    let hash = |text: &str| u64::from_str_radix(text, 16).ok();
    let key = || {
        let (stem, _) = name.rsplit_once('.')?;
        let mut words = stem.split('-');
        let key = hash(words.next()?).zip(hash(words.next()?)).zip(words.next()?.parse().ok());
        key.map(|((program, run), seed)| Key { program, run, seed })
    };
    key().is_some_and(|key| key.file(ending) == name)
}

fn foreign(folder: &Path, name: Result<String, OsString>) -> String {
    let name = name.map_or_else(PathBuf::from, PathBuf::from);
    format!("{} is no run that was kept, and is left alone", folder.join(name).display())
}

/// FNV-1a, 64 bit (Fowler, Noll, Vo).
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "keep_tests.rs"]
mod tests;
