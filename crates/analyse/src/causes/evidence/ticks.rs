//! Clock of an end's timestamps, by which a late segment and a queue on the way to the capture point are known.
//!
//! A timestamp is the time of the end's clock at which the segment was sent (RFC 7323, 4.1). The arrival less the
//! timestamp is the delay on the way, but for an offset that the least delay gives (Moon, Skelly and Towsley, INFOCOM
//! 1999).

use airpath_base::Time;

/// Duration of a tick in nanoseconds: a millisecond (Linux, Windows, airpath). Another clock is not used.
const TICK: i64 = 1_000_000;
/// Time in nanoseconds after which the clock is known, if it was right to a tenth.
const KNOWN: i64 = 500_000_000;
/// Time in nanoseconds after which the clock serves for queues, and the part of it that queues may have added.
const SERVES: i64 = 200_000_000;
const MOST_QUEUED: f64 = 0.6;
/// Least duration in nanoseconds of a span, and its fewest segments. The least lag is that of two spans, since the
/// clocks of crystals drift by 100 ppm and more.
const SPAN: i64 = 30_000_000_000;
const SEGMENTS: u32 = 32;

/// Times at which timestamps came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticks {
    /// Time and value of the first.
    begun: Option<(Time, u32)>,
    /// Least lags behind that of this span and the one before, in nanoseconds; negative if the
    /// first came late.
    least: [i64; 2],
    /// Begin of this span in nanoseconds since the first timestamp, and its segments.
    span: (i64, u32),
    /// True if a tick is a millisecond.
    known: bool,
    /// True if a tick may be a millisecond, and a queue grew.
    serves: bool,
    /// Lag of the last segment behind the first, in nanoseconds.
    lag: i64,
}

impl Default for Ticks {
    fn default() -> Ticks {
        Ticks {
            begun: None,
            least: [0, i64::MAX],
            span: (0, 0),
            known: false,
            serves: false,
            lag: 0,
        }
    }
}

impl Ticks {
    /// Nanoseconds by which a segment with this timestamp is later than the earliest one was; zero if not known.
    #[inline]
    pub(crate) fn late(&mut self, at: Time, value: u32) -> u64 {
        let (begun, first) = *self.begun.get_or_insert((at, value));
        let passed = i64::try_from(at.saturating_since(begun).as_nanos()).unwrap_or(i64::MAX);
        let ticks = i64::from(value.wrapping_sub(first) as i32) * TICK;
        let lag = passed.saturating_sub(ticks);
        let (since, segments) = self.span;
        if passed - since > SPAN && segments >= SEGMENTS {
            (self.least, self.span) = ([lag, self.least[0]], (passed, 0));
        }
        self.span.1 += 1;
        self.least[0] = self.least[0].min(lag);
        self.known |= ticks > KNOWN && lag.saturating_abs() < passed / 10;
        let queued = lag as f64 / passed.max(1) as f64;
        self.serves |= ticks > SERVES && (-0.1..MOST_QUEUED).contains(&queued);
        self.lag = lag;
        let late = lag.saturating_sub(self.least[0].min(self.least[1]));
        if self.known { late.unsigned_abs() } else { 0 }
    }

    /// True if lags measure delays.
    pub(crate) fn serves(&self) -> bool {
        self.serves
    }

    /// Lag of the last segment behind the first, above 2^31 microseconds so that it is positive.
    pub(crate) fn lag(&self) -> u32 {
        (1_u32 << 31).saturating_add_signed(i32::try_from(self.lag / 1000).unwrap_or(i32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_as_late_as_its_timestamp_says() {
        let mut ticks = Ticks::default();
        for n in 0..100u32 {
            assert_eq!(ticks.late(Time::from_millis(5000 + 10 * u64::from(n)), 77 + 10 * n), 0);
        }
        assert_eq!(ticks.late(Time::from_millis(6250), 77 + 1000), 250_000_000);
    }

    #[test]
    fn a_clock_that_drifts_is_not_ever_later() {
        let mut ticks = Ticks::default();
        for n in 0..3_600_000u64 / 50 {
            // 200 ppm slower than the capture's.
            let at = Time::from_nanos(1_000_200 * 50 * n);
            assert!(ticks.late(at, 50 * n as u32) < 15_000_000, "{n}");
        }
    }

    #[test]
    fn a_long_silence_may_be_the_greater_part_of_all() {
        let mut ticks = Ticks::default();
        (0..60u64)
            .for_each(|n| assert_eq!(ticks.late(Time::from_millis(10 * n), 10 * n as u32), 0));
        assert_eq!(ticks.late(Time::from_millis(5600), 600), 5_000_000_000);
    }

    #[test]
    fn a_clock_of_another_period_tells_nothing() {
        for tick in [1, 100] {
            let mut ticks = Ticks::default();
            for n in 0..500u32 {
                let at = Time::from_millis(10 * u64::from(n));
                assert_eq!(ticks.late(at, n * tick), 0, "{n}");
            }
        }
    }
}
