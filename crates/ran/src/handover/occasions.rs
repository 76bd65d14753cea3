//! Preambles that a cell receives in its PRACH occasions, and preambles reserved for single UEs.

use airpath_base::{Time, UeId};

/// Number of preambles of a cell (TS 36.211, 5.7.2; TS 38.211, 6.3.3.1).
const PREAMBLES: u32 = 64;

/// A preamble in an occasion.
#[derive(Clone, Copy, Debug)]
struct Entry {
    occasion: Time,
    preamble: u32,
    ue: UeId,
    detected: bool,
    /// Time after which nobody looks at it.
    until: Time,
}

/// PRACH occasions of one cell.
#[derive(Clone, Debug, Default)]
pub struct Occasions {
    entries: Vec<Entry>,
    reserved: Vec<(u32, UeId)>,
}

impl Occasions {
    /// Occasions without preambles.
    pub fn new() -> Occasions {
        Occasions::default()
    }

    /// Reserves a preamble for a UE, beyond the first `contention` ones. `None` if all are reserved:
    /// then the UE has contention (TS 36.321, 5.1.2; TS 38.321, 5.1.2).
    pub fn reserve(&mut self, ue: UeId, contention: u32) -> Option<u32> {
        let is_free = |n: &u32| self.reserved.iter().all(|(reserved, _)| reserved != n);
        let preamble = (contention..PREAMBLES).find(is_free)?;
        self.reserved.push((preamble, ue));
        Some(preamble)
    }

    /// The preamble that is reserved for a UE.
    pub fn reserved(&self, ue: UeId) -> Option<u32> {
        self.reserved.iter().find(|(_, reserved)| *reserved == ue).map(|(preamble, _)| *preamble)
    }

    /// Ends the reservations of a UE.
    pub fn release(&mut self, ue: UeId) {
        self.reserved.retain(|(_, reserved)| *reserved != ue);
    }

    /// A UE sends a preamble. It counts until a time.
    pub(super) fn send(
        &mut self,
        (occasion, preamble): (Time, u32),
        ue: UeId,
        detected: bool,
        until: Time,
    ) {
        self.entries.retain(|entry| entry.until >= occasion);
        self.entries.push(Entry { occasion, preamble, ue, detected, until });
    }

    fn of(&self, (occasion, preamble): (Time, u32)) -> impl Iterator<Item = &Entry> {
        let is_of = move |entry: &&Entry| (entry.occasion, entry.preamble) == (occasion, preamble);
        self.entries.iter().filter(is_of)
    }

    /// True if the cell has detected a preamble in an occasion, from any UE.
    pub(super) fn is_detected(&self, sent: (Time, u32)) -> bool {
        self.of(sent).any(|entry| entry.detected)
    }

    /// Preambles that the cell has detected in an occasion, in the order of their indices, each with the first UE that
    /// has sent it.
    pub fn detected(&self, occasion: Time) -> Vec<(u32, UeId)> {
        let own = self.entries.iter().filter(|entry| entry.occasion == occasion);
        let sent: Vec<(u32, UeId)> = own.map(|entry| (entry.preamble, entry.ue)).collect();
        let mut found: Vec<(u32, UeId)> = Vec::new();
        for (preamble, ue) in sent {
            let known = found.iter().any(|(other, _)| *other == preamble);
            if !known && self.is_detected((occasion, preamble)) {
                found.push((preamble, ue));
            }
        }
        found.sort_by_key(|(preamble, _)| *preamble);
        found
    }

    /// True if another UE has sent a preamble in an occasion, too.
    pub(super) fn collides(&self, sent: (Time, u32), ue: UeId) -> bool {
        self.of(sent).any(|entry| entry.ue != ue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preambles_are_reserved_once() {
        // 64 - 62 preambles without contention.
        let mut occasions = Occasions::new();
        let mut reserve = |ue| occasions.reserve(UeId(ue), 62);
        assert_eq!([reserve(1), reserve(2), reserve(3)], [Some(62), Some(63), None]);
        occasions.release(UeId(1));
        assert_eq!(occasions.reserve(UeId(3), 62), Some(62));
    }

    #[test]
    fn preambles_of_an_occasion() {
        let mut occasions = Occasions::new();
        let [first, second] = [1, 11].map(Time::from_millis);
        occasions.send((first, 7), UeId(1), false, second);
        assert!(!occasions.is_detected((first, 7)) && !occasions.collides((first, 7), UeId(1)));
        occasions.send((first, 7), UeId(2), true, second);
        assert!(occasions.is_detected((first, 7)) && occasions.collides((first, 7), UeId(1)));
        assert!(!occasions.collides((first, 8), UeId(1)));
        assert_eq!(occasions.detected(first), [(7, UeId(1))]);
        assert_eq!(occasions.detected(second), []);
        // Forgotten by the next preamble after the time.
        occasions.send((Time::from_millis(12), 7), UeId(3), true, Time::MAX);
        assert_eq!(occasions.entries.len(), 1);
    }
}
