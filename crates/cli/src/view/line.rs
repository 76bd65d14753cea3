//! Lines of a screen: pieces of text, each with its look.

use airpath_base::visible_line;
use crossterm::style::{Attribute, Color, SetAttribute, SetForegroundColor};

/// Look of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// Plain text, in the terminal's own colours.
    #[default]
    Plain,
    /// Text that is read first.
    Strong,
    /// Titles and what does not change.
    Faint,
    /// Good state.
    Good,
    /// State that is worth a look.
    Warn,
    /// Bad state.
    Bad,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line(Vec<(Look, String)>);

impl Line {
    /// A line of one piece.
    pub fn of(look: Look, text: impl Into<String>) -> Line {
        Line::default().with(look, text)
    }

    /// Adds a piece. What would move the cursor or change the terminal is no text.
    #[must_use]
    pub fn with(mut self, look: Look, text: impl Into<String>) -> Line {
        self.0.push((look, visible_line(&text.into()).into_owned()));
        self
    }

    /// Adds room up to a column.
    #[must_use]
    pub fn up_to(self, column: usize) -> Line {
        let room = column.saturating_sub(self.width());
        self.with(Look::Plain, " ".repeat(room))
    }

    /// Columns that it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.chars().count()).sum()
    }

    /// Without what is beyond a column.
    #[must_use]
    pub fn cut(mut self, columns: usize) -> Line {
        let mut left = columns;
        for (_, text) in &mut self.0 {
            *text = text.chars().take(left).collect();
            left -= text.chars().count();
        }
        self
    }

    /// The text alone.
    #[cfg(test)]
    pub fn text(&self) -> String {
        let text: String = self.0.iter().map(|(_, text)| text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// Text with the escape sequences of a terminal.
    pub fn encoded(&self, colour: bool) -> String {
        self.0.iter().map(|(look, text)| look.begin(colour) + text + &look.end(colour)).collect()
    }
}

impl Look {
    fn begin(self, colour: bool) -> String {
        let colour =
            |which| if colour { SetForegroundColor(which).to_string() } else { String::new() };
        match self {
            Look::Plain => String::new(),
            Look::Strong => SetAttribute(Attribute::Bold).to_string(),
            Look::Faint => SetAttribute(Attribute::Dim).to_string(),
            Look::Good => colour(Color::Green),
            Look::Warn => colour(Color::Yellow),
            Look::Bad => colour(Color::Red),
        }
    }

    fn end(self, colour: bool) -> String {
        match self {
            Look::Plain => String::new(),
            Look::Strong | Look::Faint => SetAttribute(Attribute::NormalIntensity).to_string(),
            _ if colour => SetForegroundColor(Color::Reset).to_string(),
            _ => String::new(),
        }
    }
}

/// Text in exactly so many columns, cut with a mark or filled at its end.
pub fn fit(text: &str, columns: usize) -> String {
    let cut = text.chars().count() > columns;
    let room = if cut { columns.saturating_sub(1) } else { columns };
    let kept: String = text.chars().take(room).collect();
    if cut { kept + "…" } else { format!("{kept:columns$}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_across_its_pieces_and_keeps_its_columns() {
        let line = Line::of(Look::Strong, "airpath").with(Look::Plain, " run");
        assert_eq!((line.width(), line.text().as_str()), (11, "airpath run"));
        assert_eq!(line.clone().cut(9).text(), "airpath r");
        assert_eq!(line.clone().cut(3).text(), "air");
        assert_eq!(line.up_to(14).with(Look::Plain, "x").text(), "airpath run   x");
        assert_eq!((fit("download", 5), fit("up", 4)), ("down…".into(), "up  ".into()));
    }

    #[test]
    fn a_name_cannot_change_the_terminal() {
        let line = Line::of(Look::Plain, "a\u{1b}[2J\nb\u{9b}m");
        assert_eq!(line.encoded(true), "a\u{241b}[2J\u{240a}b\u{fffd}m");
    }

    #[test]
    fn colours_are_left_out_where_they_are_not_wanted() {
        let line = Line::of(Look::Bad, "98%").with(Look::Strong, "!");
        assert_eq!(line.encoded(true), "\u{1b}[38;5;9m98%\u{1b}[39m\u{1b}[1m!\u{1b}[22m");
        assert_eq!(line.encoded(false), "98%\u{1b}[1m!\u{1b}[22m");
    }
}
