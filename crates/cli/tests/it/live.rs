//! A run that is watched: what its lines are, and that a terminal is given back.

use std::fs;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

use crate::common::{GOOD, airpath, said};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// An hour of a cell with two flows: it ends when it is told to.
const HOUR: [&str; 5] =
    ["run", "scenarios/lte-6rb.toml", "--set", "duration=\"3600 s\"", "--watch"];
/// How long a test waits for a program.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a program on it.
struct Terminal {
    program: Child,
    keys: File,
    screen: File,
    shown: Receiver<Vec<u8>>,
    text: String,
    before: Termios,
}

impl Terminal {
    /// A terminal of 80 columns and 24 lines, and the program on it.
    fn run(args: &[&str], set: &[(&str, &str)]) -> Terminal {
        let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&keys).and_then(|()| unlockpt(&keys)).expect("a terminal of ours");
        let name = ptsname(&keys, Vec::new()).expect("its name");
        let open = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, 0.into());
        let screen = File::from(open.expect("its other end"));
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&screen, size).expect("a size");
        let before = tcgetattr(&screen).expect("its modes");
        let end = || Stdio::from(screen.try_clone().expect("one more"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
        command.current_dir(root()).args(args).env("TERM", "xterm-256color").env_remove("NO_COLOR");
        command.envs(set.iter().copied()).stdin(end()).stdout(end()).stderr(end());
        let program = command.spawn().expect("the program");
        let keys = File::from(keys);
        let shown = read(keys.try_clone().expect("one more"));
        Terminal { program, keys, screen, shown, text: String::new(), before }
    }

    /// Waits until the program has written `part`.
    fn until(&mut self, part: &str) {
        while !self.text.contains(part) {
            let more = self.shown.recv_timeout(PATIENCE);
            let more = more.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.text));
            self.text += &String::from_utf8_lossy(&more);
        }
    }

    fn press(&mut self, key: &[u8]) {
        self.keys.write_all(key).expect("a key");
    }

    fn modes(&self) -> Termios {
        tcgetattr(&self.screen).expect("its modes")
    }

    /// Waits for the end: its exit code, and that the terminal is as it was.
    fn end(&mut self) -> Option<i32> {
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

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// What a terminal shows, piece by piece.
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

#[test]
fn ctrl_c_gives_the_terminal_back_and_what_there_is_so_far() {
    let mut terminal = Terminal::run(&HOUR, &[]);
    terminal.until("Mbit/s");
    let raw = terminal.modes().local_modes;
    assert!(!raw.contains(LocalModes::ECHO | LocalModes::ICANON), "keys are taken one by one");
    terminal.press(b"\x03");
    assert_eq!(terminal.end(), Some(130));
    // The summary stands on the screen that was there before.
    terminal.until("interrupted at");
    let (_, behind) = terminal.text.rsplit_once("\u{1b}[?1049l").expect("the screen of before");
    assert!(behind.contains("where a packet's time goes"), "{behind}");
}

#[test]
fn a_signal_gives_it_back_as_well_and_colours_are_left_out_on_request() {
    let mut terminal = Terminal::run(&HOUR, &[("NO_COLOR", "1")]);
    terminal.until("Mbit/s");
    let id = terminal.program.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    assert_eq!(terminal.end(), Some(130));
    assert!(!terminal.text.contains("\u{1b}[38"), "{:?}", terminal.text);
}

#[test]
fn keys_pause_and_slow_a_run_and_end_it() {
    let mut terminal = Terminal::run(&[&HOUR[..], &["--speed", "16"]].concat(), &[]);
    terminal.until("at most 16.0x");
    terminal.press(b"-");
    terminal.until("at most 8.00x");
    terminal.press(b"p");
    terminal.until("PAUSED");
    terminal.press(b"q");
    assert_eq!(terminal.end(), Some(130));
}

#[test]
fn a_run_that_ends_by_itself_leaves_its_summary() {
    let args = ["run", "scenarios/lte-6rb.toml", "--watch", "--speed", "20"];
    let mut terminal = Terminal::run(&args, &[]);
    terminal.until("one-way delay");
    assert_eq!(terminal.end(), Some(0));
    terminal.until("where a packet's time goes");
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_lines() {
    let mut terminal = Terminal::run(&HOUR, &[("TERM", "dumb")]);
    terminal.until("2.0 s  download ");
    assert!(!terminal.text.contains('\u{1b}'), "{:?}", terminal.text);
}

/// The lines of a run that is watched, without its summary.
fn lines(args: &[&str]) -> String {
    let output = airpath(root(), &[&["run"], args, &["--watch"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().take_while(|line| line.contains(" s  "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn lines_of_a_template() {
    let all = lines(&["scenarios/lte-6rb.toml"]);
    // The page of documentation shows the first two.
    let page = include_str!("../../../../docs/live.md");
    assert!(all.lines().take(2).all(|line| page.lines().any(|shown| shown == line)), "{all}");
    insta::assert_snapshot!(all);
    let warm_up = ["scenarios/lte-6rb.toml", "--set", "output.warm_up=\"1500 ms\""];
    assert!(lines(&warm_up).contains("\n1.5 s  the warm-up is over"), "{}", lines(&warm_up));
}

#[test]
fn watching_changes_no_file_and_leaves_standard_output_to_json() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("cell.toml"), GOOD).expect("a file");
    let watched =
        ["run", "cell.toml", "--out", "watched", "--json", "--watch", "--interval", "0.05"];
    let output = airpath(folder.path(), &watched);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    assert_eq!(json["complete"], true);
    let lines = String::from_utf8(output.stderr).expect("text");
    let times: Vec<&str> = lines.lines().filter_map(|line| line.split("  ").next()).collect();
    assert_eq!(times, ["0.05 s", "0.10 s", "0.15 s", "0.20 s"]);
    airpath(folder.path(), &["run", "cell.toml", "--out", "plain", "-q"]);
    for entry in fs::read_dir(folder.path().join("plain")).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let read = |of: &str| fs::read(folder.path().join(of).join(&name)).expect("a file");
        // What a run cost differs from run to run.
        assert!(name == "timing.json" || read("watched") == read("plain"), "{}", name.display());
    }
}

#[test]
fn what_an_interval_and_a_speed_cannot_be_is_said() {
    let refused = |args: &[&str]| {
        let output = airpath(root(), &[&["run", "scenarios/lte-6rb.toml"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        said(&output)
    };
    assert!(refused(&["--watch", "--interval", "0"]).contains("from 0.001 to 86400"));
    assert!(refused(&["--watch", "--speed", "nan"]).contains("from 0.001 to 1000000"));
    assert!(refused(&["--speed", "1"]).contains("--watch"));
    assert!(refused(&["--watch", "--quiet"]).contains("--quiet"));
}
