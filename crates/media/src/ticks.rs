//! Units of 2^-16 s, as in the middle 32 bits of an NTP timestamp.
//!
//! A count of ticks does not wrap. It is cut to 32 bits before it is compared with a report's timestamp.

use airpath_base::{Duration, Time};

/// Units of 2^-16 s since some origin.
pub(crate) type Ticks = u64;

/// Ticks in a second.
pub(crate) const SECOND: Ticks = 65_536;

/// Seconds in a tick.
pub(crate) const TICK: f64 = 1.0 / 65_536.0;

/// The ticks in `span`, rounded down.
pub(crate) fn ticks(span: Duration) -> Ticks {
    ((u128::from(span.as_nanos()) * u128::from(SECOND)) / 1_000_000_000) as Ticks
}

/// The first instant at which so many ticks have passed since `origin`.
pub(crate) fn instant(origin: Time, at: Ticks) -> Time {
    let nanos = (u128::from(at) * 1_000_000_000).div_ceil(u128::from(SECOND));
    let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
    Time::from_nanos(origin.as_nanos().saturating_add(nanos))
}

/// Middle 32 bits of an NTP timestamp for `now`: wraps after 18.2 hours.
pub(crate) fn ntp(now: Time) -> u32 {
    ticks(now.saturating_since(Time::ZERO)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let origin = Time::from_millis(3);
        for at in [0, 1, 255, 65_535, 65_536, 1_234_567] {
            let when = instant(origin, at);
            assert_eq!(ticks(when.since(origin)), at);
            assert_eq!(
                ticks((when - Duration::from_nanos(1)).saturating_since(origin)) < at,
                at > 0
            );
        }
    }

    #[test]
    fn the_timestamp_wraps_after_65536_seconds() {
        assert_eq!(ntp(Time::from_millis(500)), 0x8000);
        assert_eq!(ntp(Time::ZERO + Duration::from_secs(65_537)), SECOND as u32);
    }
}
