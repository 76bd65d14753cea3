//! Status reports of acknowledged mode (TS 36.322, 6.2.1.6): what they say and
//! how many bytes that takes.

use super::nr::SnLength;
use super::pdu::Part;

/// A status report: everything below `ack` has arrived but for `nacks`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Status {
    /// ACK_SN.
    pub ack: u64,
    /// Missing PDUs and parts, in order.
    pub nacks: Vec<Nack>,
}

/// A missing PDU, or a missing part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nack {
    /// NACK_SN.
    pub sn: u64,
    /// SOstart and SOend, where parts have arrived.
    pub part: Option<Part>,
}

/// Bits of the parts of a status report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    /// D/C, CPT, ACK_SN, E1 and what is reserved.
    fixed: u32,
    /// NACK_SN, what says whether more follows, and what is reserved.
    nack: u32,
    /// SOstart and SOend.
    offsets: u32,
    /// NACK range: how many numbers in turn are missing, in NR.
    range: Option<u32>,
}

impl Bits {
    /// TS 36.322, 6.2.1.6.
    pub const LTE: Bits =
        Bits { fixed: 1 + 3 + 10 + 1, nack: 10 + 1 + 1, offsets: 15 + 15, range: None };

    /// TS 38.322, 6.2.2.5: whole bytes each.
    pub const fn nr(sn: SnLength) -> Bits {
        let nack = if matches!(sn, SnLength::Eighteen) { 24 } else { 16 };
        Bits { fixed: 24, nack, offsets: 16 + 16, range: Some(8) }
    }
}

/// Counts the bytes of a status report while it grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    bits: Bits,
    sum: u32,
    /// The last number that is missing as a whole, and how many are before it in its range.
    last: Option<(u64, u32)>,
}

impl Size {
    /// Without a NACK.
    pub const fn empty(bits: Bits) -> Size {
        Size { bits, sum: bits.fixed, last: None }
    }

    /// With one more.
    #[must_use]
    pub fn with(self, nack: &Nack) -> Size {
        let offsets = nack.part.map_or(0, |_| self.bits.offsets);
        let usual = Size { sum: self.sum + self.bits.nack + offsets, ..self };
        let (Some(range), None) = (self.bits.range, nack.part) else {
            return Size { last: None, ..usual };
        };
        match self.last {
            Some((sn, before)) if sn + 1 == nack.sn && before < 254 => {
                let sum = self.sum + if before == 0 { range } else { 0 };
                Size { sum, last: Some((nack.sn, before + 1)), ..self }
            }
            _ => Size { last: Some((nack.sn, 0)), ..usual },
        }
    }

    pub fn bytes(self) -> u32 {
        self.sum.div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_by_hand() {
        // TS 36.322, figure 6.2.1.6-1: 15 bits, 12 for a NACK, 30 for offsets.
        let whole = Nack { sn: 3, part: None };
        let part = Nack { sn: 4, part: Some(Part { start: 0, end: 9 }) };
        let empty = Size::empty(Bits::LTE);
        assert_eq!(empty.bytes(), 2);
        assert_eq!(empty.with(&whole).bytes(), 4); // 27 bits
        assert_eq!(empty.with(&whole).with(&whole).bytes(), 5); // 39
        assert_eq!(empty.with(&part).bytes(), 8); // 57
    }

    #[test]
    fn sizes_of_nr_by_hand() {
        // TS 38.322, figures 6.2.2.5-1 and -2: three bytes; two or three for a NACK, four for
        // offsets, one for a range.
        let whole = |sn| Nack { sn, part: None };
        let part = Nack { sn: 9, part: Some(Part { start: 0, end: 9 }) };
        let [twelve, eighteen] =
            [SnLength::Twelve, SnLength::Eighteen].map(|sn| Size::empty(Bits::nr(sn)));
        let one = |size: Size| size.with(&whole(3)).bytes();
        assert_eq!([one(twelve), one(eighteen)], [5, 6]);
        assert_eq!(twelve.with(&part).bytes(), 3 + 2 + 4);
        // Three numbers in turn are one NACK with a range; another is one more.
        let three = [3, 4, 5].iter().fold(twelve, |size, sn| size.with(&whole(*sn)));
        assert_eq!(three.bytes(), 3 + 2 + 1);
        assert_eq!(three.with(&whole(7)).bytes(), 3 + 2 + 1 + 2);
    }
}
