//! Makes the namespaces in a short-lived process, which hands over file descriptors.
//!
//! A process of its own can enter a user namespace, as no process with threads may, and nothing
//! that it does to itself outlives it. The namespaces live as long as the descriptors. It is made
//! by `fork` and does nothing that allocates or takes a lock, so any thread may ask for it.
//! Sources: namespaces(7), user_namespaces(7), unix(7).

use std::ffi::CStr;
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

use rustix::cmsg_space;
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, retry_on_intr, write};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use rustix::process::{Pid, Signal, WaitOptions, set_parent_process_death_signal, waitpid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::error::Step;
use super::netlink::{self, Change};
use super::order::{Identity, Net, Order};
use super::{OsError, tun};

/// What the maker made.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// The user namespace around all, if there is one.
    pub user: Option<OwnedFd>,
    /// In the order of the plan.
    pub nets: Vec<Namespace>,
}

/// A network namespace with its device.
#[derive(Debug)]
pub(super) struct Namespace {
    /// The namespace itself.
    pub net: OwnedFd,
    /// The device.
    pub tun: OwnedFd,
    /// A socket for questions to the namespace.
    pub netlink: OwnedFd,
    /// Number of the device in the namespace.
    pub link: u32,
}

impl Drop for Made {
    /// Closes devices side by side: the kernel takes some 30 ms for each, nearly all of it waiting.
    fn drop(&mut self) {
        let mut nets = std::mem::take(&mut self.nets);
        thread::scope(|scope| {
            while !nets.is_empty() {
                let some = nets.split_off(nets.len().saturating_sub(TOGETHER));
                // Without a thread they are closed here, one after the other.
                let _ = thread::Builder::new().spawn_scoped(scope, move || drop(some));
            }
        });
    }
}

/// What was done when it failed.
#[derive(Debug, Clone, Copy)]
struct Failure {
    step: Step,
    errno: Errno,
    /// Which of several settings it was.
    which: usize,
}

/// A message of the maker: its kind and step, two bytes for which setting, four for the number of
/// a link or an error.
const MESSAGE: usize = 8;
/// Descriptors in the message about a network namespace.
const HANDED: usize = 3;

/// Namespaces that a thread closes.
const TOGETHER: usize = 4;

const USER: u8 = 0;
const NET: u8 = 1;
const FAILED: u8 = 2;

/// Makes all that is ordered.
///
/// # Errors
///
/// What could not be made, with the mend.
pub(super) fn make(order: &Order) -> Result<Made, OsError> {
    let system = |source: Errno| OsError::system("start the maker of namespaces", source);
    let (ours, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(system)?;
    let maker = fork(|| work(order, theirs.as_fd())).map_err(system)?;
    drop(theirs);
    let made = receive(&ours, order);
    drop(ours);
    retry_on_intr(|| waitpid(Some(maker), WaitOptions::empty())).map_err(system)?;
    let made = made?;
    if made.nets.len() != order.nets.len() || made.user.is_some() != order.user.is_some() {
        return Err(OsError::system("make namespaces: their maker was ended", Errno::CANCELED));
    }
    Ok(made)
}

/// Runs something in a new process, which then ends.
#[expect(unsafe_code, reason = "the standard library cannot fork")]
fn fork(child: impl FnOnce()) -> Result<Pid, Errno> {
    // SAFETY: the new process runs `child` only, which neither allocates, nor takes a lock, nor
    // panics, and leaves by `_exit`, which runs nothing that belongs to the old one.
    match unsafe { libc::fork() } {
        0 => {
            child();
            // SAFETY: ends the process without a return to what the old one was about.
            unsafe { libc::_exit(0) }
        }
        id => Pid::from_raw(id).filter(|_| id > 0).ok_or_else(last_error),
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::AGAIN)
}

/// Collects what the maker hands over, until it closes its end.
fn receive(socket: &OwnedFd, order: &Order) -> Result<Made, OsError> {
    let mut made = Made::default();
    loop {
        let mut bytes = [0; MESSAGE];
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(HANDED))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut parts = [IoSliceMut::new(&mut bytes)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let got = retry_on_intr(|| recvmsg(socket, &mut parts, &mut control, flags))
            .map_err(|source| OsError::system("receive namespaces", source))?;
        if got.bytes == 0 {
            return Ok(made);
        }
        let mut handed = control.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
            _ => None,
        });
        let mut handed = handed.next().into_iter().flatten();
        let [kind, step, a, b, number @ ..] = bytes;
        let which = usize::from(u16::from_ne_bytes([a, b]));
        let number = u32::from_ne_bytes(number);
        match (kind, handed.next(), handed.next(), handed.next()) {
            (USER, user @ Some(_), None, None) => made.user = user,
            (NET, Some(net), Some(tun), Some(netlink)) => {
                made.nets.push(Namespace { net, tun, netlink, link: number });
            }
            _ => {
                let errno = Errno::from_raw_os_error(number as i32);
                return Err(order.refused(Step::from_byte(step), errno, which));
            }
        }
    }
}

/// What the maker does.
fn work(order: &Order, socket: BorrowedFd<'_>) {
    if let Err(Failure { step, errno, which }) = make_all(order, socket) {
        let [a, b] = (which as u16).to_ne_bytes();
        let _ = hand_over(socket, [FAILED, step as u8, a, b], errno.raw_os_error() as u32, &[]);
    }
}

fn make_all(order: &Order, socket: BorrowedFd<'_>) -> Result<(), Failure> {
    end_with_parent()?;
    if let Some(identity) = &order.user {
        let user = user_namespace(identity)?;
        end_with_parent()?; // it may count as a change of user, which undoes it
        hand_over(socket, [USER, 0, 0, 0], 0, &[user.as_fd()]).map_err(at(Step::HandOver))?;
    }
    for net in &order.nets {
        let made = network_namespace(net)?;
        let descriptors = [made.net.as_fd(), made.tun.as_fd(), made.netlink.as_fd()];
        hand_over(socket, [NET, 0, 0, 0], made.link, &descriptors).map_err(at(Step::HandOver))?;
    }
    Ok(())
}

/// Nobody reads what it hands over when airpath is killed meanwhile.
fn end_with_parent() -> Result<(), Failure> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(at(Step::HandOver))
}

fn at(step: Step) -> impl Fn(Errno) -> Failure {
    move |errno| Failure { step, errno, which: 0 }
}

/// Leaves namespaces for new ones.
#[expect(unsafe_code, reason = "only sharing no descriptors would be unsafe")]
pub(super) fn leave(what: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: the table of file descriptors stays shared, as `FILES` is never among the flags.
    unsafe { unshare_unsafe(what) }
}

/// Enters a new user namespace in which user and group are what they were.
fn user_namespace(identity: &Identity) -> Result<OwnedFd, Failure> {
    leave(UnshareFlags::NEWUSER).map_err(at(Step::UserNamespace))?;
    // Without this, a user could leave groups that deny something (user_namespaces(7)).
    put(c"/proc/self/setgroups", "deny").map_err(at(Step::Identity))?;
    put(c"/proc/self/uid_map", &identity.uid_map).map_err(at(Step::Identity))?;
    put(c"/proc/self/gid_map", &identity.gid_map).map_err(at(Step::Identity))?;
    descriptor(c"/proc/self/ns/user").map_err(at(Step::Descriptor))
}

fn network_namespace(wanted: &Net) -> Result<Namespace, Failure> {
    leave(UnshareFlags::NEWNET).map_err(at(Step::NetNamespace))?;
    let net = descriptor(c"/proc/self/ns/net").map_err(at(Step::Descriptor))?;
    for setting in &wanted.before {
        // A device that is not silent is of use all the same.
        let _ = put(&setting.path, &setting.value);
    }
    let tun = tun::clone_device().map_err(at(Step::OpenTun))?;
    tun::make(&tun).map_err(at(Step::MakeTun))?;
    let netlink = netlink::open().map_err(at(Step::Netlink))?;
    let link = configure(&netlink, wanted)?;
    for (which, setting) in wanted.after.iter().enumerate() {
        let failed = |errno| Failure { step: Step::Setting, errno, which };
        put(&setting.path, &setting.value).map_err(failed)?;
    }
    Ok(Namespace { net, tun, netlink, link })
}

/// Gives the devices of a namespace what they need; says which one the TUN device is.
fn configure(netlink: &OwnedFd, wanted: &Net) -> Result<u32, Failure> {
    const LOOPBACK: u32 = 1; // LOOPBACK_IFINDEX of Linux
    let up = Change::Flags { set: libc::IFF_UP as u32, clear: 0 };
    // Without multicast nobody reports memberships on a device that has no neighbours.
    let up_alone = Change::Flags { set: libc::IFF_UP as u32, clear: libc::IFF_MULTICAST as u32 };
    netlink::change(netlink, LOOPBACK, up).map_err(at(Step::Link))?;
    let link = netlink::index(netlink, tun::NAME).map_err(at(Step::Link))?;
    for change in [Change::Mtu(wanted.mtu), Change::Queue(tun::QUEUE), up_alone] {
        netlink::change(netlink, link, change).map_err(at(Step::Link))?;
    }
    for address in wanted.addresses {
        netlink::address(netlink, link, address).map_err(at(Step::Address))?;
    }
    for route in &wanted.routes {
        netlink::route(netlink, link, *route).map_err(at(Step::Route))?;
    }
    Ok(link)
}

fn descriptor(path: &CStr) -> Result<OwnedFd, Errno> {
    open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
}

fn put(path: &CStr, text: &str) -> Result<(), Errno> {
    let file = open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    write(file, text.as_bytes()).map(|_| ())
}

fn hand_over(
    socket: BorrowedFd<'_>,
    kind: [u8; 4],
    number: u32,
    descriptors: &[BorrowedFd<'_>],
) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(HANDED))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let ([a, b, c, d], [e, f, g, h]) = (kind, number.to_ne_bytes());
    let message = [a, b, c, d, e, f, g, h];
    let parts = [IoSlice::new(&message)];
    retry_on_intr(|| sendmsg(socket, &parts, &mut control, SendFlags::NOSIGNAL)).map(|_| ())
}
