//! The controlling terminal: a program in the foreground gets it and gives it back.
//!
//! Source: tcsetpgrp(3), credentials(7). A process in the background that moves the terminal to
//! another group is stopped by SIGTTOU, unless it blocks that signal.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::io;
use rustix::process::{Pid, getpgrp};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp};

/// The terminal that airpath has in the foreground.
#[derive(Debug)]
pub(super) struct Terminal {
    device: OwnedFd,
    group: Pid,
    modes: Termios,
}

impl Terminal {
    /// The controlling terminal, if airpath is in its foreground.
    pub(super) fn in_foreground() -> Option<Terminal> {
        let device = open(c"/dev/tty", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let group = getpgrp();
        let modes = tcgetattr(&device).ok()?;
        (tcgetpgrp(&device) == Ok(group)).then_some(Terminal { device, group, modes })
    }

    /// Hands it to a group of processes. Called between fork and exec.
    pub(super) fn give(&self, group: Pid) -> io::Result<()> {
        unstopped(|| tcsetpgrp(&self.device, group))
    }

    /// Takes it back, with the modes that it had.
    pub(super) fn take_back(&self) {
        // A terminal that was closed meanwhile has nothing to restore.
        let _ = unstopped(|| tcsetpgrp(&self.device, self.group));
        let _ = unstopped(|| tcsetattr(&self.device, OptionalActions::Drain, &self.modes));
    }
}

/// Does something that only the foreground may do without being stopped.
#[expect(unsafe_code, reason = "the standard library has no signal masks")]
fn unstopped<T>(work: impl FnOnce() -> T) -> T {
    let mut stop = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: the sets are live and written before they are read; the mask is this thread's own.
    unsafe {
        libc::sigemptyset(stop.as_mut_ptr());
        libc::sigaddset(stop.as_mut_ptr(), libc::SIGTTOU);
        libc::pthread_sigmask(libc::SIG_BLOCK, stop.as_ptr(), before.as_mut_ptr());
    }
    let result = work();
    // SAFETY: `before` was written by the call above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    result
}
