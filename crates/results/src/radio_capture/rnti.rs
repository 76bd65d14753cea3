//! Numbers of UEs, and RNTIs that stand for them.
//!
//! Without handover a UE has one C-RNTI. With handover it has another in each cell to which it goes: the C-RNTI is a
//! function of its number and of the number of its changes. So no two UEs of a run have the same C-RNTI at any time, and
//! one more UE changes no other's.
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
/// The most UEs of a run.
const UES: u32 = 10_000;
/// C-RNTIs of a UE, one after another.
const TURNS: u32 = 6;
/// Preambles of a cell.
const PREAMBLES: u64 = 64;

/// The number of a UE from 1, and its C-RNTI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    pub ue: u16,
    pub rnti: u16,
}

/// C-RNTIs of all UEs.
#[derive(Debug)]
pub(super) struct Rntis {
    /// The first with handover; none without handover.
    first: Option<u32>,
    /// Changes so far, of UEs that have had any.
    changes: BTreeMap<UeId, u32>,
}

impl Rntis {
    pub fn new(handover: bool, is_nr: bool) -> Rntis {
        let first = if is_nr { FIRST_OF_NR } else { FIRST_RNTI };
        Rntis { first: handover.then_some(first), changes: BTreeMap::new() }
    }

    /// A UE has another C-RNTI from now on.
    pub fn change(&mut self, ue: UeId) {
        *self.changes.entry(ue).or_default() += 1;
    }

    pub fn of(&self, ue: UeId) -> Identity {
        let rnti = match self.first {
            None => FIRST_RNTI + ue.0 % (LAST_RNTI - FIRST_RNTI + 1),
            Some(first) => {
                let turn = self.changes.get(&ue).map_or(0, |changes| changes % TURNS);
                first + ue.0 % UES + UES * turn
            }
        };
        Identity { ue: (ue.0 as u16).wrapping_add(1), rnti: rnti as u16 }
    }

    /// The temporary C-RNTI of a preamble in an occasion. It differs from others of the same cell within 84 ms, in which
    /// a random access with contention is resolved.
    pub fn temporary(&self, occasion: Time, preamble: u8) -> u16 {
        let first = u64::from(self.first.unwrap_or(FIRST_RNTI) + UES * TURNS);
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
        let rntis = Rntis::new(false, false);
        assert_eq!(rntis.of(UeId(0)), Identity { ue: 1, rnti: 0x3d });
        assert_eq!(rntis.of(UeId(0xfff3 - 0x3d)).rnti, 0xfff3);
        assert_eq!(rntis.of(UeId(0xfff4 - 0x3d)).rnti, 0x3d);
    }

    #[test]
    fn each_change_has_another_c_rnti() {
        for (is_nr, first) in [(false, 61), (true, 128)] {
            let mut rntis = Rntis::new(true, is_nr);
            let turns = (0..7).map(|_| {
                let own = [0, 9_999].map(|n| rntis.of(UeId(n)).rnti);
                [0, 9_999].into_iter().for_each(|n| rntis.change(UeId(n)));
                own
            });
            let turns: Vec<[u16; 2]> = turns.collect();
            assert_eq!(turns[0], [first, first + 9_999]);
            assert_eq!(turns[1], [first + 10_000, first + 19_999]);
            assert_eq!((turns[5][1], turns[6]), (first + 59_999, turns[0]));
        }
    }

    #[test]
    fn temporary_rntis_are_no_c_rntis() {
        let rntis = Rntis::new(true, true);
        // 5,392 numbers for 64 preambles in each of 84 ms.
        let all = (0..84).flat_map(|ms| (0..64).map(move |preamble| (ms, preamble)));
        let all: BTreeSet<u16> =
            all.map(|(ms, preamble)| rntis.temporary(Time::from_millis(ms), preamble)).collect();
        assert_eq!(all.len(), 84 * 64);
        assert!(all.iter().all(|rnti| (128 + 60_000..=0xffef).contains(rnti)));
    }
}
