//! Metrics as people read them: units, digits, headings.

use airpath_results::{MetricName, unit_for_people};

/// A unit as it is shown.
pub struct Shown<'a> {
    /// Unit behind a number; empty for counts.
    pub unit: &'a str,
    scale: f64,
}

impl Shown<'_> {
    /// For a metric in this unit.
    pub fn of(unit: &str) -> Shown<'_> {
        let (scale, unit) = unit_for_people(unit);
        Shown { unit, scale }
    }

    /// A value without its unit, with three digits or all that stand before the point.
    pub fn number(&self, value: f64) -> String {
        let value = value * self.scale;
        fixed(value, places(value))
    }

    /// Value and half the width of its interval, both with the decimals that two digits of the half
    /// need.
    pub fn with_half_width(&self, value: f64, half: f64) -> String {
        let (value, half) = (value * self.scale, half * self.scale);
        if half == 0.0 || !half.is_finite() {
            return format!("{} ± 0", fixed(value, places(value)));
        }
        let places = places_of(half, 2).min(places(value) + 1);
        format!("{} ± {}", fixed(value, places), fixed(half, places))
    }
}

/// Digits behind the point that make three in all.
fn places(value: f64) -> usize {
    places_of(value, 3)
}

fn places_of(value: f64, digits: i32) -> usize {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let before = format!("{:e}", value.abs());
    let exponent: i32 = before.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    usize::try_from((digits - 1 - exponent).clamp(0, 9)).unwrap_or(0)
}

fn fixed(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    // "-0.00" is no number that a person writes.
    match text.trim_start_matches('-').bytes().all(|byte| matches!(byte, b'0' | b'.')) {
        true => text.trim_start_matches('-').to_owned(),
        false => text,
    }
}

/// The title of a column: the metric in words, and its unit.
pub fn heading(metric: &str, shown: &Shown<'_>) -> String {
    match shown.unit {
        "" => words(metric),
        unit => format!("{}, {unit}", words(metric)),
    }
}

/// A metric's name without its unit, in words: `video.queue_delay_p99_ms` is
/// "video: queue delay p99".
pub fn words(metric: &str) -> String {
    let MetricName { over_users, whose, what, statistic, .. } = MetricName::of(metric);
    let statistic = statistic.map(|statistic| format!(" {statistic}")).unwrap_or_default();
    let users = if over_users.is_some() { "users " } else { "" };
    let over = over_users.map(|over| format!(", {}", over.replace('_', " "))).unwrap_or_default();
    let whose = whose.map(|whose| format!("{users}{whose}: ")).unwrap_or_default();
    format!("{whose}{what}{statistic}{over}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_their_interval_leaves() {
        let megabits = Shown::of("bit/s");
        assert_eq!(megabits.with_half_width(9_412_345.0, 21_000.0), "9.412 ± 0.021");
        assert_eq!(megabits.with_half_width(123_456_789.0, 12_345_678.0), "123 ± 12");
        assert_eq!(megabits.number(0.0), "0");
        let ms = Shown::of("ms");
        assert_eq!(ms.with_half_width(82.123, 3.12), "82.1 ± 3.1");
        assert_eq!(ms.with_half_width(0.123_4, 0.05), "0.123 ± 0.050");
        assert_eq!(ms.with_half_width(5.0, 0.0), "5.00 ± 0");
        assert_eq!(ms.number(-0.000_000_000_01), "0.000000000");
        assert_eq!(Shown::of("1").number(0.012_3), "1.23");
    }

    #[test]
    fn names_become_words() {
        assert_eq!(words("goodput_bps"), "goodput");
        assert_eq!(words("video.queue_delay_p99_ms"), "video: queue delay p99");
        let of_users = words("users.video.down.frame_delay_p99_ms.p95");
        assert_eq!(of_users, "users video down: frame delay p99, p95");
        assert_eq!(heading("loss_rate", &Shown::of("1")), "loss, %");
    }
}
