//! Text that a terminal shows and does not obey.
//!
//! A control character begins a sequence that moves the cursor, changes colours or sets the
//! window's title (ECMA-48, 5.2 to 5.4). Names, titles and files come from others, so each such
//! character becomes a picture of itself.

use std::borrow::Cow;

/// The text with a picture instead of each control character but line feed and tab.
///
/// C0 and delete have pictures of their own (Unicode, block "Control Pictures"); C1, U+0080 to
/// U+009F, become U+FFFD. A character stays one character, so that tables keep their columns.
pub fn visible(text: &str) -> Cow<'_, str> {
    with_pictures(text, |letter| letter.is_control() && !matches!(letter, '\n' | '\t'))
}

/// One line of text with a picture instead of each control character, line feed and tab included.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    with_pictures(text, char::is_control)
}

fn with_pictures(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    match text.chars().any(&hidden) {
        false => Cow::Borrowed(text),
        true => {
            let seen = |letter| if hidden(letter) { picture(letter) } else { letter };
            Cow::Owned(text.chars().map(seen).collect())
        }
    }
}

/// The picture of a control character.
fn picture(control: char) -> char {
    match u32::from(control) {
        code @ 0..0x20 => char::from_u32(0x2400 + code).unwrap_or(char::REPLACEMENT_CHARACTER),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_shown() {
        // A title of the window, a colour, the cursor, and the same by C1.
        let text = "a\u{1b}]0;x\u{7}\u{1b}[31m\r\u{8}\u{7f}\u{9b}2J\tb\n";
        let seen = "a\u{241b}]0;x\u{2407}\u{241b}[31m\u{240d}\u{2408}\u{2421}\u{fffd}2J\tb\n";
        assert_eq!(visible(text), seen);
        assert_eq!(visible_line("a\tb\n"), "a\u{2409}b\u{240a}");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        for text in ["", "Übertragung 5 Mbit/s → ok", "two\n\tlines"] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn no_control_character_is_left() {
        for letter in (0..0x100).filter_map(char::from_u32) {
            let text = letter.to_string();
            let (seen, line) = (visible(&text), visible_line(&text));
            assert_eq!((seen.chars().count(), line.chars().count()), (1, 1));
            assert!(!line.chars().any(char::is_control), "{letter:?}");
            assert_eq!(seen == text, !letter.is_control() || letter == '\n' || letter == '\t');
        }
    }
}
