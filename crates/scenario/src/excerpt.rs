//! Lines around a span of a scenario, as a report shows them: bounded, and without control characters.
//!
//! A report reads a few lines. Looking for them from the beginning of the text would cost each
//! problem the whole file, so [`Lines`] finds them by bisection. A long line is cut to the part near
//! the span.

use core::ops::Range;

use airpath_base::visible_line;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

/// Bytes of a line that are kept before the span, and from its beginning on.
const KEPT: (usize, usize) = (60, 140);

/// Offsets of the beginnings of lines, in bytes.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

/// A line with the lines before and behind it.
#[derive(Debug)]
pub(crate) struct Excerpt {
    name: String,
    text: String,
    /// Bytes of `text` that the label marks.
    span: Range<usize>,
    /// Numbers of the first line of `text` and of the line of the span, from 0.
    lines: (usize, usize),
    /// Bytes of the span's line before the span.
    column: usize,
}

impl Lines {
    pub fn of(text: &str) -> Lines {
        let behind = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines(core::iter::once(0).chain(behind.map(|(at, _)| at + 1)).collect())
    }

    /// Number of the line, from 0, that a byte is in.
    pub fn number(&self, at: usize) -> usize {
        self.0.partition_point(|begin| *begin <= at).saturating_sub(1)
    }

    /// Bytes of a line without its end, if there is one of this number.
    pub fn line(&self, number: usize, text: &str) -> Option<Range<usize>> {
        let begin = *self.0.get(number)?;
        let end = self.0.get(number + 1).map_or(text.len(), |next| next - 1);
        let ends_with_cr = text[begin..end].ends_with('\r');
        Some(begin..end - usize::from(ends_with_cr))
    }
}

impl Excerpt {
    /// The line of a span, one line before and one after; the span must not go beyond its line.
    pub fn new(name: &str, text: &str, lines: &Lines, span: Range<usize>) -> Excerpt {
        let own = lines.number(span.start);
        let first = own.saturating_sub(1);
        let mut excerpt = Excerpt {
            name: visible_line(name).into_owned(),
            text: String::new(),
            span: 0..0,
            lines: (first, own),
            column: 0,
        };
        for number in first..=own + 1 {
            let Some(line) = lines.line(number, text) else { continue };
            if number > first {
                excerpt.text.push('\n');
            }
            match number == own {
                false => _ = excerpt.push(&text[line], 0..0),
                true => {
                    excerpt.column = span.start - line.start;
                    let within = span.start.min(line.end)..span.end.min(line.end);
                    let within = within.start - line.start..within.end - line.start;
                    excerpt.span = excerpt.push(&text[line], within);
                }
            }
        }
        // The end of the last line, without which an empty last line would not be shown.
        if lines.line(own + 2, text).is_some() {
            excerpt.text.push('\n');
        }
        excerpt
    }

    /// Bytes of the excerpt that the label marks.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Adds a line, cut to the part near `span`; gives the span in the excerpt.
    fn push(&mut self, line: &str, span: Range<usize>) -> Range<usize> {
        let begin = line.floor_char_boundary(span.start.saturating_sub(KEPT.0));
        let end = line.ceil_char_boundary((span.start + KEPT.1).min(line.len()));
        let shown = |bytes: Range<usize>| visible_line(&line[bytes]).replace('\u{2409}', "\t");
        if begin > 0 {
            self.text.push('…');
        }
        self.text += &shown(begin..span.start);
        let start = self.text.len();
        let within = line.floor_char_boundary(span.end.min(end)).max(span.start);
        self.text += &shown(span.start..within);
        let behind = self.text.len();
        self.text += &shown(within..end);
        if end < line.len() {
            self.text.push('…');
        }
        start..behind
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        label: &SourceSpan,
        before: usize,
        _behind: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (bytes, line, column) = match before {
            0 => (self.span.clone(), self.lines.1, self.column),
            _ => (0..self.text.len(), self.lines.0, 0),
        };
        if label.offset() + label.len() > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let data = &self.text.as_bytes()[bytes.clone()];
        let count = self.text.bytes().filter(|byte| *byte == b'\n').count();
        let (name, span) = (self.name.clone(), (bytes.start, bytes.len()).into());
        Ok(Box::new(MietteSpanContents::new_named(name, data, span, line, column, count)))
    }
}

#[cfg(test)]
mod tests {
    use miette::{
        Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, miette,
    };
    use proptest::prelude::*;

    use super::*;

    fn report(source: impl SourceCode + 'static, span: Range<usize>) -> String {
        let labels = vec![LabeledSpan::new(Some("here".to_owned()), span.start, span.len())];
        let report = miette!(labels = labels, "wrong").with_source_code(source);
        let diagnostic: &dyn Diagnostic = report.as_ref();
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
        let mut text = String::new();
        handler.render_report(&mut text, diagnostic).expect("a string takes the report");
        text
    }

    fn of(text: &str, span: Range<usize>) -> Excerpt {
        Excerpt::new("x.toml", text, &Lines::of(text), span)
    }

    proptest! {
        /// Of short lines without control characters a report is that of miette's own source.
        #[test]
        fn it_is_shown_as_the_whole_text(
            lines in prop::collection::vec("[a-z =é\"]{0,30}", 1..8), line: prop::sample::Index,
            ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()), last: bool,
        ) {
            let number = line.index(lines.len());
            let begin: usize = lines[..number].iter().map(|line| line.len() + 1).sum();
            let own = &lines[number];
            prop_assume!(!own.is_empty());
            let at = |index: prop::sample::Index| own.floor_char_boundary(index.index(own.len()));
            let (one, other) = (at(ends.0), at(ends.1));
            let end = own.ceil_char_boundary(one.max(other) + 1);
            let span = begin + one.min(other)..begin + end;
            let text = lines.join("\n") + if last { "\n" } else { "" };
            let excerpt = of(&text, span.clone());
            let within = excerpt.span();
            prop_assert_eq!(&excerpt.text[within.clone()], &text[span.clone()]);
            let whole = NamedSource::new("x.toml", text);
            prop_assert_eq!(report(excerpt, within), report(whole, span));
        }

        #[test]
        fn lines_are_found_where_counting_finds_them(text in "[a\r\n]{0,40}", at in 0usize..40) {
            let at = at.min(text.len());
            let lines = Lines::of(&text);
            let counted = text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
            prop_assert_eq!(lines.number(at), counted);
            let found: Vec<&str> =
                (0..).map_while(|n| lines.line(n, &text).map(|line| &text[line])).collect();
            let split: Vec<&str> = text.split('\n').collect();
            let ends = |line: &&str| line.strip_suffix('\r').unwrap_or(line).len();
            prop_assert_eq!(
                found.iter().map(|line| line.len()).collect::<Vec<_>>(),
                split.iter().map(ends).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn an_empty_text_and_the_end_of_one_have_a_span() {
        assert_eq!(of("", 0..0).span(), 0..0);
        let end = of("a = 1\n", 6..6);
        assert_eq!((end.text.as_str(), end.span(), end.lines), ("a = 1\n", 6..6, (0, 1)));
    }

    #[test]
    fn of_a_long_line_what_is_near_is_shown() {
        let text = format!("{}wrong{}", "é".repeat(5_000), "b".repeat(10_000));
        let excerpt = of(&text, 10_000..10_005);
        assert!(excerpt.text.len() < 300 && excerpt.text.starts_with("…é"));
        assert_eq!(&excerpt.text[excerpt.span()], "wrong");
        let seen = report(excerpt, of(&text, 10_000..10_005).span());
        assert!(seen.contains("x.toml:1:10001"), "{seen}");
        // One that is all wrong is cut as well.
        assert!(of(&text, 0..20_005).text.len() < 300);
    }

    #[test]
    fn control_characters_are_pictures_and_the_label_stays_at_its_span() {
        let text = "# \u{1b}]0;owned\u{7}\nk\u{1b}[2Jey = 1\n";
        let at = text.find("ey").expect("there");
        let excerpt = of(text, at..at + 2);
        assert_eq!(&excerpt.text[excerpt.span()], "ey");
        let span = excerpt.span();
        let seen = report(excerpt, span);
        assert!(!seen.contains('\u{1b}') && seen.contains("k\u{241b}[2Jey"), "{seen}");
    }
}
