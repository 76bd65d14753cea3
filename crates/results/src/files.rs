//! Files of a results folder, on disk or in memory.
//!
//! A [`Folder`] is read. A [`Location`] is written, and its file is made by the first writer. Folders
//! in memory serve where there is no file system, as in a browser. Their files have the same bytes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::{TableError, TableReader};

/// A results folder that is read: on disk, or in memory under a name. It is cloned without its files.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// Contents by name; none of a folder on disk.
    files: Option<Arc<BTreeMap<String, Bytes>>>,
}

impl Folder {
    /// A folder on disk, which need not be there.
    pub fn on_disk(path: &Path) -> Folder {
        Folder { path: path.to_owned(), files: None }
    }

    /// A folder in memory that is called `name`.
    pub fn in_memory(name: &Path, files: BTreeMap<String, Bytes>) -> Folder {
        Folder { path: name.to_owned(), files: Some(Arc::new(files)) }
    }

    /// Path of a folder on disk, name of one in memory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Files of a folder in memory by name.
    pub fn files(&self) -> Option<&BTreeMap<String, Bytes>> {
        self.files.as_deref()
    }

    /// True if there is such a file.
    pub fn has(&self, name: &str) -> bool {
        match &self.files {
            None => self.path.join(name).exists(),
            Some(files) => files.contains_key(name),
        }
    }

    /// Contents of a text.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is no text.
    pub fn text(&self, name: &str) -> io::Result<String> {
        let mut text = String::new();
        self.open(name)?.read_to_string(&mut text)?;
        Ok(text)
    }

    /// A table.
    ///
    /// # Errors
    ///
    /// Those of [`TableReader::open`].
    pub fn table(&self, name: &str) -> Result<TableReader, TableError> {
        let path = self.path.join(name);
        match self.files.as_ref().and_then(|files| files.get(name)) {
            None => TableReader::open(&path),
            Some(bytes) => TableReader::over(&path, bytes.clone(), bytes.len() as u64),
        }
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it cannot be read.
    pub(crate) fn open(&self, name: &str) -> io::Result<Box<dyn BufRead>> {
        let Some(files) = &self.files else {
            let file = File::open(self.path.join(name))?;
            return Ok(Box::new(BufReader::with_capacity(1 << 16, file)));
        };
        let bytes = files.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes.clone())))
    }

    /// Replaces a text.
    pub(crate) fn write(&mut self, name: &str, text: String) -> io::Result<()> {
        match &mut self.files {
            None => fs::write(self.path.join(name), text),
            Some(files) => {
                Arc::make_mut(files).insert(name.to_owned(), text.into());
                Ok(())
            }
        }
    }

    /// Names of all files in order, those in its folders with the folder before them.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        match &self.files {
            None => names(&self.path, ""),
            Some(files) => Ok(files.keys().cloned().collect()),
        }
    }
}

fn names(folder: &Path, above: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        match entry.file_type()?.is_dir() {
            true => names.extend(self::names(&entry.path(), &format!("{name}/"))?),
            false => names.push(name),
        }
    }
    names.sort();
    Ok(names)
}

type Buffer = Arc<Mutex<Vec<u8>>>;

/// Files in memory that are being written, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<BTreeMap<String, Buffer>>>);

impl Memory {
    /// All that was written, which is then no longer here.
    pub(crate) fn take(&self) -> BTreeMap<String, Bytes> {
        let files = std::mem::take(&mut *lock(&self.0));
        let bytes = |buffer: Buffer| Bytes::from(std::mem::take(&mut *lock(&buffer)));
        files.into_iter().map(|(name, buffer)| (name, bytes(buffer))).collect()
    }

    /// Location of a file of this name.
    pub(crate) fn file(&self, name: &str) -> Location {
        Location::Memory(InMemory { files: self.clone(), name: name.to_owned() })
    }
}

/// A file to be written: on disk, or in memory.
#[derive(Clone, Debug)]
pub enum Location {
    /// Path of a file on disk.
    Disk(PathBuf),
    /// A file of a folder in memory.
    Memory(InMemory),
}

/// Name of a file in a folder in memory.
#[derive(Clone, Debug)]
pub struct InMemory {
    files: Memory,
    name: String,
}

impl Location {
    /// Path of a file on disk, name of one in memory.
    pub fn path(&self) -> &Path {
        match self {
            Location::Disk(path) => path,
            Location::Memory(file) => Path::new(&file.name),
        }
    }

    /// Opens the file as it is by now.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it cannot be read.
    pub fn open(&self) -> io::Result<Box<dyn Read>> {
        match self {
            Location::Disk(path) => Ok(Box::new(File::open(path)?)),
            Location::Memory(InMemory { files, name }) => {
                let files = lock(&files.0);
                let buffer = files.get(name).ok_or(io::ErrorKind::NotFound)?;
                Ok(Box::new(Cursor::new(lock(buffer).clone())))
            }
        }
    }

    /// Location of another file of the same folder.
    pub fn beside(&self, name: &str) -> Location {
        match self {
            Location::Disk(path) => Location::Disk(path.with_file_name(name)),
            Location::Memory(file) => file.files.file(name),
        }
    }

    /// Makes the file, which is empty.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub fn create(&self) -> io::Result<Output> {
        match self {
            Location::Disk(path) => File::create(path).map(Output::Disk),
            Location::Memory(InMemory { files, name }) => {
                let buffer = Buffer::default();
                lock(&files.0).insert(name.clone(), Arc::clone(&buffer));
                Ok(Output::Memory(buffer))
            }
        }
    }
}

impl<P: AsRef<Path>> From<P> for Location {
    fn from(path: P) -> Location {
        Location::Disk(path.as_ref().to_owned())
    }
}

/// A file that is being written.
#[derive(Debug)]
pub enum Output {
    /// A file on disk.
    Disk(File),
    /// Contents of a file in memory.
    Memory(Arc<Mutex<Vec<u8>>>),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Disk(file) => file.write(bytes),
            Output::Memory(buffer) => lock(buffer).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Disk(file) => file.flush(),
            Output::Memory(_) => Ok(()),
        }
    }
}

/// Contents of a lock. A writer that panicked leaves a shorter file, which no reader sees.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
