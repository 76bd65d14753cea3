//! The folder of a session, by which what a crash leaves is found.
//!
//! Its file `session` is locked as long as airpath lives (flock(2)); the kernel frees the lock of a
//! process that ends, however it does. In the file are the inodes of the namespaces.

use std::env;
use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{
    Access, CWD, FlockOperation, Mode, OFlags, access, chown, flock, fstat, open, openat,
};
use rustix::process::{Gid, Uid, geteuid};
use rustix::rand::{GetRandomFlags, getrandom};

use super::{OsError, User};

/// The file that says what a session has.
const FILE: &str = "session";

/// A session's folder, removed when this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    file: File,
}

impl Folder {
    /// Makes it and takes its lock.
    pub(super) fn create() -> Result<Folder, OsError> {
        let base = base();
        let bad = |source: io::Error| OsError::Folder { path: base.clone(), source };
        let _held = made_and_locked(&base).map_err(bad)?;
        let path = base.join(name().map_err(bad)?);
        DirBuilder::new().mode(0o700).create(&path).map_err(bad)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = openat(CWD, path.join(FILE), flags, Mode::from_raw_mode(0o600));
        let file = File::from(file.map_err(|errno| bad(errno.into()))?);
        let folder = Folder { path, file };
        flock(&folder.file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|errno| bad(errno.into()))?;
        if let Some(user) = User::behind_sudo().filter(|_| geteuid().is_root()) {
            let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
            chown(&folder.path, Some(uid), Some(gid)).map_err(|errno| bad(errno.into()))?;
        }
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the session.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Writes down which namespaces there are.
    pub(super) fn note(&mut self, namespaces: &[u64]) -> Result<(), OsError> {
        let mut text = String::new();
        for inode in namespaces {
            let _ = writeln!(text, "net {inode}");
        }
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| OsError::Folder { path: self.path.clone(), source })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed is found by `clean`.
        let _ = fs::remove_dir_all(&self.path);
        remove_if_empty(&base());
    }
}

/// Folder of the sessions of this user.
pub(super) fn base() -> PathBuf {
    // Root of a user namespace may not write there.
    if geteuid().is_root() && access("/run", Access::WRITE_OK).is_ok() {
        return "/run/airpath".into();
    }
    match env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => Path::new(&folder).join("airpath"),
        None => env::temp_dir().join(format!("airpath-{}", geteuid().as_raw())),
    }
}

/// Makes the folder with all sessions and locks it. Whoever ends a last session may remove it at
/// the same time; then it is made again.
fn made_and_locked(base: &Path) -> io::Result<OwnedFd> {
    loop {
        make_base(base)?;
        let held = match lock_base(base) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other?,
        };
        let inode = fstat(&held)?.st_ino;
        if fs::metadata(base).is_ok_and(|there| there.ino() == inode) {
            return Ok(held);
        }
    }
}

/// Removes the folder with all sessions if there is none in it.
pub(super) fn remove_if_empty(base: &Path) {
    if let Ok(_held) = lock_base(base) {
        // It is not empty if there are sessions.
        let _ = fs::remove_dir(base);
    }
}

/// Others may pass through root's, to a folder of their own; else nobody may.
fn make_base(base: &Path) -> io::Result<()> {
    let mode = if geteuid().is_root() { 0o711 } else { 0o700 };
    match DirBuilder::new().mode(mode).create(base) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Holds off whoever else makes or removes folders, until what it returns is dropped.
pub(super) fn lock_base(base: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = File::from(open(base, flags, Mode::empty())?);
    let data = folder.metadata()?;
    if data.uid() != geteuid().as_raw() || data.mode() & 0o022 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is open to others"));
    }
    let folder = OwnedFd::from(folder);
    flock(&folder, FlockOperation::LockExclusive)?;
    Ok(folder)
}

/// The process, and what no other folder of an earlier process with that number has.
fn name() -> io::Result<String> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(format!("{}-{:08x}", std::process::id(), u32::from_ne_bytes(bytes)))
}

/// Namespaces of a session whose airpath has ended; nothing if it is alive.
pub(super) fn abandoned(folder: &Path) -> io::Result<Option<Vec<u64>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = match open(folder.join(FILE), flags, Mode::empty()) {
        Ok(file) => File::from(file),
        // It ended before it had made anything.
        Err(rustix::io::Errno::NOENT) => return Ok(Some(Vec::new())),
        Err(errno) => return Err(errno.into()),
    };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
        other => other?,
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let inode = |line: &str| line.strip_prefix("net ")?.parse().ok();
    Ok(Some(text.lines().filter_map(inode).collect()))
}
