//! Tunnels that are looked through on request: VXLAN (RFC 7348), Geneve (RFC 8926), and GRE (RFC 2784, RFC 2890). So are
//! ERSPAN I to III (draft-foschiano-erspan-03), and MPLS pseudowires of Ethernet with a control word (RFC 4448, RFC 4385).
//!
//! A packet that cannot be read for certain is counted. This concerns short headers, GRE with routing (RFC 1701) or of
//! PPTP (RFC 2637), control packets, and pseudowires without a control word, which look like anything.

use airpath_wire::link::LinkType;
use airpath_wire::{IpRepr, Protocol};
use hashbrown::HashMap;
use serde::Serialize;

/// Tunnels within each other that are looked through.
const DEEPEST: u16 = 4;
/// Tunnels that are distinguished; the packets of further ones are not looked through.
const MOST: usize = 4096;
const GRE: Protocol = Protocol(47);
/// UDP ports (IANA).
const VXLAN: u16 = 4789;
const GENEVE: u16 = 6081;
/// EtherTypes (IANA registry "IEEE 802 Numbers").
const ETHERNET: u16 = 0x6558;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const ERSPAN: u16 = 0x88be;
const ERSPAN_III: u16 = 0x22eb;
const MPLS: [u16; 2] = [0x8847, 0x8848];
const VLAN: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// A tunnel in which a flow was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Tunnel {
    /// Its protocol.
    #[serde(rename = "type")]
    pub kind: TunnelKind,
    /// VNI of VXLAN and Geneve, key of GRE, or session of ERSPAN. None without one. The labels of a pseudowire are
    /// none, as both directions have their own.
    pub id: Option<u32>,
}

/// Protocol of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TunnelKind {
    /// VXLAN (RFC 7348).
    Vxlan,
    /// Geneve (RFC 8926).
    Geneve,
    /// GRE (RFC 2784, RFC 2890).
    Gre,
    /// ERSPAN type I: GRE without a header of its own.
    Erspan1,
    /// ERSPAN type II.
    Erspan2,
    /// ERSPAN type III.
    Erspan3,
    /// Pseudowire of Ethernet over MPLS (RFC 4448).
    Pseudowire,
}

/// Content of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inside {
    Ethernet,
    Ip,
    Mpls,
}

/// Header of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) tunnel: Tunnel,
    pub(crate) inside: Inside,
    pub(crate) len: usize,
}

/// Tunnels that were seen, each within another, by number. Zero is none.
#[derive(Debug, Default)]
pub(crate) struct Tunnels {
    numbers: HashMap<(u16, Tunnel), u16>,
    /// The tunnel around each, and how many are around that.
    list: Vec<(u16, u16, Tunnel)>,
}

impl TunnelKind {
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            TunnelKind::Vxlan => "vxlan",
            TunnelKind::Geneve => "geneve",
            TunnelKind::Gre => "gre",
            TunnelKind::Erspan1 => "erspan1",
            TunnelKind::Erspan2 => "erspan2",
            TunnelKind::Erspan3 => "erspan3",
            TunnelKind::Pseudowire => "pseudowire",
        }
    }
}

impl Tunnels {
    /// Number of a tunnel in another. None if it lies too deep, or if there are too many.
    pub(crate) fn number(&mut self, around: u16, tunnel: Tunnel) -> Option<u16> {
        if let Some(number) = self.numbers.get(&(around, tunnel)) {
            return Some(*number);
        }
        let depth = self.at(around).map_or(0, |(_, depth, _)| depth + 1);
        if depth >= DEEPEST || self.list.len() >= MOST {
            return None;
        }
        self.list.push((around, depth, tunnel));
        let number = self.list.len() as u16;
        self.numbers.insert((around, tunnel), number);
        Some(number)
    }

    /// The tunnels of this number, the outermost first.
    pub(crate) fn named(&self, mut number: u16) -> Vec<Tunnel> {
        let mut found = Vec::new();
        while let Some((around, _, tunnel)) = self.at(number) {
            found.insert(0, tunnel);
            number = around;
        }
        found
    }

    fn at(&self, number: u16) -> Option<(u16, u16, Tunnel)> {
        self.list.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// True if a packet may be one of a tunnel.
#[inline]
pub(crate) fn may_be(ip: &IpRepr) -> bool {
    let port = ip.tuple.dst.port;
    ip.tuple.protocol == GRE
        || ip.tuple.protocol == Protocol::UDP && (port == VXLAN || port == GENEVE)
}

/// Header of the tunnel in an IP packet. None if it is none that is read.
///
/// # Errors
///
/// The name of a header that is too short.
pub(crate) fn read(ip: &IpRepr, payload: &[u8]) -> Option<Result<Header, &'static str>> {
    let (header, name) = match (ip.tuple.protocol, ip.tuple.dst.port) {
        (GRE, _) => (gre(payload), "GRE header"),
        (Protocol::UDP, VXLAN) => (vxlan(payload), "VXLAN header"),
        (Protocol::UDP, GENEVE) => (geneve(payload), "Geneve header"),
        _ => return None,
    };
    header.map(|header| header.ok_or(name))
}

/// A header that is there, and is none if it is too short.
type Read = Option<Option<Header>>;

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn header(kind: TunnelKind, id: Option<u32>, inside: Inside, len: usize) -> Read {
    Some(Some(Header { tunnel: Tunnel { kind, id }, inside, len }))
}

/// Content by EtherType.
fn content(kind: u16) -> Option<Inside> {
    match kind {
        ETHERNET => Some(Inside::Ethernet),
        IPV4 | IPV6 => Some(Inside::Ip),
        kind if MPLS.contains(&kind) => Some(Inside::Mpls),
        _ => None,
    }
}

/// VXLAN (RFC 7348, 5) behind UDP: flags, of which I makes the VNI valid, and the VNI.
fn vxlan(payload: &[u8]) -> Read {
    let (Some(flags), Some(vni)) = (payload.get(8), word(payload, 12)) else { return Some(None) };
    if flags & 8 == 0 {
        return None;
    }
    header(TunnelKind::Vxlan, Some(vni >> 8), Inside::Ethernet, 16)
}

/// Geneve (RFC 8926, 3.4) behind UDP: version and length of the options in words, flags of which O is for control
/// packets, the EtherType, and the VNI.
fn geneve(payload: &[u8]) -> Read {
    let (Some(first), Some(vni)) = (half(payload, 8), word(payload, 12)) else { return Some(None) };
    let inside = content(half(payload, 10)?).filter(|_| first & 0xc080 == 0)?;
    let len = 16 + 4 * usize::from(first >> 8 & 0x3f);
    if payload.len() < len {
        return Some(None);
    }
    header(TunnelKind::Geneve, Some(vni >> 8), inside, len)
}

/// GRE (RFC 2784, 2.1; RFC 2890, 2): flags, version, EtherType; checksum, key and sequence number, if there are any.
fn gre(payload: &[u8]) -> Read {
    const CHECKSUM: u16 = 0x8000;
    const ROUTING: u16 = 0x4000;
    const KEY: u16 = 0x2000;
    const SEQUENCE: u16 = 0x1000;
    const VERSION: u16 = 7;
    let (Some(flags), Some(kind)) = (half(payload, 0), half(payload, 2)) else { return Some(None) };
    if flags & (ROUTING | VERSION) != 0 {
        return None;
    }
    let has = |flag: u16| usize::from(flags & flag != 0);
    let at_key = 4 + 4 * has(CHECKSUM);
    let len = at_key + 4 * has(KEY) + 4 * has(SEQUENCE);
    let key = if flags & KEY == 0 { None } else { word(payload, at_key) };
    if payload.len() < len {
        return Some(None);
    }
    match kind {
        ERSPAN if flags & SEQUENCE == 0 => header(TunnelKind::Erspan1, None, Inside::Ethernet, len),
        ERSPAN => erspan(payload, len, (TunnelKind::Erspan2, 1, 8)),
        ERSPAN_III => erspan(payload, len, (TunnelKind::Erspan3, 2, 12)),
        kind => header(TunnelKind::Gre, key, content(kind)?, len),
    }
}

/// ERSPAN of type II or III (draft-foschiano-erspan-03, 4.2 and 4.3) behind GRE: version, VLAN, flags and session. Type
/// III may have a subheader of eight bytes, and other frames than Ethernet.
fn erspan(payload: &[u8], at: usize, (kind, version, size): (TunnelKind, u32, usize)) -> Read {
    let Some(first) = word(payload, at).filter(|_| payload.len() >= at + size) else {
        return Some(None);
    };
    if first >> 28 != version {
        return None;
    }
    let (mut len, mut inside) = (at + size, Inside::Ethernet);
    if kind == TunnelKind::Erspan3 {
        let last = word(payload, at + 8)?;
        inside = match last >> 10 & 0x1f {
            0 => Inside::Ethernet,
            2 => Inside::Ip,
            _ => return None,
        };
        len += 8 * (last & 1) as usize;
    }
    if payload.len() < len {
        return Some(None);
    }
    header(kind, Some(first & 0x3ff), inside, len)
}

/// The pseudowire of a frame that has something else than IP behind MPLS labels. None if it has no control word, whose
/// first four bits are zero (RFC 4385, 3).
pub(crate) fn pseudowire(link: LinkType, frame: &[u8]) -> Option<Header> {
    let mut at = if link == LinkType::ETHERNET { 12 } else { 0 };
    if link == LinkType::ETHERNET {
        while VLAN.contains(&half(frame, at)?) {
            at += 4;
        }
        at = MPLS.contains(&half(frame, at)?).then_some(at + 2)?;
    } else if link != LinkType::MPLS {
        return None;
    }
    // RFC 3032, 2.1: the bit S marks the last label.
    while word(frame, at)? & 0x100 == 0 {
        at += 4;
    }
    let control = word(frame, at + 4)?;
    let tunnel = Tunnel { kind: TunnelKind::Pseudowire, id: None };
    (control >> 28 == 0).then_some(Header { tunnel, inside: Inside::Ethernet, len: at + 8 })
}

#[cfg(test)]
#[path = "tunnels_tests.rs"]
pub(crate) mod tests;
