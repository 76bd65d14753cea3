//! Reports of a study as pages of charts: the answer, the differences, and every row.

mod experiments;
mod readings;

use airpath_plot::{Block, Finding, Section, Tone};

pub use experiments::experiments_report;
pub use readings::readings_report;

use crate::{Differing, Screen, Study, Text, Verdict};

/// The scope of a report: the part of the study, and the number of runs.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The part of the study; all parts without one.
    pub part: Option<&'a str>,
    /// The number of runs of a reading that repeats them.
    pub seeds: u64,
}

impl Scope<'_> {
    fn section(self, study: &Study) -> Section {
        let part = self.part.unwrap_or("all").to_owned();
        let facts = [
            ("study", study.title.clone()),
            ("part", part),
            ("runs of what is repeated", self.seeds.to_string()),
        ];
        let facts = facts.map(|(name, value)| (name.to_owned(), value)).into();
        Section::new("asked", "What was asked", vec![Block::Facts(facts)])
    }
}

/// The answer, and below it how many rows agree.
fn answer(screen: &Screen, standings: Block) -> Section {
    let mut blocks = vec![Block::Text(screen.question.clone())];
    blocks.extend(screen.answer.iter().map(|part| match part {
        Text::Paragraph(text) => Block::Text(text.clone()),
        Text::Finding(text) => finding(text),
    }));
    blocks.push(standings);
    Section::new("answer", "The answer", blocks)
}

fn finding(text: &str) -> Block {
    Block::Findings(vec![Finding { text: text.to_owned(), ..Finding::default() }])
}

fn differences(screen: &Screen) -> Section {
    let known = screen.differences.iter().map(|one| Finding {
        head: one.rows.join(", "),
        badge: if one.open { "left open" } else { "differs" }.into(),
        tone: if one.open { Tone::Open } else { Tone::Bad },
        text: match &one.readings[..] {
            [] => one.why.clone(),
            readings => format!("{} ({})", one.why, readings.join("; ")),
        },
        card: String::new(),
    });
    let findings: Vec<Finding> = known.chain(unexplained(screen)).collect();
    let blocks = if findings.is_empty() { Vec::new() } else { vec![Block::Findings(findings)] };
    Section::new("differences", "What differs, and why", blocks)
}

/// Rows without a reason: a finding for each verdict and reading, or for a row without a reading.
fn unexplained(screen: &Screen) -> Vec<Finding> {
    let mut groups: Vec<(&Differing, Vec<&str>)> = Vec::new();
    for row in &screen.unexplained {
        let own = |(first, _): &&mut (&Differing, Vec<&str>)| {
            row.reading.is_some() && (first.verdict, &first.reading) == (row.verdict, &row.reading)
        };
        match groups.iter_mut().find(own) {
            Some((_, ids)) => ids.push(&row.id),
            None => groups.push((row, vec![&row.id])),
        }
    }
    let finding = |(row, ids): (&Differing, Vec<&str>)| Finding {
        head: ids.join(", "),
        badge: row.verdict.figure_word().into(),
        tone: if row.verdict == Verdict::NotResolved { Tone::Open } else { Tone::Bad },
        text: match (&row.reading, row.verdict) {
            (None, _) => format!("{}. No reason is known.", row.says),
            (Some(reading), Verdict::NotResolved) => {
                format!("More runs are needed to tell whether they agree. ({reading})")
            }
            (Some(reading), _) => format!("No reason is known. ({reading})"),
        },
        card: String::new(),
    };
    groups.into_iter().map(finding).collect()
}
