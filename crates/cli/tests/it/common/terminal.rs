//! A terminal with a program on it: a pseudo-terminal of 24 lines, and of 80 columns as a rule.
//! Tests of the program and of its view share it; each uses some of it.
#![allow(dead_code)]

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// Longest wait of a test for a program.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a program on it.
pub struct Terminal {
    /// The program.
    pub program: Child,
    keys: File,
    /// The program's end of the terminal, until the program has ended.
    screen: Option<File>,
    shown: Receiver<Vec<u8>>,
    /// Output of the program, as far as a test has waited for it.
    pub text: String,
    before: Termios,
}

impl Terminal {
    /// The program on a terminal of its own.
    pub fn run(command: Command) -> Terminal {
        Terminal::wide(command, 80)
    }

    /// The program on a terminal with so many columns.
    pub fn wide(command: Command, columns: u16) -> Terminal {
        let (keys, screen) = pair(columns);
        let before = tcgetattr(&screen).expect("its modes");
        let program = spawn(command, &screen);
        let shown = read(keys.try_clone().expect("one more"));
        Terminal { program, keys, screen: Some(screen), shown, text: String::new(), before }
    }

    /// Waits until the program has written `part`.
    pub fn until(&mut self, part: &str) {
        while !self.text.contains(part) {
            let more = self.shown.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.text));
            self.text += &String::from_utf8_lossy(&more);
        }
    }

    /// Waits until the program has ended and all that it has written is read: its exit code.
    pub fn whole(&mut self) -> Option<i32> {
        let code = self.program.wait().expect("a status").code();
        // A terminal without an end for programs is read to its end.
        self.screen = None;
        while let Ok(more) = self.shown.recv_timeout(PATIENCE) {
            self.text += &String::from_utf8_lossy(&more);
        }
        code
    }

    /// Presses a key.
    pub fn press(&mut self, key: &[u8]) {
        self.keys.write_all(key).expect("a key");
    }

    /// The modes that the terminal has now.
    pub fn modes(&self) -> Termios {
        tcgetattr(self.screen.as_ref().expect("a program")).expect("its modes")
    }

    /// Waits for the end: its exit code, and that the terminal is as it was.
    pub fn end(&mut self) -> Option<i32> {
        // The cursor is shown last of all.
        self.until("\u{1b}[?25h");
        let code = self.program.wait().expect("a status").code();
        let (before, after) = (&self.before, self.modes());
        assert_eq!(before.local_modes, after.local_modes);
        assert_eq!(before.input_modes, after.input_modes);
        assert_eq!(before.output_modes, after.output_modes);
        assert!(self.text.contains("\u{1b}[?1049l"), "the other screen stays: {:?}", self.text);
        code
    }
}

/// Runs the program until it has written `part`, then closes its terminal, as a window that is closed; the exit code.
pub fn hang_up(command: Command, part: &str) -> Option<i32> {
    let (mut keys, screen) = pair(80);
    let mut program = spawn(command, &screen);
    drop(screen);
    let (mut text, mut piece) = (String::new(), [0; 4_096]);
    while !text.contains(part) {
        let size = keys.read(&mut piece).expect("the program writes");
        text += &String::from_utf8_lossy(&piece[..size]);
    }
    drop(keys);
    let step = Duration::from_millis(20);
    let (_sender, pause) = channel::<()>();
    for _ in 0..PATIENCE.as_millis() / step.as_millis() {
        if let Some(status) = program.try_wait().expect("a status") {
            return status.code();
        }
        let _ = pause.recv_timeout(step);
    }
    program.kill().expect("an end");
    panic!("the program runs on without its terminal");
}

/// Both ends of a new terminal with these columns and 24 lines: that of the keys, and that of the program.
fn pair(columns: u16) -> (File, File) {
    let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    // A program that had this end, too, would keep its terminal alive.
    fcntl_setfd(&keys, FdFlags::CLOEXEC).expect("an end of ours alone");
    grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a terminal of ours");
    let name = ptsname(&keys, Vec::new()).expect("its name");
    let open = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, 0.into());
    let screen = File::from(open.expect("its other end"));
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&screen, size).expect("a size");
    (File::from(keys), screen)
}

/// Starts the program with all three standard streams on the terminal. The caller's ends are not inherited.
fn spawn(mut command: Command, screen: &File) -> Child {
    let end = || Stdio::from(screen.try_clone().expect("one more"));
    command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("the program")
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Receiver of a terminal's output, in pieces as the terminal gets them.
fn read(mut from: File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut piece = [0; 4_096];
        while let Ok(size @ 1..) = from.read(&mut piece) {
            if sender.send(piece[..size].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
