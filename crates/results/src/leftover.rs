//! Leftovers of killed runs beside a results folder.
//!
//! The hidden folder that a run writes to holds a file that the run keeps locked. The operating
//! system frees the lock when the process ends, however it ends. A folder whose lock is free is
//! nobody's, and the next run removes it. It removes the file last: if it is killed meanwhile, the next run goes on. A
//! folder without such a file stays unless it is empty, and so does one with anything that airpath does not write.
//! Sources: `flock(2)` by way of `std::fs::File::try_lock`.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Name of the file that says that somebody writes to a folder.
pub(crate) const LOCK: &str = "airpath.lock";
const TEXT: &str = "A run of airpath writes here. The next run with the same --out removes this \
                    folder if this one was killed.\n";

/// Says, as long as it lives, that the folder is being written to.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Held open: closing it would free the lock.
    _file: File,
}

impl Lock {
    /// Takes a new folder.
    ///
    /// # Errors
    ///
    /// If the file cannot be written; `NotFound` if another run takes the folder for a leftover, and removes it.
    pub(crate) fn take(folder: &Path) -> io::Result<Lock> {
        let path = folder.join(LOCK);
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => file.write_all(TEXT.as_bytes())?,
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::NotFound.into()),
            // On a file system without locks, no folder is ever taken for a leftover.
            Err(TryLockError::Error(_)) => {}
        }
        // Another run may have had the lock until now, and removed the folder with it.
        if is_at(&file, &path) {
            Ok(Lock { _file: file })
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    /// Removes the folder.
    pub(crate) fn discard(self, folder: &Path) -> io::Result<()> {
        remove(folder)
    }

    /// Removes the file from the folder, which is whole or of no more use. Another process may have replaced the folder, and
    /// with it the file.
    pub(crate) fn remove(self, folder: &Path) -> io::Result<()> {
        gone(fs::remove_file(folder.join(LOCK)))
    }
}

/// Removes the hidden folders beside `target` whose runs were killed, and gives their names. The
/// run may have been killed as it replaced an earlier result. That becomes `target` again, or goes
/// if the new one is there.
pub(crate) fn clear(target: &Path, is_own: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut cleared = Vec::new();
    let mut at_work = false;
    for folder in hidden(target, "partial")? {
        match found(&folder, &is_own) {
            // The lock is held until the folder is gone.
            Found::Leftover(_lock) => {
                remove(&folder)?;
                cleared.push(folder);
            }
            // A run may be killed as it begins. This removes an empty folder only.
            Found::Other => drop(fs::remove_dir(&folder)),
            Found::AtWork => at_work = true,
        }
    }
    if !at_work && !cleared.is_empty() {
        for folder in hidden(target, "earlier")?.into_iter().filter(|folder| all(folder, &is_own)) {
            match target.exists() {
                true => remove(&folder)?,
                false => fs::rename(&folder, target)?,
            }
        }
    }
    Ok(cleared)
}

/// Removes the file of the lock of a run that was killed when its folder was whole. That of a run at work stays.
pub(crate) fn unlock(folder: &Path) -> io::Result<()> {
    let path = folder.join(LOCK);
    let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else {
        return Ok(());
    };
    let mut text = String::new();
    let is_free = file.try_lock().is_ok() && is_at(&file, &path);
    match is_free && file.read_to_string(&mut text).is_ok() && text == TEXT {
        true => gone(fs::remove_file(path)),
        false => Ok(()),
    }
}

/// Removes a folder, the file of its lock last, unless another process has done so.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        match path.is_dir() {
            true => gone(fs::remove_dir_all(&path))?,
            false if path.ends_with(LOCK) => {}
            false => gone(fs::remove_file(&path))?,
        }
    }
    gone(fs::remove_file(folder.join(LOCK)))?;
    gone(fs::remove_dir(folder))
}

/// Success also where another process has removed it before.
fn gone(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Folders beside `target` with names of airpath's for this purpose, in order.
fn hidden(target: &Path, purpose: &str) -> io::Result<Vec<PathBuf>> {
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Ok(Vec::new());
    };
    let beginning = format!(".{}.{purpose}-", name.to_string_lossy());
    let numbered = |name: &str| {
        let number = name.strip_prefix(&beginning);
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && numbered(&entry.file_name().to_string_lossy()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// A hidden folder as another run finds it.
enum Found {
    /// A run left it. The file is its lock, which is held.
    Leftover(File),
    /// A run is at work in it.
    AtWork,
    /// It is not airpath's, or is empty.
    Other,
}

/// A run that was killed as it took the folder leaves the file empty and alone.
fn found(folder: &Path, is_own: &impl Fn(&Path) -> bool) -> Found {
    let path = folder.join(LOCK);
    let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else {
        return Found::Other;
    };
    // A lock that became free belongs to a run that has ended. Another run may have taken the name of its folder.
    if file.try_lock().is_err() || !is_at(&file, &path) {
        return Found::AtWork;
    }
    let mut text = String::new();
    let read = file.read_to_string(&mut text).is_ok();
    let ours = text == TEXT && all(folder, is_own);
    let begun = text.is_empty() && all(folder, &|path: &Path| path.ends_with(LOCK));
    match read && (ours || begun) {
        true => Found::Leftover(file),
        false => Found::Other,
    }
}

/// True if an open file is the one at `path`, which another process may have replaced.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |a: fs::Metadata, b: fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(fs::metadata(path).ok()).is_some_and(|(a, b)| same(a, b))
}

/// True if there is a file at `path`: here an open file cannot be replaced.
#[cfg(not(unix))]
pub fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// True if there are only such files in the folder.
fn all(folder: &Path, is_own: &impl Fn(&Path) -> bool) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path()));
    paths.all(|path| path.is_ok_and(|path| is_own(&path)))
}
