//! IPsec ESP in tunnel mode (RFC 4303): sizes, and a header to show in captures.
//!
//! Nothing is encrypted: a written packet shows the inner packet in the clear
//! between an initialisation vector and an integrity check value of zeros.

use crate::ParseError;
use crate::bytes::u32_at;

/// Fields of the header of an ESP packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EspRepr {
    /// Security parameters index.
    pub spi: u32,
    /// Sequence number.
    pub seq: u32,
}

/// Bytes that an ESP transform adds to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EspTransform {
    /// Initialisation vector in front of the inner packet.
    pub iv: u32,
    /// Integrity check value at the end.
    pub icv: u32,
    /// The inner packet, its padding and the two bytes of trailer fill a multiple
    /// of this; at least 4 (RFC 4303, 2.4).
    pub align: u32,
}

impl EspRepr {
    /// Bytes of the header: SPI and sequence number (RFC 4303, 2).
    pub const HEADER: u32 = 8;
    /// Pad length and next header (RFC 4303, 2).
    pub const TRAILER: u32 = 2;

    /// Appends the header.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend(self.spi.to_be_bytes());
        out.extend(self.seq.to_be_bytes());
    }

    /// Reads a header. What follows is encrypted.
    ///
    /// # Errors
    ///
    /// If the bytes end within it, or the SPI is zero, which no packet carries
    /// (RFC 4303, 2.1).
    pub fn parse(bytes: &[u8]) -> Result<EspRepr, ParseError> {
        match (u32_at(bytes, 0)?, u32_at(bytes, 4)?) {
            (0, _) => Err(ParseError::Malformed),
            (spi, seq) => Ok(EspRepr { spi, seq }),
        }
    }
}

impl EspTransform {
    /// AES-GCM with the full tag: 8 bytes of IV (RFC 4106, 3.1), 16 of ICV
    /// (RFC 4106, 6), aligned to 4 bytes as ESP asks (RFC 4303, 2.4).
    pub const AES_GCM: EspTransform = EspTransform { iv: 8, icv: 16, align: 4 };
    /// AES-CBC with HMAC-SHA-256-128: 16 bytes of IV and blocks of 16
    /// (RFC 3602, 2.4 and 3), 16 of ICV (RFC 4868, 2.3).
    pub const AES_CBC_SHA256: EspTransform = EspTransform { iv: 16, icv: 16, align: 16 };

    /// Bytes of padding for an inner packet of `len` bytes.
    pub fn padding(self, len: u32) -> u32 {
        (len + EspRepr::TRAILER).next_multiple_of(self.align.max(4)) - len - EspRepr::TRAILER
    }

    /// Bytes that ESP adds to an inner packet of `len` bytes, without the outer IP
    /// header.
    pub fn overhead(self, len: u32) -> u32 {
        EspRepr::HEADER + self.iv + self.padding(len) + EspRepr::TRAILER + self.icv
    }
}

/// Appends what ESP puts behind an inner packet: `len` bytes in all, of which the
/// last 16 are the ICV. `next` is the IP protocol of the inner packet (4 or 41).
pub(crate) fn emit_trailer(len: usize, next: u8, out: &mut Vec<u8>) {
    const ICV: usize = 16;
    // Padding counts up from 1 (RFC 4303, 2.4); a transform without room for an
    // ICV of 16 bytes leaves nothing to tell apart.
    if let Some(padding) = len.checked_sub(ICV + EspRepr::TRAILER as usize).filter(|&p| p < 256) {
        out.extend((1..=padding).map(|n| n as u8));
        out.extend([padding as u8, next]);
        out.resize(out.len() + ICV, 0);
    } else {
        out.resize(out.len() + len, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aes_gcm_adds_36_bytes_to_a_full_packet() {
        // 8 header + 8 IV + 2 padding + 2 trailer + 16 ICV; 1500 + 2 + 2 = 1504.
        assert_eq!(EspTransform::AES_GCM.padding(1500), 2);
        assert_eq!(EspTransform::AES_GCM.overhead(1500), 36);
        assert_eq!(EspTransform::AES_GCM.overhead(1502), 34);
    }

    #[test]
    fn aes_cbc_fills_its_blocks() {
        // 1502 rounds up to 1504, which is 94 blocks; 42 to 48, which is 3.
        assert_eq!(EspTransform::AES_CBC_SHA256.overhead(1500), 8 + 16 + 2 + 2 + 16);
        assert_eq!(EspTransform::AES_CBC_SHA256.padding(40), 6);
    }

    #[test]
    fn header_and_back() {
        let (repr, mut out) = (EspRepr { spi: 0xdead_beef, seq: 7 }, Vec::new());
        repr.emit(&mut out);
        assert_eq!(out, [0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 7]);
        assert_eq!(EspRepr::parse(&out), Ok(repr));
        assert_eq!(EspRepr::parse(&out[1..]), Err(ParseError::Truncated));
        assert_eq!(EspRepr::parse(&[0; 8]), Err(ParseError::Malformed));
    }
}
