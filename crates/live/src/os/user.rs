//! Users and their groups, as the system's database has them.

use std::env;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use rustix::process::Gid;

use super::OsError;

/// User who runs a program.
#[derive(Debug, Clone)]
pub struct User {
    /// Its number.
    pub uid: u32,
    /// Its first group.
    pub gid: u32,
    /// Its name.
    pub name: String,
    /// Its folder.
    pub home: PathBuf,
    /// Its shell.
    pub shell: PathBuf,
    pub(super) groups: Vec<Gid>,
}

/// Longer than any entry of a database of users.
const ENTRY: usize = 64 * 1024;
/// More groups than a user has (NGROUPS_MAX of Linux).
const GROUPS: usize = 65_536;

impl User {
    /// The user with a name.
    ///
    /// # Errors
    ///
    /// [`OsError::NoUser`].
    #[expect(unsafe_code, reason = "the standard library has no users")]
    pub fn by_name(name: &str) -> Result<User, OsError> {
        let none = || OsError::NoUser { name: name.into() };
        let text = CString::new(name).map_err(|_| none())?;
        lookup(|entry, buffer, result| {
            // SAFETY: all pointers are to live memory, and the length is the buffer's.
            unsafe {
                libc::getpwnam_r(text.as_ptr(), entry, buffer.as_mut_ptr(), buffer.len(), result)
            }
        })
        .ok_or_else(none)
    }

    /// The user with a number.
    ///
    /// # Errors
    ///
    /// [`OsError::NoUser`].
    #[expect(unsafe_code, reason = "the standard library has no users")]
    pub fn by_id(uid: u32) -> Result<User, OsError> {
        lookup(|entry, buffer, result| {
            // SAFETY: all pointers are to live memory, and the length is the buffer's.
            unsafe { libc::getpwuid_r(uid, entry, buffer.as_mut_ptr(), buffer.len(), result) }
        })
        .ok_or_else(|| OsError::NoUser { name: uid.to_string() })
    }

    /// The caller of sudo, if the program was started by it and not by root (sudo(8), SUDO_UID).
    pub fn behind_sudo() -> Option<User> {
        let number = |name| env::var(name).ok()?.parse::<u32>().ok();
        let uid = number("SUDO_UID").filter(|uid| *uid != 0)?;
        let unknown = || {
            let (name, home, shell) = (uid.to_string(), "/".into(), "/bin/sh".into());
            let gid = number("SUDO_GID").unwrap_or(uid);
            User { uid, gid, name, home, shell, groups: Vec::new() }
        };
        Some(User::by_id(uid).unwrap_or_else(|_| unknown()))
    }
}

/// Asks the database for an entry.
#[expect(unsafe_code, reason = "the C library returns pointers")]
fn lookup(
    ask: impl Fn(*mut libc::passwd, &mut [c_char], *mut *mut libc::passwd) -> i32,
) -> Option<User> {
    let mut buffer = vec![0; ENTRY];
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut result = std::ptr::null_mut();
    let status = ask(entry.as_mut_ptr(), &mut buffer, &raw mut result);
    if status != 0 || result.is_null() {
        return None;
    }
    // SAFETY: a result means that the entry was written, with strings in `buffer`.
    let entry = unsafe { entry.assume_init() };
    // SAFETY: the strings of an entry are ended by a zero and live as long as `buffer`.
    let text = |pointer| unsafe { CStr::from_ptr(pointer) };
    let path = |pointer| PathBuf::from(OsStr::from_bytes(text(pointer).to_bytes()));
    let name = text(entry.pw_name);
    Some(User {
        uid: entry.pw_uid,
        gid: entry.pw_gid,
        name: name.to_string_lossy().into_owned(),
        home: path(entry.pw_dir),
        shell: path(entry.pw_shell),
        groups: groups(name, entry.pw_gid),
    })
}

#[expect(unsafe_code, reason = "the standard library has no groups")]
fn groups(name: &CStr, first: u32) -> Vec<Gid> {
    let mut numbers = vec![0; GROUPS];
    let mut count = GROUPS as i32;
    // SAFETY: the kernel's limit of groups fits, and `count` is the length of `numbers`.
    unsafe { libc::getgrouplist(name.as_ptr(), first, numbers.as_mut_ptr(), &raw mut count) };
    numbers.truncate(usize::try_from(count).unwrap_or(0));
    numbers.into_iter().map(Gid::from_raw).collect()
}
