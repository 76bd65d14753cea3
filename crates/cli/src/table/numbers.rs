//! Numbers of a terminal's tables, shortened to a few columns.

/// A count in at most six columns.
pub fn count(n: u64) -> String {
    match n {
        0..=99_999 => n.to_string(),
        100_000..=9_999_999 => format!("{}k", n / 1_000),
        10_000_000..=9_999_999_999 => format!("{}M", n / 1_000_000),
        _ => format!("{}G", n / 1_000_000_000),
    }
}

/// A number with about three digits; a dash if there is none.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if value.abs() < 0.000_5 => "<0.001".to_owned(),
        Some(value) if value.abs() < 1.0 => format!("{value:.3}"),
        Some(value) if value.abs() < 10.0 => format!("{value:.2}"),
        Some(value) if value.abs() < 100.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

/// A value to a thousandth.
pub fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_keep_to_their_columns() {
        for n in [0, 99_999, 100_000, 9_999_999, 10_000_000, u64::from(u32::MAX)] {
            assert!(count(n).len() <= 5, "{n}");
        }
    }

    #[test]
    fn numbers_have_about_three_digits() {
        let values = [0.0, 0.000_1, 0.069, 0.123_4, 9.876, 12.34, 123.4, 12_345.6];
        let shown = values.map(|n| number(Some(n)));
        assert_eq!(shown, ["0", "<0.001", "0.069", "0.123", "9.88", "12.3", "123", "12346"]);
        assert_eq!(number(None), "-");
    }
}
