//! Numbers with their units in text.

use core::fmt;

use crate::Rational;

/// Reason for which a text is refused: a whole sentence without its subject, as "is not ...;
/// allowed is ...".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(String);

impl ParseError {
    pub(crate) fn new(what: impl Into<String>) -> ParseError {
        ParseError(what.into())
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for ParseError {}

/// Digits before the point, and after it.
const MOST: usize = 9;

/// Units of time with their nanoseconds.
const UNITS: [(&str, u64); 5] =
    [("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// Splits text into a decimal number and the rest behind it, without the space between. The number
/// has at most nine digits before and after the point. None if the text does not begin with one.
pub(crate) fn number(text: &str) -> Option<(Rational, &str)> {
    let (whole, rest) = digits(text.trim());
    let (fraction, rest) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => match digits(rest) {
            ("", _) => return None,
            split => split,
        },
    };
    if whole.is_empty() || whole.len() > MOST || fraction.len() > MOST {
        return None;
    }
    let above = format!("{whole}{fraction}").parse().ok()?;
    let value = Rational::new(above, 10_u128.pow(fraction.len() as u32));
    Some((value, rest.trim_start()))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// Nanoseconds in a unit of time.
pub(crate) fn unit(name: &str) -> Option<Rational> {
    let known = UNITS.iter().find(|(known, _)| *known == name);
    known.map(|(_, nanos)| Rational::whole(*nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_what_follows() {
        let half = Rational::new(1, 2);
        assert_eq!(number(" 0.5 ms "), Some((half, "ms")));
        assert_eq!(number("0.500us"), Some((half, "us")));
        assert_eq!(number("12"), Some((Rational::whole(12), "")));
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", "ms", "-1", ".5", "5.", "e3", "1234567890"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(number("1.0000000001"), None);
    }
}
