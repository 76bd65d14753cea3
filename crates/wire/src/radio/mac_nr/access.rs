//! Random access of NR (TS 38.321, 6.1.3.2, 6.1.5, 6.2.2 and 6.2.3).

use super::{
    C_RNTI, FRAME_SLOT_TAG, PADDING, PAYLOAD_TAG, RNTI_TAG, START, UEID_TAG, emit_subheader,
};
use crate::radio::bits::Bits;
use crate::radio::random_access::{self, Grant, Response};
use crate::radio::{RadioType, Way};

/// Logical channel of the C-RNTI control element (TS 38.321, table 6.2.1-2).
const IDENTITY: u8 = 58;
/// Type of an RA-RNTI (packet-mac-nr.h of Wireshark).
const RA_RNTI: u8 = 2;

/// Properties of a PDU of random access beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessContext {
    /// Duplex mode of the carrier.
    pub radio: RadioType,
    /// RA-RNTI of a response; of message 3 the C-RNTI, or with contention the temporary C-RNTI.
    pub rnti: u16,
    /// Number of the UE that sends message 3, from 1; none of a response.
    pub ue: Option<u16>,
    /// System frame number, 0 to 1023.
    pub frame: u16,
    /// Slot within the frame.
    pub slot: u16,
}

impl AccessContext {
    /// Appends it, up to where the PDU follows.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let (way, kind) = match self.ue {
            None => (Way::Down, RA_RNTI),
            Some(_) => (Way::Up, C_RNTI),
        };
        out.extend(START);
        out.extend([self.radio.code(), way.code(), kind]);
        for (tag, value) in [(RNTI_TAG, Some(self.rnti)), (UEID_TAG, self.ue)] {
            let Some(value) = value else { continue };
            out.push(tag);
            out.extend(value.to_be_bytes());
        }
        out.push(FRAME_SLOT_TAG);
        out.extend(self.frame.to_be_bytes());
        out.extend(self.slot.to_be_bytes());
        out.push(PAYLOAD_TAG);
    }
}

/// Appends a PDU of random access responses, with a grant of message 3 in each.
pub fn emit_responses(responses: &[Response], grant: Grant, out: &mut Vec<u8>) {
    for (n, response) in responses.iter().enumerate() {
        random_access::emit_subheader(n + 1 < responses.len(), response.preamble, out);
        let mut bits = Bits::new(out);
        bits.flag(false).put(u64::from(response.timing_advance), 12);
        grant.emit_nr(&mut bits);
        bits.put(u64::from(response.temporary_rnti), 16);
    }
}

/// Appends message 3 of `size` bytes: the control element with the C-RNTI, if there is one, and padding.
pub fn emit_identity(rnti: Option<u16>, size: usize, out: &mut Vec<u8>) {
    let end = out.len() + size;
    if let Some(rnti) = rnti {
        emit_subheader(IDENTITY, None, out);
        out.extend(rnti.to_be_bytes());
    }
    if out.len() < end {
        emit_subheader(PADDING, None, out);
        out.resize(end, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_by_hand() {
        // Figures 6.1.5-2 and 6.2.3-1: each subheader with its response, R, 12 bits of timing advance, 27 of the grant, 16
        // of the RNTI.
        let first = Response { preamble: 52, timing_advance: 5, temporary_rnti: 0xeae0 };
        let second = Response { preamble: 63, timing_advance: 3_846, temporary_rnti: 0x1234 };
        let mut out = Vec::new();
        emit_responses(&[first, second], Grant { carrier: 273, blocks: 2 }, &mut out);
        // RIV 273: 0 | 00000100010001 | 0000 | 0000 | 011 | 0.
        let grant = "0".to_owned() + "00000100010001" + "0000" + "0000" + "011" + "0";
        let text: String = out.iter().map(|byte| format!("{byte:08b}")).collect();
        let wanted = "11110100".to_owned()
            + "0"
            + "000000000101"
            + &grant
            + "1110101011100000"
            + "01111111"
            + "0"
            + "111100000110"
            + &grant
            + "0001001000110100";
        assert_eq!(text, wanted);
    }

    #[test]
    fn message_3_by_hand() {
        let mut out = Vec::new();
        emit_identity(Some(0x2711), 7, &mut out);
        // Figures 6.1.2-2 and 6.1.3.2-1.
        assert_eq!(out, [58, 0x27, 0x11, 63, 0, 0, 0]);
        out.clear();
        emit_identity(None, 7, &mut out);
        assert_eq!(out, [63, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn contexts_by_hand() {
        let (radio, frame, slot) = (RadioType::Tdd, 1_023, 19);
        let response = AccessContext { radio, rnti: 15, ue: None, frame, slot };
        let mut out = Vec::new();
        response.emit(&mut out);
        assert_eq!(out, [&b"mac-nr"[..], &[2, 1, 2, 2, 0, 15, 7, 3, 0xff, 0, 19, 1]].concat());
        out.clear();
        AccessContext { ue: Some(3), ..response }.emit(&mut out);
        let wanted = [2, 0, 3, 2, 0, 15, 3, 0, 3, 7, 3, 0xff, 0, 19, 1];
        assert_eq!(out, [&b"mac-nr"[..], &wanted].concat());
    }
}
