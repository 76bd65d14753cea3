//! A program that was started, and how it ended.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::thread;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::terminal::Terminal;

/// A program in a session, in a process group of its own.
///
/// It is not ended when this is dropped, but by the end of its [`Session`](super::Session).
#[derive(Debug)]
pub struct Child {
    pub(super) process: std::process::Child,
    pub(super) pid: Pid,
    pub(super) handle: OwnedFd,
    pub(super) terminal: Option<Terminal>,
    pub(super) name: String,
}

/// Exit of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Exit code, or 128 and the number of the signal that ended it, as in shells.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Child {
    /// Its number, which is that of its process group as well.
    pub fn pid(&self) -> u32 {
        self.pid.as_raw_pid() as u32
    }

    /// Name of the program in the command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A descriptor that can be read from when the program has ended (pidfd_open(2)): a loop can
    /// wait for it beside others. It has no bytes; ask [`Child::try_wait`].
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// Its standard input, if that is a pipe; once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.process.stdin.take()
    }

    /// Its standard output, if that is a pipe; once.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.process.stdout.take()
    }

    /// Its standard error, if that is a pipe; once.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.process.stderr.take()
    }

    /// Exit of the program, if it has ended. The terminal is taken back then.
    ///
    /// # Errors
    ///
    /// None in a program that leaves its children to this.
    pub fn try_wait(&mut self) -> io::Result<Option<Exit>> {
        let status = self.process.try_wait()?;
        Ok(status.map(|status| self.ended(status)))
    }

    /// Waits until it has ended.
    ///
    /// # Errors
    ///
    /// As [`Child::try_wait`].
    pub fn wait(&mut self) -> io::Result<Exit> {
        let status = self.process.wait()?;
        Ok(self.ended(status))
    }

    /// Sends a signal to its process group.
    ///
    /// # Errors
    ///
    /// There is nobody left in the group, or it is another user's.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(kill_process_group(self.pid, signal)?)
    }

    fn ended(&mut self, status: ExitStatus) -> Exit {
        if let Some(terminal) = self.terminal.take() {
            terminal.take_back();
        }
        let signal = status.signal();
        Exit { code: status.code().unwrap_or(128 + signal.unwrap_or(0)), signal }
    }
}

/// Continues a program in the foreground whenever it was stopped: the emulated cell goes on, and a
/// stopped group would hold the terminal for ever. Shells are not concerned, as they stop their
/// own jobs only.
pub(super) fn never_stopped(pid: Pid) -> io::Result<()> {
    let watch = move || {
        // Ends with an error when the program has been waited for.
        while let Ok(_stopped) = waitid(WaitId::Pid(pid), WaitIdOptions::STOPPED) {
            let _ = kill_process_group(pid, Signal::CONT);
        }
    };
    thread::Builder::new().name("foreground".into()).spawn(watch).map(|_| ())
}
