//! Times that come back: on-durations and paging occasions.

use crate::{Duration, Time};

/// Listening for `on` at the beginning of each `cycle`; the first begins at `offset`, modulo
/// the cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// From one beginning to the next; zero counts as a nanosecond.
    pub cycle: Duration,
    /// The first beginning.
    pub offset: Duration,
    /// Length of each on-duration; all of the cycle if it is longer than the cycle.
    pub on: Duration,
}

impl Pattern {
    fn cycle_nanos(&self) -> u64 {
        self.cycle.as_nanos().max(1)
    }

    /// From the last beginning to `at`.
    fn phase(&self, at: Time) -> u64 {
        let cycle = self.cycle_nanos();
        let offset = self.offset.as_nanos() % cycle;
        match (at.as_nanos() % cycle).checked_sub(offset) {
            Some(phase) => phase,
            None => at.as_nanos() % cycle + (cycle - offset),
        }
    }

    /// True if the radio listens at `at`.
    pub fn covers(&self, at: Time) -> bool {
        self.phase(at) < self.on.as_nanos()
    }

    /// The first beginning at or after `at`.
    pub fn next_start(&self, at: Time) -> Time {
        match self.phase(at) {
            0 => at,
            phase => at.saturating_add(Duration::from_nanos(self.cycle_nanos() - phase)),
        }
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
        let (cycle, on) = (self.cycle_nanos(), self.on.as_nanos().min(self.cycle_nanos()));
        // From the beginning at or before `start`.
        let (skipped, length) = (self.phase(start), end.since(start).as_nanos());
        let upto = |nanos: u64| (nanos / cycle) * on + (nanos % cycle).min(on);
        Duration::from_nanos(upto(skipped.saturating_add(length)) - upto(skipped))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(cycle: u64, offset: u64, on: u64) -> Pattern {
        let [cycle, offset, on] = [cycle, offset, on].map(Duration::from_nanos);
        Pattern { cycle, offset, on }
    }

    #[test]
    fn on_durations_of_a_cycle_of_forty() {
        // 40 ms from 5 ms on, 2 ms each: [5, 7), [45, 47), ...
        let ms = Duration::from_millis;
        let drx = Pattern { cycle: ms(40), offset: ms(5), on: ms(2) };
        let on = |at| drx.covers(Time::from_millis(at));
        assert_eq!([4, 5, 6, 7, 44, 45].map(on), [false, true, true, false, false, true]);
        assert_eq!(drx.next_on(Time::from_millis(7)), Time::from_millis(45));
        assert_eq!(drx.next_on(Time::from_millis(46)), Time::from_millis(46));
        // One of [5, 7), [45, 47) and half of [85, 87) is after 6 and before 86: 1 + 2 + 1.
        assert_eq!(drx.within(Time::from_millis(6), Time::from_millis(86)), ms(4));
    }

    proptest! {
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
