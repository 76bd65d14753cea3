//! The classic format (draft-ietf-opsawg-pcap): microseconds or nanoseconds, either
//! byte order, and the variant with longer record headers that some kernels wrote.

use std::io::{self, Read};

use airpath_base::Time;
use airpath_wire::link::LinkType;

use super::buffer::Buffer;
use super::{Found, Frame, LONGEST, Step, whole};
use crate::warnings::Warnings;

/// Bytes of the header of a file.
pub(super) const FILE_HEADER: usize = 24;
/// Bytes of the header of a record.
const RECORD_HEADER: usize = 16;
/// Bytes of the longer one.
const LONG_RECORD_HEADER: usize = 24;

/// Fields of the header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pcap {
    big_endian: bool,
    nanos: bool,
    record_header: usize,
    link: LinkType,
    interface: u32,
}

impl Pcap {
    /// Reads the header of a file; none if it is not one, or not whole.
    pub(super) fn parse(bytes: &[u8]) -> Option<Pcap> {
        let magic: [u8; 4] = bytes.get(..4)?.try_into().ok()?;
        let (big_endian, magic) = match u32::from_le_bytes(magic) {
            known @ (0xa1b2_c3d4 | 0xa1b2_3c4d | 0xa1b2_cd34) => (false, known),
            other => (true, other.swap_bytes()),
        };
        let (nanos, record_header) = match magic {
            0xa1b2_c3d4 => (false, RECORD_HEADER),
            0xa1b2_3c4d => (true, RECORD_HEADER),
            0xa1b2_cd34 => (false, LONG_RECORD_HEADER),
            _ => return None,
        };
        let link = number(bytes.get(20..FILE_HEADER)?, 0, big_endian);
        // The high bits tell of a frame check sequence.
        let (link, interface) = (LinkType(link as u16), 0);
        Some(Pcap { big_endian, nanos, record_header, link, interface })
    }

    /// Reader of this file as the interface with this number among all that were seen.
    pub(super) fn at(self, interface: u32) -> Pcap {
        Pcap { interface, ..self }
    }

    /// Hands on the frames of records that lie whole in `bytes`, which stand at `offset` of the
    /// file; gives the bytes that they take. What comes behind is for [`step`](Pcap::step), as
    /// is all of the less usual variants.
    #[inline(always)]
    pub(super) fn run<'a>(
        &self,
        bytes: &'a [u8],
        offset: u64,
        mut found: impl FnMut(&Frame<'a>),
    ) -> usize {
        if self.big_endian || self.record_header != RECORD_HEADER {
            return 0;
        }
        let (unit, link, interface) = (self.unit(), self.link, self.interface);
        let mut rest = bytes;
        while let Some((head, behind)) = rest.split_first_chunk::<RECORD_HEADER>() {
            let word = |n: usize| number(head, 4 * n, false);
            let (captured, len) = (word(2) as usize, word(3).max(word(2)));
            if captured > behind.len() || captured > LONGEST {
                break;
            }
            let (frame, next) = behind.split_at(captured);
            let at = time(word(0), word(1), unit);
            let offset = offset + (bytes.len() - rest.len()) as u64;
            found(&Frame { at, timed: true, link, interface, len, bytes: frame, offset });
            rest = next;
        }
        bytes.len() - rest.len()
    }

    /// Nanoseconds of the unit of fractions.
    fn unit(&self) -> u64 {
        if self.nanos { 1 } else { 1000 }
    }

    pub(super) fn step<R: Read>(
        &mut self,
        buffer: &mut Buffer<R>,
        warnings: &mut Warnings,
    ) -> io::Result<Step> {
        if !whole(buffer, self.record_header, warnings)? {
            return Ok(Step::End);
        }
        let head = &buffer.bytes()[..RECORD_HEADER];
        let word = |n: usize| number(head, 4 * n, self.big_endian);
        let (captured, len) = (word(2) as usize, word(3));
        let at = time(word(0), word(1), self.unit());
        if captured > LONGEST {
            let what = "a packet of impossible length; what follows cannot be found";
            warnings.add(buffer.offset(), what);
            return Ok(Step::End);
        }
        let start = self.record_header;
        if !buffer.fill(start + captured)? {
            warnings.add_cut(buffer.offset());
            if buffer.bytes().len() <= start {
                return Ok(Step::End);
            }
        }
        let end = (start + captured).min(buffer.bytes().len());
        Ok(Step::Frame(Found {
            at,
            timed: true,
            link: self.link,
            interface: self.interface,
            len,
            start,
            end,
            consume: end,
            offset: 0,
        }))
    }
}

/// A time, with a fraction in units of so many nanoseconds.
#[inline]
fn time(seconds: u32, fraction: u32, unit: u64) -> Time {
    Time::from_nanos(u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * unit)
}

/// The 32-bit number at `at`, where one is.
#[inline]
pub(super) fn number(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    let bytes = &bytes[at..at + 4];
    let number = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    if big_endian { number.swap_bytes() } else { number }
}
