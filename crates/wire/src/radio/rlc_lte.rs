//! PDUs of LTE's RLC (TS 36.322, 6.2.1). Without extended fields.

use super::Nack;
use super::bits::Bits;

/// Mode, with the length of the sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Unacknowledged, 5 bits.
    Um5,
    /// Unacknowledged, 10 bits.
    Um10,
    /// Acknowledged.
    Am,
}

/// A segment of an AMD PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its first byte within the data field of the PDU.
    pub offset: u32,
    /// True if it is the last segment of its PDU.
    pub last: bool,
}

/// The header of a UMD PDU, an AMD PDU or a segment of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// Mode.
    pub mode: Mode,
    /// Sequence number, not wrapped.
    pub sn: u64,
    /// Framing: true if the first byte of the data field begins an SDU, and true if the last byte
    /// ends one.
    pub framing: [bool; 2],
    /// True if the PDU polls, in acknowledged mode.
    pub poll: bool,
    /// Segment, if the PDU is one.
    pub segment: Option<Segment>,
    /// Lengths of the stretches of SDUs in the data field, at least one.
    pub lengths: &'a [u32],
}

impl Header<'_> {
    /// Appends it.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let indicated = &self.lengths[..self.lengths.len().saturating_sub(1)];
        let [begins, ends] = self.framing;
        let mut bits = Bits::new(out);
        match self.mode {
            Mode::Um5 => {}
            Mode::Um10 => {
                bits.put(0, 3);
            }
            Mode::Am => {
                bits.flag(true).flag(self.segment.is_some()).flag(self.poll);
            }
        }
        let width = if self.mode == Mode::Um5 { 5 } else { 10 };
        bits.flag(!begins).flag(!ends).flag(!indicated.is_empty()).put(self.sn, width);
        if let Some(Segment { offset, last }) = self.segment {
            bits.flag(last).put(u64::from(offset), 15);
        }
        for (n, length) in indicated.iter().enumerate() {
            bits.flag(n + 1 < indicated.len()).put(u64::from(*length), 11);
        }
    }
}

/// Appends a STATUS PDU.
pub fn emit_status(ack: u64, nacks: &[Nack], out: &mut Vec<u8>) {
    let mut bits = Bits::new(out);
    bits.put(0, 4).put(ack, 10).flag(!nacks.is_empty());
    for (n, Nack { sn, offsets }) in nacks.iter().enumerate() {
        bits.put(*sn, 10).flag(n + 1 < nacks.len()).flag(offsets.is_some());
        if let Some((first, last)) = offsets {
            // All ones: up to the end (6.2.2.19).
            bits.put(u64::from(*first), 15).put(last.map_or(0x7fff, u64::from), 15);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Header<'_> = Header {
        mode: Mode::Um10,
        sn: 1_024 + 0x155,
        framing: [true, true],
        poll: false,
        segment: None,
        lengths: &[100],
    };

    fn bytes(header: &Header<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        header.emit(&mut out);
        out
    }

    #[test]
    fn headers_by_hand() {
        // TS 36.322, figure 6.2.1.3-2: R1 R1 R1 FI FI E SN.
        assert_eq!(bytes(&WHOLE), [0b0000_0001, 0x55]);
        let um5 = Header { mode: Mode::Um5, sn: 33, framing: [false, true], ..WHOLE };
        assert_eq!(bytes(&um5), [0b1000_0001]);
        // Figure 6.2.1.4-1: D/C RF P FI FI E SN.
        let am = Header { mode: Mode::Am, poll: true, framing: [true, false], ..WHOLE };
        assert_eq!(bytes(&am), [0b1010_1001, 0x55]);
        // Three stretches: two indicators of 12 bits.
        let more = Header { lengths: &[5, 0x7ff, 9], ..WHOLE };
        assert_eq!(bytes(&more), [0b0000_0101, 0x55, 0b1000_0000, 0b0101_0111, 0xff]);
        // Figure 6.2.1.5-1: LSF and SO behind.
        let segment = Some(Segment { offset: 0x102, last: true });
        let segment = Header { mode: Mode::Am, segment, ..WHOLE };
        assert_eq!(bytes(&segment), [0b1100_0001, 0x55, 0x81, 0x02]);
    }

    #[test]
    fn status_reports_by_hand() {
        let mut out = Vec::new();
        emit_status(0x201, &[], &mut out);
        // D/C, CPT, ACK_SN, E1 and a bit of padding: 0 000 1000000001 0 0.
        assert_eq!(out, [0b0000_1000, 0b0000_0100]);
        out.clear();
        let whole = Nack { sn: 3, offsets: None };
        let part = Nack { sn: 4, offsets: Some((1, None)) };
        emit_status(5, &[whole, part], &mut out);
        // ... 1 | 0000000011 1 0 | 0000000100 0 1 | 000000000000001 | 111111111111111, padded.
        let text: String = out.iter().map(|byte| format!("{byte:08b}")).collect();
        let wanted = "0000".to_owned()
            + "0000000101"
            + "1"
            + "0000000011"
            + "1"
            + "0"
            + "0000000100"
            + "0"
            + "1"
            + "000000000000001"
            + "111111111111111";
        assert_eq!(text, format!("{wanted:0<72}"));
    }
}
