//! An emulation from its beginning to its end: programs, devices, a world, and the clock.

use std::fs;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration as Grace;

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};
use airpath_results::Timing;
use airpath_results::live::{self, Reading};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Host, WorldError, WorldOptions};
use airpath_sim::{Course, NotChanged, Outcome, RunFailure};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

use crate::control::{self, Control, Request};
use crate::os::{self, Child, Exit, OsError, Plan, Program, Session, Side, UeNet};
use crate::relay::{Relay, RelayError};
use crate::{Gate, Lateness};

/// How long a server has to open a port before clients begin all the same.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often is looked whether it has, and for what else nothing wakes the program.
const LOOK: Duration = Duration::from_millis(10);
/// The same when all programs run.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How often there is a reading.
const READING: Duration = Duration::from_secs(1);
/// How long programs have to end when they are told to.
const GRACE: Grace = Grace::from_secs(2);

/// What is to be emulated.
pub struct Emulation<'a> {
    /// What the scenario is called.
    pub name: &'a str,
    /// The path and its cell. Its duration says nothing: programs end an emulation.
    pub scenario: &'a Scenario,
    /// Seed in place of the scenario's.
    pub seed: Option<u64>,
    /// Folder for results.
    pub out: Option<&'a Path>,
    /// Names of the UEs that programs use.
    pub ues: &'a [String],
    /// Whether these UEs have their simulated flows beside that.
    pub with_flows: bool,
    /// Flows of the scenario that programs carry, by their numbers in the file.
    pub carried: &'a [usize],
    /// Time from when programs are started to the beginning of the world's time, which they find
    /// in `AIRPATH_ORIGIN`: nanoseconds of CLOCK_MONOTONIC.
    pub lead: Duration,
    /// Largest packet of the devices, in bytes.
    pub mtu: u32,
    /// Whether programs reach what the host reaches.
    pub outside: bool,
    /// Settings of the kernel in every namespace.
    pub settings: Vec<(String, String)>,
    /// The emulation ends then, if its programs have not ended.
    pub limit: Option<Duration>,
    /// Ends it when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Programs of an emulation.
#[derive(Default)]
pub struct Programs {
    /// At the server; they are started first, and ended with the emulation.
    pub servers: Vec<Program>,
    /// At UEs, by their place among the emulation's; when all have ended, so has the emulation.
    pub clients: Vec<(usize, Program)>,
}

/// What sees an emulation while it goes on.
pub trait Watcher {
    /// The devices are there, and programs are about to start. `control` is the socket by which
    /// the emulation can be changed.
    fn begin(&mut self, _session: &live::Session, _control: &Path) {}

    /// An interval is over.
    fn show(&mut self, _reading: &Reading) {}

    /// Something has been changed, at this time of the run.
    fn say(&mut self, _at: Time, _what: &str) {}
}

/// Nobody watches.
impl Watcher for () {}

/// How an emulation ended.
pub struct Ended {
    /// What was measured, as of a run.
    pub outcome: Outcome,
    /// How the clients ended, in their order; none for those that were ended with the emulation.
    pub exits: Vec<Option<Exit>>,
    /// What it cost, and how well it kept to the clock.
    pub timing: Timing,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

/// Why there was no emulation, or why it broke off.
#[derive(Debug, thiserror::Error)]
pub enum EmulationError {
    /// The system refuses something.
    #[error(transparent)]
    System(#[from] OsError),
    /// The scenario has no such UE.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunFailure),
    /// Packets could not be carried.
    #[error(transparent)]
    Relay(#[from] RelayError),
    /// There can be no control socket.
    #[error("the control socket cannot be made: {source}")]
    Control {
        /// What the system says.
        source: std::io::Error,
    },
    /// A server ended before a client began.
    #[error("the server `{name}` ended with code {code} before anybody could ask it")]
    Server {
        /// Its name.
        name: String,
        /// Its exit code.
        code: i32,
    },
}

impl Emulation<'_> {
    /// Names and addresses of the real hosts, the server first.
    ///
    /// # Errors
    ///
    /// If the scenario has no such UE.
    pub fn hosts(&self) -> Result<Vec<Host>, WorldError> {
        let seed = Seed(self.seed.unwrap_or(self.scenario.seed));
        Host::of(self.scenario, seed, self.ues)
    }

    /// Runs the programs to their end. Everything that was made for that is gone afterwards.
    ///
    /// Call it before other threads are made: it gives up the privileges of the calling thread.
    ///
    /// # Errors
    ///
    /// If the system, a program or the scenario do not allow it; no folder is left then.
    pub fn run(
        &self,
        programs: Programs,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, EmulationError> {
        let session = Session::create(self.plan()?)?;
        // Where that is not allowed, results say how late things were.
        os::urgent();
        session.drop_privileges()?;
        let &Emulation { ues: real, with_flows, carried, .. } = self;
        let options = WorldOptions { real, with_flows, carried, ..WorldOptions::default() };
        let mut course = Course::begin(self.scenario, self.seed, self.out, options)?;
        course.measure(READING);
        let devices = 0..course.world().hosts.len();
        let devices = devices.map(|host| match host {
            0 => session.server_tun(),
            ue => session.ue_tun(ue - 1),
        });
        let control = Control::open(session.folder());
        let control = control.map_err(|source| EmulationError::Control { source })?;
        let relay = Relay::new(Gate::new(course), devices.collect(), self.lead);
        let mut stage = Stage {
            emulation: self,
            session: &session,
            relay,
            control,
            watcher,
            total: Lateness::default(),
            looked: (Time::ZERO, cpu()),
            began: cpu(),
            asked_to_end: false,
        };
        stage.watcher.begin(&self.about(), stage.control.path());
        let (exits, interrupted) = stage.perform(programs)?;
        stage.finish(exits, interrupted)
    }

    /// What readings are about.
    fn about(&self) -> live::Session {
        let title = self.scenario.title.clone();
        live::Session {
            scenario: self.name.to_owned(),
            title,
            seed: self.seed.unwrap_or(self.scenario.seed),
            end_s: self.limit.map(Duration::as_secs_f64),
            interval_s: READING.as_secs_f64(),
        }
    }

    fn plan(&self) -> Result<Plan, WorldError> {
        let hosts = self.hosts()?;
        let ues = hosts[1..].iter();
        let ues = ues.map(|host| UeNet { name: host.name.clone(), v4: host.v4, v6: host.v6 });
        let (mtu, outside, settings) = (self.mtu, self.outside, self.settings.clone());
        let (server_v4, server_v6) = (hosts[0].v4, hosts[0].v6);
        Ok(Plan { ues: ues.collect(), server_v4, server_v6, mtu, outside, settings })
    }
}

/// An emulation that goes on.
struct Stage<'a> {
    emulation: &'a Emulation<'a>,
    session: &'a Session,
    relay: Relay<'a>,
    control: Control,
    watcher: &'a mut dyn Watcher,
    /// Lateness since the beginning.
    total: Lateness,
    /// When there was a reading last, and the processor time by then.
    looked: (Time, Duration),
    /// Processor time at the beginning.
    began: Duration,
    /// Whether somebody asked by the control socket.
    asked_to_end: bool,
}

impl Stage<'_> {
    /// Starts the programs and waits for their ends; also tells whether it was interrupted.
    fn perform(&mut self, programs: Programs) -> Result<(Vec<Option<Exit>>, bool), EmulationError> {
        let servers = programs.servers.into_iter();
        let servers = servers.map(|program| self.spawn(Side::Server, program));
        let mut servers = servers.collect::<Result<Vec<Child>, _>>()?;
        self.await_servers(&mut servers)?;
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

    /// One turn of the relay, of at most `most` time, and all that has been asked in it.
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
            self.watcher.show(&reading);
            self.control.publish(&reading);
        }
    }

    /// Does what is asked by the control socket.
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

    fn finish(
        mut self,
        exits: Vec<Option<Exit>>,
        interrupted: bool,
    ) -> Result<Ended, EmulationError> {
        self.total.add(&self.relay.take_lateness());
        let wall = self.relay.clock().since(Time::ZERO).as_secs_f64();
        let cpu = cpu().saturating_sub(self.began).as_secs_f64() / wall;
        let sides = (0..self.emulation.ues.len()).map(Side::Ue).chain([Side::Server]);
        let unread = sides.map(|side| self.session.unread(side).unwrap_or(0)).sum();
        let strange = self.relay.gate().strangers().total();
        let counts = [unread, self.relay.refused(), strange];
        let real_time = Some(self.total.real_time(cpu, counts));
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

/// Whether a process or one of those that it started accepts connections or datagrams: whether
/// there is any such socket in its network namespace.
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
