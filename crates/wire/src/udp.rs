//! UDP (RFC 768).

use crate::bytes::{Checksum, len16, u8_at, u16_at};
use crate::datagram::TooLong;
use crate::{Ecn, IpRepr, ParseError, Protocol, Tuple, UDP_HEADER};

/// Appends a UDP header without checksum, for a datagram of `len` bytes with its
/// header.
pub(crate) fn emit(tuple: &Tuple, len: usize, out: &mut Vec<u8>) {
    out.extend(tuple.src.port.to_be_bytes());
    out.extend(tuple.dst.port.to_be_bytes());
    out.extend(len16(len));
    out.extend([0, 0]);
}

/// Appends an IP packet with a datagram of these bytes, with checksums.
///
/// # Errors
///
/// If IP cannot tell its length.
pub fn emit_packet(tuple: Tuple, payload: &[u8], out: &mut Vec<u8>) -> Result<(), TooLong> {
    let len = payload.len() + UDP_HEADER as usize;
    let size = tuple.ip_header() as usize + len;
    if size > usize::from(u16::MAX) {
        return Err(TooLong);
    }
    IpRepr::new(Tuple { protocol: Protocol::UDP, ..tuple }, 0, Ecn::NotEct, size as u32).emit(out);
    let begin = out.len();
    emit(&tuple, len, out);
    out.extend(payload);
    fill_checksum(&tuple, &mut out[begin..]);
    Ok(())
}

/// Fills in the checksum of the datagram that `datagram` is, from header to end.
pub(crate) fn fill_checksum(tuple: &Tuple, datagram: &mut [u8]) {
    let mut sum = Checksum::with_pseudo_header(tuple, datagram.len());
    sum.add(datagram);
    let sum = match sum.finish() {
        [0, 0] => [0xff, 0xff], // zero would say that there is no checksum
        sum => sum,
    };
    datagram[6..8].copy_from_slice(&sum);
}

/// Bytes behind the UDP header that `bytes` begin with, and those of them that
/// are there. `len` are the bytes of the datagram as the IP header has it.
///
/// # Errors
///
/// If the header is cut short or its length field contradicts `len`.
#[inline]
pub fn parse(bytes: &[u8], len: u32) -> Result<(u32, &[u8]), ParseError> {
    u8_at(bytes, UDP_HEADER as usize - 1)?;
    let said = match u32::from(u16_at(bytes, 4)?) {
        0 => len, // a jumbogram (RFC 2675, 4)
        said => said,
    };
    if said > len {
        return Err(ParseError::Malformed);
    }
    let payload_len = said.checked_sub(UDP_HEADER).ok_or(ParseError::Malformed)?;
    let payload = &bytes[UDP_HEADER as usize..];
    Ok((payload_len, &payload[..payload.len().min(payload_len as usize)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_beyond_the_packet_is_malformed() {
        let bytes = [0, 1, 0, 2, 0, 20, 0, 0, 9, 9];
        assert_eq!(parse(&bytes, 10), Err(ParseError::Malformed));
        assert_eq!(parse(&bytes, 20), Ok((12, &[9u8, 9][..])));
        assert_eq!(parse(&bytes[..7], 20), Err(ParseError::Truncated));
    }

    #[test]
    fn a_length_below_the_header_is_malformed() {
        assert_eq!(parse(&[0, 1, 0, 2, 0, 7, 0, 0], 8), Err(ParseError::Malformed));
    }
}
