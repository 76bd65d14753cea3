//! Course of one end by the clock.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};
use rustix::net::{SocketFlags, accept_with};
use rustix::time::{ClockId, clock_gettime};

use super::socket::{info, open};
use super::{Done, Report, Step, Transfer, failed};

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
    let origin_unix_ns = order.readings.then(|| clock.origin_unix());
    let report = Report { began, origin_unix_ns, ..Report::default() };
    let mut end =
        End { order, clock, report, rtts: (0.0, 0), over: false, step: 0, left: 0, until: None };
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
    /// Begin of the world's time, by the clock of captures.
    fn origin_unix(&self) -> u64 {
        let unix = clock_gettime(ClockId::Realtime);
        let unix = unix.tv_sec as u64 * 1_000_000_000 + unix.tv_nsec as u64;
        unix - self.now()
    }

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
    rtts: (f64, u32),
    /// True if there is nothing more to write or read.
    over: bool,
    /// The step that is being done, and how many of its bytes are left.
    step: usize,
    left: u64,
    /// End of a step of waiting.
    until: Option<u64>,
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
        let mut buffer = vec![0; PIECE];
        let mut reading = self.clock.now() + READING;
        self.begin(self.clock.now());
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
            if self.until.is_some_and(|until| now >= until) {
                self.go_on_to_the_next(now);
            }
            let until = reading.min(self.order.end);
            let until = self.order.stop.filter(|stop| *stop > now).map_or(until, |s| s.min(until));
            let until = self.until.map_or(until, |step| step.min(until));
            let flags = if self.writes() { PollFlags::OUT } else { PollFlags::IN };
            match self.over || self.until.is_some() {
                true => drop(self.clock.wait(None, until)),
                false if self.clock.wait(Some((socket, flags)), until) => {
                    self.carry(socket, &mut buffer);
                }
                false => {}
            }
        }
    }

    /// True if it writes now; else it reads.
    fn writes(&self) -> bool {
        match self.order.steps.get(self.step) {
            Some(step) => matches!(step, Step::Write(_)),
            None => self.order.sends,
        }
    }

    /// Begins the step.
    fn begin(&mut self, now: u64) {
        (self.left, self.until) = match self.order.steps.get(self.step) {
            Some(Step::Write(bytes) | Step::Read(bytes)) => (*bytes, None),
            Some(Step::Wait(time)) => (0, Some(now + time)),
            None => (u64::MAX, None),
        };
    }

    /// The step is done.
    fn go_on_to_the_next(&mut self, now: u64) {
        if self.order.readings {
            self.report.done.push(Done { at: now, step: self.step });
        }
        self.step = (self.step + 1) % self.order.steps.len().max(1);
        self.begin(now);
    }

    /// One piece.
    fn carry(&mut self, socket: &OwnedFd, buffer: &mut [u8]) {
        let left = self.order.bytes.map_or(u64::MAX, |all| all - self.report.bytes.min(all));
        let left = left.min(self.left);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let writes = self.writes();
        let carried = match writes {
            true => write(socket, &buffer[..most]),
            false => read(socket, &mut buffer[..most]),
        };
        match carried {
            Ok(0) => self.over = true,
            Ok(bytes) => self.went(bytes as u64, writes),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => {
                self.report.error = Some(format!("the connection broke: {errno}"));
                self.over = true;
            }
        }
    }

    /// So many bytes were written or read; those against the order's direction do not count.
    fn went(&mut self, bytes: u64, written: bool) {
        if written == self.order.sends {
            self.count(bytes);
        }
        if !self.order.steps.is_empty() {
            self.left -= bytes;
            if self.left == 0 {
                self.go_on_to_the_next(self.clock.now());
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
        let Some(now) = info(socket, self.clock.now()) else { return };
        if now.rtt_us > 0 {
            self.rtts.0 += f64::from(now.rtt_us) / 1e3;
            self.rtts.1 += 1;
        }
        let (sum, count) = self.rtts;
        self.report.rtt_ms = (count > 0).then(|| sum / f64::from(count));
        self.report.retransmissions = now.retransmissions.into();
        self.report.segments = now.segments.into();
        if self.order.readings {
            self.report.readings.push(now);
        }
    }
}
