//! Headers of PDCP data PDUs of user plane bearers (TS 36.323, 6.2; TS 38.323, 6.2.2) and of SDAP
//! (TS 37.324, 6.2.2).

use super::Way;
use super::bits::Bits;

/// Appends the header of a data PDU with a sequence number of 7, 12, 15 or 18 bits, not wrapped.
pub fn emit_header(sn: u64, sn_bits: u8, out: &mut Vec<u8>) {
    let mut bits = Bits::new(out);
    let reserved = match sn_bits {
        12 => 3,
        18 => 5,
        _ => 0,
    };
    bits.flag(true).put(0, reserved).put(sn, u32::from(sn_bits));
}

/// Appends the header of an SDAP data PDU of a QoS flow. Downlink it asks for no reflective
/// mapping.
pub fn emit_sdap_header(qos_flow: u8, way: Way, out: &mut Vec<u8>) {
    Bits::new(out).flag(way == Way::Up).put(0, 1).put(u64::from(qos_flow), 6);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_by_hand() {
        let header = |bits| {
            let mut out = Vec::new();
            emit_header(0x5_4321, bits, &mut out);
            out
        };
        // TS 36.323, figures 6.2.4.1, 6.2.3.1, 6.2.9.1 and 6.2.11.1.
        assert_eq!(header(7), [0x80 | 0x21]);
        assert_eq!(header(12), [0x83, 0x21]);
        assert_eq!(header(15), [0x80 | 0x43, 0x21]);
        assert_eq!(header(18), [0x81, 0x43, 0x21]);
    }

    #[test]
    fn sdap_by_hand() {
        // TS 37.324, figures 6.2.2.2-1 and 6.2.2.3-1: RDI, RQI, QFI; D/C, R, QFI.
        let header = |way| {
            let mut out = Vec::new();
            emit_sdap_header(5, way, &mut out);
            out
        };
        assert_eq!([header(Way::Down), header(Way::Up)], [[0x05], [0x85]]);
    }
}
