//! The few requests of rtnetlink that a namespace needs: links, addresses, routes, counters.
//!
//! Requests are built on the stack: they are made in a process after `fork`, which must not
//! allocate. Sources: rtnetlink(7), netlink(7).

use std::net::{IpAddr, Ipv6Addr};
use std::os::fd::{AsFd, OwnedFd};

use rustix::io;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netdevice, recv, send,
    socket_with,
};

/// Longer than any request made here.
const ROOM: usize = 256;
/// Longer than any answer to a request for one link.
const ANSWER: usize = 16 * 1024;
/// Header of a message: length, type, flags, number, port.
const HEADER: usize = 16;
/// `struct ifinfomsg`.
const LINK: usize = 16;
/// Attribute with the counters of a link, and the index of the packets lost on sending in it
/// (`struct rtnl_link_stats64`).
const STATS64: u16 = 23;
const TX_DROPPED: usize = 7;

/// Change of a link.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// Largest packet, in bytes.
    Mtu(u32),
    /// Packets that wait for the reader of a TUN device.
    Queue(u32),
    /// Hardware address.
    Hardware([u8; 6]),
    /// Flags that are set, and flags that are cleared.
    Flags { set: u32, clear: u32 },
}

/// A socket for requests; it stays with the namespace in which it was made.
pub(super) fn open() -> io::Result<OwnedFd> {
    socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)
}

/// The number of the link with a name.
pub(super) fn index(socket: impl AsFd, name: &str) -> io::Result<u32> {
    netdevice::name_to_index(socket, name)
}

/// Changes a link.
pub(super) fn change(socket: impl AsFd, link: u32, what: Change) -> io::Result<()> {
    let (flags, mask) = match what {
        Change::Flags { set, clear } => (set, set | clear),
        Change::Mtu(_) | Change::Queue(_) | Change::Hardware(_) => (0, 0),
    };
    let mut request = Request::new(libc::RTM_NEWLINK, libc::NLM_F_ACK);
    request.link(link, flags, mask);
    match what {
        Change::Mtu(bytes) => request.attribute(libc::IFLA_MTU, &bytes.to_ne_bytes()),
        Change::Queue(packets) => request.attribute(libc::IFLA_TXQLEN, &packets.to_ne_bytes()),
        Change::Hardware(address) => request.attribute(libc::IFLA_ADDRESS, &address),
        Change::Flags { .. } => {}
    }
    acknowledged(socket, &request)
}

/// Gives a link an address of its own, without a network around it.
pub(super) fn address(socket: impl AsFd, link: u32, address: IpAddr) -> io::Result<()> {
    address_within(socket, link, address, parts(&address).2)
}

/// Gives a link an address, whose first bits are those of the network there. Duplicates are not
/// looked for (RFC 4862, 5.4), as nobody else is there.
pub(super) fn address_within(
    socket: impl AsFd,
    link: u32,
    address: IpAddr,
    bits: u8,
) -> io::Result<()> {
    let (family, bytes, _) = parts(&address);
    let mut request =
        Request::new(libc::RTM_NEWADDR, libc::NLM_F_ACK | libc::NLM_F_CREATE | libc::NLM_F_EXCL);
    request.put(&[family, bits, libc::IFA_F_NODAD as u8, libc::RT_SCOPE_UNIVERSE]);
    request.put(&link.to_ne_bytes());
    request.attribute(libc::IFA_LOCAL, bytes.get());
    request.attribute(libc::IFA_ADDRESS, bytes.get());
    acknowledged(socket, &request)
}

/// Next hop of a route.
#[derive(Debug, Clone, Copy)]
pub(super) enum Destination {
    /// One address.
    Host(IpAddr),
    /// All IPv4 addresses that no other route has.
    DefaultV4,
    /// All IPv6 addresses that no other route has.
    DefaultV6,
    /// All IPv6 addresses that no other route has, through a router.
    DefaultV6By(Ipv6Addr),
}

/// A route through a link.
pub(super) fn route(socket: impl AsFd, link: u32, to: Destination) -> io::Result<()> {
    let (family, bits) = match to {
        Destination::Host(address) => (parts(&address).0, parts(&address).2),
        Destination::DefaultV4 => (libc::AF_INET as u8, 0),
        Destination::DefaultV6 | Destination::DefaultV6By(_) => (libc::AF_INET6 as u8, 0),
    };
    let mut request =
        Request::new(libc::RTM_NEWROUTE, libc::NLM_F_ACK | libc::NLM_F_CREATE | libc::NLM_F_EXCL);
    request.put(&[family, bits, 0, 0, libc::RT_TABLE_MAIN]);
    request.put(&[libc::RTPROT_STATIC, libc::RT_SCOPE_LINK, libc::RTN_UNICAST]);
    request.put(&0_u32.to_ne_bytes());
    match to {
        Destination::Host(address) => request.attribute(libc::RTA_DST, parts(&address).1.get()),
        Destination::DefaultV6By(router) => request.attribute(libc::RTA_GATEWAY, &router.octets()),
        Destination::DefaultV4 | Destination::DefaultV6 => {}
    }
    request.attribute(libc::RTA_OIF, &link.to_ne_bytes());
    acknowledged(socket, &request)
}

/// Packets that a link lost on sending, since it was made.
pub(super) fn lost(socket: impl AsFd, link: u32) -> io::Result<u64> {
    let mut request = Request::new(libc::RTM_GETLINK, 0);
    request.link(link, 0, 0);
    send(&socket, request.bytes(), SendFlags::empty())?;
    let mut answer = vec![0_u8; ANSWER];
    let (length, _) = recv(&socket, answer.as_mut_slice(), RecvFlags::empty())?;
    let message = &answer[..length.min(ANSWER)];
    status(message)?;
    let stats = attribute(message.get(HEADER + LINK..).unwrap_or(&[]), STATS64);
    let dropped = stats.and_then(|stats| stats.chunks_exact(8).nth(TX_DROPPED));
    dropped.and_then(|bytes| bytes.try_into().ok()).map(u64::from_ne_bytes).ok_or(io::Errno::PROTO)
}

/// Sends a request and waits for its acknowledgement.
fn acknowledged(socket: impl AsFd, request: &Request) -> io::Result<()> {
    send(&socket, request.bytes(), SendFlags::empty())?;
    let mut answer = [0_u8; 1024];
    let (length, _) = recv(&socket, answer.as_mut_slice(), RecvFlags::empty())?;
    status(&answer[..length.min(1024)])
}

/// The error that an answer brings, if it brings one (netlink(7): zero is an acknowledgement).
fn status(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|bytes| bytes.try_into().ok()).map(u16::from_ne_bytes);
    if kind != Some(libc::NLMSG_ERROR as u16) {
        return Ok(());
    }
    let code = answer.get(HEADER..HEADER + 4).and_then(|bytes| bytes.try_into().ok());
    match code.map_or(-libc::EPROTO, i32::from_ne_bytes) {
        0 => Ok(()),
        code @ -4095..=-1 => Err(io::Errno::from_raw_os_error(-code)),
        _ => Err(io::Errno::PROTO),
    }
}

/// The value of an attribute among many.
fn attribute(mut attributes: &[u8], kind: u16) -> Option<&[u8]> {
    while let Some((header, _)) = attributes.split_first_chunk::<4>() {
        let [a, b, c, d] = *header;
        let length = usize::from(u16::from_ne_bytes([a, b]));
        let value = attributes.get(4..length)?;
        if u16::from_ne_bytes([c, d]) == kind {
            return Some(value);
        }
        attributes = attributes.get(length.next_multiple_of(4)..)?;
    }
    None
}

/// Bytes of an address.
struct AddressBytes([u8; 16], usize);

impl AddressBytes {
    fn get(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

/// Family, bytes and bits of an address.
fn parts(address: &IpAddr) -> (u8, AddressBytes, u8) {
    match address {
        IpAddr::V4(v4) => {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&v4.octets());
            (libc::AF_INET as u8, AddressBytes(bytes, 4), 32)
        }
        IpAddr::V6(v6) => (libc::AF_INET6 as u8, AddressBytes(v6.octets(), 16), 128),
    }
}

/// A request as bytes.
struct Request {
    bytes: [u8; ROOM],
    length: usize,
}

impl Request {
    fn new(kind: u16, flags: i32) -> Request {
        let mut request = Request { bytes: [0; ROOM], length: 0 };
        request.put(&[0; 4]); // the length is known when the request is whole
        request.put(&kind.to_ne_bytes());
        request.put(&((libc::NLM_F_REQUEST | flags) as u16).to_ne_bytes());
        request.put(&[0; 8]);
        request
    }

    /// `struct ifinfomsg`.
    fn link(&mut self, index: u32, flags: u32, mask: u32) {
        self.put(&[0; 4]);
        self.put(&index.to_ne_bytes());
        self.put(&flags.to_ne_bytes());
        self.put(&mask.to_ne_bytes());
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) {
        let length = 4 + value.len() as u16;
        self.put(&length.to_ne_bytes());
        self.put(&kind.to_ne_bytes());
        self.put(value);
        self.length = self.length.next_multiple_of(4);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
        let whole = (self.length as u32).to_ne_bytes();
        self.bytes[..4].copy_from_slice(&whole);
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
