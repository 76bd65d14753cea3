//! An emulation from its beginning to its end: programs, devices, a world, and the clock.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration as Grace;

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};
use airpath_net::Probe;
use airpath_results::Timing;
use airpath_scenario::Scenario;
use airpath_scenario::world::{Host, WorldError, WorldOptions};
use airpath_sim::{Course, Outcome, RunFailure};
use rustix::time::{ClockId, clock_gettime};

use crate::os::{Child, Exit, OsError, Plan, Program, Session, Side, UeNet};
use crate::relay::{Relay, RelayError};
use crate::{Gate, Lateness};

/// How long a server has to open a port before clients begin all the same.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often is looked whether it has, and for what else nothing wakes the program.
const LOOK: Duration = Duration::from_millis(10);
/// The same when all programs run.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long programs have to end when they are told to.
const GRACE: Grace = Grace::from_secs(2);

/// What is to be emulated.
pub struct Emulation<'a> {
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
    /// Hears of every event.
    fn probe(&mut self) -> Option<&mut dyn Probe> {
        None
    }

    /// When [`look`](Watcher::look) is wanted next.
    fn next_look(&self) -> Time {
        Time::MAX
    }

    /// The world has come to `now`. `lateness` is of the time since the last look, `lag` how far
    /// the world is behind the clock, and `cpu` the share of a core that was used.
    fn look(&mut self, _now: Time, _lateness: &Lateness, _lag: Duration, _cpu: f64) {}
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
        session.drop_privileges()?;
        let &Emulation { ues: real, with_flows, carried, .. } = self;
        let options = WorldOptions { real, with_flows, carried, ..WorldOptions::default() };
        let course = Course::begin(self.scenario, self.seed, self.out, options)?;
        let devices = 0..course.world().hosts.len();
        let devices = devices.map(|host| match host {
            0 => session.server_tun(),
            ue => session.ue_tun(ue - 1),
        });
        let relay = Relay::new(Gate::new(course), devices.collect(), self.lead);
        let mut stage = Stage {
            emulation: self,
            session: &session,
            relay,
            watcher,
            total: Lateness::default(),
            looked: (Time::ZERO, cpu()),
            began: cpu(),
        };
        let (exits, interrupted) = stage.perform(programs)?;
        stage.finish(exits, interrupted)
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
    watcher: &'a mut dyn Watcher,
    /// Lateness since the beginning.
    total: Lateness,
    /// When the watcher looked last, and the processor time by then.
    looked: (Time, Duration),
    /// Processor time at the beginning.
    began: Duration,
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
        self.is_interrupted() || limit.is_some_and(|limit| self.relay.clock() >= Time::ZERO + limit)
    }

    /// One turn of the relay, of at most `most` time.
    fn turn(
        &mut self,
        most: Duration,
        others: &[std::os::fd::BorrowedFd<'_>],
    ) -> Result<(), EmulationError> {
        let latest = (self.relay.clock() + most).min(self.watcher.next_look());
        self.relay.turn(latest, others, self.watcher.probe())?;
        let now = self.relay.clock();
        if now >= self.watcher.next_look() {
            let lateness = self.relay.take_lateness();
            let (before, used) = core::mem::replace(&mut self.looked, (now, cpu()));
            let cpu = (self.looked.1.saturating_sub(used)).as_secs_f64();
            let cpu = cpu / now.since(before).as_secs_f64().max(1e-9);
            let world = self.relay.gate().now();
            self.watcher.look(world, &lateness, now.saturating_since(world), cpu);
            self.total.add(&lateness);
        }
        Ok(())
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
