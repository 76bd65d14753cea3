//! Answers for the UEs' IPv6 addresses on the device that leads outside.
//!
//! `slirp4netns` sends solicitations for the address of a UE and accepts only an answer from that
//! very address. The kernel answers for others from its own address, so this thread answers
//! instead, and ends with the device. Source: RFC 4861, 4.3, 4.4 and 7.2.4; packet(7).

use std::io;
use std::mem::size_of;
use std::net::Ipv6Addr;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::thread::{Builder, JoinHandle};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, eth, recv, send, socket_with,
};

use super::OsError;
use super::error::Step;
use super::forked::{Kind, Message, at, forked};
use super::maker::Made;
use super::netlink::{self, Change, Destination};
use super::outside::DEVICE;

/// The hardware address of the device: one of those that nobody assigns (IEEE 802, 8.4).
const HARDWARE: [u8; 6] = [0x02, 0x61, 0x69, 0x72, 0x70, 0x61];

/// Ethernet, IPv6, and the fixed part of a neighbour solicitation.
const SOLICITATION: usize = 14 + 40 + 24;
/// An advertisement with its option.
const ADVERTISEMENT: usize = SOLICITATION + 8;
const NEXT_HEADER: usize = 14 + 6;
const TYPE: usize = 14 + 40;

/// Leads IPv6 through the device, with an address in the network of `slirp4netns` (slirp4netns(1)),
/// and answers there for our own addresses.
pub(super) fn lead(made: &Made, own: Vec<Ipv6Addr>) -> Result<JoinHandle<()>, OsError> {
    let told = forked(|hand| {
        made.enter(0).map_err(at(Step::Descriptor))?;
        let netlink = netlink::open().map_err(at(Step::Netlink))?;
        let link = netlink::index(&netlink, DEVICE).map_err(at(Step::Link))?;
        let hardware = Change::Hardware(HARDWARE);
        netlink::change(&netlink, link, hardware).map_err(at(Step::Link))?;
        // The kernel asks for the router from the second when it forwards.
        for network in [0xfd00, 0xfe80] {
            let address = Ipv6Addr::new(network, 0, 0, 0, 0, 0, 0, 0x100).into();
            netlink::address_within(&netlink, link, address, 64).map_err(at(Step::Address))?;
        }
        let router = Destination::DefaultV6By(Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 2));
        netlink::route(&netlink, link, router).map_err(at(Step::Route))?;
        let socket = socket(link).map_err(at(Step::Neighbours))?;
        hand.over(Kind::Made, 0, &[socket.as_fd()])
    })?;
    let message = told.into_iter().next();
    let failed = message.as_ref().and_then(Message::failure);
    let socket = message.and_then(|message| message.descriptors.into_iter().next());
    let socket = socket.ok_or_else(|| {
        let step = failed.map_or(Step::HandOver, |failure| failure.step);
        let errno = failed.map_or(Errno::CANCELED, |failure| failure.errno);
        OsError::system(step.what(), errno)
    })?;
    answer(socket, own).map_err(|source| OsError::system("start a thread", source))
}

/// A socket on a device that is handed solicitations only. It takes privileges, and is made
/// without allocating.
fn socket(device: u32) -> Result<OwnedFd, Errno> {
    let socket =
        socket_with(AddressFamily::PACKET, SocketType::RAW, SocketFlags::CLOEXEC, Some(eth::IPV6))?;
    restrict(&socket)?;
    bind(&socket, device)?;
    Ok(socket)
}

/// All other packets are passed over by the kernel (socket(7), SO_ATTACH_FILTER).
#[expect(unsafe_code, reason = "the option takes a pointer")]
fn restrict(socket: &OwnedFd) -> Result<(), Errno> {
    let load = (libc::BPF_LD | libc::BPF_B | libc::BPF_ABS) as u16;
    let equal = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let give = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, k, jf| libc::sock_filter { code, jt: 0, jf, k };
    let mut steps = [
        step(load, NEXT_HEADER as u32, 0),
        step(equal, libc::IPPROTO_ICMPV6 as u32, 3),
        step(load, TYPE as u32, 0),
        step(equal, 135, 1),
        step(give, u32::MAX, 0),
        step(give, 0, 0),
    ];
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the kernel copies the program and the steps that it points to during the call.
    let status = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ATTACH_FILTER,
            (&raw const program).cast(),
            size_of::<libc::sock_fprog>() as u32,
        )
    };
    checked(status)
}

#[expect(unsafe_code, reason = "the address is not one that the crates have")]
fn bind(socket: &OwnedFd, device: u32) -> Result<(), Errno> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_IPV6 as u16).to_be(),
        sll_ifindex: device as i32,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = size_of::<libc::sockaddr_ll>() as u32;
    // SAFETY: the kernel reads an address of that length during the call.
    checked(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) })
}

fn checked(status: i32) -> Result<(), Errno> {
    if status == 0 {
        return Ok(());
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// Answers until the device is gone.
fn answer(socket: OwnedFd, own: Vec<Ipv6Addr>) -> io::Result<JoinHandle<()>> {
    Builder::new().name("neighbours".into()).spawn(move || {
        let mut frame = [0; 2048];
        loop {
            match recv(&socket, frame.as_mut_slice(), RecvFlags::empty()) {
                Ok((length, _)) => {
                    if let Some(answer) = advertisement(&frame[..length.min(2048)], &own) {
                        // A failed answer is not repeated: the other side solicits again.
                        let _ = send(&socket, &answer, SendFlags::empty());
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    })
}

/// Answer to a solicitation for one of our own addresses.
fn advertisement(frame: &[u8], own: &[Ipv6Addr]) -> Option<[u8; ADVERTISEMENT]> {
    let asks = frame.get(..SOLICITATION)?;
    let target = <[u8; 16]>::try_from(&asks[TYPE + 8..]).ok()?;
    let is_asked = asks[NEXT_HEADER] == 58 && asks[TYPE] == 135;
    if !is_asked || !own.contains(&target.into()) {
        return None;
    }
    let mut answer = [0; ADVERTISEMENT];
    answer[..6].copy_from_slice(&asks[6..12]);
    answer[6..12].copy_from_slice(&HARDWARE);
    answer[12..14].copy_from_slice(&[0x86, 0xdd]);
    // Version 6, 32 bytes of ICMPv6, and the hop limit that proves a neighbour.
    answer[14..22].copy_from_slice(&[0x60, 0, 0, 0, 0, 32, 58, 255]);
    answer[22..38].copy_from_slice(&target);
    answer[38..54].copy_from_slice(&asks[22..38]);
    // Solicited, and to be believed rather than what was known.
    answer[54..62].copy_from_slice(&[136, 0, 0, 0, 0x60, 0, 0, 0]);
    answer[62..78].copy_from_slice(&target);
    answer[78..80].copy_from_slice(&[2, 1]);
    answer[80..86].copy_from_slice(&HARDWARE);
    let sum = checksum(&answer[22..]);
    answer[56..58].copy_from_slice(&sum.to_be_bytes());
    Some(answer)
}

/// Over both addresses and what follows them (RFC 4443, 2.3).
fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let mut sum = 58 + (bytes.len() - 32) as u32 + words.sum::<u32>();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A question of `slirp4netns` 1.2.0 for fd00:b1::1:0, as it was captured.
    fn question() -> Vec<u8> {
        let text = "3333ff010000525600000002 86dd 6000000000203aff \
                    fd000000000000000000000000000002 ff0200000000000000000001ff010000 \
                    87002c9000000000 fd0000b1000000000000000000010000 0101525600000002";
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("digits")
        };
        digits.chunks(2).map(byte).collect()
    }

    #[test]
    fn a_question_for_an_own_address_is_answered_from_that_address() {
        let own: Ipv6Addr = "fd00:b1::1:0".parse().expect("an address");
        let answer = advertisement(&question(), &[own]).expect("an answer");
        assert_eq!(answer[..6], [0x52, 0x56, 0, 0, 0, 2]);
        assert_eq!(answer[22..38], own.octets());
        assert_eq!(answer[38..54], question()[22..38]);
        assert_eq!(answer[62..78], own.octets());
        // Computed apart from this, over the pseudo-header of RFC 8200, 8.1.
        assert_eq!(answer[56..58], [0x41, 0x06]);
    }

    #[test]
    fn all_else_is_not_answered() {
        let own: Ipv6Addr = "fd00:b1::1:0".parse().expect("an address");
        assert!(advertisement(&question(), &["fd00:b1::1:1".parse().expect("one")]).is_none());
        assert!(advertisement(&question()[..SOLICITATION - 1], &[own]).is_none());
        let mut reply = question();
        reply[TYPE] = 136;
        assert!(advertisement(&reply, &[own]).is_none());
    }
}
