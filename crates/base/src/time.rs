//! Instants and spans in integer nanoseconds.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Rem, Sub, SubAssign};

/// An instant: nanoseconds since the run began.
///
/// The largest, [`Time::MAX`], lies 584 years ahead. Arithmetic that would leave
/// the range panics, in release builds too, rather than wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in nanoseconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The beginning of the run.
    pub const ZERO: Time = Time(0);
    /// The last instant that can be named.
    pub const MAX: Time = Time(u64::MAX);

    /// The instant `nanos` nanoseconds into the run.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Time {
        Time(nanos)
    }

    /// The instant `millis` milliseconds into the run.
    #[inline]
    pub const fn from_millis(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    /// Nanoseconds since the run began.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the run began.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The span since `earlier`.
    ///
    /// # Panics
    ///
    /// If `earlier` is later than `self`.
    #[inline]
    pub fn since(self, earlier: Time) -> Duration {
        Duration(self.0.checked_sub(earlier.0).expect("an earlier instant"))
    }

    /// The span since `earlier`, zero if that lies ahead.
    #[inline]
    pub const fn saturating_since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// The instant `span` before this one, not before the run began.
    #[inline]
    pub const fn saturating_sub(self, span: Duration) -> Time {
        Time(self.0.saturating_sub(span.0))
    }

    /// The instant `span` after this one, the last that can be named if that is later.
    #[inline]
    pub const fn saturating_add(self, span: Duration) -> Time {
        Time(self.0.saturating_add(span.0))
    }

    /// The first multiple of `step` that is not before this instant.
    ///
    /// # Panics
    ///
    /// If `step` is zero.
    #[inline]
    pub const fn round_up(self, step: Duration) -> Time {
        Time(self.0.div_ceil(step.0) * step.0)
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest span.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `nanos` nanoseconds.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Duration {
        Duration(nanos)
    }

    /// A span of `micros` microseconds.
    #[inline]
    pub const fn from_micros(micros: u64) -> Duration {
        Duration(micros * 1_000)
    }

    /// A span of `millis` milliseconds.
    #[inline]
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000_000)
    }

    /// A span of `secs` seconds.
    #[inline]
    pub const fn from_secs(secs: u64) -> Duration {
        Duration(secs * 1_000_000_000)
    }

    /// A span of `secs` seconds, rounded to the nearest nanosecond; negative
    /// and not-a-number count as zero.
    #[inline]
    pub fn from_secs_f64(secs: f64) -> Duration {
        Duration((secs * 1e9 + 0.5) as u64)
    }

    /// Nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Whole milliseconds, the rest cut off.
    #[inline]
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Milliseconds.
    #[inline]
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// True if the duration is zero.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// The difference, zero if `other` is longer.
    #[inline]
    pub const fn saturating_sub(self, other: Duration) -> Duration {
        Duration(self.0.saturating_sub(other.0))
    }

    /// The absolute difference.
    #[inline]
    pub const fn abs_diff(self, other: Duration) -> Duration {
        Duration(self.0.abs_diff(other.0))
    }

    /// This span times a factor, rounded to the nearest nanosecond.
    #[inline]
    pub fn mul_f64(self, factor: f64) -> Duration {
        Duration((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Duration) -> Time {
        Time(self.0.checked_add(span.0).expect("an instant in range"))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, span: Duration) -> Time {
        Time(self.0.checked_sub(span.0).expect("an instant in range"))
    }
}

impl Sub<Time> for Time {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: Time) -> Duration {
        self.since(earlier)
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.checked_add(other.0).expect("a span in range"))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Duration;
    #[inline]
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.checked_sub(other.0).expect("a span in range"))
    }
}

impl SubAssign for Duration {
    #[inline]
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn mul(self, factor: u64) -> Duration {
        Duration(self.0.checked_mul(factor).expect("a span in range"))
    }
}

impl Div<u64> for Duration {
    type Output = Duration;
    #[inline]
    fn div(self, divisor: u64) -> Duration {
        Duration(self.0 / divisor)
    }
}

impl Div<Duration> for Duration {
    type Output = u64;
    #[inline]
    fn div(self, divisor: Duration) -> u64 {
        self.0 / divisor.0
    }
}

impl Rem<Duration> for Duration {
    type Output = Duration;
    #[inline]
    fn rem(self, divisor: Duration) -> Duration {
        Duration(self.0 % divisor.0)
    }
}

impl Sum for Duration {
    #[inline]
    fn sum<I: Iterator<Item = Duration>>(spans: I) -> Duration {
        spans.fold(Duration::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Duration(self.0))
    }
}

impl fmt::Display for Duration {
    /// In the largest unit that is not above the span: `1.5 s`, `25 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "0 s"),
            n if n >= 1_000_000_000 => write!(f, "{} s", n as f64 / 1e9),
            n if n >= 1_000_000 => write!(f, "{} ms", n as f64 / 1e6),
            n if n >= 1_000 => write!(f, "{} us", n as f64 / 1e3),
            n => write!(f, "{n} ns"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_up_to_a_slot() {
        let slot = Duration::from_millis(1);
        assert_eq!(Time::from_nanos(1).round_up(slot), Time::from_millis(1));
        assert_eq!(Time::from_millis(3).round_up(slot), Time::from_millis(3));
    }

    #[test]
    fn shown_in_the_unit_that_fits() {
        assert_eq!(Duration::from_micros(1500).to_string(), "1.5 ms");
        assert_eq!(Duration::from_nanos(12).to_string(), "12 ns");
        assert_eq!(Duration::from_secs(5).to_string(), "5 s");
    }

    #[test]
    fn negative_seconds_count_as_none() {
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
    }
}
