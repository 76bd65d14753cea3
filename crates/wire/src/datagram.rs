//! Whole packets as bytes: an IP packet with its transport header, and the tunnels
//! around it.
//!
//! Simulated payload is zeros, and checksums are those of the whole packet. A reader thus finds
//! valid checksums in a whole packet, and no fault in a shortened one.

use core::fmt;

use crate::esp::emit_trailer;
use crate::{
    CongestionInformation, Ecn, Endpoint, EspRepr, GtpuRepr, IpRepr, ParseError, PduSetInformation,
    Protocol, RtcpRepr, RtpRepr, TcpRepr, Tuple, UDP_HEADER, set_ecn, udp,
};

/// Content of an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// A TCP segment; what the header leaves of the IP payload is data.
    Tcp(TcpRepr),
    /// An RTP packet over UDP.
    Rtp(&'a RtpRepr),
    /// An RTCP feedback packet over UDP.
    Rtcp(&'a RtcpRepr),
    /// Zeros: behind a UDP header if the protocol is UDP.
    Zeros,
}

/// The innermost packet.
#[derive(Clone, Copy, Debug)]
pub enum Inner<'a> {
    /// One to be made up.
    Repr(IpRepr, Content<'a>),
    /// A real one, IP header included, with the ECN field that it has by now.
    Bytes(&'a [u8], Ecn),
}

/// A tunnel around a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OuterRepr {
    /// Kind of tunnel.
    pub kind: OuterKind,
    /// Outer source; ports are used by GTP-U only.
    pub src: Endpoint,
    /// Outer destination.
    pub dst: Endpoint,
    /// Outer DSCP.
    pub dscp: u8,
    /// Outer ECN field.
    pub ecn: Ecn,
}

/// A kind of tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OuterKind {
    /// GTP-U over UDP.
    Gtpu {
        /// Tunnel endpoint identifier.
        teid: u32,
        /// Information on the packet's PDU set, in extension headers.
        set: Option<PduSetInformation>,
        /// Congestion of the QoS flow, uplink.
        congestion: Option<CongestionInformation>,
    },
    /// IPsec ESP.
    Esp {
        /// Header.
        header: EspRepr,
        /// Bytes that ESP adds, without the outer IP header; at least the 8 of its
        /// header. See [`EspTransform::overhead`](crate::EspTransform::overhead).
        overhead: u32,
    },
}

/// A packet is longer than a length field of IP can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

/// Protocol behind an IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport<'a> {
    /// A TCP segment, its header read.
    Tcp(TcpRepr),
    /// A UDP datagram.
    Udp {
        /// Bytes behind the header.
        payload_len: u32,
        /// Those of them that are there.
        payload: &'a [u8],
    },
    /// An ESP packet; its content is encrypted.
    Esp(EspRepr),
    /// Something else, or a fragment.
    Other,
}

/// Writes a packet with the tunnels around it, the innermost first, into `out`, whose old contents
/// go. Keeps its first `snap` bytes. Returns its whole length in bytes.
///
/// An IP payload too short for its transport header is made long enough.
///
/// # Errors
///
/// If the packet has more than 65535 bytes.
pub fn emit(
    inner: Inner<'_>,
    outers: &[OuterRepr],
    snap: usize,
    out: &mut Vec<u8>,
) -> Result<u32, TooLong> {
    out.clear();
    let len = whole_len(inner, outers);
    if len > usize::from(u16::MAX) {
        return Err(TooLong);
    }
    write(inner, outers, out);
    out.truncate(snap);
    Ok(len as u32)
}

/// Reads an IP packet and the transport header behind it.
///
/// # Errors
///
/// If a header is cut short or contradicts itself.
pub fn parse(bytes: &[u8]) -> Result<(IpRepr, Transport<'_>), ParseError> {
    let (ip, payload) = IpRepr::parse(bytes)?;
    Ok((ip, transport(&ip, payload)?))
}

/// Reads the transport header that an IP packet's payload begins with.
///
/// # Errors
///
/// If it is cut short or contradicts itself or the IP header.
pub fn transport<'a>(ip: &IpRepr, payload: &'a [u8]) -> Result<Transport<'a>, ParseError> {
    Ok(match ip.tuple.protocol {
        _ if ip.fragment.is_some() => Transport::Other,
        Protocol::TCP => Transport::Tcp(TcpRepr::parse(payload, ip.payload_len)?),
        Protocol::UDP => {
            let (payload_len, payload) = udp::parse(payload, ip.payload_len)?;
            Transport::Udp { payload_len, payload }
        }
        Protocol::ESP => Transport::Esp(EspRepr::parse(payload)?),
        _ => Transport::Other,
    })
}

fn whole_len(inner: Inner<'_>, outers: &[OuterRepr]) -> usize {
    let inner = match inner {
        Inner::Repr(ip, content) => ip.tuple.ip_header() as usize + transport_len(&ip, content),
        Inner::Bytes(bytes, _) => bytes.len(),
    };
    inner + outers.iter().map(outer_len).sum::<usize>()
}

fn outer_len(outer: &OuterRepr) -> usize {
    outer.tuple().ip_header() as usize
        + match outer.kind {
            OuterKind::Gtpu { set, congestion, .. } => {
                let header = GtpuRepr { set, congestion, ..GtpuRepr::default() }.header_len();
                (UDP_HEADER + header) as usize
            }
            OuterKind::Esp { overhead, .. } => overhead.max(EspRepr::HEADER) as usize,
        }
}

fn transport_len(ip: &IpRepr, content: Content<'_>) -> usize {
    let headers = match content {
        Content::Tcp(tcp) => tcp.emitted_header(),
        Content::Rtp(_) => (UDP_HEADER + RtpRepr::HEADER) as usize,
        Content::Rtcp(rtcp) => (UDP_HEADER + rtcp.len()) as usize,
        Content::Zeros if is_udp(ip) => UDP_HEADER as usize,
        Content::Zeros => 0,
    };
    headers.max(ip.payload_len as usize)
}

fn write(inner: Inner<'_>, outers: &[OuterRepr], out: &mut Vec<u8>) {
    let Some((outer, within)) = outers.split_last() else {
        return write_inner(inner, out);
    };
    let len = whole_len(inner, within);
    let tuple = outer.tuple();
    let size = (len + outer_len(outer)) as u32;
    IpRepr::new(tuple, outer.dscp, outer.ecn, size).emit(out);
    let start = out.len();
    match outer.kind {
        OuterKind::Gtpu { teid, set, congestion } => {
            let header = GtpuRepr { teid, payload_len: len as u32, set, congestion };
            udp::emit(&tuple, len + (UDP_HEADER + header.header_len()) as usize, out);
            header.emit(out);
            write(inner, within, out);
            udp::fill_checksum(&tuple, &mut out[start..]);
        }
        OuterKind::Esp { header, overhead } => {
            header.emit(out);
            let added = overhead.saturating_sub(EspRepr::HEADER) as usize;
            let iv = added.min(8);
            out.resize(out.len() + iv, 0);
            let content = out.len();
            write(inner, within, out);
            let v6 = out.get(content).is_some_and(|first| first >> 4 == 6);
            emit_trailer(added - iv, if v6 { 41 } else { 4 }, out);
        }
    }
}

fn write_inner(inner: Inner<'_>, out: &mut Vec<u8>) {
    let (ip, content) = match inner {
        Inner::Repr(ip, content) => (ip, content),
        Inner::Bytes(bytes, ecn) => {
            let from = out.len();
            out.extend_from_slice(bytes);
            return set_ecn(&mut out[from..], ecn);
        }
    };
    let len = transport_len(&ip, content);
    IpRepr { payload_len: len as u32, ..ip }.emit(out);
    let start = out.len();
    match content {
        Content::Tcp(tcp) => tcp.emit(&ip.tuple, len, out),
        Content::Rtp(rtp) => {
            udp::emit(&ip.tuple, len, out);
            rtp.emit(out);
        }
        Content::Rtcp(rtcp) => {
            udp::emit(&ip.tuple, len, out);
            rtcp.emit(out);
        }
        Content::Zeros if is_udp(&ip) => udp::emit(&ip.tuple, len, out),
        Content::Zeros => {}
    }
    out.resize(start + len, 0);
    if is_udp(&ip) && !matches!(content, Content::Tcp(_)) {
        udp::fill_checksum(&ip.tuple, &mut out[start..]);
    }
}

fn is_udp(ip: &IpRepr) -> bool {
    ip.tuple.protocol == Protocol::UDP
}

impl OuterRepr {
    fn tuple(&self) -> Tuple {
        let protocol = match self.kind {
            OuterKind::Gtpu { .. } => Protocol::UDP,
            OuterKind::Esp { .. } => Protocol::ESP,
        };
        Tuple { src: self.src, dst: self.dst, protocol }
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an IP packet has at most 65535 bytes")
    }
}

impl core::error::Error for TooLong {}

#[cfg(test)]
#[path = "datagram_tests.rs"]
mod tests;
