//! RTCP congestion control feedback (RFC 8888): which RTP packets arrived, when, and
//! with which ECN field.
//!
//! Left out: other RTCP packets. A receiver that sends feedback early need not put it
//! into a compound packet (RFC 5506), so this one stands alone.

use crate::bytes::{len16, u8_at, u16_at, u32_at};
use crate::{Ecn, ParseError};

/// A congestion control feedback packet (RFC 8888, 3.1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RtcpRepr {
    /// Synchronisation source of the sender of this packet.
    pub ssrc: u32,
    /// Reports, one of each RTP stream.
    pub streams: Vec<StreamReport>,
    /// Time of the report: the middle 32 bits of an NTP timestamp, units of 2^-16 s; wraps.
    pub timestamp: u32,
}

/// The packets of one RTP stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamReport {
    /// Synchronisation source of the stream.
    pub ssrc: u32,
    /// Sequence number of the first packet reported.
    pub begin_seq: u16,
    /// The packets from there on, one after the other; none for one that has not
    /// arrived. At most [`StreamReport::MOST`].
    pub packets: Vec<Option<Arrival>>,
}

/// The arrival of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The ECN field that it came with.
    pub ecn: Ecn,
    /// Time from arrival to report.
    pub offset: ArrivalOffset,
}

/// Arrival time offset in units of 1/1024 s (RFC 8888, 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ArrivalOffset(u16);

impl ArrivalOffset {
    /// More than 8189/1024 s.
    pub const OVER_RANGE: ArrivalOffset = ArrivalOffset(0x1ffe);
    /// Not known, or after the report's timestamp.
    pub const UNAVAILABLE: ArrivalOffset = ArrivalOffset(0x1fff);

    /// The offset of so many units of 1/1024 s.
    pub fn from_units(units: u32) -> ArrivalOffset {
        match units {
            0..=8189 => ArrivalOffset(units as u16),
            _ => ArrivalOffset::OVER_RANGE,
        }
    }

    /// Units of 1/1024 s; none if unavailable, 8190 if over range.
    pub fn units(self) -> Option<u16> {
        (self != ArrivalOffset::UNAVAILABLE).then_some(self.0)
    }
}

impl StreamReport {
    /// Most packets in a report (RFC 8888, 3.1).
    pub const MOST: usize = 16_384;

    /// Sequence number behind the last packet reported.
    pub fn end_seq(&self) -> u16 {
        self.begin_seq.wrapping_add(self.packets.len() as u16)
    }

    fn len(&self) -> usize {
        8 + 4 * self.reported().len().div_ceil(2)
    }

    fn reported(&self) -> &[Option<Arrival>] {
        &self.packets[..self.packets.len().min(StreamReport::MOST)]
    }

    fn emit(&self, out: &mut Vec<u8>) {
        out.extend(self.ssrc.to_be_bytes());
        out.extend(self.begin_seq.to_be_bytes());
        let reported = self.reported();
        out.extend(len16(reported.len()));
        reported.iter().for_each(|packet| out.extend(metric(*packet).to_be_bytes()));
        if reported.len() % 2 == 1 {
            out.extend([0, 0]);
        }
    }

    /// Reads a report at `at`, and says where the next one begins.
    fn parse(bytes: &[u8], at: usize) -> Result<(StreamReport, usize), ParseError> {
        let count = usize::from(u16_at(bytes, at + 6)?);
        if count > StreamReport::MOST {
            return Err(ParseError::Malformed);
        }
        let packet = |n: usize| u16_at(bytes, at + 8 + 2 * n).map(arrival);
        let report = StreamReport {
            ssrc: u32_at(bytes, at)?,
            begin_seq: u16_at(bytes, at + 4)?,
            packets: (0..count).map(packet).collect::<Result<_, _>>()?,
        };
        let next = at + report.len();
        Ok((report, next))
    }
}

impl RtcpRepr {
    /// Packet type: transport layer feedback (RFC 4585, 6.1).
    pub const PACKET_TYPE: u8 = 205;
    /// Feedback message type: congestion control feedback (RFC 8888, 3.1).
    pub const FORMAT: u8 = 11;

    /// Bytes of the packet.
    pub fn len(&self) -> u32 {
        let streams: usize = self.streams.iter().map(StreamReport::len).sum();
        (8 + streams + 4) as u32
    }

    /// Never: a packet has a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Appends the packet. Its length must fit a UDP packet.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend([0x80 | RtcpRepr::FORMAT, RtcpRepr::PACKET_TYPE]);
        out.extend(len16(self.len() as usize / 4 - 1));
        out.extend(self.ssrc.to_be_bytes());
        self.streams.iter().for_each(|stream| stream.emit(out));
        out.extend(self.timestamp.to_be_bytes());
    }

    /// Reads a packet.
    ///
    /// # Errors
    ///
    /// If it is cut short, contradicts itself, or is another RTCP packet.
    pub fn parse(bytes: &[u8]) -> Result<RtcpRepr, ParseError> {
        let first = u8_at(bytes, 0)?;
        if first >> 6 != 2 {
            return Err(ParseError::Malformed);
        }
        // RFC 3550, 6.4.1: padding is for the last packet of a compound one only.
        let ours = first & 0x3f == RtcpRepr::FORMAT && u8_at(bytes, 1)? == RtcpRepr::PACKET_TYPE;
        if !ours {
            return Err(ParseError::Unsupported);
        }
        let len = 4 * (usize::from(u16_at(bytes, 2)?) + 1);
        let bytes = bytes.get(..len).ok_or(ParseError::Truncated)?;
        let end = len.checked_sub(4).filter(|end| *end >= 8).ok_or(ParseError::Malformed)?;
        let mut repr = RtcpRepr {
            ssrc: u32_at(bytes, 4)?,
            streams: Vec::new(),
            timestamp: u32_at(bytes, end)?,
        };
        let mut at = 8;
        while at < end {
            let (stream, next) = StreamReport::parse(&bytes[..end], at)?;
            repr.streams.push(stream);
            at = next;
        }
        (at == end).then_some(repr).ok_or(ParseError::Malformed)
    }
}

/// The metric block of a packet: received, ECN, offset.
fn metric(packet: Option<Arrival>) -> u16 {
    packet.map_or(0, |a| 0x8000 | u16::from(a.ecn.bits()) << 13 | a.offset.0)
}

fn arrival(metric: u16) -> Option<Arrival> {
    let ecn = Ecn::from_bits((metric >> 13) as u8);
    (metric & 0x8000 != 0).then_some(Arrival { ecn, offset: ArrivalOffset(metric & 0x1fff) })
}

#[cfg(test)]
#[path = "rtcp_tests.rs"]
mod tests;
