//! Congestion information in the extension header of GTP-U uplink (TS 38.415, 5.5.2.2).

use crate::ParseError;
use crate::bytes::{u8_at, u16_at};

/// Congestion of a QoS flow that the base station reports to the UPF: UL PDU SESSION INFORMATION with congestion
/// information of both directions (TS 38.415, 5.5.2.2; TS 23.501, 5.37.3.3). Shares are of packets, in steps of 0.01%.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CongestionInformation {
    /// QoS flow identifier, 0 to 63 (QFI).
    pub qfi: u8,
    /// Share of packets uplink that would have been marked, 0 to 10 000.
    pub up: u16,
    /// Share of packets downlink that would have been marked, 0 to 10 000.
    pub down: u16,
}

impl CongestionInformation {
    /// Bytes of the extension header: length, UL PDU SESSION INFORMATION, padding, next type.
    pub(crate) const LEN: u32 = 12;
    /// New IE flags of UL and DL congestion information.
    const FLAGS: u8 = 0b110;

    /// Appends the extension header, with `next` as the type of the one behind it.
    pub(crate) fn emit(&self, next: u8, out: &mut Vec<u8>) {
        // PDU type 1 in the upper four bits; the flag of new information elements in front of the QFI.
        out.extend([(CongestionInformation::LEN / 4) as u8, 0x10, 0x40 | self.qfi & 0x3f]);
        out.push(CongestionInformation::FLAGS);
        out.extend(self.up.to_be_bytes());
        out.extend(self.down.to_be_bytes());
        out.extend([0, 0, 0, next]);
    }

    /// Reads the content of the extension header, which begins behind its length. None if it has no such information.
    ///
    /// # Errors
    ///
    /// If it is cut short.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Option<CongestionInformation>, ParseError> {
        let (kind, second) = (u8_at(bytes, 0)?, u8_at(bytes, 1)?);
        if kind >> 4 != 1 || second & 0x40 == 0 {
            return Ok(None);
        }
        // QoS monitoring packet, DL delay, UL delay, sequence number; N3/N9 delay.
        let optional =
            [(kind >> 3, 24), (kind >> 2, 4), (kind >> 1, 4), (kind, 3), (second >> 7, 4)];
        let mut at =
            optional.iter().filter(|(flag, _)| flag & 1 != 0).map(|(_, len)| len).sum::<usize>()
                + 2;
        let flags = u8_at(bytes, at)?;
        at += 1 + usize::from(flags & 1);
        let mut share = |flag: u8| -> Result<u16, ParseError> {
            if flags & flag == 0 {
                return Ok(0);
            }
            at += 2;
            u16_at(bytes, at - 2)
        };
        let (up, down) = (share(0b10)?, share(0b100)?);
        let any = flags & CongestionInformation::FLAGS != 0;
        Ok(any.then_some(CongestionInformation { qfi: second & 0x3f, up, down }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_congestion_information() {
        // TS 38.415, figure 5.5.2.2-1, by hand: type 1 without other fields; QFI 9 behind the flag of new elements.
        // Then flags of UL (bit 1) and DL (bit 2) congestion information. 25% is 2500, 0x09c4; 100% is 10 000, 0x2710.
        let report = CongestionInformation { qfi: 9, up: 2_500, down: 10_000 };
        let mut out = Vec::new();
        report.emit(0, &mut out);
        assert_eq!(out, [3, 0x10, 0x49, 0b110, 0x09, 0xc4, 0x27, 0x10, 0, 0, 0, 0]);
        assert_eq!(CongestionInformation::parse(&out[1..]), Ok(Some(report)));
    }

    #[test]
    fn other_fields_in_front_are_skipped() {
        // DL delay result of 4 bytes, sequence number of 3, D1 delay octet, and DL congestion information alone.
        let bytes = [0x15, 0x41, 1, 2, 3, 4, 5, 6, 7, 0b101, 1, 0x00, 0x64];
        let read = CongestionInformation::parse(&bytes).expect("whole");
        assert_eq!(read, Some(CongestionInformation { qfi: 1, up: 0, down: 100 }));
        assert_eq!(CongestionInformation::parse(&bytes[..12]), Err(ParseError::Truncated));
        assert_eq!(CongestionInformation::parse(&[0x10, 9]), Ok(None));
        assert_eq!(CongestionInformation::parse(&[0x00, 0x49, 0]), Ok(None));
    }
}
