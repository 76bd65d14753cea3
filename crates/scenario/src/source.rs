//! Texts that a scenario is read from, and places in them.

use core::ops::Range;
use std::sync::Arc;

use miette::NamedSource;

/// A text among those that a scenario is made of: the file, or one override.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceId(usize);

/// Bytes of one of the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub source: SourceId,
    pub span: Range<usize>,
}

/// All texts, the file first.
#[derive(Debug, Default)]
pub(crate) struct Sources(Vec<Source>);

#[derive(Debug)]
struct Source {
    name: String,
    text: Arc<str>,
}

impl Sources {
    /// Adds a text under the name that errors show.
    pub fn add(&mut self, name: &str, text: &str) -> SourceId {
        self.0.push(Source { name: name.to_owned(), text: text.into() });
        SourceId(self.0.len() - 1)
    }

    /// The text with its name, for a report.
    pub fn named(&self, id: SourceId) -> NamedSource<Arc<str>> {
        let source = &self.0[id.0];
        NamedSource::new(&source.name, Arc::clone(&source.text))
    }

    /// The part of a place that is in its first line: a list of tables may go on for
    /// pages.
    pub fn first_line(&self, place: &Place) -> Range<usize> {
        let Range { start, end } = place.span;
        let text = self.0[place.source.0].text.as_bytes();
        let line_end = text.iter().skip(start).position(|&byte| byte == b'\n');
        start..end.min(line_end.map_or(end, |length| start + length))
    }

    /// Name and line (from 1) of a place; overrides have one line only.
    pub fn position(&self, place: &Place) -> String {
        let source = &self.0[place.source.0];
        let before = source.text.as_bytes().iter().take(place.span.start);
        let line = 1 + before.filter(|&&byte| byte == b'\n').count();
        format!("{}:{line}", source.name)
    }
}

impl Place {
    pub fn new(source: SourceId, span: Range<usize>) -> Place {
        Place { source, span }
    }
}
