//! Status reports of acknowledged mode (TS 36.322, 6.2.1.6): what they say and
//! how many bytes that takes.

use super::pdu::Part;

/// A status report: everything below `ack` has arrived but for `nacks`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Status {
    /// ACK_SN.
    pub ack: u64,
    /// What is missing, in order.
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

/// D/C, CPT, ACK_SN and E1.
const FIXED_BITS: u32 = 1 + 3 + 10 + 1;
/// NACK_SN, E1 and E2.
const NACK_BITS: u32 = 10 + 1 + 1;
/// SOstart and SOend.
const OFFSETS_BITS: u32 = 15 + 15;

/// Counts the bytes of a status report while it grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size(u32);

impl Size {
    /// Without a NACK.
    pub const EMPTY: Size = Size(FIXED_BITS);

    /// With one more.
    #[must_use]
    pub fn with(self, nack: &Nack) -> Size {
        Size(self.0 + NACK_BITS + nack.part.map_or(0, |_| OFFSETS_BITS))
    }

    pub fn bytes(self) -> u32 {
        self.0.div_ceil(8)
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
        assert_eq!(Size::EMPTY.bytes(), 2);
        assert_eq!(Size::EMPTY.with(&whole).bytes(), 4); // 27 bits
        assert_eq!(Size::EMPTY.with(&whole).with(&whole).bytes(), 5); // 39
        assert_eq!(Size::EMPTY.with(&part).bytes(), 8); // 57
    }
}
