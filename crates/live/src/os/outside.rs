//! Access from the server's namespace to all that the host reaches, by `slirp4netns`.
//!
//! It is a translator of addresses in user space. Connections of UEs end in it and begin anew as
//! its own, so the host needs no rule, route or device. It solicits UEs' addresses on its device,
//! and the kernel of the server's namespace answers for the UEs (proxy ARP, RFC 1027). For IPv6
//! airpath answers. Source: slirp4netns(1).

use std::ffi::CString;
use std::fs::{self, File, Permissions};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags, fcntl_setfd, read, retry_on_intr};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, set_parent_process_death_signal};

use super::maker::Made;
use super::routes::{self, Route};
use super::{OsError, Plan, neighbours};

const PROGRAM: &str = "slirp4netns";
/// The device in the server's namespace that leads outside.
pub(super) const DEVICE: &str = "outside0";
/// Time within which it has to be ready.
const PATIENCE: Timespec = Timespec { tv_sec: 10, tv_nsec: 0 };
/// Networks for the device, of 256 addresses each: the program's own default, and others where the
/// host has that one.
const NETWORKS: [[u8; 3]; 4] = [[10, 0, 2], [10, 0, 3], [172, 31, 231], [192, 168, 247]];

/// Its IPv6 network, which cannot be chosen, and an address in it.
const NETWORK_V6: [u16; 4] = [0xfd00, 0, 0, 0];
const RESOLVER_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 3);

/// The running translator, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Outside {
    process: Child,
    /// It ends when this is closed, also by the end of airpath.
    life: Option<OwnedFd>,
    /// Ends with the device.
    neighbours: Option<JoinHandle<()>>,
    /// For programs: who answers questions for names.
    pub resolver: PathBuf,
}

/// Plan of the access.
#[derive(Debug)]
pub(super) struct Wanted {
    network: [u8; 3],
    mtu: u32,
    /// UEs' addresses of IPv6 for which it answers, if IPv6 leads outside too.
    v6: Option<Vec<Ipv6Addr>>,
}

impl Wanted {
    /// Finds a network for it.
    ///
    /// # Errors
    ///
    /// The host itself needs addresses of the plan, or all networks are taken.
    pub(super) fn new(plan: &Plan) -> Result<Wanted, OsError> {
        let host = routes::of_host();
        let addresses = plan.addresses();
        for address in &addresses {
            if let Some(route) = host.iter().find(|route| route.covers(*address)) {
                return Err(OsError::AddressInUse { address: *address, route: route.to_string() });
            }
        }
        let mut networks = NETWORKS.into_iter();
        let network = networks.find(|network| is_free(*network, &host, &addresses));
        let network = network.ok_or(OsError::NoNetwork)?;
        let v6 = addresses.iter().filter_map(|address| match address {
            IpAddr::V6(address) => Some(*address),
            IpAddr::V4(_) => None,
        });
        let v6: Vec<Ipv6Addr> = v6.collect();
        let is_free = !v6.iter().any(|address| address.segments()[..4] == NETWORK_V6)
            && !host.iter().any(|route| route.covers(RESOLVER_V6.into()));
        Ok(Wanted { network, mtu: plan.mtu, v6: Some(v6).filter(|_| is_free && routes::has_v6()) })
    }

    fn address(&self, last: u8) -> Ipv4Addr {
        let [a, b, c] = self.network;
        Ipv4Addr::new(a, b, c, last)
    }
}

/// Neither the host nor the plan has addresses in it. It looks from both ends, as a route of the
/// host may be smaller or larger.
fn is_free(network: [u8; 3], host: &[Route], addresses: &[IpAddr]) -> bool {
    let [a, b, c] = network;
    let inside: Vec<IpAddr> = (0..=255).map(|last| [a, b, c, last].into()).collect();
    let taken = |route: &Route| inside.iter().any(|address| route.covers(*address));
    !host.iter().any(taken) && !addresses.iter().any(|address| inside.contains(address))
}

impl Outside {
    /// Starts it for the server's namespace and waits until it is ready. Its files are in `folder`.
    pub(super) fn start(made: &Made, wanted: &Wanted, folder: &Path) -> Result<Outside, OsError> {
        let system = |source: Errno| OsError::system("start slirp4netns", source);
        let log = folder.join("slirp4netns.log");
        let bad = |source: io::Error| OsError::Folder { path: folder.into(), source };
        let resolver = folder.join("resolv.conf");
        fs::write(&resolver, names(wanted.address(3))).map_err(bad)?;
        fs::set_permissions(&resolver, Permissions::from_mode(0o644)).map_err(bad)?;
        let (ready, says_ready) = pipe_with(PipeFlags::CLOEXEC).map_err(system)?;
        let (lives, life) = pipe_with(PipeFlags::CLOEXEC).map_err(system)?;
        let mut inherited = vec![says_ready, lives];
        for namespace in made.nets.first().map(|server| &server.net).into_iter().chain(&made.user) {
            inherited.push(rustix::io::fcntl_dupfd_cloexec(namespace, 3).map_err(system)?);
        }
        let mut command = command(wanted, &inherited);
        command.stderr(File::create(&log).map_err(bad)?);
        let process = start(command, inherited).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => OsError::NoSlirp,
            _ => OsError::BadProgram { name: PROGRAM.into(), source },
        })?;
        let ready = is_ready(&ready);
        let mut outside = Outside { process, life: Some(life), neighbours: None, resolver };
        if ready {
            let own = wanted.v6.clone();
            outside.neighbours = own.map(|own| neighbours::lead(made, own)).transpose()?;
            return Ok(outside);
        }
        let _ = outside.process.kill();
        drop(outside);
        let said = fs::read_to_string(&log).unwrap_or_default();
        Err(OsError::Slirp { said: said.trim().replace('\n', "; ") })
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        drop(self.life.take());
        let _ = self.process.wait();
        if let Some(neighbours) = self.neighbours.take() {
            let _ = neighbours.join();
        }
    }
}

/// Inherited are: where it says that it is ready, what tells it to end, its namespace, and the
/// user namespace if there is one.
fn command(wanted: &Wanted, inherited: &[OwnedFd]) -> Command {
    let number = |place: usize| inherited[place].as_raw_fd();
    let mut command = Command::new(PROGRAM);
    command.args(["--configure", "--disable-host-loopback", "--netns-type=path"]);
    command.arg(format!("--ready-fd={}", number(0)));
    command.arg(format!("--exit-fd={}", number(1)));
    command.arg(format!("--mtu={}", wanted.mtu));
    command.arg(format!("--cidr={}/24", wanted.address(0)));
    if wanted.v6.is_some() {
        command.arg("--enable-ipv6");
    }
    if inherited.len() > 3 {
        command.arg(format!("--userns-path=/proc/self/fd/{}", number(3)));
    } else {
        command.arg("--enable-sandbox"); // else it would go on with all that root may do
    }
    command.arg(format!("/proc/self/fd/{}", number(2))).arg(DEVICE);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

#[expect(
    unsafe_code,
    reason = "only so does a process inherit descriptors, and end with its parent"
)]
fn start(mut command: Command, inherited: Vec<OwnedFd>) -> io::Result<Child> {
    let prepare = move || {
        for descriptor in &inherited {
            fcntl_setfd(descriptor, FdFlags::empty())?;
        }
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    };
    // SAFETY: system calls only.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

/// It writes one byte when it is ready, and closes when it has failed.
fn is_ready(ready: &OwnedFd) -> bool {
    let mut waited = [PollFd::new(ready, PollFlags::IN)];
    let mut byte = [0];
    matches!(retry_on_intr(|| poll(&mut waited, Some(&PATIENCE))), Ok(1))
        && read(ready, &mut byte) == Ok(1)
}

/// Mounts over files of the host in the mount namespace of each program. They are the resolver's
/// address, and nothing instead of services that would look up names outside the session.
pub(super) fn mounts(resolver: &Path) -> Vec<(CString, CString)> {
    let services = ["/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket"];
    let services = services.iter().map(|service| (Path::new("/dev/null"), *service));
    let all = [(resolver, "/etc/resolv.conf")].into_iter().chain(services);
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).ok();
    all.filter_map(|(source, target)| Some((text(source)?, text(&fs::canonicalize(target).ok()?)?)))
        .collect()
}

/// A file like /etc/resolv.conf, which asks slirp4netns and searches where the host does.
fn names(resolver: Ipv4Addr) -> String {
    let host = fs::read_to_string("/etc/resolv.conf").unwrap_or_default();
    let kept = host.lines().filter(|line| !line.trim_start().starts_with("nameserver"));
    let kept: String = kept.map(|line| format!("{line}\n")).collect();
    format!("{kept}nameserver {resolver}\n")
}
