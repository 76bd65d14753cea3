//! Virtual time as an `Instant`.

use std::time::Instant;

use airpath_base::{Duration, Time};

/// Instants of a run: differences between them are those of virtual time.
///
/// Time zero is that of the process, since there is no other way to get an instant, or a later one.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero: Instant,
}

impl Clock {
    /// Time zero is now.
    #[expect(clippy::disallowed_methods, reason = "the only way to get an instant")]
    pub fn new() -> Clock {
        Clock { zero: Instant::now() }
    }

    /// The instant of a time.
    pub fn instant(&self, at: Time) -> Instant {
        self.zero + std::time::Duration::from_nanos(at.saturating_since(Time::ZERO).as_nanos())
    }

    /// The time of an instant; time zero for one before.
    pub fn time(&self, instant: Instant) -> Time {
        let since = instant.saturating_duration_since(self.zero).as_nanos();
        Time::ZERO + Duration::from_nanos(u64::try_from(since).unwrap_or(u64::MAX))
    }
}

impl From<Instant> for Clock {
    /// A clock whose time zero is this instant.
    fn from(zero: Instant) -> Clock {
        Clock { zero }
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back() {
        let clock = Clock::new();
        for nanos in [0, 1, 1_000_000_007, 86_400_000_000_000] {
            let time = Time::ZERO + Duration::from_nanos(nanos);
            assert_eq!(clock.time(clock.instant(time)), time);
        }
    }
}
