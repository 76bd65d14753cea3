//! PDUs beside each other in a block: their headers, and how many fit.

use airpath_base::Time;

use super::SnLength;
use crate::rlc::pdu::{Contents, Part};

/// PDUs beside each other in a block, each with an SDU or a segment of one.
#[derive(Debug)]
pub(in crate::rlc) struct Run {
    pub contents: Contents,
    /// True if the transmitter requests a status report in the last of them.
    pub poll: bool,
    /// True if RLC has sent these bytes before.
    pub retransmission: bool,
    /// Time at which it was built.
    pub built: Time,
}

/// Bytes of headers (TS 38.322, 6.2.2.3 and 6.2.2.4), MAC subheaders included.
#[derive(Clone, Copy, Debug)]
pub(in crate::rlc) struct Format {
    /// Before a whole SDU.
    whole: u32,
    /// Before the first segment of one.
    first: u32,
    /// Before another: with the segment offset, 16 bits.
    later: u32,
    pub sn: SnLength,
    /// True if MAC subheaders take room.
    mac: bool,
}

/// Content of a run that fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::rlc) struct PackedRun {
    /// Bytes, all headers included.
    pub size: u32,
    /// Bytes of SDUs.
    pub data: u32,
    /// PDUs.
    pub pdus: u32,
}

impl Format {
    /// Of unacknowledged mode: whole SDUs have no sequence number.
    pub const fn um(sn: SnLength, mac: bool) -> Format {
        let first = if matches!(sn, SnLength::Six) { 1 } else { 2 };
        Format { whole: 1, first, later: first + 2, sn, mac }
    }

    /// Of acknowledged mode.
    pub const fn am(sn: SnLength, mac: bool) -> Format {
        let whole = if matches!(sn, SnLength::Eighteen) { 3 } else { 2 };
        Format { whole, first: whole, later: whole + 2, sn, mac }
    }

    /// Bytes with a MAC subheader (TS 38.321, 6.1.2: R, F, LCID, and L of 8 or 16 bits).
    pub const fn with_subheader(self, bytes: u32) -> u32 {
        match (self.mac, bytes) {
            (false, _) => bytes,
            (true, 0..=255) => bytes + 2,
            (true, _) => bytes + 3,
        }
    }

    /// The most bytes that fit into `room` with their subheader.
    pub const fn without_subheader(self, room: u32) -> u32 {
        match (self.mac, room) {
            (false, _) => room,
            (true, 0..=257) => room.saturating_sub(2),
            (true, 258) => 255,
            (true, _) => room - 3,
        }
    }

    /// Bytes before each SDU of a queue, at most.
    pub const fn most_header(self) -> u32 {
        self.whole + if self.mac { 3 } else { 0 }
    }

    /// Bytes of a PDU with this part of an SDU of `length` bytes.
    pub fn size(self, part: Part, length: u32) -> u32 {
        self.with_subheader(self.header(part, length) + part.len())
    }

    fn header(self, part: Part, length: u32) -> u32 {
        match part {
            Part { start: 0, end } if end == length => self.whole,
            Part { start: 0, .. } => self.first,
            _ => self.later,
        }
    }

    /// Largest beginning of a part of an SDU that fits into `room` in one PDU.
    pub fn fit(self, part: Part, length: u32, room: u32) -> Option<Part> {
        if self.size(part, length) <= room {
            return Some(part);
        }
        let header = if part.start == 0 { self.first } else { self.later };
        let bytes = self.without_subheader(room).saturating_sub(header).min(part.len());
        (bytes > 0).then_some(Part { start: part.start, end: part.start + bytes })
    }

    /// Fills a run of at most `room` bytes with the SDUs of these lengths, at most `most` of them.
    /// `sent` bytes of the first have gone before. A length is read only when a byte of its SDU
    /// fits.
    #[inline(always)]
    pub fn pack(
        self,
        room: u32,
        sent: u32,
        most: u32,
        mut lengths: impl Iterator<Item = u32>,
    ) -> Option<PackedRun> {
        let mut packed = PackedRun::default();
        let mut start = sent;
        while packed.pdus < most {
            let left = room - packed.size;
            let header = if start == 0 { self.first } else { self.later };
            if self.without_subheader(left) <= header {
                break;
            }
            let Some(rest) = lengths.next() else { break };
            let (whole, length) = (Part { start, end: start + rest }, start + rest);
            let Some(part) = self.fit(whole, length, left) else { break };
            packed.size += self.size(part, length);
            packed.data += part.len();
            packed.pdus += 1;
            if part != whole {
                break;
            }
            start = 0;
        }
        (packed.pdus > 0).then_some(packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(format: Format, room: u32, sent: u32, lengths: &[u32]) -> Option<(u32, u32, u32)> {
        let packed = format.pack(room, sent, u32::MAX, lengths.iter().copied());
        packed.map(|packed| (packed.size, packed.data, packed.pdus))
    }

    #[test]
    fn headers_have_the_bytes_of_ts_38_322() {
        // Figures 6.2.2.3-1 to -5 and 6.2.2.4-1 to -4: whole, first segment, other segments.
        let bytes = |format: Format| [format.whole, format.first, format.later];
        assert_eq!(bytes(Format::um(SnLength::Six, true)), [1, 1, 3]);
        assert_eq!(bytes(Format::um(SnLength::Twelve, true)), [1, 2, 4]);
        assert_eq!(bytes(Format::am(SnLength::Twelve, true)), [2, 2, 4]);
        assert_eq!(bytes(Format::am(SnLength::Eighteen, true)), [3, 3, 5]);
    }

    #[test]
    fn each_sdu_has_headers_of_its_own() {
        let am = Format::am(SnLength::Twelve, true);
        // Two of 100 + 2 + 2 bytes; a third of 300 + 2 + 3.
        assert_eq!(pack(am, 2_000, 0, &[100, 100, 300]), Some((104 + 104 + 305, 500, 3)));
        // 104 are left for the third: 2 of MAC, 2 of RLC, 100 of it.
        assert_eq!(pack(am, 312, 0, &[100, 100, 300]), Some((312, 300, 3)));
        // The rest of it has an offset.
        assert_eq!(pack(am, 1_000, 100, &[200, 50]), Some((2 + 4 + 200 + 54, 250, 2)));
        // Five bytes are too few for a segment with subheader, header and a byte: UM needs 2 + 1 + 1.
        let um = Format::um(SnLength::Six, true);
        assert_eq!(pack(am, 104 + 4, 0, &[100, 100]), Some((104, 100, 1)));
        assert_eq!(pack(um, 103 + 4, 0, &[100, 100]), Some((107, 101, 2)));
        assert_eq!(pack(um, 3, 0, &[100]), None);
        let plain = Format::um(SnLength::Six, false);
        assert_eq!(pack(plain, 202, 0, &[100, 100, 100]), Some((202, 200, 2)));
    }

    #[test]
    fn lengths_of_256_and_more_take_two_bytes() {
        let am = Format::am(SnLength::Twelve, true);
        assert_eq!([255, 256].map(|bytes| am.with_subheader(bytes)), [257, 259]);
        // 258 bytes hold no more than 257.
        assert_eq!([257, 258, 259].map(|room| am.without_subheader(room)), [255, 255, 256]);
    }
}
