//! Texts: how wide they are, how they are broken into lines, and figures at ticks.

use kuva::render::layout::{ComputedLayout, Layout};

/// Width of a text in pixels in `kuva`'s font, DejaVu Sans. That font is wider than the fonts that
/// other systems use instead, so a text that fits here fits there.
///
/// `kuva` does not publish its measure. It publishes the width that it reserves for the longest
/// label of a category axis, at least two ems. Three letters before the text are always more.
pub(super) fn width(text: &str, size: u32) -> f64 {
    const BEFORE: &str = "MMM";
    reserved(format!("{BEFORE}{text}"), size) - reserved(BEFORE.to_owned(), size)
}

fn reserved(label: String, size: u32) -> f64 {
    let layout = Layout::new((0.0, 1.0), (0.0, 1.0)).with_tick_size(size);
    ComputedLayout::from_layout(&layout.with_y_categories(vec![label])).y_tick_label_px
}

/// Width of the widest text.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: u32) -> f64 {
    texts.into_iter().map(|text| width(text, size)).fold(0.0, f64::max)
}

/// Bold letters are wider: DejaVu Sans Bold by 15% at most in ordinary text.
pub(super) const BOLD: f64 = 1.15;

/// Lines no wider than `limit`, broken at spaces; a longer word has a line of its own and is
/// cut. No line for an empty text.
pub(super) fn wrapped(text: &str, size: u32, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match longer.filter(|line| width(line, size) * BOLD <= limit) {
            Some(line) => *lines.last_mut().expect("it was lengthened") = line,
            None => lines.push(cut(word, size, limit / BOLD)),
        }
    }
    lines
}

/// A title of an axis: at most two lines no wider than `limit`.
pub(super) fn lines(title: &str, limit: f64) -> Vec<String> {
    let mut lines = wrapped(title, 12, limit);
    if lines.len() > 2 {
        let rest = lines.split_off(1).join(" ");
        lines.push(cut(&rest, 12, limit));
    }
    lines
}

/// The text, or as much of it as `limit` pixels take, and an ellipsis.
pub(super) fn cut(text: &str, size: u32, limit: f64) -> String {
    if width(text, size) <= limit {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    loop {
        kept.pop();
        let shorter = kept.iter().collect::<String>() + "…";
        if kept.is_empty() || width(&shorter, size) <= limit {
            return shorter;
        }
    }
}

/// Text of a figure at a tick: its six significant digits without zeros behind the decimal point.
/// Powers of ten are used from a million on and below a ten-thousandth.
pub(super) fn tick_text(value: f64) -> String {
    let text = format!("{value:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.parse().unwrap_or(0) {
        _ if value == 0.0 => "0".to_owned(),
        power if (-4..6).contains(&power) => {
            let decimals = (5 - power).max(0) as usize;
            trimmed(&format!("{value:.decimals$}")).to_owned()
        }
        power => format!("{}e{power}", trimmed(mantissa)),
    }
}

fn trimmed(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// A text within XML, without characters that XML does not allow.
pub(super) fn escaped(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A text of one line: line ends and what XML does not allow become spaces.
pub(super) fn plain(text: &str) -> String {
    let blank =
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if blank(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // Advances of DejaVu Sans 2.37 in units of 2048: M 1767, i 569, 0 1303, space 651.
        let of = |units: f64| units / 2048.0 * 12.0;
        assert!((width("M", 12) - of(1767.0)).abs() < 1e-9);
        assert!((width("i", 12) - of(569.0)).abs() < 1e-9);
        assert!((width("0 0", 12) - of(2.0 * 1303.0 + 651.0)).abs() < 1e-9);
        assert_eq!(width("", 12), 0.0);
    }

    #[test]
    fn lines_are_no_wider_than_allowed() {
        let text = "a packet waits in the queue of the base station until it is sent";
        let lines = wrapped(text, 12, 150.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| width(line, 12) <= 150.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        assert!(wrapped("", 12, 150.0).is_empty());
        let lines = wrapped("wwwwwwwwwwwwwwwwwwwwwwwwwwwwww", 12, 150.0);
        assert!(lines[0].ends_with('…') && width(&lines[0], 12) <= 150.0, "{lines:?}");
    }

    #[test]
    fn ticks_are_short() {
        let ticks = [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (-0.000_25, "-0.00025"),
            (1_234.5, "1234.5"),
            (2.5e6, "2.5e6"),
            (1e-5, "1e-5"),
            (-1e-12, "-1e-12"),
            (9.999_999_9, "10"),
            (100_000.0, "100000"),
        ];
        for (value, text) in ticks {
            assert_eq!(tick_text(value), text, "{value}");
        }
    }
}
