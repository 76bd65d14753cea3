//! Program to be started: its namespace and its surroundings.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::User;

/// One end of the emulated path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Behind the gateway.
    Server,
    /// A UE, by its index in the plan.
    Ue(usize),
}

/// A program, and how it is to be started.
#[derive(Debug)]
pub struct Program {
    /// Nothing is named for the user's shell.
    program: Option<OsString>,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    /// Name in messages.
    pub(super) name: String,
    /// Its standard input.
    pub stdin: Stdio,
    /// Its standard output.
    pub stdout: Stdio,
    /// Its standard error.
    pub stderr: Stdio,
    /// User who runs it. Default: the caller of sudo, else the user of airpath. Without root, no
    /// other user can.
    pub user: Option<User>,
    /// True if it gets the terminal: Ctrl-C is for it, and it may read. At most one at a time.
    pub foreground: bool,
    /// Path of the control socket, which the program finds as `AIRPATH_CONTROL`.
    pub control: Option<PathBuf>,
}

impl Program {
    /// A program and what it is given; it has airpath's own input and outputs, and not the
    /// terminal. It is looked for in `PATH`.
    pub fn new(program: impl AsRef<OsStr>, arguments: &[impl AsRef<OsStr>]) -> Program {
        let program = program.as_ref();
        let name = program.to_string_lossy().into_owned();
        let arguments = arguments.iter().map(|argument| argument.as_ref().into()).collect();
        Program { arguments, ..Program::named(Some(program.into()), name) }
    }

    /// A line for `/bin/sh`.
    pub fn line(line: &str) -> Program {
        Program { name: line.into(), ..Program::new("/bin/sh", &["-c", line]) }
    }

    /// An interactive shell in the foreground: that of the user.
    pub fn shell() -> Program {
        Program { foreground: true, ..Program::named(None, "shell".into()) }
    }

    fn named(program: Option<OsString>, name: String) -> Program {
        Program {
            program,
            arguments: Vec::new(),
            variables: Vec::new(),
            name,
            stdin: Stdio::inherit(),
            stdout: Stdio::inherit(),
            stderr: Stdio::inherit(),
            user: None,
            foreground: false,
            control: None,
        }
    }

    /// Sets a variable of its environment, beside airpath's own.
    pub fn variable(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.push((name.into(), value.into()));
    }

    /// Command of the standard library, with more variables.
    pub(super) fn into_command(self, shell: PathBuf, more: Vec<(&str, OsString)>) -> Command {
        let mut command = Command::new(self.program.unwrap_or_else(|| shell.into()));
        command.args(self.arguments).envs(more).envs(self.variables);
        command.stdin(self.stdin).stdout(self.stdout).stderr(self.stderr);
        command
    }
}
