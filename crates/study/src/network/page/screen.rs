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

use super::form::{CERTAIN, NOT_MADE, deciding};
use super::{Findings, filled_text, places};
use crate::StudyError;
use crate::network::{Judged, Verdict};
use crate::text::{Text, blocks, sections};

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
pub fn screen(findings: &Findings<'_>) -> Result<Screen, StudyError> {
    let fault = |why: &str| StudyError::Data(format!("screen: {why}"));
    let mut sections = sections(findings.study.needed("screen.md")?);
    let mut section = || sections.next().flatten().ok_or_else(|| fault("a section is missing"));
    let ((question, answer), (_, reasons)) = (section()?, section()?);
    let place = |place: &str| places::filled(place, findings, &[]);
    let mut pieces = Vec::new();
    for (listed, piece) in blocks(answer) {
        let text = filled_text(&piece, &place)?;
        if !text.contains(NOT_MADE) {
            pieces.push(if listed { Text::Finding(text) } else { Text::Paragraph(text) });
        }
    }
    let mut open: Vec<Failing> = findings.judged.iter().filter(fails).map(of_row).collect();
    let mut differences = Vec::new();
    for (_, piece) in blocks(reasons) {
        let (rows, why) = reason(&piece).ok_or_else(|| fault(&piece))?;
        let why = filled_text(why, &place)?;
        let own = |row: &Failing| rows.contains(&row.id.as_str()) && !why.contains(NOT_MADE);
        let (rows, rest) = open.into_iter().partition(own);
        open = rest;
        differences.push(Difference { rows, why });
    }
    differences.retain(|difference| !difference.rows.is_empty());
    Ok(Screen {
        question: question.to_owned(),
        answer: pieces,
        parts: standings(&findings.judged),
        differences,
        unexplained: open,
    })
}

fn fails(judged: &&Judged) -> bool {
    judged.outcome == Verdict::Fails
}

/// The rows of a reason, and its text.
fn reason(piece: &str) -> Option<(Vec<&str>, &str)> {
    let (rows, why) = piece.strip_prefix('[')?.split_once(']')?;
    let (rows, why): (Vec<&str>, &str) = (rows.split_whitespace().collect(), why.trim());
    (!rows.is_empty() && !why.is_empty()).then_some((rows, why))
}

fn of_row(judged: &Judged) -> Failing {
    let [place, figure] = deciding(judged);
    let (id, says) = (judged.row.id.clone(), judged.row.says.clone());
    Failing { id, says, place, figure, certain: judged.at(CERTAIN) == Verdict::Fails }
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
            Verdict::Holds | Verdict::Recovered => &mut own.holds,
            Verdict::Fails => &mut own.fails,
            Verdict::NotResolved => &mut own.not_resolved,
            Verdict::NotComparable | Verdict::NotMade => &mut own.not_made,
        } += 1;
    }
    all
}
