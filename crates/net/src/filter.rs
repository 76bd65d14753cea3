//! Traffic flow templates: which bearer a packet takes (TS 24.008, 10.5.6.12;
//! TS 23.060, 15.3). NR's service data flow filters (TS 24.501, 9.11.4.13) have
//! the same components.
//!
//! Local is the UE's side, remote the other. Left out: the security parameters
//! index and the flow label.

use core::fmt;
use core::net::{IpAddr, Ipv4Addr};
use core::ops::RangeInclusive;

use airpath_schema::{Decoder, Field, Json, Node, choice, json};
use airpath_wire::{Endpoint, Protocol, Tuple};

use crate::Direction;

/// An address with the number of its leading bits that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    addr: IpAddr,
    len: u8,
}

choice! {
    /// Directions in which a filter applies.
    pub enum FilterDirection: Both {
        /// Downlink alone.
        Down = "down",
        /// Uplink alone.
        Up = "up",
        /// Both directions.
        Both = "both",
    }
}

/// A packet filter. Components that are `None` match everything; a packet matches
/// if all components do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketFilter {
    /// Evaluation precedence: filters of lower values are evaluated first. Unique among the filters
    /// of a UE.
    pub precedence: u8,
    /// Index among the UE's bearers of the bearer that a matching packet takes.
    pub bearer: usize,
    /// Directions in which the filter applies.
    pub direction: FilterDirection,
    /// Remote address.
    pub remote: Option<Prefix>,
    /// Local address.
    pub local: Option<Prefix>,
    /// Protocol (IPv4) or next header (IPv6).
    pub protocol: Option<Protocol>,
    /// Local ports.
    pub local_ports: Option<RangeInclusive<u16>>,
    /// Remote ports.
    pub remote_ports: Option<RangeInclusive<u16>>,
    /// Type of service or traffic class.
    pub tos: Option<TosMatch>,
}

/// A value of the whole octet (DSCP and ECN) and the bits of it that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TosMatch {
    /// Value.
    pub value: u8,
    /// Bits that count.
    pub mask: u8,
}

/// All packet filters of a UE, of all its bearers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tft(Vec<PacketFilter>);

/// Error in a set of packet filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TftError {
    /// Two filters have this precedence (TS 24.008, 10.5.6.12).
    DuplicatePrecedence(u8),
    /// The filter with this precedence has a range of ports that ends before it
    /// begins.
    EmptyPortRange(u8),
}

impl Prefix {
    /// The addresses whose first `len` bits are those of `addr`; `None` if an
    /// address of that family has fewer bits.
    pub fn new(addr: impl Into<IpAddr>, len: u8) -> Option<Prefix> {
        let addr = addr.into();
        let most = if addr.is_ipv4() { 32 } else { 128 };
        (len <= most).then_some(Prefix { addr, len })
    }

    /// This one address.
    pub fn host(addr: impl Into<IpAddr>) -> Prefix {
        let addr = addr.into();
        Prefix { addr, len: if addr.is_ipv4() { 32 } else { 128 } }
    }

    /// True if the prefix contains this address; false for the other address family.
    pub fn contains(self, addr: IpAddr) -> bool {
        let len = u32::from(self.len);
        match (self.addr, addr) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                (a.to_bits() ^ b.to_bits()).checked_shr(32 - len).unwrap_or(0) == 0
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => {
                (a.to_bits() ^ b.to_bits()).checked_shr(128 - len).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl Field for Prefix {
    fn decode(node: &Node, cx: &mut Decoder) -> Option<Self> {
        let allowed = "an IPv4 address, as \"198.51.100.1\" or \"198.51.100.0/24\"";
        let read = |text: &str| {
            let (address, bits) = text.split_once('/').unwrap_or((text, "32"));
            Prefix::new(address.parse::<Ipv4Addr>().ok()?, bits.parse().ok()?)
        };
        cx.number_or_text(node, allowed, |_| None, read)
    }
    fn encode(&self) -> Json {
        json!(format!("{}/{}", self.addr, self.len))
    }
    fn schema() -> Json {
        json!({"type": "string", "pattern": "^[0-9]+(\\.[0-9]+){3}(/[0-9]+)?$"})
    }
}

impl FilterDirection {
    fn applies(self, direction: Direction) -> bool {
        match self {
            FilterDirection::Both => true,
            FilterDirection::Down => direction == Direction::Downlink,
            FilterDirection::Up => direction == Direction::Uplink,
        }
    }
}

impl PacketFilter {
    fn matches(&self, local: Endpoint, remote: Endpoint, protocol: Protocol, tos: u8) -> bool {
        self.protocol.is_none_or(|wanted| wanted == protocol)
            && self.tos.is_none_or(|wanted| (tos ^ wanted.value) & wanted.mask == 0)
            && self.local_ports.as_ref().is_none_or(|ports| ports.contains(&local.port))
            && self.remote_ports.as_ref().is_none_or(|ports| ports.contains(&remote.port))
            && self.remote.is_none_or(|prefix| prefix.contains(remote.addr))
            && self.local.is_none_or(|prefix| prefix.contains(local.addr))
    }
}

impl Tft {
    /// The template with these filters, in any order.
    ///
    /// # Errors
    ///
    /// If two filters have the same precedence or a range of ports is empty.
    pub fn new(mut filters: Vec<PacketFilter>) -> Result<Tft, TftError> {
        filters.sort_by_key(|filter| filter.precedence);
        for pair in filters.windows(2) {
            if pair[0].precedence == pair[1].precedence {
                return Err(TftError::DuplicatePrecedence(pair[0].precedence));
            }
        }
        for filter in &filters {
            let ranges = [&filter.local_ports, &filter.remote_ports];
            if ranges.into_iter().flatten().any(RangeInclusive::is_empty) {
                return Err(TftError::EmptyPortRange(filter.precedence));
            }
        }
        Ok(Tft(filters))
    }

    /// The filters, in order of precedence.
    pub fn filters(&self) -> &[PacketFilter] {
        &self.0
    }

    /// The bearer of the first filter that matches a packet with this tuple and
    /// this octet of DSCP and ECN; `None` means the default bearer.
    #[inline(always)]
    pub fn classify(&self, tuple: &Tuple, tos: u8, direction: Direction) -> Option<usize> {
        let (local, remote) = match direction {
            Direction::Downlink => (tuple.dst, tuple.src),
            Direction::Uplink => (tuple.src, tuple.dst),
        };
        let matching = self.0.iter().find(|filter| {
            filter.direction.applies(direction)
                && filter.matches(local, remote, tuple.protocol, tos)
        });
        matching.map(|filter| filter.bearer)
    }
}

impl fmt::Display for TftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TftError::DuplicatePrecedence(value) => {
                write!(f, "two packet filters have the precedence {value}")
            }
            TftError::EmptyPortRange(value) => {
                write!(f, "the packet filter of precedence {value} has an empty range of ports")
            }
        }
    }
}

impl core::error::Error for TftError {}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
