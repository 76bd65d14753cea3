//! The frames of Initial packets (RFC 9000, 12.4 and 19). No others than these may be there.

use super::packet::varint;

/// Frame types.
const PADDING: u64 = 0;
const PING: u64 = 1;
const ACK: u64 = 2;
const ACK_ECN: u64 = 3;
const CRYPTO: u64 = 6;
const CLOSE: u64 = 0x1c;

/// A frame that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    /// The greatest packet number that is acknowledged.
    Ack(u64),
    /// Bytes of the handshake, and where they belong.
    Crypto { offset: u64, data: &'a [u8] },
    /// The end of the connection: the code of an error.
    Close(u64),
}

/// The frames of a packet; ends at one that cannot be read.
pub(super) struct Frames<'a>(&'a [u8]);

impl<'a> Frames<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Frames<'a> {
        Frames(bytes)
    }

    /// The frame at the beginning, if it says something, and what is behind it.
    fn first(&self) -> Option<(Option<Frame<'a>>, &'a [u8])> {
        let bytes = self.0;
        // Types have the shortest form (RFC 9000, 12.4), here one byte.
        let (kind, at) = varint(bytes, 0).filter(|(_, at)| *at == 1)?;
        let (frame, end) = match kind {
            PADDING => (None, bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len())),
            PING => (None, at),
            ACK | ACK_ECN => {
                let (largest, end) = ack(bytes, at, kind == ACK_ECN)?;
                (Some(Frame::Ack(largest)), end)
            }
            CRYPTO => {
                let (offset, at) = varint(bytes, at)?;
                let (len, at) = varint(bytes, at)?;
                let end = at.checked_add(usize::try_from(len).ok()?)?;
                (Some(Frame::Crypto { offset, data: bytes.get(at..end)? }), end)
            }
            CLOSE => {
                let (code, at) = varint(bytes, at)?;
                let (_, at) = varint(bytes, at)?;
                let (len, at) = varint(bytes, at)?;
                (Some(Frame::Close(code)), at.checked_add(usize::try_from(len).ok()?)?)
            }
            _ => return None,
        };
        Some((frame, bytes.get(end..)?))
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        loop {
            let (frame, rest) = self.first()?;
            self.0 = rest;
            if frame.is_some() {
                return frame;
            }
        }
    }
}

/// The greatest number of an ACK frame, and where the frame ends (RFC 9000, 19.3).
fn ack(bytes: &[u8], at: usize, ecn: bool) -> Option<(u64, usize)> {
    let (largest, at) = varint(bytes, at)?;
    let (_, at) = varint(bytes, at)?;
    let (ranges, at) = varint(bytes, at)?;
    let numbers = ranges.checked_mul(2)?.checked_add(if ecn { 4 } else { 1 })?;
    // Each takes a byte at least, so no more than there are bytes are read.
    let end = (0..numbers).try_fold(at, |at, _| varint(bytes, at).map(|(_, end)| end))?;
    Some((largest, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<Frame<'_>> {
        Frames::new(bytes).collect()
    }

    #[test]
    fn the_frames_of_a_servers_first_packet() {
        // RFC 9001, A.3: an ACK of packet 0, and CRYPTO with 90 bytes.
        let bytes = [&[2, 0, 0, 0, 0, 6, 0, 0x40, 0x5a][..], &[7; 90]].concat();
        let crypto = Frame::Crypto { offset: 0, data: &[7; 90] };
        assert_eq!(frames(&bytes), [Frame::Ack(0), crypto]);
    }

    #[test]
    fn padding_pings_and_counts_of_marks_are_passed_over() {
        let ack = [3, 0x44, 0x01, 0, 1, 0, 0, 0, 9, 9, 9];
        let bytes = [&[0, 0, 1, 0][..], &ack, &[0x1c, 0x41, 0x28, 6, 1, b'x', 0, 0]].concat();
        assert_eq!(frames(&bytes), [Frame::Ack(0x401), Frame::Close(0x128)]);
    }

    #[test]
    fn what_is_cut_or_not_allowed_ends_the_packet() {
        assert_eq!(frames(&[6, 0, 5, 1, 2]), []);
        assert_eq!(frames(&[0x40, 0, 1, 6, 0, 1, 9]), []);
        assert_eq!(frames(&[8, 0, 1, 1]), []);
        assert_eq!(frames(&[2, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), []);
    }
}
