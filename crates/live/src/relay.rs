//! The clock drives the world: devices are read and written, and what is due happens when it is
//! due.
//!
//! The world gets the planned times of events, not those at which the program came to them, and
//! catches up when it is late. A late wake-up therefore skips no slot, and moves no packet in the
//! model.

use core::num::NonZeroU64;
use std::io;
use std::os::fd::BorrowedFd;

use airpath_base::{Duration, Time};
use airpath_sim::RunFailure;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::thread::set_current_timer_slack;
use rustix::time::{ClockId, clock_gettime};

use crate::Gate;
use crate::health::Lateness;

/// Wake-ups of the world between two looks at the devices.
const MOST_WAKES: u32 = 2_000;
/// Packets that are read from a device before others have their turn.
const MOST_PACKETS: usize = 64;
/// The largest IP packet.
const LARGEST: usize = 65_535;

/// Carries packets between devices and a world, by the clock.
pub struct Relay<'a> {
    gate: Gate,
    /// Of the hosts, in their order.
    devices: Vec<BorrowedFd<'a>>,
    /// Devices with something to read.
    ready: Vec<bool>,
    /// The clock when the world's time began.
    origin: u64,
    lateness: Lateness,
    /// Packets that the kernel did not take.
    refused: u64,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

/// Reason for which a relay had to stop.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The model made a mistake.
    #[error(transparent)]
    Model(#[from] RunFailure),
    /// A device cannot be read or waited for.
    #[error("the device of {host} cannot be used: {source}")]
    Device {
        /// Name of the device's host.
        host: String,
        /// Error of the system.
        source: io::Error,
    },
}

impl<'a> Relay<'a> {
    /// A relay between a world at its beginning and the devices of its hosts, in their order; the
    /// world's time begins after `lead`.
    pub fn new(gate: Gate, devices: Vec<BorrowedFd<'a>>, lead: Duration) -> Relay<'a> {
        // Wake-ups are not put off to be handled together. What that needs is not refused anyone.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        let ready = vec![true; devices.len()];
        let (incoming, outgoing) = (vec![0; LARGEST], Vec::with_capacity(LARGEST));
        let (origin, lateness) = (clock() + lead.as_nanos(), Lateness::default());
        Relay { gate, devices, ready, origin, lateness, refused: 0, incoming, outgoing }
    }

    /// The world.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The world, to change it.
    pub fn gate_mut(&mut self) -> &mut Gate {
        &mut self.gate
    }

    /// The clock (CLOCK_MONOTONIC) when the world's time begins, in nanoseconds.
    pub fn origin(&self) -> u64 {
        self.origin
    }

    /// Time of the world; 0 until its time begins.
    pub fn clock(&self) -> Time {
        Time::from_nanos(clock().saturating_sub(self.origin))
    }

    /// Packets that the kernel did not take when they arrived.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Lateness of wake-ups and packets since the last call.
    pub fn take_lateness(&mut self) -> Lateness {
        core::mem::take(&mut self.lateness)
    }

    /// The world, at its end.
    pub fn into_gate(self) -> Gate {
        self.gate
    }

    /// Does what is due, and waits until there is more to do, one of `others` can be read, or it is
    /// `latest`.
    ///
    /// # Errors
    ///
    /// If the model made a mistake, or a device does not work.
    pub fn turn(&mut self, latest: Time, others: &[BorrowedFd<'_>]) -> Result<(), RelayError> {
        let now = self.clock();
        if let Some(due) = self.gate.next_wake().filter(|due| *due <= now) {
            self.lateness.begun(now.since(due));
        }
        let mut idle = self.gate.go_on(now, MOST_WAKES)?;
        self.deliver();
        for host in 0..self.devices.len() {
            if core::mem::take(&mut self.ready[host]) {
                idle &= self.fetch(host)?;
            }
        }
        self.deliver();
        self.wait(if idle { latest } else { Time::ZERO }, others)
    }

    /// Reads what a host has sent; tells whether that was all.
    fn fetch(&mut self, host: usize) -> Result<bool, RelayError> {
        for _ in 0..MOST_PACKETS {
            let length = match read(self.devices[host], &mut self.incoming[..]) {
                Ok(length) => length,
                Err(Errno::AGAIN) => return Ok(true),
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(self.broken(host, errno)),
            };
            // A world that is behind gets the packet in its own present.
            let at = match self.gate.next_wake() {
                Some(due) if due <= self.clock() => self.gate.now(),
                _ => self.clock().max(self.gate.now()),
            };
            self.gate.bring(at, host, &self.incoming[..length])?;
        }
        self.ready[host] = true;
        Ok(false)
    }

    /// Hands out what has left the world.
    fn deliver(&mut self) {
        let (devices, origin) = (&self.devices, self.origin);
        let (lateness, refused) = (&mut self.lateness, &mut self.refused);
        self.gate.take(&mut self.outgoing, |host, at, bytes| match write(devices[host], bytes) {
            Ok(_) => {
                let now = Time::from_nanos(clock().saturating_sub(origin));
                lateness.left(now.saturating_since(at));
            }
            Err(_) => *refused += 1,
        });
    }

    fn wait(&mut self, latest: Time, others: &[BorrowedFd<'_>]) -> Result<(), RelayError> {
        let due = self.gate.next_wake().unwrap_or(Time::MAX);
        let until = due.min(latest);
        let all = self.devices.iter().chain(others);
        let mut all: Vec<PollFd<'_>> =
            all.map(|one| PollFd::from_borrowed_fd(*one, PollFlags::IN)).collect();
        let left = until.saturating_since(self.clock());
        let left = Timespec {
            tv_sec: (left.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (left.as_nanos() % 1_000_000_000) as i64,
        };
        let found = match poll(&mut all, Some(&left)) {
            Ok(found) => found,
            Err(Errno::INTR) => return Ok(()),
            Err(errno) => return Err(self.broken(0, errno)),
        };
        if found == 0 && due == until && !(left.tv_sec == 0 && left.tv_nsec == 0) {
            self.lateness.woken(self.clock().saturating_since(due));
        }
        let ready = all.iter().map(|one| !one.revents().is_empty());
        let ready: Vec<bool> = ready.take(self.devices.len()).collect();
        self.ready.iter_mut().zip(ready).for_each(|(known, now)| *known |= now);
        Ok(())
    }

    fn broken(&self, host: usize, errno: Errno) -> RelayError {
        let host = self.gate.hosts()[host].name.clone();
        RelayError::Device { host, source: errno.into() }
    }
}

/// The clock that nobody sets, in nanoseconds.
fn clock() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
