//! A study's experiments on one screen: the answer, how rows fare, and those that fail.
//!
//! The words are the study's own (`screen.md`): the question as a heading, then paragraphs, and
//! findings that begin with `- `, with places as in the page. What stands on places of which no
//! run was made is left out.

use super::fill::fill;
use super::form::{CERTAIN, NOT_MADE, deciding};
use super::{Findings, places};
use crate::{ExperimentError, Judged, Outcome};

/// What a person reads first.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// The question.
    pub question: String,
    /// The answer, in paragraphs and findings.
    pub answer: Vec<Text>,
    /// How the rows of each part fare.
    pub parts: Vec<Standing>,
    /// The rows that fail.
    pub failing: Vec<Failing>,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// A paragraph.
    Paragraph(String),
    /// One finding of a list.
    Finding(String),
}

/// How many rows of a part fare how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The part.
    pub part: String,
    /// Rows that hold.
    pub holds: usize,
    /// Rows that fail.
    pub fails: usize,
    /// Rows of which neither can be said.
    pub not_resolved: usize,
    /// Rows of which no run was made.
    pub not_made: usize,
}

/// A row that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The row.
    pub id: String,
    /// What it says.
    pub says: String,
    /// Where it is contradicted most clearly.
    pub place: String,
    /// The figure there, with its interval.
    pub figure: String,
    /// Whether it fails at 99% too.
    pub certain: bool,
}

/// What of a study's experiments a person reads first.
///
/// # Errors
///
/// If the text has no heading, or a place that there is not.
pub fn screen(findings: &Findings<'_>) -> Result<Screen, ExperimentError> {
    let text = findings.study.screen.trim_start_matches("# ");
    let missing = || ExperimentError::Data("the screen has no heading".to_owned());
    let (question, answer) = text.split_once('\n').ok_or_else(missing)?;
    let mut pieces = Vec::new();
    for piece in blocks(answer) {
        let place = |place: &str| places::filled(place, findings, &[]);
        let (listed, text) = (piece.starts_with("- "), piece.trim_start_matches("- "));
        let text = fill(text, &place)?;
        if !text.contains(NOT_MADE) {
            pieces.push(if listed { Text::Finding(text) } else { Text::Paragraph(text) });
        }
    }
    let failing = findings.judged.iter().filter(|judged| judged.outcome == Outcome::Fails);
    Ok(Screen {
        question: question.to_owned(),
        answer: pieces,
        parts: standings(&findings.judged),
        failing: failing.map(of_row).collect(),
    })
}

fn of_row(judged: &Judged) -> Failing {
    let [place, figure] = deciding(judged);
    let (id, says) = (judged.row.id.clone(), judged.row.says.clone());
    Failing { id, says, place, figure, certain: judged.at(CERTAIN) == Outcome::Fails }
}

fn standings(judged: &[Judged]) -> Vec<Standing> {
    let mut all: Vec<Standing> = Vec::new();
    for row in judged {
        if all.iter().all(|standing| standing.part != row.row.part) {
            all.push(Standing { part: row.row.part.clone(), ..Standing::default() });
        }
        let Some(own) = all.iter_mut().find(|standing| standing.part == row.row.part) else {
            continue;
        };
        *match row.outcome {
            Outcome::Holds => &mut own.holds,
            Outcome::Fails => &mut own.fails,
            Outcome::NotResolved => &mut own.not_resolved,
            Outcome::NotMade => &mut own.not_made,
        } += 1;
    }
    all
}

/// Paragraphs and list items, each on one line.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines().map(str::trim) {
        match blocks.last_mut() {
            _ if line.is_empty() => {}
            Some(last) if open && !line.starts_with("- ") => {
                last.push(' ');
                last.push_str(line);
            }
            _ => blocks.push(line.to_owned()),
        }
        open = !line.is_empty();
    }
    blocks
}
