//! A session: what was made, until it is dropped.

use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::fstat;
use rustix::process::{Resource, getrlimit};

use super::folder::Folder;
use super::maker::{self, Made, Namespace};
use super::order::Order;
use super::outside::{Outside, Wanted, mounts};
use super::spawn::Place;
use super::steward::Steward;
use super::{
    Child, OsError, Plan, Process, Program, Side, netlink, privileges, processes, sockets, spawn,
};

/// Descriptors that a UE needs.
const FILES: u64 = 3;
/// Descriptors that all else may need.
const OTHER_FILES: u64 = 128;
/// Default time for programs to end.
const GRACE: Duration = Duration::from_secs(2);

/// Namespaces, devices and programs. All of it goes when this is dropped.
#[derive(Debug)]
pub struct Session {
    plan: Plan,
    made: Arc<Made>,
    namespaces: Vec<u64>,
    outside: Option<Outside>,
    folder: Option<Folder>,
    steward: Steward,
    unprivileged: bool,
}

impl Session {
    /// Makes namespaces and devices.
    ///
    /// # Errors
    ///
    /// What the system refuses, or what the plan asks for and cannot be; nothing is left then.
    pub fn create(plan: Plan) -> Result<Session, OsError> {
        check(&plan)?;
        let unprivileged = !privileges::privileged();
        let order = Order::new(&plan, unprivileged)?;
        let wanted = plan.outside.then(|| Wanted::new(&plan)).transpose()?;
        let mut folder = Folder::create()?;
        let made = maker::make(&order)?;
        let inode = |of: &Namespace| fstat(&of.net).map(|status| status.st_ino);
        let namespaces = made.nets.iter().map(inode).collect::<Result<Vec<u64>, _>>();
        let namespaces = namespaces.map_err(|e| OsError::system("look at a namespace", e))?;
        folder.note(&namespaces)?;
        let (made, steward) = (Arc::new(made), Steward::start()?);
        let outside = match wanted {
            Some(wanted) => Some(start_outside(&steward, &made, wanted, folder.path())?),
            None => None,
        };
        let folder = Some(folder);
        Ok(Session { plan, made, namespaces, outside, folder, steward, unprivileged })
    }

    /// The server's device, which never blocks.
    pub fn server_tun(&self) -> BorrowedFd<'_> {
        self.made.nets[0].tun.as_fd()
    }

    /// A UE's device, which never blocks.
    ///
    /// # Panics
    ///
    /// If the plan has no such UE.
    pub fn ue_tun(&self, ue: usize) -> BorrowedFd<'_> {
        self.made.nets[ue + 1].tun.as_fd()
    }

    /// Packets of a side's programs that were not read in time, so that the kernel discarded them.
    /// The emulated cell knows nothing of that loss.
    ///
    /// # Errors
    ///
    /// There is no such UE, or the kernel refuses to say.
    pub fn unread(&self, side: Side) -> Result<u64, OsError> {
        let namespace = &self.made.nets[self.place(side)?];
        netlink::lost(&namespace.netlink, namespace.link)
            .map_err(|errno| OsError::system("read the counters of a device", errno))
    }

    /// Packets that reached a side and that no socket of its programs had room for: a loss that
    /// the emulated cell knows nothing of.
    ///
    /// # Errors
    ///
    /// There is no such UE, or the kernel refuses to say.
    pub fn lost_at_sockets(&self, side: Side) -> Result<u64, OsError> {
        let (place, made) = (self.place(side)?, Arc::clone(&self.made));
        self.steward.run(move || sockets::lost(&made, place)).unwrap_or_else(no_steward)
    }

    /// A folder of the session's own, of mode 0700, which goes with it.
    pub fn folder(&self) -> &Path {
        self.folder.as_ref().map_or(Path::new(""), Folder::path)
    }

    /// True if it was made without root.
    pub fn unprivileged(&self) -> bool {
        self.unprivileged
    }

    /// Starts a program. Its environment has `AIRPATH_SERVER` and `AIRPATH_SERVER_V6`, the
    /// addresses of the server, and `AIRPATH_ADDRESS` and `AIRPATH_ADDRESS_V6`, its own.
    /// `AIRPATH_UE` is the name of its UE, if it is on one. `AIRPATH_CONTROL` is the control
    /// socket, if the program names one, and `AIRPATH_SESSION` serves to find leftovers.
    ///
    /// The program leads a process group of its own. It is killed if airpath is.
    ///
    /// # Errors
    ///
    /// There is no such program or UE, or the system refuses.
    pub fn spawn(&self, side: Side, program: Program) -> Result<Child, OsError> {
        let place = self.place(side)?;
        let variables = self.variables(side);
        let made = Arc::clone(&self.made);
        let mounts = self.outside.as_ref().map(|outside| mounts(&outside.resolver));
        let place = Place { made, net: place, mounts: mounts.unwrap_or_default() };
        let work = move || spawn::spawn(place, program, variables);
        self.steward.run(work).unwrap_or_else(no_steward)
    }

    /// Takes privileges from the calling thread, and so from all threads that it makes later:
    ///
    /// - started by sudo, it becomes the user who called it, whose files it then writes;
    /// - as root, it keeps one capability, that to write all files;
    /// - else it has none anyway.
    ///
    /// Neither it nor what it starts by itself can gain any again. Programs that the session starts
    /// are not concerned.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn drop_privileges(&self) -> Result<(), OsError> {
        privileges::drop_of_thread().map_err(|errno| OsError::system("drop privileges", errno))
    }

    /// Programs of the session that are alive, with all that they started.
    pub fn living(&self) -> Vec<Process> {
        let namespaces = self.namespaces.clone();
        self.steward.run(move || processes::living(&namespaces)).unwrap_or_default()
    }

    /// Ends all programs of the session with all that they started: by SIGTERM, and what is there
    /// after `grace` by SIGKILL. Says which there were.
    pub fn end(&self, grace: Duration) -> Vec<Process> {
        let namespaces = self.namespaces.clone();
        self.steward.run(move || processes::end(&namespaces, grace)).unwrap_or_default()
    }

    fn place(&self, side: Side) -> Result<usize, OsError> {
        match side {
            Side::Server => Ok(0),
            Side::Ue(number) if number < self.plan.ues.len() => Ok(number + 1),
            Side::Ue(number) => Err(OsError::NoUe { number, ues: self.plan.ues.len() }),
        }
    }

    fn variables(&self, side: Side) -> Vec<(&'static str, OsString)> {
        let Plan { server_v4, server_v6, ues, .. } = &self.plan;
        let own = match side {
            Side::Server => (*server_v4, *server_v6),
            Side::Ue(number) => (ues[number].v4, ues[number].v6),
        };
        let mut variables = vec![
            ("AIRPATH_SERVER", server_v4.to_string()),
            ("AIRPATH_SERVER_V6", server_v6.to_string()),
            ("AIRPATH_ADDRESS", own.0.to_string()),
            ("AIRPATH_ADDRESS_V6", own.1.to_string()),
            ("AIRPATH_SESSION", self.folder.as_ref().map_or(String::new(), Folder::name)),
        ];
        if let Side::Ue(number) = side {
            variables.push(("AIRPATH_UE", ues[number].name.clone()));
        }
        variables.into_iter().map(|(name, value)| (name, value.into())).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end(GRACE);
        drop(self.outside.take());
        if let Some(folder) = self.folder.take() {
            self.steward.run(move || drop(folder));
        }
    }
}

fn start_outside(
    steward: &Steward,
    made: &Arc<Made>,
    wanted: Wanted,
    folder: &Path,
) -> Result<Outside, OsError> {
    let (made, folder) = (Arc::clone(made), folder.to_owned());
    let work = move || Outside::start(&made, &wanted, &folder);
    steward.run(work).unwrap_or_else(no_steward)
}

fn no_steward<T>() -> Result<T, OsError> {
    let source = std::io::Error::other("the thread that starts programs has ended");
    Err(OsError::system("start a program", source))
}

/// Refuses plans that the system would refuse late, or not at all.
fn check(plan: &Plan) -> Result<(), OsError> {
    if !(1280..=65_535).contains(&plan.mtu) {
        return Err(OsError::Mtu { mtu: plan.mtu });
    }
    let mut addresses = plan.addresses();
    addresses.sort_unstable();
    if let Some(pair) = addresses.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(OsError::SameAddress { address: pair[0] });
    }
    let needed = OTHER_FILES + FILES * (plan.ues.len() as u64 + 1);
    match getrlimit(Resource::Nofile).current {
        Some(allowed) if allowed < needed => {
            Err(OsError::TooManyFiles { ues: plan.ues.len(), needed, allowed })
        }
        _ => Ok(()),
    }
}
