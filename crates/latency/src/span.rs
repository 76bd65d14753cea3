//! Length of a step: in TTIs, or as a time that does not follow the TTI.

use core::fmt;
use core::str::FromStr;

use airpath_base::Duration;

use crate::parse::{number, unit};
use crate::{ParseError, Rational, Tti};

/// Most TTIs that text may name.
const MOST_TTIS: Rational = Rational::whole(1_000_000);
/// The longest time that text may name.
const LONGEST: Duration = Duration::from_secs(1_000);

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// So many TTIs: scales with the TTI.
    Ttis(Rational),
    /// So long whatever the TTI.
    Time(Duration),
}

impl Span {
    /// `above / below` TTIs.
    ///
    /// # Panics
    ///
    /// If `below` is zero.
    pub const fn ttis(above: u64, below: u64) -> Span {
        Span::Ttis(Rational::new(above as u128, below as u128))
    }

    /// In nanoseconds.
    pub fn nanos(self, tti: Tti) -> Rational {
        match self {
            Span::Ttis(count) => count * tti.nanos(),
            Span::Time(time) => Rational::nanos(time),
        }
    }

    /// In TTIs.
    pub fn count(self, tti: Tti) -> Rational {
        match self {
            Span::Ttis(count) => count,
            Span::Time(time) => Rational::nanos(time) / tti.nanos(),
        }
    }

    /// True if the length is zero.
    pub const fn is_zero(self) -> bool {
        match self {
            Span::Ttis(count) => count.is_zero(),
            Span::Time(time) => time.is_zero(),
        }
    }
}

impl FromStr for Span {
    type Err = ParseError;

    /// `5`, `1.5 tti`: TTIs, up to a million; `0.5ms`, `100 us`: a time of whole
    /// nanoseconds, up to 1000 s.
    fn from_str(text: &str) -> Result<Span, ParseError> {
        let fault = || {
            ParseError::new(
                "is neither a number of TTIs up to 1000000, as \"5\" or \"1.5 tti\", nor a \
                 time of whole nanoseconds up to 1000 s with its unit (ns, us, ms, s), as \
                 \"0.5 ms\"",
            )
        };
        let (value, name) = number(text).ok_or_else(fault)?;
        if ["", "tti", "ttis", "TTI", "TTIs"].contains(&name) {
            return (value <= MOST_TTIS).then_some(Span::Ttis(value)).ok_or_else(fault);
        }
        let time = value * unit(name).ok_or_else(fault)?;
        let whole = time.to_duration();
        let fits = Rational::nanos(whole) == time && whole <= LONGEST;
        fits.then_some(Span::Time(whole)).ok_or_else(fault)
    }
}

impl fmt::Display for Span {
    /// Writes the text that the parser reads, with at most nine digits after the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Span::Ttis(count) => f.pad(&format!("{} TTI", count.decimal(9))),
            Span::Time(time) => f.pad(&time.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTI: Tti = Tti::Time(Duration::from_micros(500));

    #[test]
    fn ttis_follow_the_tti_and_times_do_not() {
        assert_eq!(Span::ttis(3, 2).nanos(TTI), Rational::whole(750_000));
        let time = Span::Time(Duration::from_millis(1));
        assert_eq!(time.count(TTI), Rational::whole(2));
        assert_eq!(time.nanos(TTI), Rational::whole(1_000_000));
    }

    #[test]
    fn text() {
        for (text, shown) in
            [("5", "5 TTI"), ("1.50tti", "1.5 TTI"), ("0.5 ms", "500 us"), ("1000 s", "1000 s")]
        {
            assert_eq!(text.parse::<Span>().map(|span| span.to_string()), Ok(shown.to_owned()));
        }
        for text in ["", "-1", "1 m", "0.1 ns", "1000001", "1001 s", "1 tti x"] {
            let error = text.parse::<Span>().expect_err(text);
            assert!(error.to_string().contains("1.5 tti"), "{error}");
        }
    }
}
