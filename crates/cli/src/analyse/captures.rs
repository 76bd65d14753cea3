//! The captures that are named, in the order of their first packets.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use airpath_analyse::first_time;
use airpath_base::Time;

/// A capture to be read.
pub struct Capture {
    /// Name of the capture in messages.
    pub name: String,
    source: Source,
    first: Option<Time>,
}

/// Source of a capture's bytes.
enum Source {
    /// A file, opened when it is read: there may be more than can be open at once.
    Path(PathBuf),
    /// Input that cannot be read twice, in front of it the bytes that were read already.
    Begun(Box<dyn Read>),
    /// Error of a path that could not be opened.
    Broken(io::Error),
}

impl Capture {
    /// Opens it.
    pub fn open(self) -> io::Result<Box<dyn Read>> {
        match self.source {
            Source::Path(path) => open(&path).map_err(|error| advise(&path, error)),
            Source::Begun(input) => Ok(input),
            Source::Broken(error) => Err(advise(Path::new(&self.name), error)),
        }
    }

    fn new(path: &Path, first: Option<Time>, source: Source) -> Capture {
        let name =
            if is_stdin(path) { "standard input".into() } else { path.display().to_string() };
        Capture { name, source, first }
    }

    /// With the time of its first packet, if it has one.
    fn timed(path: &Path) -> Capture {
        if fs::metadata(path).is_ok_and(|found| found.is_file()) {
            // A fault of the file is reported when the file is read as a capture.
            let first = open(path).ok().and_then(|input| first_time(input).ok().flatten());
            return Capture::new(path, first, Source::Path(path.into()));
        }
        match open(path) {
            Ok(input) => {
                let mut recorder = Recorder { input, read: Vec::new() };
                let first = first_time(&mut recorder).ok().flatten();
                let whole = Cursor::new(recorder.read).chain(recorder.input);
                Capture::new(path, first, Source::Begun(Box::new(whole)))
            }
            Err(error) => Capture::new(path, None, Source::Broken(error)),
        }
    }
}

/// The captures at these paths, in the order of their first packets.
pub fn in_order(paths: &[PathBuf]) -> Vec<Capture> {
    if let [only] = paths {
        return vec![Capture::new(only, None, Source::Path(only.clone()))];
    }
    let mut captures: Vec<Capture> = paths.iter().map(|path| Capture::timed(path)).collect();
    captures.sort_by_key(|capture| capture.first);
    captures
}

/// Checks for `-`, which is standard input.
pub fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if is_stdin(path) {
        return Ok(Box::new(io::stdin().lock()));
    }
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(Box::new(File::open(path)?))
}

/// Error of a path that cannot be opened, with a message that has the path and the remedy.
pub fn advise(path: &Path, error: io::Error) -> io::Error {
    let name = path.display();
    let text = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => {
            format!("it is a directory; name the captures in it, as {name}/*")
        }
        io::ErrorKind::PermissionDenied => {
            format!("you have no permission to read it; `ls -l {name}` says who has")
        }
        _ => return error,
    };
    io::Error::new(error.kind(), text)
}

/// Keeps what is read.
struct Recorder<R> {
    input: R,
    read: Vec<u8>,
}

impl<R: Read> Read for Recorder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(out)?;
        self.read.extend_from_slice(&out[..read]);
        Ok(read)
    }
}
