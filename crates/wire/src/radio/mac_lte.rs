//! PDUs of LTE's MAC (TS 36.321, 6.1.2 and 6.1.3.1), and what Wireshark's `mac-lte-framed` wants in
//! front of them.

mod access;

pub use access::{AccessContext, emit_identity, emit_preamble, emit_responses};

use super::bits::Bits;
use super::bsr::{LTE_GROUPS, Report, lte_level};
use super::{MacSdu, RadioType, Way};

/// Logical channels of control elements and padding (TS 36.321, table 6.2.1-2).
const TRUNCATED: u8 = 28;
const SHORT: u8 = 29;
const LONG: u8 = 30;
const PADDING: u8 = 31;

/// The longest SDU whose length takes 7 bits, and 15.
const LONGEST_SHORT: usize = 127;
const LONGEST: usize = 32_767;

/// Appends a PDU of `size` bytes, or as many as its contents take if those are more: a buffer
/// status report, SDUs, padding.
pub fn emit(report: Option<Report>, sdus: &[MacSdu], size: usize, out: &mut Vec<u8>) {
    let used = used(report, sdus);
    let padding = size.saturating_sub(used);
    let trails = padding > 2 || (report.is_none() && sdus.is_empty());
    let elements = usize::from(report.is_some()) + sdus.len();
    let mut left = elements + usize::from(trails);
    let mut subheader = |lcid: u8, length: Option<usize>, out: &mut Vec<u8>| {
        left = left.saturating_sub(1);
        let length = length.filter(|_| left > 0);
        emit_subheader(lcid, (left > 0, length), out);
    };
    let begin = out.len();
    if !trails {
        // One or two bytes of padding are subheaders in front (6.1.2).
        (0..padding).for_each(|_| emit_subheader(PADDING, (true, None), out));
    }
    if let Some(report) = report {
        subheader(lcid(report), None, out);
    }
    sdus.iter().for_each(|sdu| subheader(sdu.lcid, Some(sdu.bytes.len()), out));
    if trails {
        subheader(PADDING, None, out);
    }
    report.iter().for_each(|report| emit_report(*report, out));
    sdus.iter().for_each(|sdu| out.extend(&sdu.bytes));
    out.resize(out.len().max(begin + size), 0);
}

/// Bytes without padding: the last subheader has no length.
fn used(report: Option<Report>, sdus: &[MacSdu]) -> usize {
    let report =
        report.map_or(0, |report| 1 + if matches!(report, Report::Long(_)) { 3 } else { 1 });
    let lengths: usize = sdus.iter().rev().skip(1).map(|sdu| length_bytes(sdu.bytes.len())).sum();
    report + lengths + sdus.iter().map(|sdu| 1 + sdu.bytes.len()).sum::<usize>()
}

const fn length_bytes(length: usize) -> usize {
    if length <= LONGEST_SHORT { 1 } else { 2 }
}

/// R, F2, E, LCID; F and L.
fn emit_subheader(lcid: u8, (more, length): (bool, Option<usize>), out: &mut Vec<u8>) {
    let mut bits = Bits::new(out);
    let huge = length.is_some_and(|length| length > LONGEST);
    bits.flag(false).flag(huge).flag(more).put(u64::from(lcid), 5);
    match length {
        None => {}
        Some(length) if huge => {
            bits.put(length as u64, 16);
        }
        Some(length) if length > LONGEST_SHORT => {
            bits.flag(true).put(length as u64, 15);
        }
        Some(length) => {
            bits.flag(false).put(length as u64, 7);
        }
    }
}

const fn lcid(report: Report) -> u8 {
    match report {
        Report::Short { .. } => SHORT,
        Report::Truncated { .. } => TRUNCATED,
        Report::Long(_) => LONG,
    }
}

fn emit_report(report: Report, out: &mut Vec<u8>) {
    let mut bits = Bits::new(out);
    let level = |bytes| u64::from(lte_level(bytes));
    match report {
        Report::Short { group, bytes } => {
            bits.put(u64::from(group), 2).put(level(bytes), 6);
        }
        Report::Truncated { group, bytes } => {
            let own = bytes.get(usize::from(group)).copied().unwrap_or(0);
            bits.put(u64::from(group), 2).put(level(own), 6);
        }
        Report::Long(bytes) => {
            for bytes in bytes.into_iter().take(LTE_GROUPS) {
                bits.put(level(bytes), 6);
            }
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
    /// Subframe, 0 to 9.
    pub subframe: u8,
    /// Retransmission: 0 for the first transmission.
    pub retransmission: u8,
    /// True if the block was decoded.
    pub decoded: bool,
    /// Modulation and coding scheme.
    pub mcs: u8,
    /// Resource blocks.
    pub resource_blocks: u16,
    /// HARQ process.
    pub process: u8,
    /// New-data indicator.
    pub new_data: bool,
}

/// Tags of the framing (packet-mac-lte.h of Wireshark).
const PAYLOAD_TAG: u8 = 0x01;
const RNTI_TAG: u8 = 0x02;
const UEID_TAG: u8 = 0x03;
const FRAME_SUBFRAME_TAG: u8 = 0x04;
const RETX_TAG: u8 = 0x06;
const CRC_STATUS_TAG: u8 = 0x07;
const PHY_TAG: u8 = 0x0b;
const SR_TAG: u8 = 0x11;
/// RNTI types.
const NO_RNTI: u8 = 0;
const C_RNTI: u8 = 3;

impl Context {
    /// Appends it, up to where the PDU follows.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend([self.radio.code(), self.way.code(), C_RNTI]);
        emit_tag(RNTI_TAG, self.rnti, out);
        emit_tag(UEID_TAG, self.ue, out);
        emit_tag(FRAME_SUBFRAME_TAG, self.frame << 4 | u16::from(self.subframe), out);
        if self.way == Way::Up {
            out.extend([RETX_TAG, self.retransmission]);
        }
        out.extend([CRC_STATUS_TAG, u8::from(self.decoded)]);
        self.emit_phy(out);
        out.push(PAYLOAD_TAG);
    }

    /// Fields that the model does not have are 0: DCI format, allocation type, aggregation level,
    /// redundancy version; the first resource block.
    fn emit_phy(&self, out: &mut Vec<u8>) {
        let blocks = u8::try_from(self.resource_blocks).unwrap_or(u8::MAX);
        let again = u8::from(self.retransmission > 0);
        let new_data = u8::from(self.new_data);
        match self.way {
            Way::Down => {
                let tail = [self.mcs, 0, blocks, self.process, new_data, 0, again];
                out.extend([PHY_TAG, 10, 0, 0, 0]);
                out.extend(tail);
            }
            Way::Up => {
                let (modulation, tbs) = uplink_scheme(self.mcs);
                out.extend([PHY_TAG, 6, modulation, tbs, blocks, 0, self.process, new_data]);
            }
        }
    }
}

/// Bits of a symbol and index of the transport block size (TS 36.213, table 8.6.1-1).
const fn uplink_scheme(mcs: u8) -> (u8, u8) {
    match mcs {
        0..=10 => (2, mcs),
        11..=20 => (4, mcs - 1),
        _ => (6, mcs - 2),
    }
}

/// Appends what tells of a scheduling request of one UE: there is no PDU.
pub fn emit_request(radio: RadioType, ue: u16, rnti: u16, out: &mut Vec<u8>) {
    out.extend([radio.code(), Way::Up.code(), NO_RNTI]);
    emit_tag(SR_TAG, 1, out);
    out.extend(ue.to_be_bytes());
    out.extend(rnti.to_be_bytes());
    out.push(PAYLOAD_TAG);
}

fn emit_tag(tag: u8, value: u16, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend(value.to_be_bytes());
}

#[cfg(test)]
#[path = "mac_lte_tests.rs"]
mod tests;
