//! Numbers of UEs, and RNTIs that stand for them.
//!
//! Without handover a UE has one number and one C-RNTI. With handover it has others after each change: by a handover, a
//! re-establishment, and a connection after it was idle. Wireshark keeps the state of RLC by the number of a UE, and RLC
//! begins anew.
//!
//! A number is that of the UE from 1, plus a power of ten for each change, so its last digits are the UE. Numbers and
//! C-RNTIs are functions of the UE and of its changes alone. So no two UEs of a run have one C-RNTI, whatever their cells.
//!
//! | RNTI | LTE | NR |
//! |---|---|---|
//! | RA-RNTI of this model | 1 to 10 | 1 to 127 |
//! | C-RNTI | from 61 on | with handover from 128 on |
//! | temporary C-RNTI | behind them, to 65,519 | likewise |
//!
//! Source of the ranges: TS 36.321, table 7.1-1; TS 38.321, table 7.1-1, where 0xfff0 and above are reserved.

use std::collections::BTreeMap;

use airpath_base::{Time, UeId};

/// The first C-RNTI behind those of random access (TS 36.321, table 7.1-1).
const FIRST_RNTI: u32 = 0x3d;
/// The last (TS 36.321, table 7.1-1; TS 38.321, table 7.1-1).
const LAST_RNTI: u32 = 0xfff3;
/// The first C-RNTI behind RA-RNTIs of NR with long preambles: 1 + 14 * 9 is the last (TS 38.321, 5.1.3).
const FIRST_OF_NR: u32 = 0x80;
/// The last RNTI that both tables leave to cells.
const LAST_OF_BOTH: u32 = 0xffef;
/// Numbers of UEs with handover, at least as many as a run has UEs.
const NUMBERS: u32 = 60_000;
/// Preambles of a cell.
const PREAMBLES: u64 = 64;

/// The number of a UE, and its C-RNTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub ue: u16,
    pub rnti: u16,
}

/// Identities of all UEs.
#[derive(Debug)]
pub(super) struct Rntis {
    /// The first C-RNTI with handover; none without handover.
    first: Option<u32>,
    /// From a number of a UE to the next: 100, 1000 or 10,000, at least the number of UEs.
    step: u32,
    /// Changes so far, of UEs that have had any.
    changes: BTreeMap<UeId, u32>,
}

impl Rntis {
    /// Of so many UEs.
    pub fn new(handover: bool, is_nr: bool, ues: usize) -> Rntis {
        let first = if is_nr { FIRST_OF_NR } else { FIRST_RNTI };
        let step = [100, 1_000].into_iter().find(|step| ues <= *step as usize);
        let (first, step) = (handover.then_some(first), step.unwrap_or(10_000));
        Rntis { first, step, changes: BTreeMap::new() }
    }

    /// A UE has another identity from now on, if there is handover.
    pub fn change(&mut self, ue: UeId) {
        *self.changes.entry(ue).or_default() += 1;
    }

    pub fn of(&self, ue: UeId) -> Identity {
        let Some(first) = self.first else {
            let rnti = FIRST_RNTI + ue.0 % (LAST_RNTI - FIRST_RNTI + 1);
            return Identity { ue: (ue.0 as u16).wrapping_add(1), rnti: rnti as u16 };
        };
        let changes = self.changes.get(&ue).map_or(0, |changes| changes % (NUMBERS / self.step));
        let number = ue.0 % self.step + self.step * changes;
        Identity { ue: (number + 1) as u16, rnti: (first + number) as u16 }
    }

    /// The temporary C-RNTI of a preamble in an occasion. It differs from others of the same cell within 84 ms, in which
    /// a random access with contention is resolved.
    pub fn temporary(&self, occasion: Time, preamble: u8) -> u16 {
        let first = u64::from(self.first.unwrap_or(FIRST_RNTI) + NUMBERS);
        let number = occasion.as_nanos() / 1_000_000 * PREAMBLES + u64::from(preamble);
        (first + number % (u64::from(LAST_OF_BOTH) + 1 - first)) as u16
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rntis_stay_within_their_range() {
        let mut rntis = Rntis::new(false, false, 3);
        rntis.change(UeId(0));
        assert_eq!(rntis.of(UeId(0)), Identity { ue: 1, rnti: 0x3d });
        assert_eq!(rntis.of(UeId(0xfff3 - 0x3d)).rnti, 0xfff3);
        assert_eq!(rntis.of(UeId(0xfff4 - 0x3d)).rnti, 0x3d);
    }

    #[test]
    fn each_change_has_another_identity() {
        // UEs, changes: number and C-RNTI of the last UE.
        let rows = [
            (20, 0, (20, 80)),
            (20, 1, (120, 180)),
            (20, 599, (59_920, 59_980)),
            (20, 600, (20, 80)),
            (101, 2, (2_101, 2_161)),
            (10_000, 5, (60_000, 60_060)),
            (10_000, 6, (10_000, 10_060)),
        ];
        for (ues, changes, (ue, rnti)) in rows {
            for (is_nr, more) in [(false, 0), (true, 67)] {
                let mut rntis = Rntis::new(true, is_nr, ues);
                let last = UeId(ues as u32 - 1);
                (0..changes).for_each(|_| rntis.change(last));
                assert_eq!(rntis.of(last), Identity { ue, rnti: rnti + more }, "{ues} {changes}");
            }
        }
    }

    #[test]
    fn temporary_rntis_are_no_c_rntis() {
        let rntis = Rntis::new(true, true, 20);
        // 5,392 numbers for 64 preambles in each of 84 ms.
        let all = (0..84).flat_map(|ms| (0..64).map(move |preamble| (ms, preamble)));
        let all: BTreeSet<u16> =
            all.map(|(ms, preamble)| rntis.temporary(Time::from_millis(ms), preamble)).collect();
        assert_eq!(all.len(), 84 * 64);
        assert!(all.iter().all(|rnti| (128 + 60_000..=0xffef).contains(rnti)));
    }
}
