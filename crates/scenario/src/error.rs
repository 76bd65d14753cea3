//! Faults of a scenario, with all that mends them: file, line, key, and the values that are
//! allowed.

use core::fmt;

use airpath_base::{visible, visible_line};
use airpath_schema::Draft;
use miette::{Diagnostic, LabeledSpan, SourceCode};

use crate::excerpt::Excerpt;
use crate::source::Sources;

/// Everything that is wrong with a scenario.
///
/// Prints with `miette` as one report for each problem, with the line of the text;
/// [`Errors::plain`] gives one line for each, `Display` the first alone.
#[derive(Debug)]
pub struct Errors {
    problems: Vec<Problem>,
}

/// One thing that is wrong, and where.
pub struct Problem {
    message: String,
    help: Option<String>,
    at: Option<At>,
}

struct At {
    position: String,
    text: Excerpt,
    label: LabeledSpan,
}

impl Errors {
    pub(crate) fn without_place(message: String, help: &str) -> Errors {
        let message = visible(&message).into_owned();
        let problem = Problem { message, help: Some(visible(help).into_owned()), at: None };
        Errors { problems: vec![problem] }
    }

    pub(crate) fn from_drafts(drafts: Vec<Draft>, sources: &Sources) -> Errors {
        let problems = drafts.into_iter().map(|draft| Problem::new(draft, sources)).collect();
        Errors { problems }
    }

    /// The problems in the order of their discovery; at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// One line for each problem: `file:line: what is wrong (what is allowed)`.
    pub fn plain(&self) -> String {
        let lines: Vec<String> = self.problems.iter().map(Problem::plain).collect();
        lines.join("\n")
    }
}

impl Problem {
    fn new(draft: Draft, sources: &Sources) -> Problem {
        let text = sources.excerpt(&draft.place);
        let (span, label) = (text.span(), visible_line(&draft.label).into_owned());
        let label = LabeledSpan::new(Some(label), span.start, span.len());
        let at = At { position: sources.position(&draft.place), text, label };
        let help = draft.help.map(|help| visible(&help).into_owned());
        Problem { message: visible_line(&draft.message).into_owned(), help, at: Some(at) }
    }

    fn plain(&self) -> String {
        let position = self.position().map(|position| format!("{position}: "));
        let help = self.help.as_ref().map(|help| format!(" ({help})"));
        format!("{}{}{}", position.unwrap_or_default(), self.message, help.unwrap_or_default())
    }

    /// Fault with the key, in a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Values that are allowed instead.
    pub fn allowed(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The file or override and the line, as `name:line`.
    pub fn position(&self) -> Option<&str> {
        self.at.as_ref().map(|at| at.position.as_str())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("message", &self.message)
            .field("help", &self.help)
            .field("position", &self.position())
            .finish()
    }
}

impl core::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.at.as_ref().map(|at| &at.text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let at = self.at.as_ref()?;
        Some(Box::new(core::iter::once(at.label.clone())))
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problems.first() {
            Some(first) => first.fmt(f),
            None => f.write_str("nothing is wrong"),
        }
    }
}

impl core::error::Error for Errors {}

/// The first problem is the report itself; the others follow as related to it.
impl Diagnostic for Errors {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problems.first()?.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.problems.first()?.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.problems.first()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let others = self.problems.get(1..).filter(|others| !others.is_empty())?;
        Some(Box::new(others.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}
