//! From a frame to what it carries: link layer, IP, tunnels (GTP-U, IP in IP); then, on
//! its own, the transport header. Fragments are put together on the way.
//!
//! Checksums are not looked at: captures on hosts have packets whose checksums the
//! network card would have filled in.

mod inner;

use std::collections::BTreeMap;

use airpath_base::Time;
use airpath_wire::link::{Carried, Subframes, carried};
use airpath_wire::{GtpuRepr, IpRepr, ParseError, Protocol, TcpRepr, Tuple, udp};

use crate::fragments::{Fragments, Place, Whole};
use crate::input::Frame;
use crate::key::Key;
use crate::tunnels::{self, Tunnels};
use crate::undecoded::{Kind, Undecoded};
use crate::warnings::Warnings;

/// Tunnels within tunnels that are looked through.
const MOST_TUNNELS: usize = 8;
/// IP in IP (RFC 2003, RFC 4213, 3.5).
const IPV4_IN_IP: Protocol = Protocol(4);
const IPV6_IN_IP: Protocol = Protocol(41);
/// Authentication header (RFC 4302).
const AH: Protocol = Protocol(51);

/// Warning of an IP length that its frame cannot hold.
const BEYOND: &str = "an IP header states more bytes than its frame has: the record's length is \
                      wrong, or the packet was cut on its way; the IP header counts";

/// A packet down to its transport header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packet<'a> {
    pub(crate) at: Time,
    /// True if the capture has a time for the frame.
    pub(crate) timed: bool,
    pub(crate) interface: u32,
    /// Bytes of the frame, or of all frames of a fragmented packet.
    pub(crate) len: u32,
    /// Offset in the file of the frame's record.
    pub(crate) offset: u64,
    /// Its flow, if the lesser end is the client, and which end sent it.
    pub(crate) key: Key,
    pub(crate) side: usize,
    /// The octet of DSCP and ECN in its IP header.
    pub(crate) tos: u8,
    /// Time to live or hop limit, and IPv4's identification.
    pub(crate) ttl: u8,
    pub(crate) ident: u16,
    /// Bytes behind the IP header, on the wire.
    pub(crate) below_len: u32,
    /// Captured bytes of the packet.
    pub(crate) below: &'a [u8],
}

/// Transport layer of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    pub(crate) at: Time,
    /// True if the capture has a time for the packet.
    pub(crate) timed: bool,
    pub(crate) interface: u32,
    /// Number of its last frame in the captures, from 1.
    pub(crate) number: u32,
    /// Bytes of the frame, or of all frames of a fragmented packet.
    pub(crate) len: u32,
    pub(crate) key: Key,
    /// The key's hash.
    pub(crate) hash: u64,
    /// Index of the key's end that sent the packet.
    pub(crate) side: usize,
    /// The octet of DSCP and ECN in its IP header.
    pub(crate) tos: u8,
    /// IPv4's identification; zero with IPv6.
    pub(crate) ident: u16,
    /// True if the snap length has cut options off the TCP header.
    pub(crate) cut: bool,
    pub(crate) transport: Layer<'a>,
    /// Options of its TCP header, as far as they were captured; empty where the segment has none
    /// but timestamps.
    pub(crate) options: &'a [u8],
    /// Captured bytes of the payload.
    pub(crate) data: &'a [u8],
}

/// A transport header, and what it carries in full if that is UDP. The segment is lent: to
/// copy it would take as long as to read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer<'a> {
    Tcp(&'a TcpRepr),
    Udp { payload_len: u32, payload: &'a [u8] },
}

/// Decodes frames; remembers fragments between them.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    fragments: Fragments,
    undecoded: Undecoded,
    /// Tunnels that are looked through beside GTP-U and IP in IP, on request.
    tunnels: Option<Tunnels>,
}

/// Context of a frame, handed down through its layers.
#[derive(Clone, Copy)]
struct Within {
    at: Time,
    timed: bool,
    interface: u32,
    len: u32,
    /// Bytes that the layer below has on the wire for what it carries.
    room: u32,
    offset: u64,
    depth: usize,
    /// Number of the tunnel around it; zero is none.
    tunnel: u16,
}

impl Decoder {
    /// Decodes a frame, and returns its packet of TCP or UDP, as most frames have one. Packets of
    /// fragments and tunnels are handed on instead.
    #[inline]
    pub(crate) fn decode<'a>(
        &mut self,
        frame: &Frame<'a>,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) -> Option<Packet<'a>> {
        let Frame { at, timed, interface, len, offset, .. } = *frame;
        let within = Within { at, timed, interface, len, room: len, offset, depth: 0, tunnel: 0 };
        match carried(frame.link, frame.bytes) {
            Ok(Carried::Ip(start)) => {
                let bytes = frame.bytes.get(start..).unwrap_or_default();
                let within = Within { room: len.saturating_sub(start as u32), ..within };
                return self.ip(bytes, within, warnings, found);
            }
            Ok(Carried::Aggregate(start)) => {
                self.aggregate(frame.bytes, start, within, warnings, found);
            }
            Ok(Carried::Mpls) => self.mpls(frame.link, frame.bytes, within, warnings, found),
            Ok(other) => self.undecoded.add(Kind::Frame(other)),
            Err(ParseError::Unsupported) => {
                self.undecoded.add(Kind::Link(frame.link.0));
                warnings.add(offset, &not_read(frame.link.0));
            }
            Err(error) => self.unreadable(warnings, offset, "link layer", error),
        }
        None
    }

    /// Packets of an A-MSDU. Each has the bytes of its subframe, the first also those of the frame
    /// around them.
    #[cold]
    fn aggregate(
        &mut self,
        bytes: &[u8],
        start: usize,
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) {
        let all = || Subframes::new(bytes, start);
        let rest: usize = all().skip(1).map(|(_, size)| size).sum();
        let mut at = start;
        for (n, (subframe, size)) in all().enumerate() {
            let end = at + size;
            let len = if n == 0 { within.len.saturating_sub(rest as u32) } else { size as u32 };
            at = end;
            match subframe {
                Ok(Carried::Ip(place)) => {
                    let room = end.saturating_sub(place) as u32;
                    let inner = bytes.get(place..end.min(bytes.len())).unwrap_or_default();
                    let packet = self.ip(inner, Within { len, room, ..within }, warnings, found);
                    packet.iter().for_each(&mut *found);
                }
                Ok(other) => self.undecoded.add(Kind::Frame(other)),
                Err(error) => self.unreadable(warnings, within.offset, "link layer", error),
            }
        }
    }

    /// Number of fragments that never found the rest of their packet.
    pub(crate) fn orphans(&self) -> u64 {
        self.fragments.orphans()
    }

    /// Packets whose transport header cannot be read.
    pub(crate) fn unreadable_transport(&mut self, number: u64) {
        self.undecoded.add_many(Kind::Unreadable("transport header"), number);
    }

    /// Frames that were not decoded, by kind, at the end of the reading.
    pub(crate) fn undecoded(&mut self) -> BTreeMap<String, u64> {
        self.undecoded.add_many(Kind::Fragment, self.fragments.orphans());
        self.undecoded.named()
    }

    #[inline]
    fn ip<'a>(
        &mut self,
        bytes: &'a [u8],
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) -> Option<Packet<'a>> {
        if stated(bytes) > within.room {
            warnings.add(within.offset, BEYOND);
        }
        match IpRepr::parse(bytes) {
            Ok((ip, payload)) if ip.fragment.is_none() && !self.may_tunnel(&ip) => {
                return self.packet(&ip, payload, within);
            }
            Ok((ip, payload)) => self.unwrap(&ip, payload, within, warnings, found),
            Err(error) => self.unreadable(warnings, within.offset, "IP header", error),
        }
        None
    }

    /// True if a packet may have another in it.
    #[inline]
    fn may_tunnel(&self, ip: &IpRepr) -> bool {
        may_tunnel(ip) || self.tunnels.is_some() && tunnels::may_be(ip)
    }

    /// A fragment, or a packet that may have another in it. Most are neither, and need none
    /// of this.
    #[inline(never)]
    fn unwrap(
        &mut self,
        ip: &IpRepr,
        payload: &[u8],
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) {
        let Some(fragment) = ip.fragment else {
            return self.transport(ip, payload, within, warnings, found);
        };
        let place = Place { tuple: ip.tuple, id: fragment.id };
        let whole = self.fragments.add(place, fragment, ip, payload, within.at, within.len);
        match whole {
            Ok(Some(whole)) => {
                let Whole { len, ecn, .. } = whole;
                let within = Within { room: len, ..within };
                let ip = IpRepr { payload_len: len, ecn, fragment: None, ..*ip };
                let ip = ip.with_ports(&whole.bytes);
                let within = Within { len: whole.frames_len, ..within };
                self.transport(&ip, &whole.bytes, within, warnings, found);
            }
            Ok(None) => {}
            Err(error) => self.unreadable(warnings, within.offset, "fragment", error),
        }
    }

    fn transport(
        &mut self,
        ip: &IpRepr,
        payload: &[u8],
        within: Within,
        warnings: &mut Warnings,
        found: &mut dyn FnMut(&Packet<'_>),
    ) {
        let deeper = Within { depth: within.depth + 1, ..within };
        let inner = match ip.tuple.protocol {
            _ if within.depth >= MOST_TUNNELS => None,
            IPV4_IN_IP | IPV6_IN_IP => Some((0, payload)),
            AH => match behind_ah(ip, payload) {
                Some((ip, payload)) => {
                    return self.transport(&ip, payload, deeper, warnings, found);
                }
                None => None,
            },
            _ => in_gtpu(ip, payload),
        };
        let packet = match inner {
            Some((header, inner)) => {
                let room = ip.payload_len.saturating_sub(header);
                self.ip(inner, Within { room, ..deeper }, warnings, found)
            }
            None => {
                if is_end_marker(ip, payload) {
                    return self.undecoded.add(Kind::Tunnel("GTP-U end marker"));
                }
                if self.tunnel(ip, payload, within, warnings, found) {
                    return;
                }
                if is_user_data(ip, payload) {
                    self.undecoded.add(Kind::Tunnel("GTP-U"));
                }
                self.packet(ip, payload, within)
            }
        };
        packet.iter().for_each(found);
    }

    /// The packet, if it is one of TCP or UDP.
    #[inline]
    fn packet<'a>(&mut self, ip: &IpRepr, below: &'a [u8], within: Within) -> Option<Packet<'a>> {
        let Within { at, timed, interface, len, offset, tunnel, .. } = within;
        let (below_len, tos, ttl, ident) = (ip.payload_len, ip.tos(), ip.ttl, ip.ident);
        match ip.tuple.protocol {
            Protocol::TCP => {}
            Protocol::UDP if ip.tuple.src == ip.tuple.dst && has_block_of_nr(ip, below) => {
                self.undecoded.add(Kind::Tunnel("transport block of NR (mac-nr)"));
                return None;
            }
            Protocol::UDP => {
                Kind::tunnel(ip).into_iter().for_each(|kind| self.undecoded.add(kind));
            }
            other => {
                self.undecoded.add(Kind::Protocol(other.0));
                return None;
            }
        }
        let (key, side) = Key::new(&ip.tuple);
        let key = key.in_tunnel(tunnel);
        Some(Packet {
            at,
            timed,
            interface,
            len,
            offset,
            key,
            side,
            tos,
            ttl,
            ident,
            below_len,
            below,
        })
    }

    #[cold]
    fn unreadable(
        &mut self,
        warnings: &mut Warnings,
        offset: u64,
        layer: &'static str,
        error: ParseError,
    ) {
        self.undecoded.add(Kind::Unreadable(layer));
        warnings.add_unreadable(offset, &format!("{layer}: {error}"));
    }
}

/// True if a packet may have another in it, by its protocol and ports.
#[inline]
fn may_tunnel(ip: &IpRepr) -> bool {
    let Tuple { src, dst, protocol } = ip.tuple;
    let gtpu = src.port == GtpuRepr::PORT || dst.port == GtpuRepr::PORT;
    matches!(protocol, IPV4_IN_IP | IPV6_IN_IP | AH) || protocol == Protocol::UDP && gtpu
}

/// Reads the transport header of a packet, and hands it on with TCP's options and what was
/// captured behind it.
///
/// # Errors
///
/// If it cannot be read; then nothing is handed on.
#[inline]
pub(crate) fn transport(
    protocol: Protocol,
    below: &[u8],
    len: u32,
    found: impl FnOnce(Layer<'_>, [&[u8]; 2]),
) -> Result<(), ParseError> {
    if protocol == Protocol::UDP {
        let (payload_len, payload) = udp::parse(below, len)?;
        found(Layer::Udp { payload_len, payload }, [&[], payload]);
        return Ok(());
    }
    match &TcpRepr::parse(below, len) {
        Ok(seg) => {
            let header = (len - seg.payload_len) as usize;
            let (head, data) = below.split_at(header.min(below.len()));
            let options = head.get(TcpRepr::HEADER as usize..).unwrap_or_default();
            let data = &data[..data.len().min(seg.payload_len as usize)];
            found(Layer::Tcp(seg), [options, data]);
            Ok(())
        }
        Err(error) => Err(*error),
    }
}

/// Length of a packet that an IP header states; zero if it does not (RFC 791, 3.1; RFC 8200, 3).
#[inline]
fn stated(bytes: &[u8]) -> u32 {
    let half = |at: usize| match bytes.get(at..at + 2) {
        Some(&[high, low]) => u32::from(high) << 8 | u32::from(low),
        _ => 0,
    };
    match (bytes.first().map(|first| first >> 4), half(4)) {
        (Some(4), _) => half(2),
        (Some(6), len) if len > 0 => 40 + len,
        _ => 0,
    }
}

/// The packet behind an authentication header (RFC 4302, 2): next header, length in words less
/// two, a reserved half, SPI, sequence number, and the check value. With IPv6 the whole is a
/// multiple of eight bytes.
fn behind_ah<'a>(ip: &IpRepr, payload: &'a [u8]) -> Option<(IpRepr, &'a [u8])> {
    let len = 4 * (u32::from(*payload.get(1)?) + 2);
    let behind = payload.get(len as usize..)?;
    let payload_len = ip.payload_len.checked_sub(len)?;
    let tuple = Tuple { protocol: Protocol(payload[0]), ..ip.tuple };
    Some((IpRepr { tuple, payload_len, ..*ip }.with_ports(behind), behind))
}

/// The user's packet, if this is a G-PDU (TS 29.281, 5.1), behind so many bytes.
fn in_gtpu<'a>(ip: &IpRepr, payload: &'a [u8]) -> Option<(u32, &'a [u8])> {
    if ip.tuple.protocol != Protocol::UDP || !may_tunnel(ip) {
        return None;
    }
    let (_, gtpu) = airpath_wire::udp::parse(payload, ip.payload_len).ok()?;
    let (_, header) = GtpuRepr::parse(gtpu).ok()?;
    let inner = gtpu.get(header..)?;
    let before = payload.len().saturating_sub(inner.len()) as u32;
    matches!(inner.first()? >> 4, 4 | 6).then_some((before, inner))
}

/// True if the packet is an end marker of GTP-U, which is no flow (TS 29.281, 7.3.2).
fn is_end_marker(ip: &IpRepr, payload: &[u8]) -> bool {
    let message = udp::parse(payload, ip.payload_len).ok().map(|(_, gtpu)| gtpu);
    may_tunnel(ip)
        && ip.tuple.protocol == Protocol::UDP
        && message.is_some_and(GtpuRepr::is_end_marker)
}

/// True if a datagram from an end to itself is a frame of Wireshark's dissector `mac_nr_udp`. Captures of a run also have
/// such frames without a PDU of MAC.
fn has_block_of_nr(ip: &IpRepr, below: &[u8]) -> bool {
    const PORT: u16 = 9_999;
    match udp::parse(below, ip.payload_len) {
        Ok((0, _)) => ip.tuple.src.port == PORT,
        Ok((_, payload)) => payload.starts_with(b"mac-nr"),
        Err(_) => false,
    }
}

/// Warning of a link type that is not read.
fn not_read(link: u16) -> String {
    const EXPORTED_PDU: u16 = 252;
    let note = match link {
        EXPORTED_PDU => {
            ": PDUs for Wireshark, such as transport blocks of a radio; packets of IP are in captures at other points"
        }
        _ => "",
    };
    format!("link type {link} is not read{note}")
}

/// True if the packet is a G-PDU with any content (TS 29.281, 6.1).
fn is_user_data(ip: &IpRepr, payload: &[u8]) -> bool {
    const G_PDU: u8 = 255;
    let message = airpath_wire::udp::parse(payload, ip.payload_len).ok().map(|(_, gtpu)| gtpu);
    ip.tuple.protocol == Protocol::UDP && message.and_then(|m| m.get(1)) == Some(&G_PDU)
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
