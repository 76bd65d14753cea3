//! PDUs of NR's MAC (TS 38.321, 6.1.2 and 6.1.3.1), and what Wireshark's `mac_nr_udp` wants in front
//! of them.

mod access;

pub use access::{AccessContext, emit_identity, emit_responses};

use super::bits::Bits;
use super::bsr::{Report, nr_long_level, nr_short_level};
use super::{MacSdu, RadioType, Way};

/// Logical channels of control elements and padding (TS 38.321, table 6.2.1-2).
const SHORT_TRUNCATED: u8 = 59;
const LONG_TRUNCATED: u8 = 60;
const SHORT: u8 = 61;
const LONG: u8 = 62;
const PADDING: u8 = 63;

/// Bytes of a long report without buffer sizes, its subheader included.
const LONG_HEAD: usize = 3;

/// Appends a PDU of `size` bytes, or as many as its contents take if those are more: SDUs, a
/// buffer status report, padding.
pub fn emit(report: Option<Report>, sdus: &[MacSdu], size: usize, out: &mut Vec<u8>) {
    let begin = out.len();
    for sdu in sdus {
        emit_subheader(sdu.lcid, Some(sdu.bytes.len()), out);
        out.extend(&sdu.bytes);
    }
    let end = begin + size;
    if let Some(report) = report {
        emit_report(report, end.saturating_sub(out.len()), out);
    }
    if out.len() < end {
        emit_subheader(PADDING, None, out);
        out.resize(end, 0);
    }
}

/// R, F, LCID; L.
fn emit_subheader(lcid: u8, length: Option<usize>, out: &mut Vec<u8>) {
    let mut bits = Bits::new(out);
    let long = length.is_some_and(|length| length > 255);
    bits.flag(false).flag(long).put(u64::from(lcid), 6);
    if let Some(length) = length {
        bits.put(length as u64, if long { 16 } else { 8 });
    }
}

/// A long report in `room` bytes has a buffer size for each group with data. If the room is too
/// small, the report is truncated.
fn emit_report(report: Report, room: usize, out: &mut Vec<u8>) {
    let short = |lcid, group: u8, bytes, out: &mut Vec<u8>| {
        emit_subheader(lcid, None, out);
        Bits::new(out).put(u64::from(group), 3).put(u64::from(nr_short_level(bytes)), 5);
    };
    match report {
        Report::Short { group, bytes } => short(SHORT, group, bytes, out),
        Report::Truncated { group, bytes } => {
            let own = bytes.get(usize::from(group)).copied().unwrap_or(0);
            short(SHORT_TRUNCATED, group, own, out);
        }
        Report::Long(bytes) => {
            let groups = bytes.iter().filter(|bytes| **bytes > 0).count();
            let fits = groups.min(room.saturating_sub(LONG_HEAD));
            let lcid = if fits < groups { LONG_TRUNCATED } else { LONG };
            emit_subheader(lcid, Some(1 + fits), out);
            let bitmap = bytes.iter().enumerate().map(|(n, bytes)| u64::from(*bytes > 0) << n);
            Bits::new(out).put(bitmap.sum(), 8);
            let sizes = bytes.iter().filter(|bytes| **bytes > 0).take(fits);
            out.extend(sizes.map(|bytes| nr_long_level(*bytes)));
        }
    }
}

/// Properties of a transmission beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Duplex mode of the carrier.
    pub radio: RadioType,
    /// Direction.
    pub way: Way,
    /// C-RNTI.
    pub rnti: u16,
    /// Number of the UE, from 1.
    pub ue: u16,
    /// System frame number, 0 to 1023.
    pub frame: u16,
    /// Slot within the frame.
    pub slot: u16,
    /// HARQ process.
    pub process: u8,
}

/// First bytes of a frame.
const START: &[u8] = b"mac-nr";
/// Tags of the framing (packet-mac-nr.h of Wireshark).
const PAYLOAD_TAG: u8 = 0x01;
const RNTI_TAG: u8 = 0x02;
const UEID_TAG: u8 = 0x03;
const HARQID_TAG: u8 = 0x06;
const FRAME_SLOT_TAG: u8 = 0x07;
/// RNTI types.
const C_RNTI: u8 = 3;

impl Context {
    /// Appends it, up to where the PDU follows.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend(START);
        out.extend([self.radio.code(), self.way.code(), C_RNTI]);
        for (tag, value) in [(RNTI_TAG, self.rnti), (UEID_TAG, self.ue)] {
            out.push(tag);
            out.extend(value.to_be_bytes());
        }
        out.extend([HARQID_TAG, self.process, FRAME_SLOT_TAG]);
        out.extend(self.frame.to_be_bytes());
        out.extend(self.slot.to_be_bytes());
        out.push(PAYLOAD_TAG);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pdu(report: Option<Report>, sdus: &[MacSdu], size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        emit(report, sdus, size, &mut out);
        assert_eq!(out.len(), size);
        out
    }

    #[test]
    fn sdus_then_reports_then_padding() {
        // TS 38.321, figures 6.1.2-1 and -4.
        let sdus = [MacSdu { lcid: 4, bytes: vec![0xaa; 2] }];
        let short = Some(Report::Short { group: 2, bytes: 11 });
        assert_eq!(pdu(short, &sdus, 8), [4, 2, 0xaa, 0xaa, 61, 0x42, 63, 0]);
        assert_eq!(pdu(None, &sdus, 5), [4, 2, 0xaa, 0xaa, 63]);
        let long = [MacSdu { lcid: 4, bytes: vec![0xaa; 256] }];
        assert_eq!(pdu(None, &long, 259)[..4], [0x44, 1, 0, 0xaa]);
    }

    #[test]
    fn long_reports_are_truncated_where_there_is_no_room() {
        // Groups 0 and 2, levels 1 and 5.
        let long = Some(Report::Long([10, 0, 14, 0, 0, 0, 0, 0]));
        assert_eq!(pdu(long, &[], 6), [62, 3, 0b101, 1, 5, 63]);
        assert_eq!(pdu(long, &[], 4), [60, 2, 0b101, 1]);
        let truncated = Some(Report::Truncated { group: 2, bytes: [10, 0, 14, 0, 0, 0, 0, 0] });
        assert_eq!(pdu(truncated, &[], 2), [59, 0x42]);
        // All eight groups have levels 1: figure 6.1.3.1-2.
        let all = Some(Report::Long([10; 8]));
        assert_eq!(pdu(all, &[], 11), [62, 9, 0xff, 1, 1, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn contexts_by_hand() {
        let (radio, way) = (RadioType::Tdd, Way::Down);
        let (rnti, ue, frame, slot, process) = (0x3d, 2, 1_023, 19, 15);
        let mut out = Vec::new();
        Context { radio, way, rnti, ue, frame, slot, process }.emit(&mut out);
        let tags = [2, 1, 3, 2, 0, 0x3d, 3, 0, 2, 6, 15, 7, 3, 0xff, 0, 19, 1];
        assert_eq!(out, [&b"mac-nr"[..], &tags].concat());
    }
}
