//! An emulation that goes on: its programs, its requests, and its end.

use std::fs;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration as Grace;

use airpath_base::{Duration, Time};
use airpath_results::Timing;
use airpath_sim::{Course, NotChanged, RunFailure};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::control::{self, Control, Request};
use crate::emulation::{Emulation, EmulationError, Ended, Programs, Watcher};
use crate::hoard::Hoards;
use crate::os::{Child, Exit, OsError, Program, Session, Side};
use crate::{Lateness, Outside, Relay};

/// Time for a server to open a port before clients begin all the same.
const PATIENCE: Duration = Duration::from_secs(3);
/// Interval of looks for an open port, and for events that do not wake the program.
const LOOK: Duration = Duration::from_millis(10);
/// Interval of looks when all programs run.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Time for programs to end after SIGTERM.
const GRACE: Grace = Grace::from_secs(2);

/// An emulation that goes on.
pub(crate) struct Stage<'a> {
    emulation: &'a Emulation<'a>,
    session: &'a Session,
    relay: Relay<'a>,
    control: Control,
    watcher: &'a mut dyn Watcher,
    /// Lateness since the beginning.
    total: Lateness,
    /// Time of the last reading, and the processor time by then.
    looked: (Time, Duration),
    /// Processor time at the beginning.
    began: Duration,
    /// True if the control socket has received a request to end.
    asked_to_end: bool,
    hoards: Hoards,
}

impl<'a> Stage<'a> {
    /// Before anything has been started.
    pub fn new(
        emulation: &'a Emulation<'a>,
        session: &'a Session,
        relay: Relay<'a>,
        control: Control,
        watcher: &'a mut dyn Watcher,
    ) -> Stage<'a> {
        let (total, began) = (Lateness::default(), cpu());
        let (looked, asked_to_end) = ((Time::ZERO, began), false);
        let hoards = Hoards::default();
        Stage {
            emulation,
            session,
            relay,
            control,
            watcher,
            total,
            looked,
            began,
            asked_to_end,
            hoards,
        }
    }

    /// Starts the programs and waits for the ends of clients; true if it was interrupted. Servers stay, for the end of the
    /// session.
    pub fn perform(
        &mut self,
        programs: Programs,
        servers: &mut Vec<Child>,
    ) -> Result<(Vec<Option<Exit>>, bool), EmulationError> {
        for program in programs.servers {
            servers.push(self.spawn(Side::Server, program)?);
        }
        self.await_servers(servers)?;
        if self.is_over() {
            return Ok((vec![None; programs.clients.len()], self.is_interrupted()));
        }
        let clients = programs.clients.into_iter();
        let clients = clients.map(|(ue, program)| self.spawn(Side::Ue(ue), program));
        let mut clients = clients.collect::<Result<Vec<Child>, _>>()?;
        let mut exits: Vec<Option<Exit>> = vec![None; clients.len()];
        while !self.is_over() {
            for (child, exit) in clients.iter_mut().zip(&mut exits) {
                if exit.is_none() {
                    *exit = child.try_wait().unwrap_or_default();
                }
            }
            if exits.iter().all(Option::is_some) {
                return Ok((exits, false));
            }
            let alive = clients.iter().zip(&exits).filter(|(_, exit)| exit.is_none());
            let ends: Vec<_> = alive.map(|(child, _)| child.descriptor()).collect();
            self.turn(LOOK_AGAIN, &ends)?;
        }
        let interrupted = self.is_interrupted();
        self.session.end(GRACE);
        // The terminal goes back to airpath.
        clients.iter_mut().for_each(|child| drop(child.wait()));
        Ok((exits, interrupted))
    }

    fn spawn(&self, side: Side, mut program: Program) -> Result<Child, OsError> {
        program.variable("AIRPATH_ORIGIN", self.relay.origin().to_string());
        program.control = Some(self.control.path().to_owned());
        self.session.spawn(side, program)
    }

    /// Goes on until each server has a port open, or has had time to.
    fn await_servers(&mut self, servers: &mut [Child]) -> Result<(), EmulationError> {
        let until = self.relay.clock() + PATIENCE;
        for child in servers {
            while !listens(child.pid()) && self.relay.clock() < until && !self.is_over() {
                if let Ok(Some(exit)) = child.try_wait() {
                    let name = child.name().to_owned();
                    return Err(EmulationError::Server { name, code: exit.code });
                }
                self.turn(LOOK, &[])?;
            }
        }
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.emulation.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn is_over(&self) -> bool {
        let limit = self.emulation.limit;
        self.is_interrupted()
            || self.asked_to_end
            || limit.is_some_and(|limit| self.relay.clock() >= Time::ZERO + limit)
    }

    /// One turn of the relay, of at most `most` time, with all requests in it.
    fn turn(&mut self, most: Duration, others: &[BorrowedFd<'_>]) -> Result<(), EmulationError> {
        let others: Vec<_> = others.iter().copied().chain(self.control.descriptors()).collect();
        self.relay.turn(self.relay.clock() + most, &others)?;
        self.read();
        self.serve()
    }

    /// Hands out the readings of intervals that are over.
    fn read(&mut self) {
        while let Some(mut reading) = self.relay.gate_mut().course_mut().reading(false) {
            let (now, lateness) = (self.relay.clock(), self.relay.take_lateness());
            let (before, used) = core::mem::replace(&mut self.looked, (now, cpu()));
            let wall = now.since(before).as_secs_f64().max(1e-9);
            let cpu = self.looked.1.saturating_sub(used).as_secs_f64() / wall;
            let lag = now.saturating_since(self.relay.gate().now());
            reading.health = Some(lateness.health(cpu, lag));
            self.total.add(&lateness);
            for warning in self.hoards.look(&reading) {
                self.watcher.warn(now, &warning);
            }
            self.watcher.show(&reading);
            self.control.publish(&reading);
        }
    }

    /// Carries out the requests of the control socket.
    fn serve(&mut self) -> Result<(), EmulationError> {
        let about = self.emulation.about();
        let mut failure = None;
        let (relay, watcher) = (&mut self.relay, &mut self.watcher);
        let asked_to_end = &mut self.asked_to_end;
        self.control.serve(|request| {
            let now = relay.clock();
            let course = relay.gate_mut().course_mut();
            match request {
                Request::Keys => return Ok(json!({ "keys": course.controls().keys() })),
                Request::Watch => return Ok(control::session(&about)),
                Request::End => *asked_to_end = true,
                Request::Set(settings) => {
                    for setting in settings {
                        change(course, now, &setting, &mut failure)?;
                        watcher.say(now, &format!("set {setting}"));
                    }
                }
            }
            Ok(json!({ "done": { "time_s": now.as_secs_f64() } }))
        });
        failure.map_or(Ok(()), |failure| Err(EmulationError::Run(failure)))
    }

    /// Ends the run: its results, and how well the clock was kept.
    pub fn finish(
        mut self,
        exits: Vec<Option<Exit>>,
        interrupted: bool,
    ) -> Result<Ended, EmulationError> {
        self.total.add(&self.relay.take_lateness());
        let wall = self.relay.clock().since(Time::ZERO).as_secs_f64();
        let cpu = cpu().saturating_sub(self.began).as_secs_f64() / wall;
        let sides = (0..self.emulation.ues.len()).map(Side::Ue).chain([Side::Server]);
        let sum = |of: fn(&Session, Side) -> Result<u64, OsError>| -> u64 {
            sides.clone().map(|side| of(self.session, side).unwrap_or(0)).sum()
        };
        let outside = Outside {
            unread: sum(Session::unread),
            refused: self.relay.refused(),
            at_sockets: sum(Session::lost_at_sockets),
            strange: self.relay.gate().strangers().total(),
        };
        let real_time = Some(self.total.real_time(cpu, outside));
        let timing = |simulated| Timing {
            real_time: real_time.clone(),
            ..Timing::new(simulated, wall, host(), 1)
        };
        let course = self.relay.into_gate().into_course();
        let outcome = course.finish(!interrupted, Some(&timing))?;
        let timing = timing(outcome.summary.duration_s);
        Ok(Ended { outcome, exits, timing, interrupted })
    }
}

/// True if a process or one of those that it started accepts connections or datagrams: if there is
/// any such socket in its network namespace.
fn listens(pid: u32) -> bool {
    // proc_pid_net(5): the fourth column is the state; 0A listens, 07 is a datagram socket that is
    // not connected.
    let has = |file: &str, state: &str| {
        let path: PathBuf = ["/proc", &pid.to_string(), "net", file].iter().collect();
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().skip(1).any(|line| line.split_whitespace().nth(3) == Some(state))
    };
    ["tcp", "tcp6"].iter().any(|file| has(file, "0A"))
        || ["udp", "udp6"].iter().any(|file| has(file, "07"))
}

/// Processor time of the calling thread.
pub(crate) fn cpu() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::from_nanos(used.tv_sec as u64 * 1_000_000_000 + used.tv_nsec as u64)
}

/// Name of the machine.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Changes the world; a failure that ends the emulation is kept aside.
fn change(
    course: &mut Course,
    now: Time,
    setting: &str,
    failure: &mut Option<RunFailure>,
) -> Result<(), String> {
    course.change(now, setting, None).map_err(|error| {
        let text = error.to_string();
        if let NotChanged::Run(error) = error {
            *failure = Some(error);
        }
        text
    })
}
