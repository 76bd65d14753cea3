//! Texts that a scenario is read from, and locations in them.

use core::ops::Range;

use airpath_base::visible_line;
use airpath_schema::{Place, SourceId};

use crate::excerpt::{Excerpt, Lines};

/// All texts, the file first.
#[derive(Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

#[derive(Debug)]
struct Source {
    name: String,
    text: String,
    lines: Lines,
}

impl Sources {
    /// Adds a text under the name that errors show.
    pub fn add(&mut self, name: &str, text: &str) -> SourceId {
        let (name, lines) = (name.to_owned(), Lines::of(text));
        self.0.push(Source { name, text: text.to_owned(), lines });
        SourceId(self.0.len() - 1)
    }

    /// The lines around the first line of a location: a list of tables may go on for pages.
    pub fn excerpt(&self, place: &Place) -> Excerpt {
        let Source { name, text, lines } = &self.0[place.source.0];
        let Range { start, end } = place.span;
        let line = lines.line(lines.number(start), text);
        let end = line.map_or(end, |line| end.min(line.end.max(start)));
        Excerpt::new(name, text, lines, start..end)
    }

    /// Name and line (from 1) of a location; overrides have one line only.
    pub fn position(&self, place: &Place) -> String {
        let source = &self.0[place.source.0];
        let line = 1 + source.lines.number(place.span.start);
        format!("{}:{line}", visible_line(&source.name))
    }
}
