//! The transmission time interval.
//!
//! Mini-slots of NR last no whole number of nanoseconds: two of the 14 symbols of a slot of 0.5 ms
//! are 500 000 / 7 ns. An interval is therefore kept as a fraction, and the nth begins at n times
//! that, rounded down to a nanosecond. Errors do not add up: in a run of any length, an interval
//! begins less than a nanosecond before its exact time.
//!
//! Left out: that the first symbol of each half millisecond is a little longer (TS 38.211,
//! 5.3.1), and that four symbols do not divide a slot. Intervals follow each other without
//! gaps.

use airpath_base::{Duration, Time};

/// Interval for which the transport block sizes of TS 36.213 are: a subframe. Most intervals are
/// one, and a division by a constant is several times faster.
const SUBFRAME: u64 = 1_000_000;
/// Symbols of a slot with the normal cyclic prefix (TS 38.211, table 4.3.2-1).
const SLOT_SYMBOLS: u64 = 14;

/// A transmission time interval: `nanos / parts` nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tti {
    nanos: u64,
    parts: u64,
}

impl Tti {
    /// LTE's subframe (TS 36.211, 4).
    pub const LTE: Tti = Tti { nanos: SUBFRAME, parts: 1 };

    /// One of this length; none if that is zero.
    pub const fn new(length: Duration) -> Option<Tti> {
        match length.as_nanos() {
            0 => None,
            nanos => Some(Tti { nanos, parts: 1 }),
        }
    }

    /// `symbols` symbols, 1 to 14, of a slot of NR numerology `mu`, 0 to 4. A slot is a millisecond
    /// divided by two to the power of `mu` (TS 38.211, table 4.3.2-1). None outside these ranges.
    pub const fn nr(mu: u8, symbols: u8) -> Option<Tti> {
        if mu > 4 || symbols == 0 || symbols as u64 > SLOT_SYMBOLS {
            return None;
        }
        let nanos = (SUBFRAME >> mu) * symbols as u64;
        Some(match nanos % SLOT_SYMBOLS {
            0 => Tti { nanos: nanos / SLOT_SYMBOLS, parts: 1 },
            _ => Tti { nanos, parts: SLOT_SYMBOLS },
        })
    }

    /// Its length, rounded down.
    pub const fn length(self) -> Duration {
        Duration::from_nanos(self.nanos / self.parts)
    }

    /// True if it is as long as a slot of an NR numerology.
    pub fn is_slot(self) -> bool {
        (0..=4).any(|mu| Tti::nr(mu, SLOT_SYMBOLS as u8) == Some(self))
    }

    /// True if it is as long as a slot of an NR numerology, or as a mini-slot that divides one.
    pub fn divides_slot(self) -> bool {
        let symbols =
            (1..=SLOT_SYMBOLS as u8).filter(|n| SLOT_SYMBOLS.is_multiple_of(u64::from(*n)));
        let all = (0..=4).flat_map(|mu| symbols.clone().map(move |n| Tti::nr(mu, n)));
        all.flatten().any(|tti| tti == self)
    }

    /// The beginning of interval `n`, counted from 0; the last instant if that is later.
    pub fn start(self, n: u64) -> Time {
        Time::ZERO + self.times(n)
    }

    /// So many intervals, rounded down to a nanosecond.
    pub fn times(self, count: u64) -> Duration {
        Duration::from_nanos(product(count, self.nanos, self.parts))
    }

    /// So many thousandths of an interval, rounded down to a nanosecond.
    pub fn thousandths(self, count: u64) -> Duration {
        let nanos = u128::from(count) * u128::from(self.nanos) / (u128::from(self.parts) * 1_000);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Number of intervals in `span`, if that is a whole number.
    pub fn count(self, span: Duration) -> Option<u64> {
        let parts = u128::from(span.as_nanos()) * u128::from(self.parts);
        let nanos = u128::from(self.nanos);
        if parts % nanos != 0 {
            return None;
        }
        u64::try_from(parts / nanos).ok()
    }

    /// The number of the interval that holds `at`.
    pub fn number(self, at: Time) -> u64 {
        match self.parts {
            1 if self.nanos == SUBFRAME => at.as_nanos() / SUBFRAME,
            1 => at.as_nanos() / self.nanos,
            // The largest n whose beginning, rounded down, is not after `at`.
            parts => {
                let end = (u128::from(at.as_nanos()) + 1) * u128::from(parts);
                u64::try_from(end.div_ceil(u128::from(self.nanos)) - 1).unwrap_or(u64::MAX)
            }
        }
    }

    /// The number of the first interval that begins at or after `at`.
    pub fn number_from(self, at: Time) -> u64 {
        match self.parts {
            1 if self.nanos == SUBFRAME => at.as_nanos().div_ceil(SUBFRAME),
            1 => at.as_nanos().div_ceil(self.nanos),
            parts => {
                let parts = u128::from(at.as_nanos()) * u128::from(parts);
                u64::try_from(parts.div_ceil(u128::from(self.nanos))).unwrap_or(u64::MAX)
            }
        }
    }

    /// The beginning of the first interval that begins at or after `at`.
    pub fn from(self, at: Time) -> Time {
        self.start(self.number_from(at))
    }

    /// Bytes of a transport block that has `bytes` in a subframe of LTE. They are in proportion to
    /// the length, rounded down, so that the rate stays.
    pub fn block_bytes(self, bytes: u32) -> u32 {
        let share = u128::from(bytes) * u128::from(self.nanos)
            / (u128::from(self.parts) * u128::from(SUBFRAME));
        u32::try_from(share).unwrap_or(u32::MAX)
    }
}

/// `count * nanos / parts`, at most what can be counted.
fn product(count: u64, nanos: u64, parts: u64) -> u64 {
    match count.checked_mul(nanos) {
        Some(product) if parts == 1 => product,
        Some(product) => product / parts,
        None => {
            let product = u128::from(count) * u128::from(nanos) / u128::from(parts);
            u64::try_from(product).unwrap_or(u64::MAX)
        }
    }
}

/// The earlier of two times, where there are any.
#[inline]
pub(crate) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lengths_of_nr() {
        // TS 38.211, table 4.3.2-1: 1, 2, 4, 8, 16 slots a subframe.
        let slots = [1_000_000, 500_000, 250_000, 125_000, 62_500];
        for (mu, slot) in (0..).zip(slots) {
            assert_eq!(Tti::nr(mu, 14), Tti::new(Duration::from_nanos(slot)));
            assert_eq!(Tti::nr(mu, 7), Tti::new(Duration::from_nanos(slot / 2)));
        }
        assert_eq!(Tti::nr(0, 14), Some(Tti::LTE));
        let slots = slots.map(Duration::from_nanos).map(Tti::new);
        assert!(slots.iter().flatten().all(|tti| tti.is_slot()));
        assert!(!Tti::nr(1, 2).is_some_and(Tti::is_slot));
        // Of 14 symbols 7 and 2 are a part, 3 are none.
        let parts = [14, 7, 2, 3].map(|symbols| Tti::nr(1, symbols).is_some_and(Tti::divides_slot));
        assert_eq!(parts, [true, true, true, false]);
        assert_eq!(Tti::nr(1, 2).map(Tti::length), Some(Duration::from_nanos(71_428)));
        assert_eq!((Tti::nr(5, 2), Tti::nr(0, 0), Tti::nr(0, 15)), (None, None, None));
        assert_eq!(Tti::new(Duration::ZERO), None);
    }

    #[test]
    fn seven_mini_slots_are_a_slot_for_ever() {
        let tti = Tti::nr(1, 2).expect("a mini-slot");
        // An hour: 7 200 000 slots.
        assert_eq!(tti.start(7 * 7_200_000), Time::from_millis(3_600_000));
        assert_eq!(tti.count(Duration::from_millis(10)), Some(140));
        assert_eq!(tti.count(Duration::from_micros(100)), None);
        assert_eq!(tti.thousandths(1_500), Duration::from_nanos(107_142));
    }

    #[test]
    fn sizes_keep_the_rate() {
        // 36 696 bits in 50 resource blocks at MCS 28 (TS 36.213, table 7.1.7.2.1-1).
        let tti = |micros| Tti::new(Duration::from_micros(micros)).expect("above zero");
        assert_eq!([1_000, 500, 100].map(|n| tti(n).block_bytes(4_587)), [4_587, 2_293, 458]);
        assert_eq!(Tti::nr(1, 2).map(|tti| tti.block_bytes(4_587)), Some(327));
    }

    fn any_tti() -> impl Strategy<Value = Tti> {
        let nr = (0u8..5, 1u8..15).prop_filter_map("a TTI", |(mu, symbols)| Tti::nr(mu, symbols));
        let time = (1u64..20_000_000).prop_map(Duration::from_nanos);
        prop_oneof![nr, time.prop_filter_map("a TTI", Tti::new)]
    }

    proptest! {
        #[test]
        fn numbers_and_beginnings_agree(tti in any_tti(), at in 0u64..10_000_000_000_000) {
            let at = Time::from_nanos(at);
            let n = tti.number(at);
            prop_assert!(tti.start(n) <= at && at < tti.start(n + 1));
            prop_assert_eq!(tti.number(tti.start(n)), n);
            prop_assert_eq!(tti.number_from(tti.start(n)), n);
            let from = tti.from(at);
            prop_assert!(from >= at && tti.number(from) == n + u64::from(from > at));
        }

        #[test]
        fn whole_counts_from_a_beginning_lead_to_a_beginning(
            tti in any_tti(),
            n in 0u64..1_000_000_000,
            count in 0u64..1_000,
        ) {
            prop_assert_eq!(tti.from(tti.start(n) + tti.times(count)), tti.start(n + count));
        }
    }
}
