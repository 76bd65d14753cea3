//! IEEE 802.11 data frames, and the radiotap header before them (radiotap.org).
//!
//! Read are whole MSDUs and aggregates of them (A-MSDU) that are not encrypted. Left out: what is
//! encrypted, fragments of MSDUs, aggregates of mesh frames, and the frame check sequence.

use super::{Carried, ParseError, llc};
use crate::bytes::{array, u8_at, u16_at};

/// A frame of 802.11 without a packet that can be read (IEEE 802.11, 9.2.4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wlan {
    /// A management frame.
    Management,
    /// A control frame.
    Control,
    /// A data frame without data.
    Null,
    /// The data is encrypted.
    Encrypted,
    /// A fragment of an MSDU.
    Fragment,
    /// A frame of the extension type.
    Extension,
}

/// Bits of radiotap's present words: Flags is there, and another word follows.
const HAS_TSFT: u32 = 1;
const HAS_FLAGS: u32 = 2;
const HAS_MORE: u32 = 1 << 31;
/// Radiotap's flag: the 802.11 header is padded to a multiple of four bytes.
const PADDED: u8 = 0x20;
/// Present words that are looked through at most.
const MOST_WORDS: usize = 32;

/// The frame behind a radiotap header.
pub(super) fn behind_radiotap(frame: &[u8], at: usize) -> Result<Carried, ParseError> {
    if u8_at(frame, at)? != 0 {
        return Err(ParseError::Malformed); // the version
    }
    let len = usize::from(u16_at(frame, at + 2)?.swap_bytes());
    if len < 8 {
        return Err(ParseError::Malformed);
    }
    let padded = radiotap_flags(frame, at, len)? & PADDED != 0;
    carried(frame, at + len, padded)
}

/// The field Flags of a radiotap header of `len` bytes; zero if it has none.
fn radiotap_flags(frame: &[u8], at: usize, len: usize) -> Result<u8, ParseError> {
    let word = |n: usize| array(frame, at + 4 + 4 * n).map(u32::from_le_bytes);
    let first = word(0)?;
    if first & HAS_FLAGS == 0 {
        return Ok(0);
    }
    let mut words = 1;
    while word(words - 1)? & HAS_MORE != 0 && words < MOST_WORDS {
        words += 1;
    }
    let mut field = 4 + 4 * words;
    if first & HAS_TSFT != 0 {
        // Fields are aligned to their size, from the beginning of the header.
        field = field.next_multiple_of(8) + 8;
    }
    if field < len { u8_at(frame, at + field) } else { Err(ParseError::Malformed) }
}

/// A frame whose header begins at `at`, perhaps padded (IEEE 802.11, 9.2.4 and 9.3.2).
pub(super) fn carried(frame: &[u8], at: usize, padded: bool) -> Result<Carried, ParseError> {
    const DATA: u8 = 2;
    let [first, flags] = array(frame, at)?;
    let (kind, subtype) = (first >> 2 & 3, first >> 4);
    let other = match kind {
        0 => Some(Wlan::Management),
        1 => Some(Wlan::Control),
        DATA if subtype & 4 != 0 => Some(Wlan::Null),
        DATA if flags & 0x40 != 0 => Some(Wlan::Encrypted),
        DATA => None,
        _ => Some(Wlan::Extension),
    };
    if let Some(other) = other {
        return Ok(Carried::Wlan(other));
    }
    let fragment = u8_at(frame, at + 22)? & 0x0f;
    if flags & 0x04 != 0 || fragment != 0 {
        return Ok(Carried::Wlan(Wlan::Fragment));
    }
    let quality = subtype & 8 != 0;
    let four_addresses = flags & 3 == 3;
    let mut len = 24 + if four_addresses { 6 } else { 0 };
    let mut aggregate = false;
    if quality {
        aggregate = u8_at(frame, at + len)? & 0x80 != 0;
        len += 2;
        if flags & 0x80 != 0 {
            len += 4; // HT Control
        }
    }
    if padded {
        len = len.next_multiple_of(4);
    }
    if aggregate { Ok(Carried::Aggregate(at + len)) } else { llc(frame, at + len) }
}

/// The packets of an A-MSDU (IEEE 802.11, 9.3.2.2.2). An item has the content, with offsets in the
/// whole frame, and the bytes of its subframe.
#[derive(Clone, Debug)]
pub struct Subframes<'a> {
    frame: &'a [u8],
    at: usize,
}

impl<'a> Subframes<'a> {
    /// Those that begin at this byte of a frame, as [`Carried::Aggregate`] has it.
    pub fn new(frame: &'a [u8], at: usize) -> Subframes<'a> {
        Subframes { frame, at }
    }
}

impl Iterator for Subframes<'_> {
    type Item = (Result<Carried, ParseError>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        const HEADER: usize = 14;
        // A rest that is shorter than a header is padding, or the frame check sequence.
        let head = self.frame.get(self.at..self.at + HEADER)?;
        let len = usize::from(u16::from_be_bytes([head[12], head[13]]));
        let at = self.at + HEADER;
        let size = (HEADER + len).next_multiple_of(4);
        self.at += size;
        (len > 0).then(|| (llc(self.frame, at), size))
    }
}
