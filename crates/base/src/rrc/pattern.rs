//! Times that come back: on-durations and paging occasions.

use core::cmp::Ordering;
use core::fmt;

use crate::{Duration, Time};

/// A millisecond in nanoseconds: the subframe in which a cycle of a fraction begins (TS 38.321, 5.7).
const SUBFRAME: u64 = 1_000_000;

/// Time from one beginning to the next.
///
/// Either a time, or a fraction of whole milliseconds as 50/3 ms (drx-NonIntegerLongCycleStartOffset and
/// drx-NonIntegerShortCycle: TS 38.331, 6.3.2). Cycle n of a fraction begins in the first subframe at or after n times
/// the fraction (TS 38.321, 5.7), so that nothing drifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Of so many cycles together.
    span: Duration,
    parts: u32,
}

impl Cycle {
    /// Fractions of milliseconds of drx-NonIntegerLongCycleStartOffset (TS 38.331, 6.3.2, DRX-ConfigExt2).
    pub const LONG: [(u32, u32); 23] = [
        (1001, 240),
        (25, 6),
        (25, 3),
        (1001, 120),
        (100, 9),
        (25, 2),
        (40, 3),
        (125, 9),
        (50, 3),
        (1001, 60),
        (125, 6),
        (200, 9),
        (250, 9),
        (100, 3),
        (1001, 30),
        (75, 2),
        (125, 3),
        (1001, 24),
        (200, 3),
        (1001, 15),
        (250, 3),
        (1001, 12),
        (400, 3),
    ];
    /// Those of them that drx-NonIntegerShortCycle does not have (TS 38.331, 6.3.2, DRX-ConfigExt2).
    pub const ONLY_LONG: [(u32, u32); 6] =
        [(250, 9), (75, 2), (1001, 15), (250, 3), (1001, 12), (400, 3)];

    /// A cycle of this time; zero counts as a nanosecond.
    pub const fn every(span: Duration) -> Cycle {
        Cycle { span, parts: 1 }
    }

    /// A cycle of a fraction of milliseconds in lowest terms, if the standard has it.
    pub fn fraction(millis: u32, over: u32) -> Option<Cycle> {
        let span = Duration::from_millis(u64::from(millis));
        Cycle::LONG.contains(&(millis, over)).then_some(Cycle { span, parts: over })
    }

    /// The fraction of milliseconds; none for a cycle of a time.
    pub fn as_fraction(self) -> Option<(u32, u32)> {
        (self.parts > 1).then_some((self.span.as_millis() as u32, self.parts))
    }

    /// So many cycles, to the nanosecond below.
    pub fn times(self, count: u32) -> Duration {
        let nanos = u128::from(self.span.as_nanos()) * u128::from(count) / u128::from(self.parts);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The shortest time between two beginnings.
    pub fn shortest(self) -> Duration {
        match self.parts {
            1 => self.span,
            parts => Duration::from_millis(self.span.as_millis() / u64::from(parts)),
        }
    }

    /// True if it is a whole number of times another cycle.
    pub fn is_multiple_of(self, other: Cycle) -> bool {
        let [own, unit] = self.over(other);
        unit > 0 && own % unit == 0
    }

    /// Both cycles in a common unit.
    fn over(self, other: Cycle) -> [u128; 2] {
        let part = |of: Cycle, by: u32| u128::from(of.span.as_nanos()) * u128::from(by);
        [part(self, other.parts), part(other, self.parts)]
    }

    fn nanos(self) -> u64 {
        self.span.as_nanos().max(1)
    }

    /// Begin of the nth cycle, 0 to the number of parts, from the begin of the span.
    fn start(self, n: u64) -> u64 {
        match self.parts {
            1 => n * self.nanos(),
            parts => (n * self.nanos()).div_ceil(u64::from(parts)).next_multiple_of(SUBFRAME),
        }
    }

    /// Number of the cycle, from 0, that has begun last at `phase` within the span.
    fn number(self, phase: u64) -> u64 {
        if self.parts == 1 {
            return 0;
        }
        let parts = u128::from(self.parts);
        let n = (u128::from(phase) * parts / u128::from(self.nanos())) as u64;
        if self.start(n) > phase { n - 1 } else { n }
    }
}

impl From<Duration> for Cycle {
    fn from(span: Duration) -> Cycle {
        Cycle::every(span)
    }
}

impl PartialOrd for Cycle {
    fn partial_cmp(&self, other: &Cycle) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cycle {
    fn cmp(&self, other: &Cycle) -> Ordering {
        let [own, others] = self.over(*other);
        own.cmp(&others).then(self.parts.cmp(&other.parts))
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_fraction() {
            Some((millis, over)) => write!(f, "{millis}/{over} ms"),
            None => self.span.fmt(f),
        }
    }
}

/// Listening for `on` at the beginning of each `cycle`; the first begins at `offset`, modulo
/// the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// From one beginning to the next.
    pub cycle: Cycle,
    /// The first beginning.
    pub offset: Duration,
    /// Length of each on-duration; all of the cycle if it is longer than the cycle.
    pub on: Duration,
}

impl Pattern {
    /// From the begin of the last span of the cycle to `at`.
    fn phase(&self, at: Time) -> u64 {
        let span = self.cycle.nanos();
        let offset = self.offset.as_nanos() % span;
        match (at.as_nanos() % span).checked_sub(offset) {
            Some(phase) => phase,
            None => at.as_nanos() % span + (span - offset),
        }
    }

    /// True if the radio listens at `at`.
    pub fn covers(&self, at: Time) -> bool {
        let phase = self.phase(at);
        phase - self.cycle.start(self.cycle.number(phase)) < self.on.as_nanos()
    }

    /// The first beginning at or after `at`.
    pub fn next_start(&self, at: Time) -> Time {
        let phase = self.phase(at);
        let n = self.cycle.number(phase);
        if self.cycle.start(n) == phase {
            return at;
        }
        at.saturating_add(Duration::from_nanos(self.cycle.start(n + 1) - phase))
    }

    /// The first instant at or after `at` at which it listens.
    pub fn next_on(&self, at: Time) -> Time {
        if self.covers(at) { at } else { self.next_start(at) }
    }

    /// Time between `start` and `end` in which the radio listens.
    pub fn within(&self, start: Time, end: Time) -> Duration {
        if end <= start {
            return Duration::ZERO;
        }
        // From the beginning at or before `start`.
        let (skipped, length) = (self.phase(start), end.since(start).as_nanos());
        let upto = |nanos: u64| {
            let (span, phase) = (self.cycle.nanos(), nanos % self.cycle.nanos());
            nanos / span * self.listened(span) + self.listened(phase)
        };
        Duration::from_nanos(upto(skipped.saturating_add(length)) - upto(skipped))
    }

    /// Nanoseconds of listening from the begin of a span until `phase`, at most the whole span.
    fn listened(&self, phase: u64) -> u64 {
        let (cycle, on) = (self.cycle, self.on.as_nanos());
        if cycle.parts == 1 {
            return phase.min(on);
        }
        let begun = (0..=cycle.number(phase)).map(|n| (cycle.start(n), cycle.start(n + 1)));
        begun.map(|(start, next)| phase.min(next).saturating_sub(start).min(on)).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(cycle: u64, offset: u64, on: u64) -> Pattern {
        let [cycle, offset, on] = [cycle, offset, on].map(Duration::from_nanos);
        Pattern { cycle: cycle.into(), offset, on }
    }

    #[test]
    fn on_durations_of_a_cycle_of_forty() {
        // 40 ms from 5 ms on, 2 ms each: [5, 7), [45, 47), ...
        let ms = Duration::from_millis;
        let drx = Pattern { cycle: ms(40).into(), offset: ms(5), on: ms(2) };
        let on = |at| drx.covers(Time::from_millis(at));
        assert_eq!([4, 5, 6, 7, 44, 45].map(on), [false, true, true, false, false, true]);
        assert_eq!(drx.next_on(Time::from_millis(7)), Time::from_millis(45));
        assert_eq!(drx.next_on(Time::from_millis(46)), Time::from_millis(46));
        // One of [5, 7), [45, 47) and half of [85, 87) is after 6 and before 86: 1 + 2 + 1.
        assert_eq!(drx.within(Time::from_millis(6), Time::from_millis(86)), ms(4));
    }

    /// Starts of on-durations of a cycle of a fraction, in milliseconds, until a time.
    fn starts(fraction: (u32, u32), offset: u64, until: u64) -> Vec<u64> {
        let ms = Duration::from_millis;
        let cycle = Cycle::fraction(fraction.0, fraction.1).expect("a fraction of the standard");
        let drx = Pattern { cycle, offset: ms(offset), on: ms(1) };
        let mut starts = Vec::new();
        let mut at = Time::ZERO;
        while at < Time::from_millis(until) {
            at = drx.next_start(at);
            starts.push(at.as_nanos() / 1_000_000);
            at += Duration::from_nanos(1);
        }
        starts
    }

    #[test]
    fn sixty_frames_a_second_have_cycles_of_fifty_thirds_of_a_millisecond() {
        // TS 38.321, 5.7: a subframe t begins an on-duration if floor(t modulo 50/3) is the offset. By hand: 0, 16.67,
        // 33.33 and 50 ms round up to 0, 17, 34 and 50.
        assert_eq!(starts((50, 3), 0, 100), [0, 17, 34, 50, 67, 84, 100]);
        assert_eq!(starts((50, 3), 5, 70), [5, 22, 39, 55, 72]);
        // 1000 cycles later nothing has drifted: 1000 * 50/3 = 16666.67.
        let all = starts((50, 3), 0, 16_700);
        assert_eq!(all[1000], 16_667);
        // 1001/60 ms: 16.68, 33.37, 50.05; 60 cycles are 1001 ms to the nanosecond.
        let all = starts((1001, 60), 0, 17_000);
        assert_eq!((&all[..4], all[60], all[600]), (&[0, 17, 34, 51][..], 1_001, 10_010));
    }

    #[test]
    fn all_fractions_begin_in_the_subframes_of_the_rule() {
        for (millis, over) in Cycle::LONG {
            let offset = u64::from(millis / over / 2);
            // floor(t modulo millis/over) with whole numbers: (t * over modulo millis) div over.
            let rule =
                |t: &u64| t * u64::from(over) % u64::from(millis) / u64::from(over) == offset;
            let expected: Vec<u64> = (0..2_500).filter(rule).collect();
            let found = starts((millis, over), offset, 2_500);
            assert_eq!(found[..expected.len()], expected, "{millis}/{over}");
            assert!(found.len() <= expected.len() + 1);
        }
    }

    #[test]
    fn multiples_and_the_order_of_fractions() {
        let [third, half] = [(50, 3), (25, 3)].map(|(a, b)| Cycle::fraction(a, b).expect("one"));
        assert!(third.is_multiple_of(half) && !half.is_multiple_of(third) && half < third);
        assert!(Cycle::every(Duration::from_millis(50)).is_multiple_of(third));
        assert_eq!(Cycle::fraction(100, 6), None);
        assert_eq!(third.times(1_000), Duration::from_nanos(16_666_666_666));
        assert_eq!(
            (third.shortest(), third.to_string()),
            (Duration::from_millis(16), "50/3 ms".to_owned())
        );
    }

    proptest! {
        #[test]
        fn fractions_are_measured_as_they_are_counted(
            which in 0..Cycle::LONG.len(), offset in 0u64..6, on in 1u64..6, start in 0u64..3_000, length in 0u64..3_000,
        ) {
            let (millis, over) = Cycle::LONG[which];
            let cycle = Cycle::fraction(millis, over).expect("a fraction of the standard");
            let ms = Duration::from_millis;
            let drx = Pattern { cycle, offset: ms(offset), on: ms(on) };
            let counted = (start..start + length).filter(|&t| drx.covers(Time::from_millis(t))).count();
            let measured = drx.within(Time::from_millis(start), Time::from_millis(start + length));
            prop_assert_eq!(measured, ms(counted as u64));
            let next = drx.next_on(Time::from_millis(start)).as_nanos() / 1_000_000;
            prop_assert!(drx.covers(Time::from_millis(next)));
            prop_assert!((start..next).all(|t| !drx.covers(Time::from_millis(t))));
        }

        #[test]
        fn what_is_measured_is_what_is_counted(
            cycle in 0u64..30, offset in 0u64..40, on in 0u64..35,
            start in 0u64..100, length in 0u64..100,
        ) {
            let pattern = pattern(cycle, offset, on);
            let at = Time::from_nanos;
            let counted = (start..start + length).filter(|&t| pattern.covers(at(t))).count();
            let measured = pattern.within(at(start), at(start + length));
            prop_assert_eq!(measured.as_nanos(), counted as u64);
            let next = pattern.next_on(at(start));
            prop_assert!(on == 0 || pattern.covers(next));
            prop_assert!((start..next.as_nanos()).all(|t| !pattern.covers(at(t))));
        }
    }
}
