//! Figures and units as people read them.

use airpath_plot::figure;

/// What a figure in a unit of files is multiplied with, and the unit that people read.
pub fn shown(unit: &str) -> (f64, &str) {
    match unit {
        "bit/s" => (1e-6, "Mbit/s"),
        "bytes" | "B" => (1e-3, "kB"),
        "1" => (100.0, "%"),
        unit => (1.0, unit),
    }
}

/// A figure with its unit.
pub fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => figure(value),
        "%" => format!("{}%", figure(value)),
        unit => format!("{} {unit}", figure(value)),
    }
}

/// `1 run`, `3 runs`.
pub fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// The same text with a capital.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The mean; none of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A metric's name for an axis: without its unit, in words.
pub fn label(metric: &str) -> String {
    let endings = ["_bps", "_ms", "_db", "_s", "_j"];
    let bare = endings.iter().find_map(|end| metric.strip_suffix(end)).unwrap_or(metric);
    let bare = bare.replace("_bps.", ".").replace("_ms.", ".").replace("_db.", ".");
    let bare = if bare == "transmitted" { "transmitted_rate" } else { bare.as_str() };
    let words = bare.replace('_', " ");
    ["p50", "p95", "p99"].iter().fold(words, |words, p| {
        let percentile = match *p {
            "p50" => "median",
            "p95" => "95th percentile",
            _ => "99th percentile",
        };
        words.strip_suffix(&format!(" {p}")).map_or(words.clone(), |w| format!("{w}, {percentile}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_words() {
        let of =
            ["goodput_bps", "video.frame_delay_p99_ms", "loss_rate", "transmitted_bps"].map(label);
        let words =
            ["goodput", "video.frame delay, 99th percentile", "loss rate", "transmitted rate"];
        assert_eq!(of, words);
        assert_eq!(with_unit(shown("bit/s").0 * 2_300_000.0, shown("bit/s").1), "2.3 Mbit/s");
        assert_eq!(with_unit(shown("1").0 * 0.25, "%"), "25%");
    }
}
