//! Problems of an input file as text for people. Each begins with `error:`, as all errors do; the
//! line of the file follows, then advice.

use std::fmt::{self, Debug, Display, Formatter};
use std::io;

use airpath_scenario::{Errors, Problem};
use miette::{
    Diagnostic, LabeledSpan, MietteHandler, MietteHandlerOpts, ReportHandler, SourceCode,
};

use crate::wrap::{wide, wrap};

/// All problems, with a line between two.
pub fn text(errors: &Errors) -> String {
    let width = wide(&io::stderr());
    let handler = MietteHandlerOpts::new().width(width).build();
    let all: Vec<String> =
        errors.problems().iter().map(|problem| one(problem, &handler, width)).collect();
    all.join("\n")
}

fn one(problem: &Problem, handler: &MietteHandler, width: usize) -> String {
    let place = Drawn(Place(problem), handler).to_string();
    // The first lines are the message, which is printed with a wrapping of its own.
    let place = place.trim_start_matches('\n').split_once('\n').map_or("", |(_, rest)| rest);
    let message = wrap(problem.message(), "error: ", "       ", width);
    format!("{message}{}\n", place.trim_end())
}

/// Diagnostic with the handler that draws it, as a value that can be displayed.
struct Drawn<'a>(Place<'a>, &'a MietteHandler);

impl Display for Drawn<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.1.debug(&self.0, f)
    }
}

/// Problem without its message: the line of the file, and advice.
struct Place<'a>(&'a Problem);

impl Debug for Place<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(self.0, f)
    }
}

impl Display for Place<'_> {
    fn fmt(&self, _: &mut Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Place<'_> {}

impl Diagnostic for Place<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Diagnostic::help(self.0)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.0.labels()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airpath_scenario::Scenario;

    #[test]
    fn each_problem_begins_alike_and_has_its_line() {
        let wrong = "duration = \"1 s\"\ncolour = 1\nseed = \"one\"\n";
        let errors = Scenario::parse("cell.toml", wrong, &[]).expect_err("two problems");
        let text = text(&errors);
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(heads.len(), errors.problems().len(), "{text}");
        assert!(heads.len() >= 2 && !text.contains("Error:") && !text.contains('×'), "{text}");
        assert!(text.contains("cell.toml:2") && text.contains("cell.toml:3"), "{text}");
        assert_eq!(text.matches("unknown key `colour`").count(), 1, "{text}");
    }
}
