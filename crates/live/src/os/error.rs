//! Errors of the operating system, each with the mend.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use rustix::io::Errno;
use thiserror::Error;

/// Reason for which a session could not be made, or a program not be started in it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OsError {
    /// There are no TUN devices.
    #[error(
        "there is no /dev/net/tun: load the kernel's module (`modprobe tun`), or give the \
         container the device (`--device /dev/net/tun`)"
    )]
    NoTun,
    /// The user may not use TUN devices.
    #[error(
        "/dev/net/tun may not be used ({source}): its mode must be 0666, as distributions have \
         it; in a container, allow the device (`--device /dev/net/tun`)"
    )]
    TunDenied {
        /// Error of the system.
        source: io::Error,
    },
    /// The user may not make namespaces.
    #[error("namespaces may not be made here ({source}): {mend}, or use sudo")]
    Denied {
        /// Mend of the error.
        mend: String,
        /// Error of the system.
        source: io::Error,
    },
    /// There are too many namespaces.
    #[error(
        "the system allows no more namespaces: raise the limits with `sysctl \
         user.max_user_namespaces=20000 user.max_net_namespaces=20000`, or have fewer UEs"
    )]
    TooManyNamespaces,
    /// The process may not have as many open files as it needs.
    #[error(
        "{ues} UEs need {needed} open files, and {allowed} are allowed: raise the limit with \
         `ulimit -n {needed}`, or have fewer UEs"
    )]
    TooManyFiles {
        /// UEs of the plan.
        ues: usize,
        /// Open files that they need.
        needed: u64,
        /// Open files that are allowed.
        allowed: u64,
    },
    /// Settings of the kernel cannot be written.
    #[error(
        "settings in /proc/sys/net cannot be written ({source}): in a container, have them \
         writable (`--security-opt systempaths=unconfined`, or `--privileged`)"
    )]
    ReadOnly {
        /// Error of the system.
        source: io::Error,
    },
    /// A setting of the kernel that is no name of one.
    #[error("`{name}` is no setting of a network: they are like `net.ipv4.tcp_ecn`")]
    BadSetting {
        /// Given name.
        name: String,
    },
    /// A setting of the kernel that is refused.
    #[error(
        "`{name}` cannot be `{value}` ({source}): namespaces have not all settings of the host, \
         and each takes its own values (`sysctl {name}`)"
    )]
    Setting {
        /// Given name.
        name: String,
        /// Wanted value.
        value: String,
        /// Error of the system.
        source: io::Error,
    },
    /// The kernel has no IPv6.
    #[error("the kernel has no IPv6, which airpath needs: start it without `ipv6.disable=1`")]
    NoIpv6,
    /// Packets of that size cannot be.
    #[error(
        "an MTU of {mtu} bytes cannot be: IPv6 needs at least 1280 (RFC 8200, 5), IPv4 has at \
             most 65535"
    )]
    Mtu {
        /// Wanted size in bytes.
        mtu: u32,
    },
    /// Two hosts have the same address.
    #[error("two of the session's places have the address {address}: each needs its own")]
    SameAddress {
        /// The address.
        address: IpAddr,
    },
    /// There is no such UE.
    #[error("there is no UE {number}: the session has {ues}, the first is 0")]
    NoUe {
        /// Wanted index.
        number: usize,
        /// Number of UEs.
        ues: usize,
    },
    /// There is no such program.
    #[error("there is no program `{name}`: look at its name, and whether it is installed")]
    NoProgram {
        /// Name in the command.
        name: String,
    },
    /// The program cannot be started.
    #[error("`{name}` cannot be started ({source}): look whether it is a program that you may run")]
    BadProgram {
        /// Name in the command.
        name: String,
        /// Error of the system.
        source: io::Error,
    },
    /// There is no such user.
    #[error("there is no user {name}: look into /etc/passwd")]
    NoUser {
        /// Name or number.
        name: String,
    },
    /// The host needs an address of the session itself.
    #[error(
        "the host has a route to {route}, which covers {address} of the session: what is there \
         could not be reached from inside. Give the session other addresses, or do without what \
         is outside"
    )]
    AddressInUse {
        /// The session's address.
        address: IpAddr,
        /// The host's route.
        route: String,
    },
    /// There is no free network for the way outside.
    #[error(
        "the host has routes to 10.0.2.0/24, 10.0.3.0/24, 172.31.231.0/24 and 192.168.247.0/24, \
         and the way outside needs one of them: take one of the routes away"
    )]
    NoNetwork,
    /// There is no `slirp4netns`.
    #[error(
        "what is outside is reached by the program slirp4netns, which is not installed: install \
         the package slirp4netns"
    )]
    NoSlirp,
    /// `slirp4netns` has failed.
    #[error("slirp4netns, by which what is outside is reached, has failed: {said}")]
    Slirp {
        /// Output of the program.
        said: String,
    },
    /// The folder of the session cannot be made or used.
    #[error(
        "{path} cannot be used ({source}): it must be a folder of your own that nobody else \
             can write; XDG_RUNTIME_DIR names another place for it"
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Anything else.
    #[error("airpath could not {what} ({source})")]
    System {
        /// Failed action.
        what: &'static str,
        /// Error of the system.
        source: io::Error,
    },
}

impl OsError {
    pub(super) fn system(what: &'static str, source: impl Into<io::Error>) -> OsError {
        OsError::System { what, source: source.into() }
    }

    /// Error for a failed step of the maker.
    pub(super) fn made(step: Step, errno: Errno, unprivileged: bool) -> OsError {
        let source = io::Error::from(errno);
        match (step, errno) {
            (Step::OpenTun, Errno::NOENT | Errno::NODEV | Errno::NXIO) => OsError::NoTun,
            (Step::OpenTun | Step::MakeTun, _) => OsError::TunDenied { source },
            (_, Errno::NOSPC | Errno::USERS) => OsError::too_many_namespaces(source),
            (Step::UserNamespace | Step::Identity | Step::NetNamespace, _) => {
                OsError::Denied { mend: mend(unprivileged).into(), source }
            }
            (Step::Setting, Errno::NOENT) | (Step::Address, Errno::AFNOSUPPORT) => OsError::NoIpv6,
            (Step::Setting, _) => OsError::ReadOnly { source },
            _ => OsError::System { what: step.what(), source },
        }
    }

    /// A limit of nought is a prohibition.
    fn too_many_namespaces(source: io::Error) -> OsError {
        if says("/proc/sys/user/max_user_namespaces", "0") {
            let mend = "allow them with `sysctl user.max_user_namespaces=20000`".into();
            return OsError::Denied { mend, source };
        }
        OsError::TooManyNamespaces
    }
}

/// Mend for namespaces that may not be made.
fn mend(unprivileged: bool) -> &'static str {
    if !unprivileged {
        "give the container the capability (`--cap-add SYS_ADMIN --cap-add NET_ADMIN`) and a \
         seccomp profile that has `unshare`"
    } else if says("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        "allow them with `sysctl kernel.unprivileged_userns_clone=1`"
    } else if says("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        "AppArmor forbids them to programs without a profile: allow them with `sysctl \
         kernel.apparmor_restrict_unprivileged_userns=0`"
    } else {
        "user namespaces are forbidden, in containers often by the seccomp profile \
         (`--security-opt seccomp=unconfined`)"
    }
}

fn says(path: &str, value: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
}

macro_rules! steps {
    ($($(#[$doc:meta])* $step:ident: $what:literal,)+) => {
        /// A step of the maker.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Step { $($(#[$doc])* $step,)+ }

        impl Step {
            const ALL: &[Step] = &[$(Step::$step),+];

            pub(super) fn what(self) -> &'static str {
                match self { $(Step::$step => $what,)+ }
            }
        }
    };
}

steps! {
    /// `unshare(CLONE_NEWUSER)`.
    UserNamespace: "make a user namespace",
    /// The maps of user and group.
    Identity: "keep user and group in a user namespace",
    /// `unshare(CLONE_NEWNET)`.
    NetNamespace: "make a network namespace",
    /// Descriptor that keeps a namespace alive.
    Descriptor: "open a namespace in /proc",
    /// A file in `/proc/sys/net`.
    Setting: "set a setting in /proc/sys/net",
    /// `/dev/net/tun`.
    OpenTun: "open /dev/net/tun",
    /// `TUNSETIFF`.
    MakeTun: "make a TUN device",
    /// The socket for all that follows.
    Netlink: "open a netlink socket",
    /// MTU, queue, up.
    Link: "set up a network device",
    /// An address.
    Address: "give a network device its address",
    /// A route.
    Route: "make a route",
    /// The socket that sees questions for neighbours.
    Neighbours: "answer for UEs on the device that leads outside",
    /// A file in `/proc/self/net`.
    Counters: "read the counters of a network namespace",
    /// The message with descriptors.
    HandOver: "hand over a namespace",
}

impl Step {
    pub(super) fn from_byte(byte: u8) -> Step {
        Step::ALL.get(usize::from(byte)).copied().unwrap_or(Step::HandOver)
    }
}
