//! Record files: one for each worker, which appends its finished runs to it.
//!
//! A record is a title with key, checksum and length, and a line of JSON. The last record of a worker
//! that was killed may be torn, and does not count. A damaged record is skipped, and reported.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::key::{Key, Title};

/// Ending of a record file.
pub(super) const RECORDS: &str = "runs";

/// The record files of a folder.
#[derive(Debug)]
pub(super) struct Records {
    folder: PathBuf,
    /// By the number in the file's name.
    files: Vec<Extent>,
    index: BTreeMap<Key, Location>,
    /// Number and file of this worker.
    own: Option<(usize, File)>,
    /// The file that was read last.
    open: Option<(usize, File)>,
}

/// Known part of a record file, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    /// End of the last record that counts.
    read: u64,
    /// Size of the file at that time.
    size: u64,
}

/// Location of a record.
#[derive(Clone, Copy, Debug)]
struct Location {
    file: usize,
    start: u64,
    length: usize,
}

/// Number in the name of a file of a worker.
pub(super) fn number(name: &str, ending: &str) -> Option<usize> {
    let number = name.split_once('.')?.0.parse().ok()?;
    (file_name(number, ending) == name).then_some(number)
}

/// Name of a file of a worker.
pub(super) fn file_name(number: usize, ending: &str) -> String {
    format!("{number:04}.{ending}")
}

impl Records {
    /// The records of a folder with record files below this number, none read yet.
    pub(super) fn new(folder: &Path, files: usize) -> Records {
        Records {
            folder: folder.to_owned(),
            files: vec![Extent::default(); files],
            index: BTreeMap::new(),
            own: None,
            open: None,
        }
    }

    pub(super) fn contains(&self, key: Key) -> bool {
        self.index.contains_key(&key)
    }

    /// Number of this worker, whose file is made on the first call.
    pub(super) fn worker(&mut self) -> io::Result<usize> {
        while self.own.is_none() {
            let number = self.files.len();
            let mut options = File::options();
            match options.append(true).create_new(true).open(self.path(number)) {
                Ok(file) => self.own = Some((number, file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            self.files.push(Extent::default());
        }
        Ok(self.own.as_ref().map_or(0, |(number, _)| *number))
    }

    /// Appends a record.
    pub(super) fn append(&mut self, key: Key, record: &str) -> io::Result<()> {
        let file = self.worker()?;
        let start = self.files[file].read;
        let Some((_, own)) = &mut self.own else { return Ok(()) };
        if let Err(error) = own.write_all(record.as_bytes()) {
            // The next record must not follow a torn one.
            own.set_len(start)?;
            return Err(error);
        }
        let end = start + record.len() as u64;
        self.files[file] = Extent { read: end, size: end };
        self.index.insert(key, Location { file, start, length: record.len() });
        Ok(())
    }

    /// Reads what other workers have appended since the last call; gives what is damaged.
    pub(super) fn refresh(&mut self) -> io::Result<Vec<String>> {
        let mut faults = Vec::new();
        let own = self.own.as_ref().map(|(number, _)| *number);
        for number in (0..).filter(|number| Some(*number) != own) {
            let size = match fs::metadata(self.path(number)) {
                Ok(file) => file.len(),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) if number < self.files.len() => continue,
                Err(_) => break,
            };
            self.files.resize(self.files.len().max(number + 1), Extent::default());
            if size != self.files[number].size {
                let read = self.scan(number, &mut faults)?;
                self.files[number] = Extent { read, size };
            }
        }
        Ok(faults)
    }

    /// Enters the records of a file behind the known ones; gives the end of the last.
    fn scan(&mut self, number: usize, faults: &mut Vec<String>) -> io::Result<u64> {
        let path = self.path(number);
        let mut file = BufReader::new(File::open(&path)?);
        let mut at = file.seek(SeekFrom::Start(self.files[number].read))?;
        let mut whole = true;
        loop {
            let (length, record) = match next(&mut file)? {
                Next::End => return Ok(at),
                Next::Record(key, length) => (length, Some(key)),
                Next::Other(length) => (length, None),
            };
            match record {
                Some(key) => {
                    _ = self.index.insert(key, Location { file: number, start: at, length })
                }
                None if whole => faults.push(format!(
                    "{}: the record at byte {at} is damaged; its run is made again",
                    path.display()
                )),
                None => {}
            }
            whole = record.is_some();
            at = file.seek(SeekFrom::Start(at + length as u64))?;
        }
    }

    /// The JSON of a run, if there is a record; why not, if that cannot be read.
    pub(super) fn read(&mut self, key: Key) -> Option<Result<String, String>> {
        let location = *self.index.get(&key)?;
        let path = self.path(location.file);
        let bytes = self.bytes(location);
        let body = bytes.map_err(|error| error.to_string()).and_then(|bytes| {
            let record = bytes.iter().position(|byte| *byte == b'\n').and_then(|end| {
                let (title, body) = bytes.split_at(end + 1);
                Title::of(title).filter(|title| title.key == key && title.fits(body))?;
                String::from_utf8(body.to_vec()).ok()
            });
            record.ok_or_else(|| "its checksum is wrong".to_owned())
        });
        Some(body.map_err(|why| {
            self.index.remove(&key);
            format!("{}: the record at byte {} is not used: {why}", path.display(), location.start)
        }))
    }

    fn bytes(&mut self, location: Location) -> io::Result<Vec<u8>> {
        let file = match self.open.take() {
            Some((number, file)) if number == location.file => file,
            _ => File::open(self.path(location.file))?,
        };
        let (_, file) = self.open.insert((location.file, file));
        let mut bytes = vec![0; location.length];
        file.seek(SeekFrom::Start(location.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn path(&self, number: usize) -> PathBuf {
        self.folder.join(file_name(number, RECORDS))
    }
}

/// Contents of a record file from a position on.
enum Next {
    /// A record and its length in bytes.
    Record(Key, usize),
    /// A line of so many bytes that is no part of a whole record.
    Other(usize),
    /// The end, or a record that is not whole yet.
    End,
}

fn next(file: &mut BufReader<File>) -> io::Result<Next> {
    let mut line = Vec::new();
    if file.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
        return Ok(Next::End);
    }
    let Some(title) = Title::of(&line) else { return Ok(Next::Other(line.len())) };
    let mut body = Vec::new();
    file.take(title.length as u64).read_to_end(&mut body)?;
    if title.fits(&body) {
        return Ok(Next::Record(title.key, line.len() + title.length));
    }
    // A torn record is one line at most; behind a damaged length stand other records.
    let lines = body.iter().filter(|byte| **byte == b'\n').count();
    let torn = body.len() < title.length && lines == 0;
    Ok(if torn { Next::End } else { Next::Other(line.len()) })
}
