//! Instants at equal distances, caught up with when somebody looks.
//!
//! A queue changes only when it is called. The result of a periodic update at its instant can
//! therefore be computed at the next call. A queue needs no wake-up of its own, and an idle one
//! costs nothing.

use airpath_base::{Duration, Time};

/// Controllers are not updated more often than this.
pub(super) const SHORTEST: Duration = Duration::from_micros(10);

/// Multiples of an interval, from the first on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    next: Time,
    every: Duration,
}

impl Ticks {
    /// Ticks every so long, at least a nanosecond.
    pub fn new(every: Duration) -> Ticks {
        let every = every.max(Duration::from_nanos(1));
        Ticks { next: Time::ZERO + every, every }
    }

    /// True if the next tick is not after `now`.
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        self.next <= now
    }

    /// The next tick if it is not after `now`.
    #[inline]
    pub fn due(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        let at = self.next;
        self.next += self.every;
        Some(at)
    }

    /// Passes over all ticks up to `now`; gives the last of them, if there is one.
    pub fn skip(&mut self, now: Time) -> Option<Time> {
        let span = now.as_nanos().checked_sub(self.next.as_nanos())?;
        let last = self.next + self.every * (span / self.every.as_nanos());
        self.next = last + self.every;
        Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_that_are_due_and_ticks_that_are_passed_over() {
        let at = Time::from_millis;
        let mut ticks = Ticks::new(Duration::from_millis(5));
        assert_eq!(ticks.due(at(4)), None);
        assert_eq!(ticks.due(at(12)), Some(at(5)));
        assert_eq!(ticks.skip(at(21)), Some(at(20)));
        assert_eq!(ticks.skip(at(24)), None);
        assert_eq!(ticks.due(at(25)), Some(at(25)));
    }
}
