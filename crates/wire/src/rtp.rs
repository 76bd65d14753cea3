//! RTP (RFC 3550).

use crate::ParseError;
use crate::bytes::{u8_at, u16_at, u32_at};

/// Header fields of a simulated RTP packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtpRepr {
    /// Payload type (7 bits).
    pub payload_type: u8,
    /// Marker: the last packet of a video frame, the first after silence.
    pub marker: bool,
    /// Sequence number; wraps.
    pub seq: u16,
    /// Media timestamp in clock ticks; wraps.
    pub timestamp: u32,
    /// Synchronisation source.
    pub ssrc: u32,
    /// Bytes after the RTP header.
    pub payload_len: u32,
}

impl RtpRepr {
    /// Bytes of the fixed header (RFC 3550, 5.1).
    pub const HEADER: u32 = 12;
    /// Payload type of repeated media that is sent as padding (RFC 4588), the second dynamic one (RFC 3551, 6).
    pub const PADDING: u8 = 97;

    /// Appends the fixed header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend([0x80, u8::from(self.marker) << 7 | self.payload_type & 0x7f]);
        out.extend(self.seq.to_be_bytes());
        out.extend(self.timestamp.to_be_bytes());
        out.extend(self.ssrc.to_be_bytes());
    }

    /// Reads an RTP packet of `len` bytes, as the UDP header has it, of which
    /// `bytes` are there. Contributing sources, the extension and padding are
    /// skipped; padding of a packet that is cut short counts as payload.
    ///
    /// # Errors
    ///
    /// If the header is cut short, of another version, or longer than the packet.
    pub fn parse(bytes: &[u8], len: u32) -> Result<RtpRepr, ParseError> {
        u8_at(bytes, RtpRepr::HEADER as usize - 1)?;
        if bytes[0] >> 6 != 2 {
            return Err(ParseError::Malformed);
        }
        let padding = match bytes.get((len as usize).wrapping_sub(1)) {
            Some(&padding) if bytes[0] & 0x20 != 0 => u32::from(padding),
            _ => 0,
        };
        let payload_len = len.checked_sub(header_len(bytes)? + padding);
        Ok(RtpRepr {
            payload_type: bytes[1] & 0x7f,
            marker: bytes[1] & 0x80 != 0,
            seq: u16_at(bytes, 2)?,
            timestamp: u32_at(bytes, 4)?,
            ssrc: u32_at(bytes, 8)?,
            payload_len: payload_len.ok_or(ParseError::Malformed)?,
        })
    }
}

/// Bytes of the header with contributing sources and extension (RFC 3550, 5.1 and
/// 5.3.1).
fn header_len(bytes: &[u8]) -> Result<u32, ParseError> {
    let fixed = RtpRepr::HEADER + 4 * u32::from(bytes[0] & 0x0f);
    match bytes[0] & 0x10 {
        0 => Ok(fixed),
        _ => Ok(fixed + 4 + 4 * u32::from(u16_at(bytes, fixed as usize + 2)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_header() {
        let repr = RtpRepr {
            payload_type: 96,
            marker: true,
            seq: 0x0102,
            timestamp: 0x0304_0506,
            ssrc: 0x0708_090a,
            payload_len: 5,
        };
        let mut out = Vec::new();
        repr.emit(&mut out);
        assert_eq!(out, [0x80, 0xe0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(RtpRepr::parse(&out, 17), Ok(repr));
    }

    #[test]
    fn sources_extension_and_padding_do_not_count() {
        // One contributing source, one word of extension, three bytes of padding.
        let mut bytes = vec![0xb1; 1];
        bytes.extend([96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0xbe, 0xde, 0, 1, 0, 0, 0, 0]);
        bytes.extend([7, 7, 7, 7, 7, 0, 0, 3]);
        let repr = RtpRepr::parse(&bytes, bytes.len() as u32).unwrap();
        assert_eq!(repr.payload_len, 5);
    }

    #[test]
    fn a_packet_shorter_than_its_header_is_malformed() {
        assert_eq!(RtpRepr::parse(&[0x8f; 12], 12), Err(ParseError::Malformed));
        assert_eq!(RtpRepr::parse(&[0x80; 11], 12), Err(ParseError::Truncated));
        assert_eq!(RtpRepr::parse(&[0x80; 12], 0), Err(ParseError::Malformed));
    }
}
