//! Claims: runs that workers make now, in one small file.
//!
//! A line names a run and a worker. Whoever reads or writes the file holds its lock. A worker holds
//! the lock of a file of its own (`NUMBER.worker`) until its process ends, however that ends. Claims of
//! a worker without it do not count.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::key::Key;
use super::records::file_name;

/// Name of the file.
pub(super) const CLAIMS: &str = "claims";
/// Ending of the file that a worker locks.
pub(super) const WORKER: &str = "worker";

/// The claims of this worker among those of others.
#[derive(Debug)]
pub(super) struct Claims {
    folder: PathBuf,
    file: File,
    own: BTreeSet<Key>,
    /// Number of this worker, and its file, which is locked.
    worker: Option<(usize, File)>,
}

impl Claims {
    pub(super) fn open(folder: &Path) -> io::Result<Claims> {
        let mut options = File::options();
        let file = options.create(true).truncate(false).read(true).write(true);
        let file = file.open(folder.join(CLAIMS))?;
        Ok(Claims { folder: folder.to_owned(), file, own: BTreeSet::new(), worker: None })
    }

    /// Claims a run for the worker of this number; gives whether nobody else makes it.
    pub(super) fn add(&mut self, key: Key, worker: usize) -> io::Result<bool> {
        if self.own.contains(&key) {
            return Ok(false);
        }
        if self.worker.is_none() {
            let path = self.worker_file(worker);
            let file = File::options().create(true).append(true).open(path)?;
            file.lock()?;
            self.worker = Some((worker, file));
        }
        self.locked(|claims, others| {
            if others.iter().any(|(other, of)| *other == key && claims.lives(*of)) {
                return Ok(false);
            }
            claims.own.insert(key);
            claims.write(others).map(|()| true)
        })
    }

    /// Ends a claim.
    pub(super) fn remove(&mut self, key: Key) -> io::Result<()> {
        self.own.remove(&key);
        self.locked(|claims, others| claims.write(others))
    }

    /// Does something with the claims of others while the file is locked.
    fn locked<T>(
        &mut self,
        work: impl FnOnce(&mut Claims, &[(Key, usize)]) -> io::Result<T>,
    ) -> io::Result<T> {
        self.file.lock()?;
        let done = self.others().and_then(|others| work(self, &others));
        self.file.unlock()?;
        done
    }

    fn others(&mut self) -> io::Result<Vec<(Key, usize)>> {
        let mut text = String::new();
        self.file.rewind()?;
        self.file.read_to_string(&mut text)?;
        let own = self.worker.as_ref().map(|(number, _)| *number);
        let claim = |line: &str| {
            let (key, worker) = line.split_once(' ')?;
            Some((Key::parse(key)?, worker.parse().ok()?))
        };
        Ok(text.lines().filter_map(claim).filter(|(_, worker)| Some(*worker) != own).collect())
    }

    fn write(&mut self, others: &[(Key, usize)]) -> io::Result<()> {
        let own =
            self.worker.iter().flat_map(|(number, _)| self.own.iter().map(|key| (*key, *number)));
        let lines = others.iter().copied().chain(own);
        let text: String =
            lines.map(|(key, worker)| format!("{} {worker}\n", key.text())).collect();
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())?;
        self.file.set_len(text.len() as u64)
    }

    /// True if a worker has not ended.
    fn lives(&self, worker: usize) -> bool {
        let file = File::open(self.worker_file(worker));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    fn worker_file(&self, worker: usize) -> PathBuf {
        self.folder.join(file_name(worker, WORKER))
    }
}
