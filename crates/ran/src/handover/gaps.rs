//! Measurement gaps of a UE (TS 36.331, 5.5.2.9; TS 38.331, 5.5.2.9; TS 36.133, 8.1.2.1; TS 38.133, 9.1.2).
//!
//! In a gap the UE has tuned to another carrier: in its serving cell it neither receives nor sends. Gaps have one length
//! and repeat after a period. Their offset is the UE's own, in whole milliseconds.
//!
//! Left out: the part of a TTI next to a gap that differences of timing take (TS 36.133, 8.1.2.1).

use airpath_base::random::Seed;
use airpath_base::{Duration, Time, UeId};

use super::RangeError;
use super::config::require;

const MILLISECOND: Duration = Duration::from_millis(1);

/// Pattern of measurement gaps (TS 36.133, table 8.1.2.1-1; TS 38.133, table 9.1.2-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapPattern {
    /// Time from a gap to the next, MGRP.
    pub period: Duration,
    /// Length of a gap, MGL: shorter than the period.
    pub length: Duration,
}

impl GapPattern {
    /// Gap pattern 0: 6 ms each 40 ms.
    pub const USUAL: GapPattern =
        GapPattern { period: Duration::from_millis(40), length: Duration::from_millis(6) };

    /// Checks the ranges.
    pub(super) fn check(&self) -> Result<(), RangeError> {
        let good = self.period >= MILLISECOND && self.period <= Duration::from_secs(10);
        require(good, "period of measurement gaps", "1 ms to 10 s")?;
        let good = !self.length.is_zero() && self.length < self.period;
        require(good, "measurement gap", "above 0, and shorter than its period")
    }
}

/// Gaps of one UE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gaps {
    pattern: GapPattern,
    /// Begin of the first gap, less than a period.
    offset: Duration,
}

impl Gaps {
    /// Gaps of a UE, whose offset is a pure function of the seed and of its number.
    pub fn new(pattern: GapPattern, ue: UeId, seed: Seed) -> Gaps {
        let offsets = (pattern.period / MILLISECOND).max(1);
        let drawn = seed.keyed("measurement gap").bits([u64::from(ue.0), 0, 0]) % offsets;
        Gaps { pattern, offset: MILLISECOND * drawn }
    }

    /// Length of each.
    pub fn length(&self) -> Duration {
        self.pattern.length
    }

    /// Begin of the last gap that begins at a time or before; none before the first.
    pub fn last(&self, at: Time) -> Option<Time> {
        let since = at.since(Time::ZERO).as_nanos().checked_sub(self.offset.as_nanos())?;
        Some(at - Duration::from_nanos(since % self.pattern.period.as_nanos()))
    }

    /// End of the first gap that ends after a time.
    pub fn next_end(&self, after: Time) -> Time {
        let first = Time::ZERO + self.offset + self.pattern.length;
        match after.as_nanos().checked_sub(first.as_nanos()) {
            None => first,
            Some(since) => {
                first + self.pattern.period * (since / self.pattern.period.as_nanos() + 1)
            }
        }
    }

    /// End of the gap in which a time is; none outside of gaps. The end of a gap is outside.
    pub fn end_around(&self, at: Time) -> Option<Time> {
        self.last(at).map(|begin| begin + self.pattern.length).filter(|end| at < *end)
    }

    /// True if a time from `from` to before `to` is in a gap.
    pub fn overlap(&self, from: Time, to: Time) -> bool {
        let before = to.as_nanos().checked_sub(1).map(Time::from_nanos);
        let last = before.and_then(|before| self.last(before));
        last.is_some_and(|begin| begin + self.pattern.length > from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_millis(millis)
    }

    /// 6 ms each 40 ms, from 14 ms on.
    const OWN: Gaps = Gaps { pattern: GapPattern::USUAL, offset: Duration::from_millis(14) };

    #[test]
    fn gaps_by_hand() {
        // 14 to 20, 54 to 60, 94 to 100 ms.
        assert_eq!(
            [0, 13, 14, 53, 54].map(|ms| OWN.last(at(ms))),
            [None, None, Some(at(14)), Some(at(14)), Some(at(54))]
        );
        let ends = [0, 19, 20, 59, 60].map(|ms| OWN.next_end(at(ms)));
        assert_eq!(ends, [20, 20, 60, 60, 100].map(at));
        let around = [13, 14, 19, 20, 55].map(|ms| OWN.end_around(at(ms)));
        assert_eq!(around, [None, Some(at(20)), Some(at(20)), None, Some(at(60))]);
    }

    #[test]
    fn spans_that_touch_a_gap_do_not_overlap_it() {
        let overlap = |from, to| OWN.overlap(at(from), at(to));
        assert!(!overlap(13, 14) && !overlap(20, 21) && !overlap(20, 54));
        assert!(overlap(13, 15) && overlap(19, 20) && overlap(0, 90) && overlap(20, 55));
    }

    #[test]
    fn offsets_are_whole_milliseconds_of_the_period() {
        let own = |ue| Gaps::new(GapPattern::USUAL, UeId(ue), Seed(3)).offset.as_nanos();
        let mut offsets: Vec<u64> = (0..400).map(own).collect();
        assert!(offsets.iter().all(|offset| *offset % 1_000_000 == 0));
        offsets.sort_unstable();
        offsets.dedup();
        // Of 400 draws among 40 the chance that one is missing is 40 (39/40)^400, 0.2%.
        assert_eq!((offsets.len(), offsets[39]), (40, 39_000_000));
    }
}
