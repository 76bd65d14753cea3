//! Packets that are not decoded, counted by kind, so that no capture with hidden packets seems
//! empty.

use core::fmt;
use std::collections::BTreeMap;

use airpath_wire::link::{Carried, Wlan};
use airpath_wire::{IpRepr, Protocol};

/// Greatest number of kinds; further ones are counted together.
const MOST: usize = 256;

/// UDP ports of tunnels that are not looked through (IANA registry "Service Name and Transport
/// Protocol Port Number"). Their packets count as flows of UDP, too.
const TUNNELS: [(u16, &str); 9] = [
    (1701, "L2TP"),
    (3544, "Teredo"),
    (4341, "LISP"),
    (4500, "ESP in UDP"),
    (4789, "VXLAN"),
    (5247, "CAPWAP"),
    (6080, "GUE"),
    (6081, "Geneve"),
    (6635, "MPLS in UDP"),
];

/// IP protocols by name (IANA registry "Protocol Numbers").
const PROTOCOLS: [(u8, &str); 24] = [
    (0, "hop-by-hop options"),
    (1, "ICMP"),
    (2, "IGMP"),
    (4, "IPv4 in IP"),
    (27, "RDP"),
    (33, "DCCP"),
    (41, "IPv6 in IP"),
    (46, "RSVP"),
    (47, "GRE"),
    (50, "ESP"),
    (51, "AH"),
    (55, "Minimal-IPv4"),
    (58, "ICMPv6"),
    (59, "no next header"),
    (88, "EIGRP"),
    (89, "OSPF"),
    (94, "IPIP"),
    (97, "EtherIP"),
    (103, "PIM"),
    (108, "IPComp"),
    (112, "VRRP"),
    (115, "L2TP"),
    (132, "SCTP"),
    (136, "UDP-Lite"),
];

/// EtherTypes by name (IANA registry "IEEE 802 Numbers").
const ETHERTYPES: [(u16, &str); 14] = [
    (0x0806, "ARP"),
    (0x0842, "Wake-on-LAN"),
    (0x6558, "Ethernet in Ethernet"),
    (0x8035, "RARP"),
    (0x8137, "IPX"),
    (0x8809, "slow protocols"),
    (0x8863, "PPPoE discovery"),
    (0x888e, "EAPOL"),
    (0x8892, "PROFINET"),
    (0x88cc, "LLDP"),
    (0x88e5, "MACsec"),
    (0x88f7, "PTP"),
    (0x893b, "TRILL"),
    (0x9000, "loopback test"),
];

/// Kind of a packet, or of a packet inside it, that is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A link layer that is not read.
    Link(u16),
    /// Something else than IP.
    Frame(Carried),
    /// An IP protocol that is neither TCP nor UDP.
    Protocol(u8),
    /// A tunnel that is not looked through.
    Tunnel(&'static str),
    /// A header that cannot be read.
    Unreadable(&'static str),
    /// A fragment of a packet that never was complete.
    Fragment,
    /// One of very many kinds.
    Further,
}

/// Number of packets of each kind.
#[derive(Debug, Default)]
pub(crate) struct Undecoded {
    counts: BTreeMap<Kind, u64>,
}

impl Undecoded {
    /// One more.
    pub(crate) fn add(&mut self, kind: Kind) {
        self.add_many(kind, 1);
    }

    /// So many more.
    pub(crate) fn add_many(&mut self, kind: Kind, number: u64) {
        if number == 0 {
            return;
        }
        let known = self.counts.len() < MOST || self.counts.contains_key(&kind);
        *self.counts.entry(if known { kind } else { Kind::Further }).or_default() += number;
    }

    /// By name.
    pub(crate) fn named(&self) -> BTreeMap<String, u64> {
        let mut named = BTreeMap::new();
        for (kind, count) in &self.counts {
            *named.entry(kind.to_string()).or_default() += count;
        }
        named
    }
}

impl Kind {
    /// The tunnel that a datagram belongs to, by the port that it goes to; L2TP's and Teredo's
    /// servers answer from theirs.
    pub(crate) fn tunnel(ip: &IpRepr) -> Option<Kind> {
        let (src, dst) = (ip.tuple.src.port, ip.tuple.dst.port);
        let both = |port: u16| src == port && matches!(port, 1701 | 3544 | 4500);
        let found = TUNNELS.iter().find(|(port, _)| *port == dst || both(*port));
        let udp = ip.tuple.protocol == Protocol::UDP;
        found.filter(|_| udp).map(|(_, name)| Kind::Tunnel(name))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Kind::Link(link) => write!(f, "link type {link}"),
            Kind::Frame(Carried::EtherType(kind)) => match name(&ETHERTYPES, kind) {
                Some(name) => f.write_str(name),
                None => write!(f, "EtherType 0x{kind:04x}"),
            },
            Kind::Frame(Carried::Llc) => f.write_str("LLC"),
            Kind::Frame(Carried::Wlan(what)) => f.write_str(wlan(what)),
            Kind::Frame(Carried::Aggregate(_)) => f.write_str("802.11 aggregate"),
            Kind::Frame(Carried::Nflog) => f.write_str("netfilter log without a packet"),
            Kind::Frame(Carried::Link(link)) => write!(f, "link type {link}"),
            Kind::Frame(Carried::Mpls) => f.write_str("MPLS without IP"),
            Kind::Frame(Carried::Ppp(protocol)) => write!(f, "PPP protocol 0x{protocol:04x}"),
            Kind::Frame(Carried::Family(family)) => write!(f, "address family {family}"),
            Kind::Frame(Carried::Ip(_)) => f.write_str("IP"),
            Kind::Protocol(number) => match name(&PROTOCOLS, number) {
                Some(name) => f.write_str(name),
                None => write!(f, "IP protocol {number}"),
            },
            Kind::Tunnel(name) => f.write_str(name),
            Kind::Unreadable(layer) => write!(f, "unreadable {layer}"),
            Kind::Fragment => f.write_str("fragment of an incomplete packet"),
            Kind::Further => f.write_str("further kinds"),
        }
    }
}

fn wlan(what: Wlan) -> &'static str {
    match what {
        Wlan::Management => "802.11 management",
        Wlan::Control => "802.11 control",
        Wlan::Null => "802.11 without data",
        Wlan::Encrypted => "802.11 encrypted",
        Wlan::Fragment => "802.11 fragment",
        Wlan::Extension => "802.11 extension",
    }
}

fn name<N: PartialEq>(names: &[(N, &'static str)], number: N) -> Option<&'static str> {
    names.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}
