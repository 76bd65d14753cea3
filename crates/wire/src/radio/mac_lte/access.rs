//! Random access of LTE (TS 36.321, 6.1.3.2, 6.1.5, 6.2.2 and 6.2.3).

use super::{
    C_RNTI, CRC_STATUS_TAG, FRAME_SUBFRAME_TAG, NO_RNTI, PADDING, PAYLOAD_TAG, RETX_TAG, RNTI_TAG,
    UEID_TAG, emit_subheader, emit_tag,
};
use crate::radio::bits::Bits;
use crate::radio::random_access::{self, Grant, Response};
use crate::radio::{RadioType, Way};

/// Logical channel of the C-RNTI control element (TS 36.321, table 6.2.1-2).
const IDENTITY: u8 = 27;
/// Type of an RA-RNTI, and the tag of a preamble (packet-mac-lte.h of Wireshark).
const RA_RNTI: u8 = 2;
const SEND_PREAMBLE_TAG: u8 = 0x09;

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
    /// Subframe, 0 to 9.
    pub subframe: u8,
    /// True if the PDU was decoded.
    pub decoded: bool,
}

impl AccessContext {
    /// Appends it, up to where the PDU follows.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let (way, kind) = match self.ue {
            None => (Way::Down, RA_RNTI),
            Some(_) => (Way::Up, C_RNTI),
        };
        out.extend([self.radio.code(), way.code(), kind]);
        emit_tag(RNTI_TAG, self.rnti, out);
        if let Some(ue) = self.ue {
            emit_tag(UEID_TAG, ue, out);
        }
        emit_tag(FRAME_SUBFRAME_TAG, self.frame << 4 | u16::from(self.subframe), out);
        if self.ue.is_some() {
            out.extend([RETX_TAG, 0]);
        }
        out.extend([CRC_STATUS_TAG, u8::from(self.decoded), PAYLOAD_TAG]);
    }
}

/// Appends a preamble of a UE, the `attempt`th of its random access: there is no PDU. `time` is system frame and subframe.
pub fn emit_preamble(
    radio: RadioType,
    ue: u16,
    (frame, subframe): (u16, u8),
    (preamble, attempt): (u8, u8),
    out: &mut Vec<u8>,
) {
    out.extend([radio.code(), Way::Up.code(), NO_RNTI]);
    emit_tag(UEID_TAG, ue, out);
    emit_tag(FRAME_SUBFRAME_TAG, frame << 4 | u16::from(subframe), out);
    out.extend([SEND_PREAMBLE_TAG, preamble, attempt, PAYLOAD_TAG]);
}

/// Appends a PDU of random access responses, with a grant of message 3 in each.
pub fn emit_responses(responses: &[Response], grant: Grant, out: &mut Vec<u8>) {
    for (n, response) in responses.iter().enumerate() {
        random_access::emit_subheader(n + 1 < responses.len(), response.preamble, out);
    }
    for response in responses {
        let mut bits = Bits::new(out);
        bits.flag(false).put(u64::from(response.timing_advance), 11);
        grant.emit_lte(&mut bits);
        bits.put(u64::from(response.temporary_rnti), 16);
    }
}

/// Appends message 3 of `size` bytes: the control element with the C-RNTI, if there is one, and padding.
pub fn emit_identity(rnti: Option<u16>, size: usize, out: &mut Vec<u8>) {
    let begin = out.len();
    if rnti.is_some() {
        emit_subheader(IDENTITY, (true, None), out);
    }
    emit_subheader(PADDING, (false, None), out);
    out.extend(rnti.into_iter().flat_map(u16::to_be_bytes));
    out.resize(out.len().max(begin + size), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_by_hand() {
        // Figures 6.1.5-1 to -4: E, T and RAPID of both; R, 11 bits of timing advance, 20 of the grant, 16 of the RNTI.
        let first = Response { preamble: 52, timing_advance: 5, temporary_rnti: 0xeaa0 };
        let second = Response { preamble: 63, timing_advance: 1_282, temporary_rnti: 0x1234 };
        let mut out = Vec::new();
        emit_responses(&[first, second], Grant { carrier: 50, blocks: 3 }, &mut out);
        // RIV 50 * 2 = 100: 0 | 0001100100 | 0000 | 011 | 0 | 0.
        let grant = "0".to_owned() + "0001100100" + "0000" + "011" + "0" + "0";
        let text: String = out.iter().map(|byte| format!("{byte:08b}")).collect();
        let wanted = "11110100".to_owned()
            + "01111111"
            + "0"
            + "00000000101"
            + &grant
            + "1110101010100000"
            + "0"
            + "10100000010"
            + &grant
            + "0001001000110100";
        assert_eq!(text, wanted);
    }

    #[test]
    fn message_3_by_hand() {
        let mut out = Vec::new();
        emit_identity(Some(0x2711), 7, &mut out);
        // Subheaders of C-RNTI and padding; figure 6.1.3.2-1.
        assert_eq!(out, [0b0011_1011, 0b0001_1111, 0x27, 0x11, 0, 0, 0]);
        out.clear();
        emit_identity(None, 7, &mut out);
        assert_eq!(out, [0b0001_1111, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn contexts_by_hand() {
        let mut out = Vec::new();
        emit_preamble(RadioType::Fdd, 3, (1_023, 1), (52, 2), &mut out);
        assert_eq!(out, [1, 0, 0, 3, 0, 3, 4, 0x3f, 0xf1, 9, 52, 2, 1]);
        out.clear();
        let (radio, frame, subframe) = (RadioType::Tdd, 2, 4);
        let response = AccessContext { radio, rnti: 2, ue: None, frame, subframe, decoded: true };
        response.emit(&mut out);
        assert_eq!(out, [2, 1, 2, 2, 0, 2, 4, 0, 0x24, 7, 1, 1]);
        out.clear();
        AccessContext { ue: Some(3), decoded: false, ..response }.emit(&mut out);
        assert_eq!(out, [2, 0, 3, 2, 0, 2, 3, 0, 3, 4, 0, 0x24, 6, 0, 7, 0, 1]);
    }
}
