//! Nothing is left, however it ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use airpath_live::os::{Program, Side, clean};

use crate::common::{plan, session, wait};
use crate::roles::me;

/// Leftovers of one test must not be cleaned by another.
static CLEANING: Mutex<()> = Mutex::new(());

fn alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}/ns")).exists()
        && fs::read_to_string(format!("/proc/{pid}/status"))
            .is_ok_and(|status| !status.contains("State:\tZ"))
}

#[test]
fn the_end_of_a_session_ends_all_programs() {
    let Some(session) = session(plan(2)) else { return };
    let folder = session.folder().to_owned();
    assert!(folder.exists());
    let stubborn = "trap '' TERM; setsid sleep 1005 & while :; do sleep 0.1; done";
    let _one = session.spawn(Side::Ue(0), Program::line(stubborn)).expect("a shell");
    let _two = session.spawn(Side::Server, Program::line("sleep 1006")).expect("a shell");
    while session.living().len() < 3 {
        wait(10);
    }
    let ended = session.end(Duration::from_millis(200));
    assert!(ended.len() >= 3, "{ended:?}");
    assert_eq!(session.living(), []);
    drop(session);
    assert!(ended.iter().all(|process| !alive(process.pid)));
    assert!(!folder.exists());
}

#[test]
fn what_a_killed_airpath_leaves_is_found_and_removed() {
    let _alone = CLEANING.lock().unwrap_or_else(PoisonError::into_inner);
    if session(plan(1)).is_none() {
        return;
    }
    let (me, arguments) = me();
    let mut victim = Command::new(me)
        .args(arguments)
        .env("AIRPATH_TEST_ROLE", "victim")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(victim.stdout.take().expect("a pipe")).lines();
    let mut after = |word: &str| {
        let mut told = lines.by_ref().map_while(Result::ok);
        told.find_map(|line| Some(line.split_once(word)?.1.to_owned())).expect("it is told")
    };
    let shell: u32 = after("shell ").parse().expect("a number");
    let folder = PathBuf::from(after("folder "));
    let report = clean().expect("it can be looked");
    assert!(report.alive.contains(&folder), "a living session is left alone: {report}");
    victim.kill().expect("it is ours");
    victim.wait().expect("it is ours");
    assert!(folder.exists());
    while alive(shell) {
        wait(10); // the kernel ends it with airpath
    }
    let report = clean().expect("it can be looked");
    assert!(!folder.exists());
    let leftover = report.removed.iter().find(|leftover| leftover.folder == folder);
    let ended = &leftover.expect("it is found").ended;
    assert_eq!(ended.len(), 2, "the programs of the shell: {report}");
    assert!(ended.iter().all(|process| !alive(process.pid)));
}

#[test]
fn a_namespace_that_is_anothers_now_is_left_alone() {
    let _alone = CLEANING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(session) = session(plan(1)) else { return };
    let other = session.spawn(Side::Ue(0), Program::line("sleep 1007; true")).expect("a shell");
    while session.living().len() < 2 {
        wait(10);
    }
    // A crash long ago, whose namespace's number is now that of the session.
    let folder = session.folder().with_file_name("1-00000000");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("the folder of folders is ours");
    fs::copy(session.folder().join("session"), folder.join("session")).expect("it is ours");
    let report = clean().expect("it can be looked");
    let leftover = report.removed.iter().find(|leftover| leftover.folder == folder);
    let leftover = leftover.expect("it is found");
    assert_eq!(leftover.ended, []);
    assert_eq!(leftover.spared.len(), 2, "{report}");
    assert!(alive(other.pid()));
}
