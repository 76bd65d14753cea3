//! A study on one screen: what it found, whether that holds here, what differs and why.
//!
//! The words are the study's own (`screen.md`), with places for figures as in its page. Three
//! sections, each under a heading of its own:
//!
//! 1. the question as heading; paragraphs, and findings that begin with `- `;
//! 2. why rows differ, each as `- [reading | reading: CLAIM CLAIM/part] why`; `*` in a reading
//!    stands for anything. The first that names a row counts;
//! 3. what a row's true value has over its measured one.
//!
//! What of it stands on places that this run cannot fill, as those of another part of the study, is
//! left out. A row that differs and has no reason left is listed as it is: nothing that differs is
//! passed over.

use crate::page::{label, places};
use crate::text::{Text, blocks, sections};
use crate::{Agreement, Report, Row, Study, StudyError, Verdict};

/// What a person reads first.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// The question.
    pub question: String,
    /// The answer, in paragraphs and findings.
    pub answer: Vec<Text>,
    /// Readings with claims, in their order; without those that vary something.
    pub readings: Vec<Standing>,
    /// Readings that vary something.
    pub sweeps: Vec<Standing>,
    /// Readings of which no claim is.
    pub unclaimed: Vec<String>,
    /// What differs in `readings`, and why.
    pub differences: Vec<Difference>,
    /// Rows that differ there and have no reason.
    pub unexplained: Vec<Row>,
    /// What the true value of a row is.
    pub exact: String,
}

/// How many rows of a reading agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The reading.
    pub reading: String,
    /// Figures: those that agree, and those that could be compared.
    pub figures: [usize; 2],
    /// The same of findings.
    pub findings: [usize; 2],
    /// Figures that were put in and found again.
    pub recovered: usize,
    /// Rows of which repeated runs do not say whether they hold.
    pub not_resolved: usize,
    /// Rows that cannot be compared.
    pub not_comparable: usize,
    /// Rows that could not be judged, because a run failed.
    pub not_made: usize,
    /// Figures that agree with a reference implementation's, of how many.
    pub reference: [usize; 2],
    /// Runs of a reading that repeats them.
    pub starts: Option<u64>,
}

/// Why rows differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Readings in which they do.
    pub readings: Vec<String>,
    /// The rows.
    pub rows: Vec<String>,
    /// Whether repeated runs leave all of them open.
    pub open: bool,
    /// The reason.
    pub why: String,
}

/// A reason as the study has it.
struct Reason {
    readings: Vec<String>,
    rows: Vec<String>,
    why: String,
}

/// What of a study's report a person reads first.
///
/// # Errors
///
/// If the study's text has not its three sections, or a reason has no form.
pub fn screen(study: &Study, report: &Report) -> Result<Screen, StudyError> {
    let fault = |why: &str| StudyError::Data(format!("screen of {}: {why}", study.name));
    let mut sections = sections(study.needed("screen.md")?);
    let mut section = || sections.next().flatten().ok_or_else(|| fault("a section is missing"));
    let ((question, answer), (_, reasons), (_, exact)) = (section()?, section()?, section()?);
    let filled = |text: &str| places(text, report);
    let text = |(listed, text): (bool, String)| {
        let text = filled(&text)?;
        Some(if listed { Text::Finding(text) } else { Text::Paragraph(text) })
    };
    let reason = |(_, text): (bool, String)| Reason::parse(&text).ok_or_else(|| fault(&text));
    let reasons = blocks(reasons).into_iter().map(reason).collect::<Result<Vec<_>, _>>()?;
    let standings = || report.counts.iter().map(|count| (&count.reading, &count.sweep));
    let (mut readings, mut sweeps) = (Vec::new(), Vec::new());
    for (name, sweep) in standings() {
        let of = if sweep.is_some() { &mut sweeps } else { &mut readings };
        if of.iter().all(|known: &Standing| known.reading != *name) {
            of.push(Standing::of(name, report));
        }
    }
    let reasons: Vec<Reason> = reasons
        .into_iter()
        .filter_map(|reason| Some(Reason { why: filled(&reason.why)?, ..reason }))
        .collect();
    let (differences, unexplained) = explained(&reasons, &sweeps, report);
    Ok(Screen {
        question: question.to_owned(),
        answer: blocks(answer).into_iter().filter_map(text).collect(),
        differences,
        unclaimed: unclaimed(report),
        readings,
        sweeps,
        unexplained,
        exact: blocks(exact).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" "),
    })
}

impl Reason {
    fn parse(text: &str) -> Option<Reason> {
        let (of, why) = text.strip_prefix('[')?.split_once(']')?;
        let (readings, rows) = of.rsplit_once(':')?;
        let readings = readings.split('|').map(|reading| reading.trim().to_owned()).collect();
        let rows: Vec<String> = rows.split_whitespace().map(str::to_owned).collect();
        let why = why.trim().to_owned();
        (!rows.is_empty() && !why.is_empty()).then_some(Reason { readings, rows, why })
    }

    fn is_of(&self, row: &Row) -> bool {
        let label = label(row);
        self.rows.contains(&label) && self.readings.iter().any(|form| like(form, &row.reading))
    }
}

/// Whether a name has a form in which one `*`, at its beginning or end, stands for anything.
fn like(form: &str, name: &str) -> bool {
    match (form.strip_prefix('*'), form.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => form == name,
    }
}

fn differs(row: &Row) -> bool {
    matches!(row.verdict, Verdict::Fails | Verdict::NotResolved)
}

/// What differs with the first reason that names it, and what has none; readings that stand side
/// by side or vary something are there to differ.
fn explained(
    reasons: &[Reason],
    sweeps: &[Standing],
    report: &Report,
) -> (Vec<Difference>, Vec<Row>) {
    let apart = |reading: &String| {
        report.beside.contains(reading) || sweeps.iter().any(|sweep| sweep.reading == *reading)
    };
    let mut rows: Vec<Vec<&Row>> = reasons.iter().map(|_| Vec::new()).collect();
    let mut unexplained = Vec::new();
    for row in report.rows.iter().filter(|row| differs(row) && !apart(&row.reading)) {
        match reasons.iter().position(|reason| reason.is_of(row)) {
            Some(at) => rows[at].push(row),
            None => unexplained.push(row.clone()),
        }
    }
    let found = reasons.iter().zip(rows).filter(|(_, rows)| !rows.is_empty());
    (found.map(|(reason, rows)| Difference::of(reason, &rows)).collect(), unexplained)
}

impl Difference {
    fn of(reason: &Reason, rows: &[&Row]) -> Difference {
        let (mut readings, mut labels) = (Vec::new(), Vec::new());
        for row in rows {
            if !readings.contains(&row.reading) {
                readings.push(row.reading.clone());
            }
            if !labels.contains(&label(row)) {
                labels.push(label(row));
            }
        }
        let open = rows.iter().all(|row| row.verdict == Verdict::NotResolved);
        Difference { readings, rows: labels, open, why: reason.why.clone() }
    }
}

impl Standing {
    fn of(reading: &str, report: &Report) -> Standing {
        let rows = report.rows.iter().filter(|row| row.reading == reading);
        let rows: Vec<&Row> = rows.collect();
        let mut standing = Standing {
            reading: reading.to_owned(),
            reference: Agreement::of(&rows).reference,
            starts: rows.iter().filter_map(|row| Some(row.holds_in?.runs)).max(),
            ..Standing::default()
        };
        rows.iter().for_each(|row| standing.count(row));
        standing
    }

    fn count(&mut self, row: &Row) {
        let figure = row.published.parse::<f64>().is_ok();
        let [agree, of] = if figure { &mut self.figures } else { &mut self.findings };
        match row.verdict {
            Verdict::Recovered => self.recovered += 1,
            Verdict::NotComparable => self.not_comparable += 1,
            Verdict::NotMade => self.not_made += 1,
            Verdict::Holds => (*agree, *of) = (*agree + 1, *of + 1),
            Verdict::Fails => *of += 1,
            Verdict::NotResolved => {
                *of += 1;
                self.not_resolved += 1;
            }
        }
    }
}

/// Readings with downloads of which no claim is, in their order.
fn unclaimed(report: &Report) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in &report.ramps {
        let claimed = report.counts.iter().any(|count| count.reading == row.reading);
        if !claimed && !names.contains(&row.reading) {
            names.push(row.reading.clone());
        }
    }
    names
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
