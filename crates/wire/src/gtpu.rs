//! GTP-U (TS 29.281): the user's packets (G-PDU) between gateway and base station.
//!
//! Headers are written in their short form of 8 bytes, or with two extension headers. These are the PDU session
//! container (TS 38.415, 5.5.2.1) and the PDU set information container (TS 38.415, 6.5.2.1). Uplink one extension header
//! may carry congestion information ([`CongestionInformation`]). On reading, sequence numbers,
//! N-PDU numbers and all other extension headers are skipped. End markers are messages of their own (7.3.2). Left
//! out: other signalling messages (echo, error indication).

use crate::bytes::{len16, u8_at, u16_at, u32_at};
use crate::{CongestionInformation, ParseError, PduSetInformation};

/// Fields of the header of a G-PDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GtpuRepr {
    /// Tunnel endpoint identifier, as the receiver chose it.
    pub teid: u32,
    /// Bytes behind the header and its extensions: the user's packet.
    pub payload_len: u32,
    /// Information on the PDU set of the user's packet; the QoS flow identifier stands in both extension headers.
    pub set: Option<PduSetInformation>,
    /// Congestion of the QoS flow, uplink; not beside the information on a PDU set.
    pub congestion: Option<CongestionInformation>,
}

impl GtpuRepr {
    /// Bytes of the header in its short form (TS 29.281, 5.1).
    pub const HEADER: u32 = 8;
    /// The UDP port of GTP-U (TS 29.281, 4.4.2).
    pub const PORT: u16 = 2152;
    /// Bytes that the tunnel adds over IPv4: IP, UDP and GTP-U headers.
    pub const OVERHEAD_V4: u32 = crate::IPV4_HEADER + crate::UDP_HEADER + GtpuRepr::HEADER;
    /// Bytes that the tunnel adds over IPv6.
    pub const OVERHEAD_V6: u32 = crate::IPV6_HEADER + crate::UDP_HEADER + GtpuRepr::HEADER;

    /// Bytes that the information on a PDU set adds (TS 29.281, 5.1 and 5.2). Four are optional fields, four the PDU
    /// session container, and the rest the PDU set information container.
    pub const SET_EXTENSIONS: u32 = 4 + 4 + PduSetInformation::LEN;

    /// Bytes that congestion information adds (TS 29.281, 5.1 and 5.2): four are optional fields.
    pub const CONGESTION_EXTENSION: u32 = 4 + CongestionInformation::LEN;

    const SESSION_CONTAINER: u8 = 0x85;
    const G_PDU: u8 = 255;
    const END_MARKER: u8 = 254;

    /// An end marker of the tunnel with this TEID: a message without a payload (TS 29.281, 7.3.2).
    pub fn end_marker(teid: u32) -> [u8; 8] {
        let [a, b, c, d] = teid.to_be_bytes();
        [0x30, GtpuRepr::END_MARKER, 0, 0, a, b, c, d]
    }

    /// True if a message is an end marker, with or without extensions.
    pub fn is_end_marker(bytes: &[u8]) -> bool {
        matches!(bytes, [flags, GtpuRepr::END_MARKER, ..] if bytes.len() >= 8 && flags >> 4 == 0b0011)
    }

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        // Version 1, protocol type GTP; E for extension headers (TS 29.281, 5.1).
        let extended = self.set.is_some() || self.congestion.is_some();
        let flags = if extended { 0x34 } else { 0x30 };
        out.extend([flags, GtpuRepr::G_PDU]);
        out.extend(len16((self.header_len() - GtpuRepr::HEADER + self.payload_len) as usize));
        out.extend(self.teid.to_be_bytes());
        if let Some(set) = &self.set {
            out.extend([0, 0, 0, GtpuRepr::SESSION_CONTAINER]);
            // One unit of four bytes: DL PDU SESSION INFORMATION with nothing but the QoS flow identifier.
            out.extend([1, 0, set.qfi & 0x3f, PduSetInformation::TYPE]);
            set.emit(0, out);
        } else if let Some(congestion) = &self.congestion {
            out.extend([0, 0, 0, GtpuRepr::SESSION_CONTAINER]);
            congestion.emit(0, out);
        }
    }

    /// Bytes of the header with its extension headers.
    pub const fn header_len(&self) -> u32 {
        match (self.set, self.congestion) {
            (None, None) => GtpuRepr::HEADER,
            (Some(_), _) => GtpuRepr::HEADER + GtpuRepr::SET_EXTENSIONS,
            (None, Some(_)) => GtpuRepr::HEADER + GtpuRepr::CONGESTION_EXTENSION,
        }
    }

    /// Reads a header and says where the user's packet begins.
    ///
    /// # Errors
    ///
    /// If the header is cut short or contradicts itself, or is no G-PDU.
    pub fn parse(bytes: &[u8]) -> Result<(GtpuRepr, usize), ParseError> {
        let flags = u8_at(bytes, 0)?;
        if flags >> 4 != 0b0011 {
            return Err(ParseError::Malformed); // another version, or GTP'
        }
        if u8_at(bytes, 1)? != GtpuRepr::G_PDU {
            return Err(ParseError::Unsupported);
        }
        let end = 8 + usize::from(u16_at(bytes, 2)?);
        let teid = u32_at(bytes, 4)?;
        let (header, read) = match flags & 0b111 {
            0 => (8, Extensions::default()),
            _ => read_extensions(bytes, flags)?,
        };
        let Extensions { set, congestion } = read;
        let payload_len = end.checked_sub(header).ok_or(ParseError::Malformed)? as u32;
        Ok((GtpuRepr { teid, payload_len, set, congestion }, header))
    }
}

/// Extension headers that are read.
#[derive(Default)]
struct Extensions {
    set: Option<PduSetInformation>,
    congestion: Option<CongestionInformation>,
}

/// Offset of the payload behind optional fields (TS 29.281, 5.2.1), and what is read of them.
fn read_extensions(bytes: &[u8], flags: u8) -> Result<(usize, Extensions), ParseError> {
    const EXTENSIONS: u8 = 0b100;
    let (mut at, mut next) = (12, u8_at(bytes, 11)?);
    if flags & EXTENSIONS == 0 {
        return Ok((at, Extensions::default()));
    }
    let mut read = Extensions::default();
    while next != 0 {
        let len = 4 * usize::from(u8_at(bytes, at)?);
        if len == 0 {
            return Err(ParseError::Malformed);
        }
        let behind = u8_at(bytes, at + len - 1)?;
        if matches!(next, PduSetInformation::TYPE | PduSetInformation::OLD_TYPE) {
            read.set = Some(PduSetInformation::parse(&bytes[at + 1..at + len - 1])?);
        } else if next == GtpuRepr::SESSION_CONTAINER {
            read.congestion = CongestionInformation::parse(&bytes[at + 1..at + len - 1])?;
        }
        (next, at) = (behind, at + len);
    }
    Ok((at, read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_short_header() {
        let mut out = Vec::new();
        GtpuRepr { teid: 0x0102_0304, payload_len: 0x05dc, set: None, congestion: None }
            .emit(&mut out);
        assert_eq!(out, [0x30, 0xff, 0x05, 0xdc, 1, 2, 3, 4]);
    }

    #[test]
    fn the_bytes_of_an_end_marker() {
        let marker = GtpuRepr::end_marker(0x8000_0002);
        assert_eq!(marker, [0x30, 254, 0, 0, 0x80, 0, 0, 2]);
        assert!(GtpuRepr::is_end_marker(&marker) && !GtpuRepr::is_end_marker(&marker[..7]));
        assert!(!GtpuRepr::is_end_marker(&[0x30, 255, 0, 0, 0, 0, 0, 2]));
    }

    #[test]
    fn a_pdu_session_container_is_skipped() {
        // TS 38.415, 5.5.2.1 within TS 29.281, 5.2.2.7: one unit of four bytes.
        let bytes = [0x34, 0xff, 0, 10, 0, 0, 0, 7, 0, 0, 0, 0x85, 1, 0, 9, 0, 0x45, 0];
        let (repr, header) = GtpuRepr::parse(&bytes).unwrap();
        assert_eq!(
            (repr, header),
            (GtpuRepr { teid: 7, payload_len: 2, set: None, congestion: None }, 16)
        );
    }

    #[test]
    fn the_bytes_of_a_header_with_a_pdu_set() {
        let set = PduSetInformation { qfi: 5, number: 3, importance: 1, ..Default::default() };
        let repr = GtpuRepr { teid: 7, payload_len: 2, set: Some(set), congestion: None };
        let mut out = Vec::new();
        repr.emit(&mut out);
        // TS 29.281, 5.1: E alone, and 20 bytes of optional fields and extension headers before the payload.
        assert_eq!(out[..12], [0x34, 0xff, 0, 22, 0, 0, 0, 7, 0, 0, 0, 0x85]);
        // TS 38.415, figures 5.5.2.1-1 and 6.5.2.1-1.
        assert_eq!(out[12..16], [1, 0, 5, 0x04]);
        assert_eq!(out[16..], [3, 0, 5 << 2, 3, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((out.len() as u32, repr.header_len()), (28, 28));
        out.extend([0x45, 0]);
        assert_eq!(GtpuRepr::parse(&out), Ok((repr, 28)));
        out[15] = 0x86; // the older type, which is read all the same
        assert_eq!(GtpuRepr::parse(&out), Ok((repr, 28)));
        out[16] = 1; // too short for the information
        assert_eq!(GtpuRepr::parse(&out), Err(ParseError::Truncated));
    }

    #[test]
    fn an_echo_request_is_not_read() {
        let bytes = [0x32, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(GtpuRepr::parse(&bytes), Err(ParseError::Unsupported));
    }

    #[test]
    fn an_extension_of_no_length_is_malformed() {
        let bytes = [0x34, 0xff, 0, 8, 0, 0, 0, 7, 0, 0, 0, 0x85, 0, 0, 0, 0];
        assert_eq!(GtpuRepr::parse(&bytes), Err(ParseError::Malformed));
    }

    #[test]
    fn congestion_of_a_flow_is_one_extension_header() {
        let congestion = Some(CongestionInformation { qfi: 5, up: 0, down: 2_000 });
        let repr = GtpuRepr { teid: 7, payload_len: 2, set: None, congestion };
        let mut out = Vec::new();
        repr.emit(&mut out);
        // 8 bytes, 4 of optional fields and 12 of the container; length 16 + 2.
        assert_eq!((out.len(), repr.header_len()), (24, 24));
        assert_eq!(out[..12], [0x34, 0xff, 0, 18, 0, 0, 0, 7, 0, 0, 0, 0x85]);
        out.extend([0, 0]);
        assert_eq!(GtpuRepr::parse(&out), Ok((repr, 24)));
    }
}
