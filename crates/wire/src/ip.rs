//! IPv4 (RFC 791) and IPv6 (RFC 8200) headers.
//!
//! Headers are written without options; IPv4 packets are atomic (RFC 6864):
//! don't-fragment is set. On reading, options and the common extension headers
//! are skipped. Fragments, whose transport header may be elsewhere, are read with
//! ports of zero and what it takes to put them together. Left out: the flow label.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::bytes::{Checksum, array, len16, mapped, rest, u8_at, u16_at, u32_at};
use crate::{Ecn, Endpoint, IPV4_HEADER, ParseError, Protocol, Tuple};

/// Time to live (hop limit) of packets as hosts send them (RFC 1700).
pub const DEFAULT_TTL: u8 = 64;

/// Fields of an IP header, and the ports behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpRepr {
    /// Addresses, ports and protocol.
    pub tuple: Tuple,
    /// Differentiated services code point (6 bits).
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Time to live or hop limit.
    pub ttl: u8,
    /// IPv4 identification; not written to IPv6.
    pub ident: u16,
    /// Bytes behind the IP header and its options or extensions.
    pub payload_len: u32,
    /// Part of a packet, if it is a fragment; the ports of a later one are zero. It is not written.
    pub fragment: Option<Fragment>,
}

/// The part of a packet that a fragment is (RFC 791, 3.2; RFC 8200, 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Identification, the same in all fragments of a packet.
    pub id: u32,
    /// Offset of the fragment's payload in the packet's payload, in bytes.
    pub offset: u32,
    /// True if more fragments of the packet follow.
    pub more: bool,
}

/// None if the packet is whole.
#[inline]
fn fragment(id: u32, offset: u32, more: bool) -> Option<Fragment> {
    (offset != 0 || more).then_some(Fragment { id, offset, more })
}

impl IpRepr {
    /// The header of an atomic packet of `size` bytes, header included.
    pub fn new(tuple: Tuple, dscp: u8, ecn: Ecn, size: u32) -> IpRepr {
        let payload_len = size.saturating_sub(tuple.ip_header());
        IpRepr { tuple, dscp, ecn, ttl: DEFAULT_TTL, ident: 0, payload_len, fragment: None }
    }

    /// Appends the header. If the families of the two addresses differ, both are
    /// written as IPv6, IPv4-mapped where needed (RFC 4291, 2.5.5.2).
    pub fn emit(&self, out: &mut Vec<u8>) {
        match (self.tuple.src.addr, self.tuple.dst.addr) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => self.emit_v4(src, dst, out),
            (src, dst) => self.emit_v6(mapped(src), mapped(dst), out),
        }
    }

    /// The whole octet of DSCP and ECN.
    pub const fn tos(&self) -> u8 {
        self.dscp << 2 | self.ecn.bits()
    }

    fn emit_v4(&self, src: Ipv4Addr, dst: Ipv4Addr, out: &mut Vec<u8>) {
        let start = out.len();
        let [len_high, len_low] = len16(20 + self.payload_len as usize);
        let [id_high, id_low] = self.ident.to_be_bytes();
        out.extend([0x45, self.tos(), len_high, len_low, id_high, id_low, 0x40, 0]);
        out.extend([self.ttl, self.tuple.protocol.0, 0, 0]);
        out.extend(src.octets());
        out.extend(dst.octets());
        let mut sum = Checksum::default();
        sum.add(&out[start..]);
        out[start + 10..start + 12].copy_from_slice(&sum.finish());
    }

    fn emit_v6(&self, src: Ipv6Addr, dst: Ipv6Addr, out: &mut Vec<u8>) {
        let tos = self.tos();
        out.extend([0x60 | tos >> 4, tos << 4, 0, 0]);
        out.extend(len16(self.payload_len as usize));
        out.extend([self.tuple.protocol.0, self.ttl]);
        out.extend(src.octets());
        out.extend(dst.octets());
    }

    /// With the ports that `payload`, which is the IP packet's, begins with, if its
    /// protocol has ports; for a packet put together from fragments.
    #[must_use]
    pub fn with_ports(self, payload: &[u8]) -> IpRepr {
        let Tuple { src, dst, protocol } = self.tuple;
        IpRepr { tuple: tuple(src.addr, dst.addr, protocol.0, Some(payload)), ..self }
    }

    /// Reads a header and the ports behind it, and gives the bytes of the payload
    /// that are there; a captured packet may be cut short.
    ///
    /// # Errors
    ///
    /// If the header itself is cut short or is not IP.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<(IpRepr, &[u8]), ParseError> {
        match u8_at(bytes, 0)? >> 4 {
            4 => parse_v4(bytes),
            6 => parse_v6(bytes),
            _ => Err(ParseError::Malformed),
        }
    }
}

#[inline]
fn parse_v4(bytes: &[u8]) -> Result<(IpRepr, &[u8]), ParseError> {
    let header = usize::from(u8_at(bytes, 0)? & 0x0f) * 4;
    if header < 20 {
        return Err(ParseError::Malformed);
    }
    if bytes.len() < header {
        return Err(ParseError::Truncated);
    }
    let total = match usize::from(u16_at(bytes, 2)?) {
        0 => bytes.len(), // captured before segmentation offload filled it in
        total if total < header => return Err(ParseError::Malformed),
        total => total,
    };
    let part = u32::from(u16_at(bytes, 6)?);
    let ident = u16_at(bytes, 4)?;
    let fragment = fragment(ident.into(), (part & 0x1fff) * 8, part & 0x2000 != 0);
    let payload = &bytes[header..total.min(bytes.len())];
    let (src, dst) =
        (Ipv4Addr::from(array::<4>(bytes, 12)?), Ipv4Addr::from(array::<4>(bytes, 16)?));
    let repr = IpRepr {
        tuple: tuple(src.into(), dst.into(), bytes[9], fragment.is_none().then_some(payload)),
        dscp: bytes[1] >> 2,
        ecn: Ecn::from_bits(bytes[1]),
        ttl: bytes[8],
        ident,
        payload_len: (total - header) as u32,
        fragment,
    };
    Ok((repr, payload))
}

/// Sets the ECN field of a packet's bytes, and puts IPv4's header checksum right by what changed
/// (RFC 1624, equation 3). Bytes that are no IP header stay as they are.
pub fn set_ecn(bytes: &mut [u8], ecn: Ecn) {
    match bytes.first().map(|first| first >> 4) {
        Some(4) if bytes.len() >= IPV4_HEADER as usize => {
            let before = u16::from_be_bytes([bytes[0], bytes[1]]);
            bytes[1] = bytes[1] & !3 | ecn.bits();
            let after = u16::from_be_bytes([bytes[0], bytes[1]]);
            let sum = u16::from_be_bytes([bytes[10], bytes[11]]);
            let new = u32::from(!sum) + u32::from(!before) + u32::from(after);
            let new = (new & 0xffff) + (new >> 16);
            let new = !((new & 0xffff) + (new >> 16)) as u16;
            bytes[10..12].copy_from_slice(&new.to_be_bytes());
        }
        // The traffic class lies across the first two bytes, its ECN field in the second.
        Some(6) if bytes.len() >= 2 => bytes[1] = bytes[1] & 0xcf | ecn.bits() << 4,
        _ => {}
    }
}

fn parse_v6(bytes: &[u8]) -> Result<(IpRepr, &[u8]), ParseError> {
    if bytes.len() < 40 {
        return Err(ParseError::Truncated);
    }
    let end = match usize::from(u16_at(bytes, 4)?) {
        0 => bytes.len(), // a jumbogram, or before segmentation offload
        len => 40 + len,
    };
    let (header, protocol, fragment) = skip_extensions(bytes)?;
    let payload_len = end.checked_sub(header).ok_or(ParseError::Malformed)?;
    let payload = &rest(bytes, header)[..payload_len.min(bytes.len().saturating_sub(header))];
    let (src, dst) =
        (Ipv6Addr::from(array::<16>(bytes, 8)?), Ipv6Addr::from(array::<16>(bytes, 24)?));
    let tos = (u32_at(bytes, 0)? >> 20) as u8;
    let repr = IpRepr {
        tuple: tuple(src.into(), dst.into(), protocol, fragment.is_none().then_some(payload)),
        dscp: tos >> 2,
        ecn: Ecn::from_bits(tos),
        ttl: bytes[7],
        ident: 0,
        payload_len: payload_len as u32,
        fragment,
    };
    Ok((repr, payload))
}

/// Offset of the transport header, its protocol, and the fragment, if the packet is one (RFC 8200,
/// 4). Bytes behind the header of a later fragment are not read.
fn skip_extensions(bytes: &[u8]) -> Result<(usize, u8, Option<Fragment>), ParseError> {
    const HOP_BY_HOP: u8 = 0;
    const ROUTING: u8 = 43;
    const FRAGMENT: u8 = 44;
    const DESTINATION: u8 = 60;
    let (mut at, mut next, mut part) = (40, bytes[6], None);
    loop {
        let len = match next {
            HOP_BY_HOP | ROUTING | DESTINATION => 8 + 8 * usize::from(u8_at(bytes, at + 1)?),
            FRAGMENT => {
                let bits = u32::from(u16_at(bytes, at + 2)?);
                let id = u32_at(bytes, at + 4)?;
                part = part.or(fragment(id, bits & 0xfff8, bits & 1 != 0));
                if bits & 0xfff8 != 0 {
                    return Ok((at + 8, u8_at(bytes, at)?, part));
                }
                8
            }
            _ => return Ok((at, next, part)),
        };
        next = u8_at(bytes, at)?;
        at += len;
    }
}

#[inline]
fn tuple(src: IpAddr, dst: IpAddr, protocol: u8, payload: Option<&[u8]>) -> Tuple {
    let protocol = Protocol(protocol);
    let ported = matches!(protocol, Protocol::TCP | Protocol::UDP);
    let port = |at| payload.filter(|_| ported).and_then(|p| u16_at(p, at).ok()).unwrap_or(0);
    Tuple { src: Endpoint::new(src, port(0)), dst: Endpoint::new(dst, port(2)), protocol }
}

#[cfg(test)]
#[path = "ip_tests.rs"]
mod tests;
