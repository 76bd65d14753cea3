//! Text of the terminal, wrapped into lines of its width.

use std::io::IsTerminal;

use crossterm::terminal;

/// Columns of text for people.
pub const WIDTH: usize = 100;

/// Columns where there is no terminal to ask.
const USUAL: usize = 80;

/// Columns of what text goes to: those of the terminal, or 80.
pub fn wide(to: &impl IsTerminal) -> usize {
    let known = to.is_terminal().then(terminal::size).and_then(Result::ok);
    known.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0).unwrap_or(USUAL)
}

/// A text in lines of at most `width` columns where words allow it, the first behind `first`,
/// the others behind `then`.
pub fn wrap(text: &str, first: &str, then: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            lines += &format!("{}\n", line.trim_end());
            line = then.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    lines + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hang_and_keep_to_their_width() {
        assert_eq!(wrap("one two three four", "- ", "  ", 10), "- one two\n  three\n  four\n");
        assert_eq!(wrap("a verylongword b", "", "", 5), "a\nverylongword\nb\n");
        assert_eq!(wrap("", "", "", 5), "\n");
    }
}
