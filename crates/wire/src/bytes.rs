//! Reading and summing bytes: bounds-checked big-endian fields, and the Internet
//! checksum (RFC 1071).

use core::fmt;
use core::net::{IpAddr, Ipv6Addr};

use crate::Tuple;

/// Error in the bytes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// They end before the header does.
    Truncated,
    /// They contradict themselves or the protocol's standard.
    Malformed,
    /// They are right, but a kind that is not read here.
    Unsupported,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseError::Truncated => "the bytes end within a header",
            ParseError::Malformed => "the header contradicts itself",
            ParseError::Unsupported => "a kind of header that is not read",
        })
    }
}

impl core::error::Error for ParseError {}

/// The `N` bytes at `at`.
#[inline]
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], ParseError> {
    let found = at.checked_add(N).and_then(|end| bytes.get(at..end));
    found.and_then(|found| found.try_into().ok()).ok_or(ParseError::Truncated)
}

#[inline]
pub(crate) fn u8_at(bytes: &[u8], at: usize) -> Result<u8, ParseError> {
    bytes.get(at).copied().ok_or(ParseError::Truncated)
}

#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Result<u16, ParseError> {
    array(bytes, at).map(u16::from_be_bytes)
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Result<u32, ParseError> {
    array(bytes, at).map(u32::from_be_bytes)
}

/// Bytes from `at` on; none if there are none.
#[inline]
pub(crate) fn rest(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// A length as it stands in a 16-bit field; callers keep lengths below 2^16.
pub(crate) fn len16(len: usize) -> [u8; 2] {
    u16::try_from(len).unwrap_or(u16::MAX).to_be_bytes()
}

/// The address as IPv6, IPv4-mapped if need be (RFC 4291, 2.5.5.2).
pub(crate) fn mapped(addr: IpAddr) -> Ipv6Addr {
    match addr {
        IpAddr::V4(addr) => addr.to_ipv6_mapped(),
        IpAddr::V6(addr) => addr,
    }
}

/// The Internet checksum in the making.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checksum(u64);

impl Checksum {
    /// Begins with the pseudo header of TCP and UDP (RFC 9293, 3.1; RFC 8200, 8.1).
    pub(crate) fn with_pseudo_header(tuple: &Tuple, len: usize) -> Checksum {
        let mut sum = Checksum::default();
        match (tuple.src.addr, tuple.dst.addr) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => {
                sum.add(&src.octets());
                sum.add(&dst.octets());
            }
            (src, dst) => {
                sum.add(&mapped(src).octets());
                sum.add(&mapped(dst).octets());
            }
        }
        sum.0 += len as u64 + u64::from(tuple.protocol.0);
        sum
    }

    /// Adds bytes; all but the last addition must have an even length.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        let mut pairs = bytes.chunks_exact(2);
        for pair in &mut pairs {
            self.0 += u64::from(u16::from_be_bytes([pair[0], pair[1]]));
        }
        if let [odd] = pairs.remainder() {
            self.0 += u64::from(*odd) << 8;
        }
    }

    /// The complement of the sum.
    pub(crate) fn finish(self) -> [u8; 2] {
        let mut sum = self.0;
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        (!(sum as u16)).to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_example_in_the_rfc() {
        // RFC 1071, 3: the sum is ddf2 before its complement.
        let mut sum = Checksum::default();
        sum.add(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
        assert_eq!(sum.finish(), (!0xddf2_u16).to_be_bytes());
    }

    #[test]
    fn an_odd_byte_counts_as_the_high_one() {
        let (mut odd, mut even) = (Checksum::default(), Checksum::default());
        odd.add(&[1, 2, 3]);
        even.add(&[1, 2, 3, 0]);
        assert_eq!(odd.finish(), even.finish());
    }
}
