//! Interface to the operating system: network namespaces with a TUN device each, programs in them,
//! and their removal.
//!
//! A [`Session`] has a namespace for the server's side and one for each UE. They have no name and
//! are mounted nowhere: they live as long as somebody holds or inhabits them. With root they are
//! made as such, without within a user namespace of their own, which the process itself never
//! enters.
//!
//! # Privileges
//!
//! With root, all privileges stay with one thread of the session, which starts and ends programs.
//! [`Session::drop_privileges`] takes them from the thread that calls it and from all that this
//! thread makes later. Call it right after [`Session::create`], before other threads are made.
//!
//! Source: namespaces(7), user_namespaces(7), network_namespaces(7).

mod child;
mod clean;
mod error;
mod folder;
mod forked;
mod maker;
mod neighbours;
mod netlink;
mod order;
mod outside;
mod privileges;
mod processes;
mod program;
mod routes;
mod session;
mod sockets;
mod spawn;
mod steward;
mod terminal;
mod tun;
mod urgent;
mod user;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use child::{Child, Exit};
pub use clean::{Leftover, Report, clean, sessions};
pub use error::OsError;
pub use processes::Process;
pub use program::{Program, Side};
pub use rustix::process::Signal;
pub use session::Session;
pub use urgent::urgent;
pub use user::User;

/// Plan of a session.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The UEs, each with a namespace of its own.
    pub ues: Vec<UeNet>,
    /// The server's IPv4 address.
    pub server_v4: Ipv4Addr,
    /// The server's IPv6 address.
    pub server_v6: Ipv6Addr,
    /// The largest packet of every device, in bytes: 1280 to 65535.
    pub mtu: u32,
    /// True if UEs and server reach all that the host reaches.
    pub outside: bool,
    /// Settings of the kernel in every namespace, as `net.ipv4.tcp_ecn` and its value.
    pub settings: Vec<(String, String)>,
}

/// A UE's part of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UeNet {
    /// Its name.
    pub name: String,
    /// Its IPv4 address.
    pub v4: Ipv4Addr,
    /// Its IPv6 address.
    pub v6: Ipv6Addr,
}

impl Plan {
    /// All addresses.
    fn addresses(&self) -> Vec<IpAddr> {
        let ues = self.ues.iter().flat_map(|ue| [IpAddr::V4(ue.v4), IpAddr::V6(ue.v6)]);
        ues.chain([self.server_v4.into(), self.server_v6.into()]).collect()
    }
}
