//! A run that is watched: what its lines are, and that a terminal is given back.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::termios::LocalModes;

use crate::common::terminal::{Terminal, hang_up};
use crate::common::{GOOD, airpath, said};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Run of an hour of a cell with two flows, which a test ends before.
const HOUR: [&str; 5] =
    ["run", "scenarios/lte-6rb.toml", "--set", "duration=\"3600 s\"", "--watch"];
/// The program on a terminal.
fn on_terminal(args: &[&str], set: &[(&str, &str)]) -> Terminal {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(root()).args(args).env("TERM", "xterm-256color").env_remove("NO_COLOR");
    command.envs(set.iter().copied());
    Terminal::run(command)
}

#[test]
fn ctrl_c_gives_the_terminal_back_and_what_there_is_so_far() {
    let mut terminal = on_terminal(&HOUR, &[]);
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
    let mut terminal = on_terminal(&HOUR, &[("NO_COLOR", "1")]);
    terminal.until("Mbit/s");
    let id = terminal.program.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    assert_eq!(terminal.end(), Some(143));
    assert!(!terminal.text.contains("\u{1b}[38"), "{:?}", terminal.text);
}

#[test]
fn a_window_that_is_closed_ends_the_run() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airpath"));
    command.current_dir(root()).args(HOUR).env("TERM", "xterm-256color");
    assert_eq!(hang_up(command, "Mbit/s"), Some(129));
}

#[test]
fn keys_pause_and_slow_a_run_and_end_it() {
    let mut terminal = on_terminal(&[&HOUR[..], &["--speed", "16"]].concat(), &[]);
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
    let mut terminal = on_terminal(&args, &[]);
    terminal.until("one-way delay");
    assert_eq!(terminal.end(), Some(0));
    terminal.until("where a packet's time goes");
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_gets_lines() {
    let mut terminal = on_terminal(&HOUR, &[("TERM", "dumb")]);
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
        // The cost of a run differs from run to run.
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

/// Output of programs would be written over the screen.
#[cfg(target_os = "linux")]
#[test]
fn what_programs_print_stands_on_the_screen_and_comes_behind_it() {
    let server = "for n in 1 2 3 4; do echo a-server-says-$n; sleep 0.4; done; sleep 60";
    let client = "sleep 3; echo a-client-says";
    let args =
        ["emulate", "scenarios/lte-6rb.toml", "--watch", "--server", server, "--client", client];
    let mut terminal = on_terminal(&args, &[]);
    let code = terminal.whole();
    let text = &terminal.text;
    if code != Some(0) && ["TUN", "namespace", "IPv6"].iter().any(|word| text.contains(word)) {
        eprintln!("SKIPPED: {text}");
        return;
    }
    assert_eq!(code, Some(0), "{text}");
    let (_, screen) = text.split_once("\u{1b}[?1049h").expect("a screen");
    let (screen, behind) = screen.split_once("\u{1b}[?1049l").expect("given back");
    let (all, ours) = (screen.matches("a-server-says"), screen.matches("server: a-server-says"));
    let (all, ours) = (all.count(), ours.count());
    assert!(all > 0 && all == ours, "{all} {ours}: {screen:?}");
    for n in 1..=4 {
        assert!(behind.contains(&format!("a-server-says-{n}\r\n")), "{behind:?}");
    }
    assert!(behind.contains("a-client-says\r\n"), "{behind:?}");
    assert!(!screen.contains("x real time"), "an emulation is as fast as the clock: {screen:?}");
}
