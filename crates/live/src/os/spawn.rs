//! Starts a program in a namespace.
//!
//! Between fork and exec, a process enters the namespaces and gives up privileges. It must not
//! allocate there, so all is prepared before. A pipe reports a failure there, as the standard
//! library hands out the number of an error only.

use std::env;
use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use rustix::io::{Errno, read, write};
use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, Signal, geteuid, getpid, getppid, pidfd_open, set_parent_process_death_signal,
    setpgid,
};
use rustix::thread::{CapabilitySet, UnshareFlags};

use super::child::never_stopped;
use super::maker::{Made, leave};
use super::program::Program;
use super::terminal::Terminal;
use super::{Child, OsError, User, privileges};

/// Location of a program.
#[derive(Debug)]
pub(super) struct Place {
    /// Namespaces, and the index of the network among them.
    pub made: Arc<Made>,
    pub net: usize,
    /// Files that are put over others in a mount namespace of the program's own.
    pub mounts: Vec<(CString, CString)>,
}

/// Starts it with airpath's own variables.
pub(super) fn spawn(
    place: Place,
    mut program: Program,
    mut variables: Vec<(&'static str, OsString)>,
) -> Result<Child, OsError> {
    let system = |source: Errno| OsError::system("start a program", source);
    // A user namespace has one user only, and inside it nobody can be another.
    let user = program.user.take().or_else(User::behind_sudo).filter(|_| place.made.user.is_none());
    variables.extend(surroundings(&mut program, user.as_ref()));
    let terminal = program.foreground.then(Terminal::in_foreground).flatten().map(Arc::new);
    let (failed, fails) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK).map_err(system)?;
    let (parent, shell) = (getpid(), shell(user.as_ref()));
    let entry = Entry { place, user, terminal: terminal.clone(), parent, fails };
    let name = program.name.clone();
    let process = start(program.into_command(shell, variables), entry);
    let terminal = terminal.and_then(Arc::into_inner);
    let process = match process {
        Ok(process) => process,
        Err(source) => {
            terminal.inspect(Terminal::take_back);
            return Err(refused(&name, source, &failed));
        }
    };
    let pid = Pid::from_child(&process);
    let handle = pidfd_open(pid, PidfdFlags::empty()).map_err(system)?;
    if terminal.is_some() {
        never_stopped(pid).map_err(|source| OsError::system("start a thread", source))?;
    }
    Ok(Child { process, pid, handle, terminal, name })
}

/// Variables that come from the user of the program and from its plan.
fn surroundings(program: &mut Program, user: Option<&User>) -> Vec<(&'static str, OsString)> {
    let mut variables = Vec::new();
    if let Some(user) = user {
        variables.push(("HOME", user.home.clone().into()));
        variables.push(("USER", user.name.clone().into()));
        variables.push(("LOGNAME", user.name.clone().into()));
    }
    if let Some(path) = program.control.take() {
        variables.push(("AIRPATH_CONTROL", path.into()));
    }
    variables
}

/// The shell of a user, or of who runs airpath.
fn shell(user: Option<&User>) -> PathBuf {
    let shell = match user {
        Some(user) => user.shell.clone(),
        None => env::var_os("SHELL").unwrap_or_default().into(),
    };
    if shell.as_os_str().is_empty() { "/bin/sh".into() } else { shell }
}

/// Actions of a process before it becomes the program.
struct Entry {
    place: Place,
    user: Option<User>,
    terminal: Option<Arc<Terminal>>,
    parent: Pid,
    fails: OwnedFd,
}

#[expect(unsafe_code, reason = "there is no other way to enter a namespace before a program")]
fn start(mut command: Command, entry: Entry) -> io::Result<std::process::Child> {
    let enter = move || {
        answer_signals();
        entry.enter().inspect_err(|_| {
            let _ = write(&entry.fails, b"!");
        })?;
        Ok(())
    };
    // SAFETY: `Entry::enter` makes system calls only; it neither allocates nor takes a lock.
    unsafe { command.pre_exec(enter) };
    command.spawn()
}

/// A program answers to what ends it. Who was started in the background of a script ignores SIGINT and
/// SIGQUIT, and would hand that on.
#[expect(unsafe_code, reason = "there is no safe way to have a signal's default back")]
fn answer_signals() {
    for signal in [libc::SIGINT, libc::SIGQUIT] {
        // SAFETY: a system call; the default has no handler that could be wrong.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

impl Entry {
    fn enter(&self) -> Result<(), Errno> {
        let Place { made, net, mounts } = &self.place;
        made.enter(*net)?;
        if !mounts.is_empty() {
            put_over(mounts)?;
        }
        setpgid(None, None)?;
        if let Some(terminal) = &self.terminal {
            terminal.give(getpid())?;
        }
        if let Some(user) = &self.user {
            privileges::become_user(user)?;
        }
        if !geteuid().is_root() {
            privileges::keep(CapabilitySet::empty())?;
        }
        // A change of user would undo this.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have ended before the line above.
        if getppid() == Some(self.parent) { Ok(()) } else { Err(Errno::SRCH) }
    }
}

/// Enters a mount namespace of its own. What the host mounts later is seen in it, and nothing of it
/// is seen outside.
fn put_over(mounts: &[(CString, CString)]) -> Result<(), Errno> {
    leave(UnshareFlags::NEWNS)?;
    mount_change(c"/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    mounts.iter().try_for_each(|(source, target)| mount_bind(source.as_c_str(), target.as_c_str()))
}

/// Reason for which a program was not started: before it was reached, or because of itself.
fn refused(name: &str, source: io::Error, failed: &OwnedFd) -> OsError {
    let mut byte = [0];
    if read(failed, &mut byte) == Ok(1) {
        return OsError::system("enter a namespace to start a program", source);
    }
    let everywhere = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&everywhere).map(|folder| folder.join(name));
    match source.kind() {
        io::ErrorKind::NotFound => OsError::NoProgram { name: name.into() },
        // A folder of PATH that may not be read says the same of every program.
        io::ErrorKind::PermissionDenied if !places.any(|place| place.exists()) => {
            OsError::NoProgram { name: name.into() }
        }
        _ => OsError::BadProgram { name: name.into(), source },
    }
}
