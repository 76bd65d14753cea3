//! Fields that the PDUs of random access of LTE and NR share, and RA-RNTIs (TS 36.321 and TS 38.321, 5.1.4 and
//! 6.2.3).

use super::bits::Bits;

/// Type of random access, T of a subheader: it has a preamble (TS 36.321 and TS 38.321, 6.2.2).
const HAS_PREAMBLE: u64 = 1;
/// TPC command of 0 dB (TS 36.213, table 6.2-1; TS 38.213, table 8.2-2).
const NO_CHANGE: u64 = 3;

/// Bytes of message 3, 56 bits with MCS 0. Three resource blocks of LTE have as many (TS 36.213, table 7.1.7.2.1-1). So
/// have two of NR with 14 symbols, three of them for DM-RS (TS 38.214, 6.1.4.2).
pub const MESSAGE_3: usize = 7;
/// Resource blocks of message 3 in LTE.
pub const LTE_BLOCKS: u16 = 3;
/// Resource blocks of message 3 in NR.
pub const NR_BLOCKS: u16 = 2;

/// Random access response to one preamble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Index of the preamble, RAPID, 0 to 63.
    pub preamble: u8,
    /// Timing advance command, 0 to 1282 in LTE, 0 to 3846 in NR.
    pub timing_advance: u16,
    /// Temporary C-RNTI.
    pub temporary_rnti: u16,
}

/// Grant of message 3 from the first resource block on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Resource blocks of the carrier uplink.
    pub carrier: u16,
    /// Resource blocks granted.
    pub blocks: u16,
}

impl Grant {
    /// Resource indication value from resource block 0 on (TS 36.213, 8.1.1; TS 38.214, 6.1.2.2.2). The grant has at
    /// most half of the carrier's resource blocks, and one more.
    pub fn indication(self) -> u64 {
        u64::from(self.carrier) * u64::from(self.blocks.saturating_sub(1))
    }

    /// Appends the grant of LTE, 20 bits (TS 36.213, 6.2): no hopping, MCS 0, no delay, no CQI request.
    pub(super) fn emit_lte(self, bits: &mut Bits<'_>) {
        bits.flag(false).put(self.indication(), 10).put(0, 4).put(NO_CHANGE, 3);
        bits.flag(false).flag(false);
    }

    /// Appends the grant of NR, 27 bits (TS 38.213, table 8.2-1): no hopping, the first row of the default allocations in
    /// time (TS 38.214, table 6.1.2.1.1-2), MCS 0, no CSI request.
    pub(super) fn emit_nr(self, bits: &mut Bits<'_>) {
        bits.flag(false).put(self.indication(), 14).put(0, 4).put(0, 4).put(NO_CHANGE, 3);
        bits.flag(false);
    }
}

/// Appends E, T and RAPID (TS 36.321, figure 6.1.5-1; TS 38.321, figure 6.1.5-2).
pub(super) fn emit_subheader(more: bool, preamble: u8, out: &mut Vec<u8>) {
    Bits::new(out).flag(more).put(HAS_PREAMBLE, 1).put(u64::from(preamble), 6);
}

/// RA-RNTI of LTE: 1 + t_id, of a preamble that begins in this subframe, 0 to 9, in the first PRACH of its frequencies
/// (TS 36.321, 5.1.4).
pub const fn lte_ra_rnti(subframe: u8) -> u16 {
    1 + subframe as u16
}

/// RA-RNTI of NR: 1 + s_id + 14 t_id, of a preamble that begins with the first symbol of this slot (TS 38.321, 5.1.3). A
/// long preamble counts slots of 15 kHz, 0 to 9 (TS 38.211, 5.3.2).
pub const fn nr_ra_rnti(slot: u8) -> u16 {
    1 + 14 * slot as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rntis_by_hand() {
        // TS 36.321, table 7.1-1: 1 to 60 with f_id up to 5. NR: 1 + 0 + 14 * 9.
        assert_eq!([0, 1, 9].map(lte_ra_rnti), [1, 2, 10]);
        assert_eq!([0, 1, 9].map(nr_ra_rnti), [1, 15, 127]);
    }
}
