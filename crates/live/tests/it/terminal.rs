//! A program in the foreground of a terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::thread;

use airpath_live::os::{Program, Session, Side};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{getpgrp, ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::tcgetpgrp;

use crate::common::{plan, session};
use crate::roles::me;

/// The role: a program reads a line and stops itself, the next is interrupted from the keyboard.
pub fn run_in_the_foreground() {
    let session = Session::create(plan(1)).expect("the test has tried");
    let stopping = "read word; echo got $word; kill -TSTP $$; exit 3";
    for line in [stopping, "echo sleeping; exec sleep 1008"] {
        let mut program = Program::line(line);
        program.foreground = true;
        let mut child = session.spawn(Side::Ue(0), program).expect("a shell");
        let code = child.wait().expect("a child").code;
        let back = tcgetpgrp(std::io::stdin()) == Ok(getpgrp());
        println!("ended with {code}, terminal back: {back}");
    }
}

#[test]
fn the_terminal_goes_to_the_program_and_comes_back() {
    if session(plan(1)).is_none() {
        return;
    }
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).expect("a terminal");
    grantpt(&master).expect("a terminal");
    unlockpt(&master).expect("a terminal");
    let name = ptsname(&master, Vec::new()).expect("a terminal");
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = open(name, flags, Mode::empty()).expect("a terminal");
    let (mut master, text) = (File::from(master), String::new());
    let mut role = start(slave.try_clone().expect("a descriptor"));
    drop(slave);
    let text = converse(&mut master, text, "", "hello\n");
    let text = converse(&mut master, text, "sleeping", "\x03");
    let text = converse(&mut master, text, "ended with 130", "");
    role.wait().expect("it ends");
    assert!(text.contains("got hello"), "{text}");
    assert!(text.contains("ended with 3, terminal back: true"), "{text}");
    assert!(text.contains("ended with 130, terminal back: true"), "{text}");
}

/// Starts the role as the leader of a session with a controlling terminal.
#[expect(unsafe_code, reason = "there is no other way to have a controlling terminal")]
fn start(terminal: std::os::fd::OwnedFd) -> std::process::Child {
    let (me, arguments) = me();
    let mut command = Command::new(me);
    command.args(arguments).env("AIRPATH_TEST_ROLE", "terminal");
    for stream in [Command::stdin, Command::stdout, Command::stderr] {
        stream(&mut command, Stdio::from(terminal.try_clone().expect("a descriptor")));
    }
    // SAFETY: system calls only.
    unsafe {
        command.pre_exec(move || {
            setsid()?;
            Ok(ioctl_tiocsctty(terminal.as_fd())?)
        });
    }
    command.spawn().expect("it starts")
}

/// Reads until a word is there, then types; what was read so far.
fn converse(master: &mut File, mut text: String, until: &str, typed: &str) -> String {
    let mut bytes = [0; 1024];
    while !text.contains(until) {
        match master.read(&mut bytes) {
            Ok(count) => text += &String::from_utf8_lossy(&bytes[..count]),
            Err(_) => break, // the other end is closed
        }
    }
    thread::yield_now();
    master.write_all(typed.as_bytes()).expect("a terminal");
    text
}
