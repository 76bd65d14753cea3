//! Processes that live in network namespaces, found in /proc, and how they are ended.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Interval of looks whether all have ended.
const LOOK: Duration = Duration::from_millis(10);
/// Time for the kernel to end processes that cannot refuse.
const KILLED: Duration = Duration::from_secs(2);

/// A process that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its name, as `ps` shows it.
    pub name: String,
}

/// Processes in the namespaces with the given inodes. Those that may not be looked at are not
/// among them; they are other users'.
pub(super) fn living(namespaces: &[u64]) -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found: Vec<Process> = pids
        .filter(|pid| lives_in(*pid, namespaces))
        .map(|pid| Process { pid, name: name(pid) })
        .collect();
    found.sort_by_key(|process| process.pid);
    found
}

fn lives_in(pid: u32, namespaces: &[u64]) -> bool {
    let namespace = fs::metadata(format!("/proc/{pid}/ns/net"));
    namespace.is_ok_and(|namespace| namespaces.contains(&namespace.ino()))
}

fn name(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm"));
    name.map_or_else(|_| "?".into(), |name| name.trim_end().into())
}

/// Ends all processes in namespaces: by SIGTERM, and after a time of grace by SIGKILL. Returns
/// these processes.
pub(super) fn end(namespaces: &[u64], grace: Duration) -> Vec<Process> {
    let found = living(namespaces);
    signal(&found, namespaces, &[Signal::TERM, Signal::CONT]);
    if !gone(namespaces, grace, &[]) {
        gone(namespaces, KILLED, &[Signal::KILL]);
    }
    found
}

/// Waits until nobody lives in the namespaces, and sends signals meanwhile.
#[expect(clippy::disallowed_methods, reason = "for other processes: no model waits here")]
fn gone(namespaces: &[u64], patience: Duration, signals: &[Signal]) -> bool {
    let start = Instant::now();
    loop {
        let left = living(namespaces);
        if left.is_empty() || start.elapsed() > patience {
            return left.is_empty();
        }
        signal(&left, namespaces, signals);
        std::thread::sleep(LOOK);
    }
}

fn signal(processes: &[Process], namespaces: &[u64], signals: &[Signal]) {
    for process in processes {
        let Some(pid) = Pid::from_raw(process.pid as i32) else { continue };
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
        // The number may have become another process's before the handle was there, not after.
        if lives_in(process.pid, namespaces) {
            for signal in signals {
                // A process that has ended meanwhile needs no signal.
                let _ = pidfd_send_signal(&handle, *signal);
            }
        }
    }
}
