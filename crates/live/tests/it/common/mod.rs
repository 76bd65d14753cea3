//! A session with two UEs, and a relay instead of a cell.

use std::io::Read as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::skipped::skipped;
use airpath_live::os::{Exit, OsError, Plan, Program, Session, Side, UeNet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{read, write};

/// A plan with as many UEs.
pub fn plan(ues: usize) -> Plan {
    plan_within(45, 0xa1, ues)
}

/// A plan with other addresses: IPv4 in 10.`v4`, IPv6 in fd00:`v6`.
pub fn plan_within(v4: u8, v6: u16, ues: usize) -> Plan {
    let ue = |number: usize| UeNet {
        name: format!("ue{number}"),
        v4: Ipv4Addr::from_bits(u32::from(Ipv4Addr::new(10, v4, 0, 2)) + number as u32),
        v6: Ipv6Addr::new(0xfd00, v6, 0, 0, 0, 0, 1, number as u16),
    };
    Plan {
        ues: (0..ues).map(ue).collect(),
        server_v4: Ipv4Addr::new(10, v4 + 1, 0, 1),
        server_v6: Ipv6Addr::new(0xfd00, v6, 0, 0, 0, 0, 0, 1),
        mtu: 1500,
        outside: false,
        settings: Vec::new(),
    }
}

/// A session, or none if the machine forbids it, which is printed.
pub fn session(plan: Plan) -> Option<Session> {
    match Session::create(plan) {
        Ok(session) => Some(session),
        Err(
            error @ (OsError::NoTun
            | OsError::TunDenied { .. }
            | OsError::Denied { .. }
            | OsError::ReadOnly { .. }
            | OsError::NoIpv6),
        ) => {
            skipped(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Carries packets from the server's device to the UE that has the address, and from UEs to the
/// server's, until the end of `work`. Shows each to `see`.
pub fn relayed<T>(
    session: &Session,
    ues: usize,
    see: &(impl Fn(&[u8]) + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                carry(session, ues, see);
            }
        });
        let _end = End(&done);
        work()
    })
}

/// Ends the relay, also when the test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn carry(session: &Session, ues: usize, see: &impl Fn(&[u8])) {
    let mut tuns = vec![session.server_tun()];
    tuns.extend((0..ues).map(|ue| session.ue_tun(ue)));
    let mut ready: Vec<_> = tuns.iter().map(|tun| PollFd::new(tun, PollFlags::IN)).collect();
    let patience = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    poll(&mut ready, Some(&patience)).expect("devices can be waited for");
    let ready: Vec<bool> = ready.iter().map(|tun| !tun.revents().is_empty()).collect();
    for from in (0..tuns.len()).filter(|place| ready[*place]) {
        let mut packet = [0; 65_536];
        while let Ok(length) = read(tuns[from], &mut packet) {
            see(&packet[..length]);
            let to = if from == 0 { destination(&packet[..length]) } else { 0 };
            write(tuns[to], &packet[..length]).expect("a device takes a packet");
        }
    }
}

/// Index of the device for an address of [`plan`].
fn destination(packet: &[u8]) -> usize {
    match packet[0] >> 4 {
        4 => usize::from(packet[19]) - 1,
        _ => usize::from(packet[39]) + 1,
    }
}

/// Packets of a device that can be read, as whole packets.
pub fn packets(tun: BorrowedFd<'_>) -> Vec<Vec<u8>> {
    let mut packet = [0; 65_536];
    let next = |_| read(tun.as_fd(), &mut packet).ok().map(|length| packet[..length].to_vec());
    (0..).map_while(next).collect()
}

/// Runs a program to its end; its exit and what it wrote.
pub fn output(session: &Session, side: Side, mut program: Program) -> (Exit, String) {
    program.stdin = Stdio::null();
    program.stdout = Stdio::piped();
    let mut child = session.spawn(side, program).unwrap_or_else(|error| panic!("{error}"));
    let mut text = String::new();
    child.stdout().expect("a pipe").read_to_string(&mut text).expect("text");
    (child.wait().expect("it can be waited for"), text)
}

/// Copies a file as a program that all users may execute.
///
/// Another program writes it, as a child that another thread starts would inherit a file of this process. A program that
/// is open for writing cannot be executed (ETXTBSY of execve(2)).
pub fn install(from: &Path, to: &Path) {
    let status = Command::new("install").args(["-m", "755"]).arg(from).arg(to).status();
    assert!(status.expect("install starts").success(), "{}", to.display());
}

/// Waits for some milliseconds.
#[expect(clippy::disallowed_methods, reason = "the tests wait for processes")]
pub fn wait(milliseconds: u64) {
    thread::sleep(std::time::Duration::from_millis(milliseconds));
}

/// The clock.
#[expect(clippy::disallowed_methods, reason = "the tests wait for processes")]
pub fn now() -> std::time::Instant {
    std::time::Instant::now()
}
