//! How one end goes on by the clock.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::net::{SocketFlags, accept_with};
use rustix::time::{ClockId, clock_gettime};

use super::socket::{info, open};
use super::{Report, Transfer, failed};

/// Nanoseconds between two readings of what the kernel says of the connection.
const READING: u64 = 10_000_000;
/// Bytes that are written or read at once.
const PIECE: usize = 64 * 1024;

/// Does what is ordered, until the run ends. `origin` is the clock when the world's time begins.
pub(super) fn play(order: &Transfer, origin: u64) -> Report {
    let clock = Clock { origin };
    if order.opens {
        clock.wait(None, order.start);
    }
    let began = clock.now();
    let socket = match open(order) {
        Ok(socket) => socket,
        Err(error) => return failed(error),
    };
    let report = Report { began, ..Report::default() };
    let mut end = End { order, clock, report, readings: (0.0, 0), over: false };
    if order.opens {
        end.go_on(&socket);
    } else if let Some(connection) = end.accepted(&socket) {
        end.go_on(&connection);
    }
    end.clock.wait(None, order.end);
    end.report
}

/// The clock of the world.
struct Clock {
    origin: u64,
}

impl Clock {
    fn now(&self) -> u64 {
        let now = clock_gettime(ClockId::Monotonic);
        (now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64).saturating_sub(self.origin)
    }

    /// Waits until then, or until something can be done with a socket; tells whether it can.
    fn wait(&self, socket: Option<(&OwnedFd, PollFlags)>, until: u64) -> bool {
        loop {
            let now = clock_gettime(ClockId::Monotonic);
            let now = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
            let left = (self.origin + until).saturating_sub(now);
            let limit = Timespec {
                tv_sec: (left / 1_000_000_000) as i64,
                tv_nsec: (left % 1_000_000_000) as i64,
            };
            let all = socket.map(|(socket, flags)| PollFd::new(socket, flags));
            let mut all: Vec<PollFd<'_>> = all.into_iter().collect();
            match poll(&mut all, Some(&limit)) {
                Ok(0) | Err(Errno::INTR) if left > 0 => {}
                found => return found.is_ok_and(|found| found > 0),
            }
            if socket.is_some() {
                return false;
            }
        }
    }
}

/// An end whose socket is open.
struct End<'a> {
    order: &'a Transfer,
    clock: Clock,
    report: Report,
    /// Sum and number of the readings of the RTT, in milliseconds.
    readings: (f64, u32),
    /// Whether there is nothing more to write or read.
    over: bool,
}

impl End<'_> {
    /// The connection, if one comes before the run ends.
    fn accepted(&self, listener: &OwnedFd) -> Option<OwnedFd> {
        while self.clock.now() < self.order.end {
            self.clock.wait(Some((listener, PollFlags::IN)), self.order.end);
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            if let Ok(connection) = accept_with(listener, flags) {
                return Some(connection);
            }
        }
        None
    }

    /// Writes or reads until the run ends.
    fn go_on(&mut self, socket: &OwnedFd) {
        let flags = if self.order.sends { PollFlags::OUT } else { PollFlags::IN };
        let mut buffer = vec![0; PIECE];
        let mut reading = self.clock.now() + READING;
        loop {
            let now = self.clock.now();
            self.over |= self.order.sends && self.order.stop.is_some_and(|stop| now >= stop);
            if now >= reading {
                self.read(socket);
                reading += READING * (1 + (now - reading) / READING);
            }
            if now >= self.order.end {
                return self.read(socket);
            }
            let until = reading.min(self.order.end);
            let until = self.order.stop.filter(|stop| *stop > now).map_or(until, |s| s.min(until));
            match self.over {
                true => drop(self.clock.wait(None, until)),
                false if self.clock.wait(Some((socket, flags)), until) => {
                    self.carry(socket, &mut buffer);
                }
                false => {}
            }
        }
    }

    /// One piece.
    fn carry(&mut self, socket: &OwnedFd, buffer: &mut [u8]) {
        let left = self.order.bytes.map_or(u64::MAX, |all| all - self.report.bytes.min(all));
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let carried = match self.order.sends {
            true => write(socket, &buffer[..most]),
            false => read(socket, buffer),
        };
        match carried {
            Ok(0) => self.over = true,
            Ok(bytes) => self.count(bytes as u64),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => {
                self.report.error = Some(format!("the connection broke: {errno}"));
                self.over = true;
            }
        }
    }

    fn count(&mut self, bytes: u64) {
        let now = self.clock.now();
        self.report.bytes += bytes;
        self.report.counted += if now >= self.order.counts_from { bytes } else { 0 };
        self.report.last = Some(now);
        if self.order.bytes.is_some_and(|all| self.report.bytes >= all) {
            self.report.finish = Some(now);
            self.over = true;
        }
    }

    fn read(&mut self, socket: &OwnedFd) {
        let Some(now) = info(socket) else { return };
        if now.rtt > 0 {
            self.readings.0 += f64::from(now.rtt) / 1e3;
            self.readings.1 += 1;
        }
        let (sum, count) = self.readings;
        self.report.rtt_ms = (count > 0).then(|| sum / f64::from(count));
        self.report.retransmissions = now.retransmissions.into();
        self.report.segments = now.segments.into();
    }
}
