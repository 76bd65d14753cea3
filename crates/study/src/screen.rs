//! A study on one screen: the question, the answer, whether it holds here, what differs and why.
//!
//! The words are the study's own (`screen.md`), with placeholders as in its page. Sections, each
//! under a heading of its own:
//!
//! 1. the question as heading; paragraphs, and findings that begin with `- `;
//! 2. reasons for rows that differ, each as `- [reading | reading: ROW ROW/part] why`; `*` in a reading
//!    stands for anything, and rows alone count in all readings. The first reason that names a row counts;
//! 3. the difference of a row's true value from its measured one, where there is one.
//!
//! A paragraph, finding or reason that this evidence cannot fill, as of a part that was not made, is
//! left out. A row that differs and has no reason left is listed as it is: no row that differs is
//! passed over.

use crate::page::{filled_text, label};
use crate::text::{Text, blocks, sections};
use crate::{Agreement, Form, Report, Row, Study, StudyError, Verdict};

/// The part of a study that a person reads first.
#[derive(Clone, Debug, PartialEq)]
pub struct Screen {
    /// The question.
    pub question: String,
    /// The answer, in paragraphs and findings.
    pub answer: Vec<Text>,
    /// The rows that are counted, as the head of a column: "rows that agree".
    pub counted: &'static str,
    /// Readings or parts with rows, in their order; without those that vary something.
    pub standings: Vec<Standing>,
    /// Rows by the rules of their sentences, in a study with rules.
    pub by_sentence: Vec<Standing>,
    /// Readings that vary something.
    pub sweeps: Vec<Standing>,
    /// Readings without a claim.
    pub unclaimed: Vec<String>,
    /// Rows that differ in `standings` for a known reason.
    pub differences: Vec<Difference>,
    /// Rows that differ there and have no reason.
    pub unexplained: Vec<Differing>,
    /// Rows left open that are in none of these lists.
    pub open: usize,
    /// Repetitions that would decide open rows, and the option for more of them: "starts".
    pub again: [&'static str; 2],
    /// The meaning of a row's true value; empty without one.
    pub exact: String,
}

/// The number of rows of a reading or part by verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The reading or part.
    pub name: String,
    /// The number of runs of a reading that repeats them.
    pub starts: Option<u64>,
    /// Rows by kind, as "figure": those that agree, and those that could be compared.
    pub kinds: Vec<(&'static str, [usize; 2])>,
    /// Figures that agree with a reference implementation's, of how many.
    pub reference: [usize; 2],
    /// Rows of other verdicts, in the order in which they are shown.
    pub others: Vec<(Verdict, usize)>,
}

/// Rows that differ for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Readings in which the rows differ; none where rows have no reading.
    pub readings: Vec<String>,
    /// Labels of the rows.
    pub rows: Vec<String>,
    /// True if repeated runs leave all of the rows open.
    pub open: bool,
    /// The reason.
    pub why: String,
}

/// A row that differs, or is left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// The claim, and its part if it has parts.
    pub label: String,
    /// The claim alone.
    pub id: String,
    /// The reading; none where rows have no reading.
    pub reading: Option<String>,
    /// The statement with the published figure and the figure here.
    pub says: String,
    /// The verdict: differs or left open.
    pub verdict: Verdict,
}

/// A text with its placeholders filled; none if this evidence has nothing for one of them.
pub(crate) type Fill<'a> = &'a dyn Fn(&str) -> Result<Option<String>, StudyError>;

/// A reason as the study has it.
struct Reason {
    readings: Vec<String>,
    rows: Vec<String>,
    why: String,
}

/// The screen of a study's readings.
///
/// # Errors
///
/// A text without its sections, or a reason of another form.
pub fn screen(study: &Study, report: &Report) -> Result<Screen, StudyError> {
    let (mut readings, mut sweeps) = (Vec::new(), Vec::new());
    for (name, sweep) in report.counts.iter().map(|count| (&count.reading, &count.sweep)) {
        let of = if sweep.is_some() { &mut sweeps } else { &mut readings };
        if of.iter().all(|known: &Standing| known.name != *name) {
            of.push(Standing::of(name, report));
        }
    }
    // Readings that stand side by side or vary something are there to differ.
    let apart = |reading: &String| {
        report.beside.contains(reading) || sweeps.iter().any(|sweep| sweep.name == *reading)
    };
    let differ = report.rows.iter().filter(|row| differs(row) && !apart(&row.reading));
    let plan = study.plan()?;
    let judged = |name: &str| {
        plan.readings.iter().find(|own| own.name == name).map(|own| own.judged).unwrap_or_default()
    };
    let differ = differ.map(|row| Differing::of(row, judged(&row.reading))).collect();
    let screen = written(study, &|text| Ok(filled_text(text, report)), differ)?;
    Ok(Screen { unclaimed: unclaimed(report), standings: readings, sweeps, ..screen })
}

/// The screen of rows that differ, by the text of the study; without standings.
///
/// # Errors
///
/// A text without its sections, a reason of another form, or a placeholder that `fill` refuses.
pub(crate) fn written(
    study: &Study,
    fill: Fill<'_>,
    rows: Vec<Differing>,
) -> Result<Screen, StudyError> {
    let fault = |why: &str| StudyError::Data(format!("screen of {}: {why}", study.name));
    let mut sections = sections(study.needed("screen.md")?);
    let mut section = || sections.next().flatten();
    let missing = || fault("a section is missing");
    let (question, answer) = section().ok_or_else(missing)?;
    let (_, reasons) = section().ok_or_else(missing)?;
    let exact = section().map_or("", |(_, text)| text);
    let mut pieces = Vec::new();
    for (listed, text) in blocks(answer) {
        let text = fill(&text)?;
        pieces.extend(text.map(if listed { Text::Finding } else { Text::Paragraph }));
    }
    let mut known = Vec::new();
    for (_, text) in blocks(reasons) {
        let reason = Reason::parse(&text).ok_or_else(|| fault(&text))?;
        known.extend(fill(&reason.why)?.map(|why| Reason { why, ..reason }));
    }
    let (differences, unexplained) = explained(&known, rows);
    Ok(Screen {
        question: question.to_owned(),
        answer: pieces,
        counted: "rows that agree",
        standings: Vec::new(),
        by_sentence: Vec::new(),
        sweeps: Vec::new(),
        unclaimed: Vec::new(),
        differences,
        unexplained,
        open: 0,
        again: ["starts", "--seeds N"],
        exact: blocks(exact).into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" "),
    })
}

impl Reason {
    fn parse(text: &str) -> Option<Reason> {
        let (of, why) = text.strip_prefix('[')?.split_once(']')?;
        let (readings, rows) = of.rsplit_once(':').unwrap_or(("*", of));
        let readings = readings.split('|').map(|reading| reading.trim().to_owned()).collect();
        let rows: Vec<String> = rows.split_whitespace().map(str::to_owned).collect();
        let why = why.trim().to_owned();
        (!rows.is_empty() && !why.is_empty()).then_some(Reason { readings, rows, why })
    }

    fn is_of(&self, row: &Differing) -> bool {
        let reading = row.reading.as_deref().unwrap_or_default();
        self.rows.contains(&row.label) && self.readings.iter().any(|form| like(form, reading))
    }
}

/// True if a name fits a form, in which one `*` at the beginning or end stands for any text.
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

/// Rows with the first reason that names each, and rows without a reason.
fn explained(reasons: &[Reason], all: Vec<Differing>) -> (Vec<Difference>, Vec<Differing>) {
    let mut rows: Vec<Vec<Differing>> = reasons.iter().map(|_| Vec::new()).collect();
    let mut unexplained = Vec::new();
    for row in all {
        match reasons.iter().position(|reason| reason.is_of(&row)) {
            Some(at) => rows[at].push(row),
            None => unexplained.push(row),
        }
    }
    let found = reasons.iter().zip(rows).filter(|(_, rows)| !rows.is_empty());
    (found.map(|(reason, rows)| Difference::of(reason, rows)).collect(), unexplained)
}

impl Difference {
    fn of(reason: &Reason, rows: Vec<Differing>) -> Difference {
        let open = rows.iter().all(|row| row.verdict == Verdict::NotResolved);
        let (mut readings, mut labels) = (Vec::new(), Vec::new());
        for Differing { reading, label, .. } in rows {
            readings.extend(reading.filter(|reading| !readings.contains(reading)));
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        Difference { readings, rows: labels, open, why: reason.why.clone() }
    }
}

impl Differing {
    /// A row beside the figure that decides its verdict, which has this form.
    fn of(row: &Row, judged: Form) -> Differing {
        let here = match judged {
            Form::Published => row.measured,
            Form::True => row.true_value,
        };
        let here = here.map_or("nothing".to_owned(), |value| format!("{value:.4}"));
        let Row { metric, condition, published, unit, .. } = row;
        Differing {
            label: label(row),
            id: row.id.clone(),
            reading: Some(row.reading.clone()),
            says: format!("{metric}, {condition}: published {published}, here {here} {unit}"),
            verdict: row.verdict,
        }
    }
}

impl Standing {
    fn of(reading: &str, report: &Report) -> Standing {
        let rows: Vec<&Row> = report.rows.iter().filter(|row| row.reading == reading).collect();
        let is_figure = |row: &Row| row.published.parse::<f64>().is_ok();
        let kind = |word, figure: bool| {
            let own = rows.iter().filter(|row| is_figure(row) == figure);
            (word, Verdict::held(own.map(|row| row.verdict)))
        };
        let shown =
            [Verdict::NotResolved, Verdict::Recovered, Verdict::NotComparable, Verdict::NotMade];
        let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
        Standing {
            name: reading.to_owned(),
            starts: rows.iter().filter_map(|row| Some(row.holds_in?.runs)).max(),
            kinds: vec![kind("figure", true), kind("finding", false)],
            reference: Agreement::of(&rows).reference,
            others: shown.map(|verdict| (verdict, count(verdict))).into(),
        }
    }

    /// The number of rows of another verdict.
    pub fn other(&self, verdict: Verdict) -> usize {
        self.others.iter().find(|(known, _)| *known == verdict).map_or(0, |(_, count)| *count)
    }
}

/// Readings with downloads and without a claim, in their order.
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
