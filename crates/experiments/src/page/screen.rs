//! A study's experiments on one screen: the answer, whether it holds here, what fails and why.
//!
//! The words are the study's own (`screen.md`), with places as in the page. Two sections, each
//! under a heading of its own, as in the screens of other studies:
//!
//! 1. the question as heading; paragraphs, and findings that begin with `- `;
//! 2. why rows fail, each as `- [ROW ROW] why`. The first that names a row counts.
//!
//! A paragraph or finding on places of which no run was made is left out. A row that fails
//! without a reason, or whose reason stands on such places, is listed as it is: no row that fails
//! is passed over.

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
    /// What fails for a known reason.
    pub differences: Vec<Difference>,
    /// Rows that fail and have no reason.
    pub unexplained: Vec<Failing>,
}

/// Rows that fail for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The rows.
    pub rows: Vec<Failing>,
    /// The reason.
    pub why: String,
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
/// If the text has not its two sections, a reason has no form, or a place is unknown.
pub fn screen(findings: &Findings<'_>) -> Result<Screen, ExperimentError> {
    let fault = |why: &str| ExperimentError::Data(format!("screen: {why}"));
    let mut sections = findings.study.screen.split("\n# ").map(|text| text.split_once('\n'));
    let mut section = || sections.next().flatten().ok_or_else(|| fault("a section is missing"));
    let ((question, answer), (_, reasons)) = (section()?, section()?);
    let place = |place: &str| places::filled(place, findings, &[]);
    let mut pieces = Vec::new();
    for piece in blocks(answer) {
        let (listed, text) = (piece.starts_with("- "), piece.trim_start_matches("- "));
        let text = fill(text, &place)?;
        if !text.contains(NOT_MADE) {
            pieces.push(if listed { Text::Finding(text) } else { Text::Paragraph(text) });
        }
    }
    let mut open: Vec<Failing> = findings.judged.iter().filter(fails).map(of_row).collect();
    let mut differences = Vec::new();
    for piece in blocks(reasons) {
        let (rows, why) = reason(&piece).ok_or_else(|| fault(&piece))?;
        let why = fill(why, &place)?;
        let own = |row: &Failing| rows.contains(&row.id.as_str()) && !why.contains(NOT_MADE);
        let (rows, rest) = open.into_iter().partition(own);
        open = rest;
        differences.push(Difference { rows, why });
    }
    differences.retain(|difference| !difference.rows.is_empty());
    Ok(Screen {
        question: question.trim_start_matches("# ").to_owned(),
        answer: pieces,
        parts: standings(&findings.judged),
        differences,
        unexplained: open,
    })
}

fn fails(judged: &&Judged) -> bool {
    judged.outcome == Outcome::Fails
}

/// The rows of a reason, and its text.
fn reason(piece: &str) -> Option<(Vec<&str>, &str)> {
    let (rows, why) = piece.strip_prefix("- [")?.split_once(']')?;
    let (rows, why): (Vec<&str>, &str) = (rows.split_whitespace().collect(), why.trim());
    (!rows.is_empty() && !why.is_empty()).then_some((rows, why))
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
