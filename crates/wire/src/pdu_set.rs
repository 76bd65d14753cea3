//! PDU set information (TS 38.415, 6.5.2.1) in the extension header of GTP-U that carries it.

use crate::ParseError;
use crate::bytes::{u8_at, u16_at, u32_at};

/// Facts of a downlink packet's PDU set that the UPF gives the base station: DL PDU SET INFORMATION (TS 38.415, 6.5.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PduSetInformation {
    /// QoS flow identifier, 0 to 63 (QFI).
    pub qfi: u8,
    /// True in the last packet of a data burst (EDB).
    pub ends_burst: bool,
    /// True in the last packet of the set (EPDU).
    pub ends_set: bool,
    /// Number of the set, of which 10 bits are written (PSSN).
    pub number: u16,
    /// Importance, 0 to 15 (PSI).
    pub importance: u8,
    /// Number of the packet within the set, from 0; it wraps at 256 (PSN).
    pub position: u8,
    /// Bytes of IP of the whole set, of which 24 bits are written (PSSize); none if unknown (PSSI).
    pub size: Option<u32>,
}

impl PduSetInformation {
    /// Type of the extension header, PDU Set Information Container (TS 29.281, 5.2.1). A receiver that does not know it
    /// passes over it.
    pub(crate) const TYPE: u8 = 0x04;
    /// Type of the extension header in older versions of TS 29.281, whose receivers had to know it.
    pub(crate) const OLD_TYPE: u8 = 0x86;
    /// Bytes of the extension header with a size: length, DL PDU SET INFORMATION, padding, next type.
    pub(crate) const LEN: u32 = 12;

    /// Appends the extension header, with `next` as the type of the one behind it.
    pub(crate) fn emit(&self, next: u8, out: &mut Vec<u8>) {
        let bit = |flag: bool, at: u8| u8::from(flag) << at;
        let [_, size @ ..] = self.size.unwrap_or(0).to_be_bytes();
        let [high, low] = (self.number & 0x3ff).to_be_bytes();
        out.push((PduSetInformation::LEN / 4) as u8);
        // PDU type 0 in the upper four bits.
        out.push(bit(self.ends_burst, 3) | bit(self.ends_set, 2) | bit(self.size.is_some(), 1));
        out.extend([self.qfi << 2 | high, low, self.importance & 0xf, self.position]);
        out.extend(size);
        out.extend([0, 0, next]);
    }

    /// Reads the content of the extension header, which begins behind its length.
    ///
    /// # Errors
    ///
    /// If it is cut short, or has another PDU type than 0.
    pub(crate) fn parse(bytes: &[u8]) -> Result<PduSetInformation, ParseError> {
        let first = u8_at(bytes, 0)?;
        if first >> 4 != 0 {
            return Err(ParseError::Unsupported);
        }
        let size = match first & 0b10 {
            0 => None,
            _ => Some(u32_at(bytes, 4)? & 0xff_ffff),
        };
        Ok(PduSetInformation {
            qfi: u8_at(bytes, 1)? >> 2,
            ends_burst: first & 0b1000 != 0,
            ends_set: first & 0b100 != 0,
            number: u16_at(bytes, 1)? & 0x3ff,
            importance: u8_at(bytes, 3)? & 0xf,
            position: u8_at(bytes, 4)?,
            size,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_set_information() {
        // TS 38.415, figure 6.5.2.1-1, by hand: type 0, EDB 0, EPDU 1, PSSI 1; QFI 9 and PSSN 0x2a5; PSI 3; PSN 70;
        // PSSize 0x0186a0, 100 000 bytes. The length is counted in units of four bytes.
        let set = PduSetInformation {
            qfi: 9,
            ends_burst: false,
            ends_set: true,
            number: 0x2a5,
            importance: 3,
            position: 70,
            size: Some(100_000),
        };
        let mut out = Vec::new();
        set.emit(0, &mut out);
        assert_eq!(out, [3, 0b0110, 9 << 2 | 0b10, 0xa5, 3, 70, 0x01, 0x86, 0xa0, 0, 0, 0]);
        assert_eq!(out.len() as u32, PduSetInformation::LEN);
        assert_eq!(PduSetInformation::parse(&out[1..]), Ok(set));
    }

    #[test]
    fn the_end_of_a_burst_and_no_size() {
        // Without a size the five bytes end behind PSN.
        let read =
            PduSetInformation::parse(&[0b1000, 1 << 2, 7, 15, 0, 0]).expect("an information");
        assert_eq!((read.ends_burst, read.ends_set, read.size), (true, false, None));
        assert_eq!((read.qfi, read.number, read.importance, read.position), (1, 7, 15, 0));
        assert_eq!(PduSetInformation::parse(&[0x10, 0, 0, 0, 0, 0]), Err(ParseError::Unsupported));
        assert_eq!(PduSetInformation::parse(&[0b10, 0, 0, 0, 0, 0, 0]), Err(ParseError::Truncated));
    }
}
