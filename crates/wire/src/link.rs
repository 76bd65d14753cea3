//! Link layers of captured frames: where in a frame the IP packet begins, or what else it
//! carries.
//!
//! Types that carry packets: Ethernet with VLAN tags, LLC, MPLS and PPPoE, IEEE 802.11, Linux
//! cooked captures, PPP, Cisco HDLC, loopback, raw IP. PKTAP, PPI and NFLOG go before another link
//! layer. Link types are those of the registry at tcpdump.org/linktypes.html. Left out: encrypted
//! frames of 802.11, and its fragments.

mod wlan;
mod wrapped;

use crate::ParseError;
use crate::bytes::{u8_at, u16_at, u32_at};
pub use wlan::{Subframes, Wlan};
pub use wrapped::interface_name;

/// A number of the registry of link types; also written as the DLT numbers with
/// which some systems write raw IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType(pub u16);

impl LinkType {
    /// BSD loopback: the address family in the capturing host's byte order.
    pub const NULL: LinkType = LinkType(0);
    /// Ethernet.
    pub const ETHERNET: LinkType = LinkType(1);
    /// PPP, perhaps in HDLC-like framing.
    pub const PPP: LinkType = LinkType(9);
    /// PPP in HDLC-like framing (RFC 1662).
    pub const PPP_HDLC: LinkType = LinkType(50);
    /// PPP over Ethernet: the session header comes first.
    pub const PPP_ETHER: LinkType = LinkType(51);
    /// LLC without a MAC header, as over ATM (RFC 2684).
    pub const LLC: LinkType = LinkType(100);
    /// IP without a link layer.
    pub const RAW: LinkType = LinkType(101);
    /// Cisco's HDLC framing (RFC 1547, 4.3.1).
    pub const C_HDLC: LinkType = LinkType(104);
    /// IEEE 802.11.
    pub const IEEE802_11: LinkType = LinkType(105);
    /// OpenBSD loopback: the address family in network byte order.
    pub const LOOP: LinkType = LinkType(108);
    /// Linux cooked capture.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// Radiotap, then IEEE 802.11.
    pub const RADIOTAP: LinkType = LinkType(127);
    /// Per-packet information (PPI), then the frame of another link type.
    pub const PPI: LinkType = LinkType(192);
    /// MPLS without a link layer before it.
    pub const MPLS: LinkType = LinkType(219);
    /// IPv4 without a link layer.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6 without a link layer.
    pub const IPV6: LinkType = LinkType(229);
    /// Messages of Linux's netfilter log, with the IP packet in an attribute.
    pub const NFLOG: LinkType = LinkType(239);
    /// Apple's PKTAP, then the frame of another link type.
    pub const PKTAP: LinkType = LinkType(258);
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);

    /// True if frames of this type are read.
    pub const fn is_known(self) -> bool {
        matches!(self.0, 0 | 1 | 9 | 12 | 14 | 50 | 51 | 100 | 101 | 104 | 105 | 108 | 113 | 127)
            || matches!(self.0, 192 | 219 | 228 | 229 | 239 | 258 | 276)
    }
}

/// Content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// An IP packet, which begins at this byte.
    Ip(usize),
    /// Payload of this EtherType.
    EtherType(u16),
    /// LLC (IEEE 802.2) with neither IP nor an EtherType behind it.
    Llc,
    /// A frame of 802.11 that has no packet which can be read.
    Wlan(Wlan),
    /// Several packets behind each other, the first of which begins at this byte
    /// ([`Subframes`]).
    Aggregate(usize),
    /// A message of the netfilter log without a packet.
    Nflog,
    /// A frame of this link type, which is not read, behind a header of another one.
    Link(u16),
    /// Something else than IP behind MPLS labels.
    Mpls,
    /// Payload of this PPP protocol number.
    Ppp(u16),
    /// Payload of this address family, behind a loopback header.
    Family(u16),
}

/// The EtherTypes that matter (IANA registry "IEEE 802 Numbers").
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const PPPOE_SESSION: u16 = 0x8864;
const MPLS: [u16; 2] = [0x8847, 0x8848];
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];
/// Below these come lengths (IEEE 802.3, 3.2.6).
const LEAST_ETHERTYPE: u16 = 0x0600;
/// Tags and labels that are looked through at most.
const MOST_TAGS: usize = 16;
/// Headers before another link type that are looked through at most.
const MOST_WRAPPERS: usize = 4;
/// PPP's protocols (IANA registry "Point-to-Point Protocol Field Assignments").
const PPP_IP: [u16; 2] = [0x0021, 0x0057];
const PPP_MPLS: [u16; 2] = [0x0281, 0x0283];

/// Content of a frame of this link type.
///
/// # Errors
///
/// If the frame is cut short before that, or its link type is not read.
#[inline]
pub fn carried(link: LinkType, frame: &[u8]) -> Result<Carried, ParseError> {
    carried_at(link, frame, 0, 0)
}

/// Content of the frame that begins at `at`, behind so many headers of other link types.
#[inline]
fn carried_at(
    link: LinkType,
    frame: &[u8],
    at: usize,
    wrappers: usize,
) -> Result<Carried, ParseError> {
    match link {
        LinkType::ETHERNET => by_ethertype(frame, at + 12, at + 14),
        LinkType(12 | 14) | LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => Ok(Carried::Ip(at)),
        LinkType::LINUX_SLL => by_ethertype(frame, at + 14, at + 16),
        LinkType::LINUX_SLL2 => by_ethertype(frame, at, at + 20),
        LinkType::PPP => ppp(frame, at),
        LinkType::PPP_HDLC => match u8_at(frame, at)? {
            // RFC 1547, 4.3.1: unicast and broadcast.
            0x0f | 0x8f => by_ethertype(frame, at + 2, at + 4),
            _ => ppp(frame, at),
        },
        LinkType::PPP_ETHER => ppp(frame, at + 6),
        LinkType::C_HDLC => by_ethertype(frame, at + 2, at + 4),
        LinkType::LLC => llc(frame, at),
        LinkType::MPLS => mpls(frame, at),
        LinkType::NULL | LinkType::LOOP => loopback(frame, at),
        LinkType::IEEE802_11 => wlan::carried(frame, at, false),
        LinkType::RADIOTAP => wlan::behind_radiotap(frame, at),
        _ if wrappers >= MOST_WRAPPERS => Err(ParseError::Unsupported),
        LinkType::NFLOG => wrapped::nflog(frame, at),
        LinkType::PPI | LinkType::PKTAP => {
            let (link, next) = wrapped::inner(link, frame, at)?;
            match carried_at(link, frame, next, wrappers + 1) {
                Err(ParseError::Unsupported) => Ok(Carried::Link(link.0)),
                found => found,
            }
        }
        _ => Err(ParseError::Unsupported),
    }
}

/// The index that the kernel gave to the interface at which a frame passed: a capture of "any"
/// interface has frames of several (tcpdump.org, LINKTYPE_LINUX_SLL2).
pub fn interface_index(link: LinkType, frame: &[u8]) -> Option<u32> {
    if link == LinkType::LINUX_SLL2 { u32_at(frame, 4).ok() } else { None }
}

/// The EtherType stands at `at`, what it announces begins at `next`.
#[inline]
fn by_ethertype(frame: &[u8], at: usize, next: usize) -> Result<Carried, ParseError> {
    let (mut kind, mut next) = (u16_at(frame, at)?, next);
    for _ in 0..MOST_TAGS {
        match kind {
            IPV4 | IPV6 => return Ok(Carried::Ip(next)),
            PPPOE_SESSION => return ppp(frame, next + 6), // RFC 2516, 4
            kind if MPLS.contains(&kind) => return mpls(frame, next),
            kind if VLAN.contains(&kind) => {
                // IEEE 802.1Q, 9.6: the tag's information, then the next EtherType.
                next += 4;
            }
            kind if kind < LEAST_ETHERTYPE => return llc(frame, next),
            kind => return Ok(Carried::EtherType(kind)),
        }
        kind = u16_at(frame, next - 2)?;
    }
    Ok(Carried::EtherType(kind))
}

/// LLC (IEEE 802.2, 3): service access points and control, then IP, or SNAP with an EtherType
/// (RFC 1042; IEEE 802.1H for the tunnel's OUI).
fn llc(frame: &[u8], at: usize) -> Result<Carried, ParseError> {
    const UNNUMBERED: u8 = 3;
    const SNAP: u8 = 0xaa;
    const IP: u8 = 0x06;
    let Some(&[dsap, ssap, UNNUMBERED]) = frame.get(at..at + 3) else { return Ok(Carried::Llc) };
    match (dsap, ssap) {
        (IP, IP) => Ok(Carried::Ip(at + 3)),
        (SNAP, SNAP) => match frame.get(at + 3..at + 6) {
            Some([0, 0, 0 | 0xf8]) => snap(frame, at + 6),
            Some(_) => Ok(Carried::Llc),
            None => Err(ParseError::Truncated),
        },
        _ => Ok(Carried::Llc),
    }
}

/// The EtherType at the end of a SNAP header. What is below the least EtherType is none, and no
/// length either.
fn snap(frame: &[u8], at: usize) -> Result<Carried, ParseError> {
    match u16_at(frame, at)? {
        kind if kind < LEAST_ETHERTYPE => Ok(Carried::Llc),
        _ => by_ethertype(frame, at, at + 2),
    }
}

/// Labels until the bottom of the stack (RFC 3032, 2.1), then an IP packet, as its
/// first four bits say; if they do not, something else.
fn mpls(frame: &[u8], mut at: usize) -> Result<Carried, ParseError> {
    for _ in 0..MOST_TAGS {
        let bottom = u8_at(frame, at + 2)? & 1 != 0;
        at += 4;
        if bottom {
            let ip = matches!(u8_at(frame, at)? >> 4, 4 | 6);
            return Ok(if ip { Carried::Ip(at) } else { Carried::Mpls });
        }
    }
    Ok(Carried::Mpls)
}

/// PPP's protocol field, behind address and control if they are there (RFC 1661, 2;
/// RFC 1662, 3.1), in one byte if it is compressed.
fn ppp(frame: &[u8], at: usize) -> Result<Carried, ParseError> {
    let at = if u16_at(frame, at)? == 0xff03 { at + 2 } else { at };
    let first = u8_at(frame, at)?;
    let (protocol, next) = match first & 1 {
        1 => (u16::from(first), at + 1),
        _ => (u16_at(frame, at)?, at + 2),
    };
    match protocol {
        protocol if PPP_IP.contains(&protocol) => Ok(Carried::Ip(next)),
        protocol if PPP_MPLS.contains(&protocol) => mpls(frame, next), // RFC 3032, 4.3
        protocol => Ok(Carried::Ppp(protocol)),
    }
}

/// An address family in either byte order. IPv4 is 2 everywhere; IPv6 differs.
fn loopback(frame: &[u8], at: usize) -> Result<Carried, ParseError> {
    let (low, high) = (u16_at(frame, at + 2)?, u16_at(frame, at)?.swap_bytes());
    let family = low.max(high);
    let ip = matches!(family, 2 | 10 | 24 | 28 | 30);
    Ok(if ip { Carried::Ip(at + 4) } else { Carried::Family(family) })
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
