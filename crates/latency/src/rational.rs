//! Fractions, never negative and always exact.
//!
//! A symbol of NR is a fourteenth of a slot, and a share of errors times a round trip may be any
//! number. Neither is a whole number of nanoseconds. Figures are rounded when they are printed, and
//! only then.

use core::cmp::Ordering;
use core::fmt;
use core::iter::Sum;
use core::ops::{Add, Div, Mul};

use airpath_base::Duration;

/// A fraction in lowest terms, not negative.
///
/// Arithmetic that leaves 128 bits panics. What the parsers of this crate accept stays
/// far below that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational {
    above: u128,
    below: u128,
}

impl Rational {
    /// Nothing.
    pub const ZERO: Rational = Rational { above: 0, below: 1 };
    /// One.
    pub const ONE: Rational = Rational { above: 1, below: 1 };

    /// `above / below`.
    ///
    /// # Panics
    ///
    /// If `below` is zero.
    pub const fn new(above: u128, below: u128) -> Rational {
        assert!(below > 0, "a divisor");
        let common = divisor(above, below);
        Rational { above: above / common, below: below / common }
    }

    /// A whole number.
    pub const fn whole(n: u64) -> Rational {
        Rational { above: n as u128, below: 1 }
    }

    /// The nanoseconds of a span.
    pub const fn nanos(span: Duration) -> Rational {
        Rational::whole(span.as_nanos())
    }

    /// True if the value is zero.
    pub const fn is_zero(self) -> bool {
        self.above == 0
    }

    /// The largest whole number that is not above the value.
    pub fn floor(self) -> u64 {
        u64::try_from(self.above / self.below).unwrap_or(u64::MAX)
    }

    /// The smallest whole number that is not below the value.
    pub fn ceil(self) -> u64 {
        u64::try_from(self.above.div_ceil(self.below)).unwrap_or(u64::MAX)
    }

    /// The difference to a value; zero if that is larger.
    #[must_use]
    pub fn less(self, other: Rational) -> Rational {
        let common = divisor(self.below, other.below);
        let (own, theirs) = (other.below / common, self.below / common);
        let left = self.above.checked_mul(own).expect(IN_RANGE);
        let right = other.above.checked_mul(theirs).expect(IN_RANGE);
        let below = self.below.checked_mul(own).expect(IN_RANGE);
        Rational::new(left.saturating_sub(right), below)
    }

    /// The nearest number that floating point has, as long as both parts of the fraction
    /// stay below 2^53; else near it.
    pub fn as_f64(self) -> f64 {
        self.above as f64 / self.below as f64
    }

    /// The value as a span, if it counts nanoseconds; rounded to the nearest, [`Duration::MAX`] if
    /// it is longer than that.
    pub fn to_duration(self) -> Duration {
        let nearest = (self.above + self.below / 2) / self.below;
        Duration::from_nanos(u64::try_from(nearest).unwrap_or(u64::MAX))
    }

    /// Decimal text with at most `places` digits after the point (up to 18), rounded half up; zeros
    /// at the end are left out.
    pub fn decimal(self, places: u32) -> String {
        let places = places.min(18);
        let (mut whole, mut rest) = (self.above / self.below, self.above % self.below);
        let mut digits = 0;
        for _ in 0..places {
            rest = rest.checked_mul(10).expect(IN_RANGE);
            digits = digits * 10 + rest / self.below;
            rest %= self.below;
        }
        digits += u128::from(rest >= self.below - rest);
        if digits == 10_u128.pow(places) {
            (whole, digits) = (whole + 1, 0);
        }
        if digits == 0 {
            return whole.to_string();
        }
        let digits = format!("{digits:0width$}", width = places as usize);
        format!("{whole}.{}", digits.trim_end_matches('0'))
    }
}

/// The greatest common divisor of two numbers that are not both zero.
const fn divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

const IN_RANGE: &str = "a fraction of 128 bits";

impl Add for Rational {
    type Output = Rational;
    fn add(self, other: Rational) -> Rational {
        let common = divisor(self.below, other.below);
        let (own, theirs) = (other.below / common, self.below / common);
        let left = self.above.checked_mul(own).expect(IN_RANGE);
        let right = other.above.checked_mul(theirs).expect(IN_RANGE);
        let below = self.below.checked_mul(own).expect(IN_RANGE);
        Rational::new(left.checked_add(right).expect(IN_RANGE), below)
    }
}

impl Mul for Rational {
    type Output = Rational;
    fn mul(self, other: Rational) -> Rational {
        // Crosswise in lowest terms first: what remains is as small as it can be.
        let (left, right) =
            (Rational::new(self.above, other.below), Rational::new(other.above, self.below));
        let above = left.above.checked_mul(right.above).expect(IN_RANGE);
        Rational::new(above, left.below.checked_mul(right.below).expect(IN_RANGE))
    }
}

impl Div for Rational {
    type Output = Rational;
    /// # Panics
    ///
    /// If `other` is zero.
    #[expect(clippy::suspicious_arithmetic_impl, reason = "division is by the inverse")]
    fn div(self, other: Rational) -> Rational {
        self * Rational::new(other.below, other.above)
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(parts: I) -> Rational {
        parts.fold(Rational::ZERO, Add::add)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        let (mut a, mut b) = (*self, *other);
        // Digit by digit of the continued fractions: no product that could be too large.
        let mut flipped = false;
        loop {
            let wholes = (a.above / a.below).cmp(&(b.above / b.below));
            let (left, right) = (a.above % a.below, b.above % b.below);
            let order = match (left, right) {
                _ if wholes.is_ne() => wholes,
                (0, 0) => Ordering::Equal,
                (0, _) => Ordering::Less,
                (_, 0) => Ordering::Greater,
                _ => {
                    a = Rational { above: a.below, below: left };
                    b = Rational { above: b.below, below: right };
                    flipped = !flipped;
                    continue;
                }
            };
            return if flipped { order.reverse() } else { order };
        }
    }
}

impl fmt::Display for Rational {
    /// With at most six digits after the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.decimal(6))
    }
}

#[cfg(test)]
#[path = "rational_tests.rs"]
mod tests;
