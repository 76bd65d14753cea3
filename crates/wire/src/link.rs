//! Link layers of captured frames: where in a frame the IP packet begins, or what else it
//! carries.
//!
//! Ethernet with VLAN tags, MPLS and PPPoE, Linux cooked captures, PPP, loopback and
//! raw IP. Link types are those of the registry at tcpdump.org/linktypes.html. Left
//! out: radio link layers (802.11), which hide IP behind encryption or aggregation.

use crate::ParseError;
use crate::bytes::{u8_at, u16_at, u32_at};

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
    /// IP without a link layer.
    pub const RAW: LinkType = LinkType(101);
    /// OpenBSD loopback: the address family in network byte order.
    pub const LOOP: LinkType = LinkType(108);
    /// Linux cooked capture.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// IPv4 without a link layer.
    pub const IPV4: LinkType = LinkType(228);
    /// IPv6 without a link layer.
    pub const IPV6: LinkType = LinkType(229);
    /// Linux cooked capture, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);

    /// Whether frames of this type are read.
    pub const fn is_known(self) -> bool {
        matches!(self.0, 0 | 1 | 9 | 12 | 14 | 50 | 51 | 101 | 108 | 113 | 228 | 229 | 276)
    }
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carried {
    /// An IP packet, which begins at this byte.
    Ip(usize),
    /// What has this EtherType.
    EtherType(u16),
    /// A frame of IEEE 802.3 with a length, not an EtherType.
    Llc,
    /// Something else than IP behind MPLS labels.
    Mpls,
    /// What has this PPP protocol number.
    Ppp(u16),
    /// What has this address family, behind a loopback header.
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

/// What a frame of this link type carries.
///
/// # Errors
///
/// If the frame is cut short before that, or its link type is not read.
#[inline]
pub fn carried(link: LinkType, frame: &[u8]) -> Result<Carried, ParseError> {
    match link {
        LinkType::ETHERNET => by_ethertype(frame, 12, 14),
        LinkType(12 | 14) | LinkType::RAW | LinkType::IPV4 | LinkType::IPV6 => Ok(Carried::Ip(0)),
        LinkType::LINUX_SLL => by_ethertype(frame, 14, 16),
        LinkType::LINUX_SLL2 => by_ethertype(frame, 0, 20),
        LinkType::PPP | LinkType::PPP_HDLC => ppp(frame, 0),
        LinkType::PPP_ETHER => ppp(frame, 6),
        LinkType::NULL | LinkType::LOOP => loopback(frame),
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
            kind if kind < LEAST_ETHERTYPE => return Ok(Carried::Llc),
            kind => return Ok(Carried::EtherType(kind)),
        }
        kind = u16_at(frame, next - 2)?;
    }
    Ok(Carried::EtherType(kind))
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
    let ip = matches!(protocol, 0x0021 | 0x0057);
    Ok(if ip { Carried::Ip(next) } else { Carried::Ppp(protocol) })
}

/// An address family in either byte order. IPv4 is 2 everywhere; IPv6 differs.
fn loopback(frame: &[u8]) -> Result<Carried, ParseError> {
    let (low, high) = (u16_at(frame, 2)?, u16_at(frame, 0)?.swap_bytes());
    let family = low.max(high);
    let ip = matches!(family, 2 | 10 | 24 | 28 | 30);
    Ok(if ip { Carried::Ip(4) } else { Carried::Family(family) })
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
