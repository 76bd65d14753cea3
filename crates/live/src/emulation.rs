//! An emulation from its beginning to its end: programs, devices, a world, and the clock.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use airpath_base::random::Seed;
use airpath_base::{Duration, Time};
use airpath_results::live::{self, Reading};
use airpath_results::{ResultsFolder, Timing};
use airpath_scenario::Scenario;
use airpath_scenario::world::{Host, WorldError, WorldOptions};
use airpath_sim::{Course, Outcome, RunFailure};

use crate::Gate;
use crate::control::Control;
use crate::os::{self, Child, Exit, OsError, Plan, Program, Session, UeNet};
use crate::relay::{Relay, RelayError};
use crate::stage::Stage;

/// Interval of readings.
const READING: Duration = Duration::from_secs(1);

/// Settings of an emulation.
pub struct Emulation<'a> {
    /// Name of the scenario.
    pub name: &'a str,
    /// The path and its cell. Its duration says nothing: programs end an emulation.
    pub scenario: &'a Scenario,
    /// Seed instead of the scenario's.
    pub seed: Option<u64>,
    /// Folder for results.
    pub out: Option<&'a Path>,
    /// Names of the UEs that programs use.
    pub ues: &'a [String],
    /// True if these UEs have their simulated flows beside that.
    pub with_flows: bool,
    /// Flows of the scenario that programs carry, by their numbers in the file.
    pub carried: &'a [usize],
    /// Time from when programs are started to the beginning of the world's time, which they find
    /// in `AIRPATH_ORIGIN`: nanoseconds of CLOCK_MONOTONIC.
    pub lead: Duration,
    /// Largest packet of the devices, in bytes.
    pub mtu: u32,
    /// True if programs reach all that the host reaches.
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
    /// Programs at UEs, by their index among the emulation's; when all have ended, so has the
    /// emulation.
    pub clients: Vec<(usize, Program)>,
}

/// Listener of an emulation while it goes on.
pub trait Watcher {
    /// The devices are there, and programs are about to start. `control` is the socket by which
    /// the emulation can be changed.
    fn begin(&mut self, _session: &live::Session, _control: &Path) {}

    /// An interval is over.
    fn show(&mut self, _reading: &Reading) {}

    /// Something has been changed, at this time of the run.
    fn say(&mut self, _at: Time, _what: &str) {}

    /// Something needs attention, since this time of the run.
    fn warn(&mut self, at: Time, what: &str) {
        self.say(at, what);
    }
}

/// Nobody watches.
impl Watcher for () {}

/// End of an emulation.
pub struct Ended {
    /// Outcome, as of a run.
    pub outcome: Outcome,
    /// Exits of the clients, in their order; none for those that were ended with the emulation.
    pub exits: Vec<Option<Exit>>,
    /// Costs, and lateness of the clock.
    pub timing: Timing,
    /// True if it was interrupted.
    pub interrupted: bool,
}

/// Reason for which there was no emulation, or for which it broke off.
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
        /// Error of the system.
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
        let mut servers = Vec::new();
        let ended = self.run_in_session(programs, watcher, &mut servers);
        // The end of the session has ended them. Without a wait the system would keep them as zombies.
        servers.iter_mut().for_each(|child| drop(child.wait()));
        ended
    }

    fn run_in_session(
        &self,
        programs: Programs,
        watcher: &mut dyn Watcher,
        servers: &mut Vec<Child>,
    ) -> Result<Ended, EmulationError> {
        let session = Session::create(self.plan()?)?;
        // Without this right, the results have the lateness.
        os::urgent();
        session.drop_privileges()?;
        let &Emulation { ues: real, with_flows, carried, .. } = self;
        let options = WorldOptions { real, with_flows, carried, ..WorldOptions::default() };
        let folder = self.out.map(ResultsFolder::create).transpose().map_err(RunFailure::Out)?;
        let mut course = Course::begin(self.scenario, self.seed, folder, options)?;
        course.measure(READING);
        let devices = 0..course.world().hosts.len();
        let devices = devices.map(|host| match host {
            0 => session.server_tun(),
            ue => session.ue_tun(ue - 1),
        });
        let control = Control::open(session.folder());
        let control = control.map_err(|source| EmulationError::Control { source })?;
        let relay = Relay::new(Gate::new(course), devices.collect(), self.lead);
        watcher.begin(&self.about(), control.path());
        let mut stage = Stage::new(self, &session, relay, control, watcher);
        let (exits, interrupted) = stage.perform(programs, servers)?;
        stage.finish(exits, interrupted)
    }

    /// Session of the readings.
    pub(crate) fn about(&self) -> live::Session {
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
