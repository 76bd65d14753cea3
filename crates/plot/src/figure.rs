//! Figures as text, and as short as they may be.

use std::fmt::Display;

/// A figure with three significant digits, without zeros at the end: `0.0123`, `16.5`, `1230`.
pub fn figure(value: f64) -> String {
    let rounded = digits(value, 3);
    if rounded != 0.0 && !(1e-5..1e15).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    format!("{rounded}")
}

/// Seconds as a person says them, with two decimals at most: `5.22`, `3600`, `125.5`. Below one
/// second, three digits.
pub fn seconds(value: f64) -> String {
    match value.abs() < 1.0 {
        true => figure(value),
        false => format!("{}", (value * 100.0).round() / 100.0),
    }
}

/// A number of things in words: `1 flow`, `3 flows`.
pub fn plural(n: impl Display, what: &str) -> String {
    let n = n.to_string();
    let s = if n == "1" { "" } else { "s" };
    format!("{n} {what}{s}")
}

/// A text with a capital.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A figure with so many significant digits.
pub(crate) fn digits(value: f64, count: usize) -> f64 {
    format!("{value:.*e}", count.saturating_sub(1)).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_two_decimals_at_most() {
        let text = [5.219_471_234, 3600.0, 1234.5, 0.012_345_6, 0.2, 10.001].map(seconds);
        assert_eq!(text, ["5.22", "3600", "1234.5", "0.0123", "0.2", "10"]);
    }

    #[test]
    fn one_of_a_kind_has_no_s() {
        assert_eq!([0, 1, 2].map(|n| plural(n, "flow")), ["0 flows", "1 flow", "2 flows"]);
    }

    #[test]
    fn three_digits_are_enough() {
        let values = [0.0, 16.4999, -2.0, 1234.5, 0.012_345, 99.96, 1e7, 3.2e-9, 2.5e20];
        let text = values.map(figure);
        assert_eq!(
            text,
            ["0", "16.5", "-2", "1230", "0.0123", "100", "10000000", "3.2e-9", "2.5e20"]
        );
        assert_eq!(digits(1.234_567_891_234, 10), 1.234_567_891);
    }
}
