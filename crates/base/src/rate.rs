//! Sizes in bytes and rates in bits a second.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Sub, SubAssign};

use crate::Duration;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A rate in bits a second. Zero means that nothing moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

impl Bytes {
    /// None.
    pub const ZERO: Bytes = Bytes(0);

    /// The number as bits.
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }

    /// The difference, zero if `other` is larger.
    pub const fn saturating_sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Bytes) {
        self.0 -= other.0;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(sizes: I) -> Bytes {
        sizes.fold(Bytes::ZERO, Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl BitRate {
    /// A rate of `bps` bits a second.
    pub const fn from_bps(bps: u64) -> BitRate {
        BitRate(bps)
    }

    /// A rate of `kbps` kilobits (1000 bits) a second.
    pub const fn from_kbps(kbps: u64) -> BitRate {
        BitRate(kbps * 1_000)
    }

    /// A rate of `mbps` megabits (10^6 bits) a second.
    pub const fn from_mbps(mbps: u64) -> BitRate {
        BitRate(mbps * 1_000_000)
    }

    /// Bits a second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// True if the rate is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Transmission time of `size` at this rate, rounded up to a nanosecond; [`Duration::MAX`] at a
    /// rate of zero.
    pub fn time_for(self, size: Bytes) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        let bit_nanos = u128::from(size.0) * 8 * 1_000_000_000;
        let nanos = bit_nanos.div_ceil(u128::from(self.0));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The whole bytes that pass in `span`.
    pub fn bytes_in(self, span: Duration) -> Bytes {
        let bit_nanos = u128::from(self.0) * u128::from(span.as_nanos());
        Bytes((bit_nanos / 8_000_000_000) as u64)
    }

    /// The rate at which `size` takes `span`, rounded down; zero if `span` is.
    pub fn of(size: Bytes, span: Duration) -> BitRate {
        if span.is_zero() {
            return BitRate(0);
        }
        let bit_nanos = u128::from(size.0) * 8 * 1_000_000_000;
        BitRate((bit_nanos / u128::from(span.as_nanos())) as u64)
    }

    /// This rate times a factor, rounded to the nearest bit a second.
    pub fn mul_f64(self, factor: f64) -> BitRate {
        BitRate((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl fmt::Display for BitRate {
    /// In the largest unit that is not above the rate: `5 Mbit/s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= 1_000_000_000 => write!(f, "{} Gbit/s", n as f64 / 1e9),
            n if n >= 1_000_000 => write!(f, "{} Mbit/s", n as f64 / 1e6),
            n if n >= 1_000 => write!(f, "{} kbit/s", n as f64 / 1e3),
            n => write!(f, "{n} bit/s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_packet_at_5_mbit_takes_2_4_ms() {
        let t = BitRate::from_mbps(5).time_for(Bytes(1500));
        assert_eq!(t, Duration::from_micros(2400));
    }

    #[test]
    fn serialisation_rounds_up() {
        let t = BitRate::from_bps(3_000_000_000).time_for(Bytes(1));
        assert_eq!(t, Duration::from_nanos(3));
    }

    #[test]
    fn nothing_moves_at_rate_zero() {
        assert_eq!(BitRate::from_bps(0).time_for(Bytes(1)), Duration::MAX);
    }

    #[test]
    fn rate_and_time_are_inverse() {
        let rate = BitRate::of(Bytes(125_000), Duration::from_secs(1));
        assert_eq!(rate, BitRate::from_mbps(1));
        assert_eq!(rate.bytes_in(Duration::from_secs(1)), Bytes(125_000));
    }
}
