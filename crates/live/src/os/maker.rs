//! Makes the namespaces, in a process of its own. They live as long as descriptors of them.
//!
//! Sources: namespaces(7), user_namespaces(7).

use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::thread;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, write};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

use super::error::Step;
use super::forked::{Failure, Hand, Kind, at, end_with_parent, forked};
use super::netlink::{self, Change};
use super::order::{Identity, Net, Order};
use super::{OsError, tun};

/// Result of the maker.
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

/// Namespaces that a thread closes.
const TOGETHER: usize = 4;

impl Made {
    /// Enters one of the networks, and the user namespace around it. Called between fork and exec
    /// or in a process of its own.
    pub(super) fn enter(&self, net: usize) -> Result<(), Errno> {
        if let Some(user) = &self.user {
            move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
        }
        let net = self.nets.get(net).ok_or(Errno::NOENT)?;
        move_into_link_name_space(net.net.as_fd(), Some(LinkNameSpaceType::Network))
    }
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

/// Makes all that is ordered.
///
/// # Errors
///
/// What could not be made, with the mend.
pub(super) fn make(order: &Order) -> Result<Made, OsError> {
    let mut made = Made::default();
    for message in forked(|hand| make_all(order, hand))? {
        if let Some(failure) = message.failure() {
            return Err(order.refused(failure));
        }
        let mut handed = message.descriptors.into_iter();
        match (message.kind, handed.next(), handed.next(), handed.next()) {
            (Kind::Other, user, _, _) => made.user = user,
            (_, Some(net), Some(tun), Some(netlink)) => {
                made.nets.push(Namespace { net, tun, netlink, link: message.number });
            }
            // The kernel hands over fewer when the process may have no more open files.
            _ => return Err(OsError::system("open a namespace", Errno::MFILE)),
        }
    }
    if made.nets.len() != order.nets.len() || made.user.is_some() != order.user.is_some() {
        return Err(OsError::system("make namespaces: their maker was ended", Errno::CANCELED));
    }
    Ok(made)
}

fn make_all(order: &Order, hand: &Hand<'_>) -> Result<(), Failure> {
    if let Some(identity) = &order.user {
        let user = user_namespace(identity)?;
        end_with_parent()?; // it may count as a change of user, which undoes that
        hand.over(Kind::Other, 0, &[user.as_fd()])?;
    }
    for net in &order.nets {
        let made = network_namespace(net)?;
        let descriptors = [made.net.as_fd(), made.tun.as_fd(), made.netlink.as_fd()];
        hand.over(Kind::Made, made.link, &descriptors)?;
    }
    Ok(())
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
