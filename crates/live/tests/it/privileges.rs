//! With root, without it, and once privileges are dropped.

use std::env;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use airpath_live::os::{Program, Session, Side};
use rustix::process::geteuid;

use crate::common::{install, output, plan, session};
use crate::roles::me;
use crate::skipped::skipped;

/// Nobody's number, by the convention of distributions and of the kernel (overflowuid).
const NOBODY: u32 = 65_534;

/// A folder that everybody can use, and this program in it.
fn copied(name: &str) -> (PathBuf, PathBuf) {
    let folder = env::temp_dir().join(format!("airpath-live-{name}-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).expect("it is ours");
    let program = folder.join("it");
    install(&me().0, &program);
    (folder, program)
}

#[test]
fn all_of_it_works_without_root() {
    if !geteuid().is_root() {
        return; // it is what the others show
    }
    let (folder, program) = copied("unprivileged");
    let result = Command::new(program)
        .args(["--nocapture", "--skip", "without_root"])
        .current_dir("/")
        .env_remove("XDG_RUNTIME_DIR")
        .env_remove("AIRPATH_SKIPPED") // root's file: the lines are counted below
        .env("TMPDIR", &folder)
        .uid(NOBODY)
        .gid(NOBODY)
        .output()
        .expect("it starts");
    let left: Vec<_> = fs::read_dir(&folder).expect("it is ours").flatten().collect();
    fs::remove_dir_all(&folder).expect("it is ours");
    let text = String::from_utf8_lossy(&result.stderr);
    for reason in text.lines().filter_map(|line| line.strip_prefix("SKIPPED ")) {
        skipped(format_args!("without root: {reason}"));
    }
    assert!(result.status.success(), "{}{text}", String::from_utf8_lossy(&result.stdout));
    assert_eq!(left.len(), 1, "only the program: {left:?}");
}

/// The role: a thread without privileges goes on with a session, which is removed in the end.
pub fn drop_them() {
    let session = Session::create(plan(1)).expect("the test has tried");
    session.drop_privileges().expect("everybody may");
    let status = fs::read_to_string("/proc/thread-self/status").expect("it is our own");
    println!("{}", status.lines().filter(|line| line.starts_with("Cap")).collect::<String>());
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    let file = env::temp_dir().join("written");
    File::create(&file).expect("the folder is everybody's");
    println!("owner {}", fs::metadata(&file).expect("it is there").uid());
    let (_, user) =
        output(&session, Side::Ue(0), Program::line("id -u; sleep 1009 >/dev/null 2>&1 & :"));
    println!("program of {user}");
    assert_eq!(session.living().len(), 1, "what the program left behind");
    let folder = session.folder().to_owned();
    File::create(folder.join("control")).expect("the folder is the user's");
    drop(session);
    assert!(!folder.exists());
}

#[test]
fn a_thread_without_privileges_goes_on_with_the_session() {
    if session(plan(1)).is_none() {
        return;
    }
    let own = geteuid().as_raw();
    let sudo = Some(NOBODY).filter(|_| own == 0);
    for user in [None].into_iter().chain(sudo.map(Some)) {
        let (folder, program) = copied("dropped");
        let mut command = Command::new(program);
        command.args(me().1).env("AIRPATH_TEST_ROLE", "dropped").env("TMPDIR", &folder);
        command.env_remove("SUDO_UID").current_dir("/");
        if let Some(user) = user {
            command.env("SUDO_UID", user.to_string()).env("SUDO_GID", user.to_string());
        }
        let result = command.output().expect("it starts");
        let _ = fs::remove_dir_all(&folder);
        let text = String::from_utf8_lossy(&result.stdout);
        assert!(result.status.success(), "{text}{}", String::from_utf8_lossy(&result.stderr));
        let expected = user.unwrap_or(own);
        assert!(text.contains(&format!("owner {expected}\n")), "{text}");
        assert!(text.contains(&format!("program of {expected}\n")), "{text}");
        // Root keeps CAP_DAC_OVERRIDE (1).
        let kept = if expected == 0 { 1 << 1 } else { 0 };
        assert!(text.contains(&format!("CapEff:\t{kept:016x}")), "{text}");
    }
}
