//! The packets of a datagram, as far as their headers can be read (RFC 9000, 12.2 and 17).

use super::version::{Kind, Version};

/// Bits of the first byte (RFC 9000, 17.2 and 17.3).
pub(super) const LONG: u8 = 0x80;
pub(super) const FIXED: u8 = 0x40;
/// Longest connection ID (RFC 9000, 17.2).
const LONGEST_ID: usize = 20;
/// Least payload of a datagram with a client's Initial packet (RFC 9000, 14.1).
pub(super) const LEAST_INITIAL: u32 = 1200;
/// Packets of a datagram that are looked at.
const MOST: usize = 8;

/// A packet with a long header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet<'a> {
    pub(super) kind: Kind,
    pub(super) version: Version,
    /// Connection ID of who receives it.
    pub(super) destination: &'a [u8],
    /// From the first byte to the packet's end, or where the capture cuts it.
    pub(super) bytes: &'a [u8],
    /// Offset of the packet number, or of the field instead of one.
    pub(super) body: usize,
    /// True if the whole packet was captured.
    pub(super) whole: bool,
}

/// Kind of a packet in a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Long(Packet<'a>),
    Short,
}

/// The packets of a datagram, one after the other.
pub(super) struct Parts<'a> {
    rest: &'a [u8],
    left: usize,
}

/// True if a datagram of `len` bytes begins a QUIC connection, or belongs to one.
pub(crate) fn is_quic(payload: &[u8], len: u32) -> bool {
    let [first, a, b, c, d, connection, ..] = *payload else { return false };
    let version = Version(u32::from_be_bytes([a, b, c, d]));
    let known = version.is_known() || version.is_reserved() && len >= LEAST_INITIAL;
    first & (LONG | FIXED) == LONG | FIXED && known && usize::from(connection) <= LONGEST_ID
}

/// Kind of a QUIC packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// Initial packet.
    Initial,
    /// 0-RTT packet.
    ZeroRtt,
    /// Handshake packet.
    Handshake,
    /// Retry packet.
    Retry,
    /// Version Negotiation packet.
    VersionNegotiation,
    /// Packet with a short header.
    OneRtt,
}

/// Kinds of a datagram's packets, and their bytes. What follows a short header belongs to its packet.
pub(crate) fn kinds(payload: &[u8], len: u32) -> Vec<(PacketKind, u32)> {
    let mut left = len;
    let part = |part| match part {
        Part::Short => (PacketKind::OneRtt, left),
        Part::Long(Packet { kind, bytes, .. }) => {
            let len = bytes.len() as u32;
            left = left.saturating_sub(len);
            let kind = match kind {
                Kind::Initial => PacketKind::Initial,
                Kind::ZeroRtt => PacketKind::ZeroRtt,
                Kind::Handshake => PacketKind::Handshake,
                Kind::Retry => PacketKind::Retry,
                Kind::Negotiation => PacketKind::VersionNegotiation,
            };
            (kind, len)
        }
    };
    Parts::new(payload).map(part).collect()
}

impl<'a> Parts<'a> {
    pub(super) fn new(payload: &'a [u8]) -> Parts<'a> {
        Parts { rest: payload, left: MOST }
    }

    /// The packet at the beginning, and where the next begins.
    fn long(&self) -> Option<(Packet<'a>, usize)> {
        let bytes = self.rest;
        let [first, a, b, c, d, ..] = *bytes else { return None };
        let version = Version(u32::from_be_bytes([a, b, c, d]));
        let (destination, at) = connection_id(bytes, 5)?;
        let (_, at) = connection_id(bytes, at)?;
        let kind = version.kind(first);
        let body = match kind {
            Kind::Initial => {
                let (token, at) = varint(bytes, at)?;
                at.checked_add(usize::try_from(token).ok()?)?
            }
            _ => at,
        };
        let (body, end) = match kind {
            Kind::Retry | Kind::Negotiation => (body, bytes.len()),
            _ => {
                let (len, body) = varint(bytes, body)?;
                (body, body.checked_add(usize::try_from(len).ok()?)?)
            }
        };
        let whole = end <= bytes.len();
        let bytes = &bytes[..end.min(bytes.len())];
        Some((Packet { kind, version, destination, bytes, body, whole }, end))
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let first = *self.rest.first()?;
        self.left = self.left.checked_sub(1)?;
        if first & LONG == 0 {
            self.rest = &[];
            return (first & FIXED != 0).then_some(Part::Short);
        }
        let Some((packet, end)) = self.long() else {
            self.rest = &[];
            return None;
        };
        self.rest = self.rest.get(end..).unwrap_or_default();
        Some(Part::Long(packet))
    }
}

/// A connection ID with its length before it, and where it ends.
fn connection_id(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let len = usize::from(*bytes.get(at)?);
    let id = bytes.get(at + 1..at + 1 + len)?;
    (len <= LONGEST_ID).then_some((id, at + 1 + len))
}

/// A number of variable length, and where it ends (RFC 9000, 16).
pub(super) fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let first = *bytes.get(at)?;
    let end = at + (1 << (first >> 6));
    let rest = bytes.get(at + 1..end)?;
    let value = rest.iter().fold(u64::from(first & 0x3f), |n, byte| n << 8 | u64::from(*byte));
    Some((value, end))
}

#[cfg(test)]
#[path = "packet_tests.rs"]
mod tests;
