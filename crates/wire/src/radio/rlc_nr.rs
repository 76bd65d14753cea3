//! PDUs of NR's RLC (TS 38.322, 6.2.2).

use super::Nack;
use super::bits::Bits;

/// Mode, with the length of the sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Unacknowledged, 6 bits.
    Um6,
    /// Unacknowledged, 12 bits.
    Um12,
    /// Acknowledged, 12 bits.
    Am12,
    /// Acknowledged, 18 bits.
    Am18,
}

/// The header of a PDU with an SDU or a segment of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Mode.
    pub mode: Mode,
    /// Sequence number, not wrapped. Whole SDUs of unacknowledged mode have none.
    pub sn: u64,
    /// First byte of the SDU that is here.
    pub start: u32,
    /// True if the last byte of the SDU is here.
    pub ends: bool,
    /// True if the PDU polls, in acknowledged mode.
    pub poll: bool,
}

impl Header {
    /// Appends it.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let (begins, mut bits) = (self.start == 0, Bits::new(out));
        // Segmentation info: whole 00, first 01, last 10, neither 11 (6.2.3.4).
        let info = u64::from(!begins) << 1 | u64::from(!self.ends);
        match self.mode {
            Mode::Um6 | Mode::Um12 if info == 0 => {
                bits.put(0, 8);
            }
            Mode::Um6 => {
                bits.put(info, 2).put(self.sn, 6);
            }
            Mode::Um12 => {
                bits.put(info, 2).put(0, 2).put(self.sn, 12);
            }
            Mode::Am12 => {
                bits.flag(true).flag(self.poll).put(info, 2).put(self.sn, 12);
            }
            Mode::Am18 => {
                bits.flag(true).flag(self.poll).put(info, 2).put(0, 2).put(self.sn, 18);
            }
        }
        if !begins {
            bits.put(u64::from(self.start), 16);
        }
    }
}

/// The most numbers of a NACK range (6.2.3.20).
const LONGEST_RANGE: usize = 255;

/// Appends a STATUS PDU of acknowledged mode. SDUs in turn that are missing as a whole share a
/// NACK range.
pub fn emit_status(mode: Mode, ack: u64, nacks: &[Nack], out: &mut Vec<u8>) {
    let long = mode == Mode::Am18;
    let mut bits = Bits::new(out);
    bits.put(0, 4).put(ack, if long { 18 } else { 12 }).flag(!nacks.is_empty());
    bits.put(0, if long { 1 } else { 7 });
    let mut left = nacks;
    while let Some(Nack { sn, offsets }) = left.first() {
        let in_turn =
            (*sn..).zip(left).take_while(|(n, nack)| nack.sn == *n && nack.offsets.is_none());
        let count = in_turn.take(LONGEST_RANGE).count().max(1);
        left = &left[count..];
        bits.put(*sn, if long { 18 } else { 12 });
        bits.flag(!left.is_empty()).flag(offsets.is_some()).flag(count > 1);
        bits.put(0, if long { 3 } else { 1 });
        if let Some((first, last)) = offsets {
            // All ones: up to the end (6.2.3.19).
            bits.put(u64::from(*first), 16).put(last.map_or(0xffff, u64::from), 16);
        }
        if count > 1 {
            bits.put(count as u64, 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(mode: Mode, (start, ends): (u32, bool)) -> Vec<u8> {
        let mut out = Vec::new();
        Header { mode, sn: 0x1_2345, start, ends, poll: true }.emit(&mut out);
        out
    }

    #[test]
    fn headers_by_hand() {
        // TS 38.322, figures 6.2.2.3-1 to -5.
        assert_eq!(bytes(Mode::Um6, (0, true)), [0]);
        assert_eq!(bytes(Mode::Um12, (0, true)), [0]);
        assert_eq!(bytes(Mode::Um6, (0, false)), [0b0100_0101]);
        assert_eq!(bytes(Mode::Um6, (258, true)), [0b1000_0101, 1, 2]);
        assert_eq!(bytes(Mode::Um12, (258, false)), [0b1100_0011, 0x45, 1, 2]);
        // Figures 6.2.2.4-1 to -4.
        assert_eq!(bytes(Mode::Am12, (0, true)), [0b1100_0011, 0x45]);
        assert_eq!(bytes(Mode::Am18, (0, false)), [0b1101_0001, 0x23, 0x45]);
        assert_eq!(bytes(Mode::Am18, (258, true)), [0b1110_0001, 0x23, 0x45, 1, 2]);
    }

    #[test]
    fn status_reports_by_hand() {
        let nack = |sn, offsets| Nack { sn, offsets };
        let mut out = Vec::new();
        emit_status(Mode::Am12, 0x123, &[], &mut out);
        assert_eq!(out, [0x01, 0x23, 0x00]);
        out.clear();
        let nacks = [nack(3, None), nack(4, None), nack(5, None), nack(9, Some((1, Some(2))))];
        emit_status(Mode::Am12, 0x123, &nacks, &mut out);
        // Figure 6.2.2.5-1: E1; NACK_SN with E1 and E3, range 3; NACK_SN with E2, offsets.
        let wanted = [0x01, 0x23, 0x80, 0x00, 0b0011_1010, 3, 0x00, 0b1001_0100, 0, 1, 0, 2];
        assert_eq!(out, wanted);
        out.clear();
        emit_status(Mode::Am18, 0x2_0001, &[nack(0x1_0003, Some((7, None)))], &mut out);
        // Figure 6.2.2.5-2: 0000 10 0000 0000 0000 0001 1 0; 01 0000 0000 0000 0011 0 1 0 000.
        let wanted = [0x08, 0x00, 0b0000_0110, 0x40, 0x00, 0b1101_0000, 0, 7, 0xff, 0xff];
        assert_eq!(out, wanted);
    }
}
