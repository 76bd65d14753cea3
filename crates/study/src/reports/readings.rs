//! The report of a study's readings.

use airpath_plot::{
    Axis, Block, Chart, Direction, Grid, Layer, Mark, Page, Panel, Section, Series,
};
use serde_json::{Value, json};

use super::{Scope, answer, differences};
use crate::{Report, Row, Screen, Study, StudyError, Verdict, pictures, screen};

/// Verdicts in the order in which they stand in a legend.
const VERDICTS: [Verdict; 6] = [
    Verdict::Holds,
    Verdict::Fails,
    Verdict::Recovered,
    Verdict::NotResolved,
    Verdict::NotComparable,
    Verdict::NotMade,
];

/// The report of a study's readings.
///
/// # Errors
///
/// A text or a plan of another form.
pub fn readings_report(
    study: &Study,
    report: &Report,
    scope: Scope<'_>,
) -> Result<Page, StudyError> {
    let screen = &screen(study, report)?;
    let rows = report.rows.iter().map(line);
    let rows = Block::Table(Grid::new("claims", "Claims by reading", COLUMNS, rows));
    let sections = vec![
        scope.section(study),
        answer(screen, readings(screen)),
        differences(screen),
        Section::new(
            "published",
            "Published and here",
            against(report).map(Block::from).into_iter().collect(),
        ),
        Section::new("why", "Why", pictures(study, report)?.into_iter().map(Block::from).collect()),
        Section::new("rows", "Row by row", vec![rows]).folded(),
    ];
    let mut names: Vec<String> = Vec::new();
    for row in &report.rows {
        if !names.contains(&row.reading) {
            names.push(row.reading.clone());
        }
    }
    Ok(Page::new(&study.title, sections, names))
}

/// The rows of each reading by verdict.
fn readings(screen: &Screen) -> Block {
    let others =
        [Verdict::Recovered, Verdict::NotResolved, Verdict::NotComparable, Verdict::NotMade];
    let rows = screen.standings.iter().chain(&screen.sweeps).map(|one| {
        let pairs = one.kinds.iter().map(|(_, [agree, of])| json!(format!("{agree} of {of}")));
        let counts = others.map(|verdict| json!(one.other(verdict)));
        [json!(one.name)].into_iter().chain(pairs).chain(counts).collect()
    });
    let columns = [
        "reading",
        "figures that agree",
        "findings that hold",
        "recovered",
        "left open",
        "not comparable",
        "not made",
    ];
    Block::Table(Grid::new("readings", "Does it hold here?", columns, rows))
}

/// Ours by what was published, row by row.
fn against(report: &Report) -> Option<Chart> {
    let ratio = |row: &Row| {
        let published: f64 = row.published.parse().ok().filter(|value| *value != 0.0)?;
        Some(row.measured? / published).filter(|ratio| *ratio > 0.0)
    };
    let mut ids: Vec<&str> = Vec::new();
    for row in report.rows.iter().filter(|row| ratio(row).is_some()) {
        if !ids.contains(&row.id.as_str()) {
            ids.push(&row.id);
        }
    }
    let place = |row: &Row| ids.iter().position(|id| *id == row.id).unwrap_or(0) as f64;
    let mut layers = vec![Layer::plain(Mark::Rule {
        along: Direction::Y,
        at: 1.0,
        text: "as published".into(),
    })];
    for (n, verdict) in VERDICTS.into_iter().enumerate() {
        let own = report.rows.iter().filter(|row| row.verdict == verdict);
        let own: Vec<(&Row, f64)> = own.filter_map(|row| Some((row, ratio(row)?))).collect();
        if own.is_empty() {
            continue;
        }
        let names = own.iter().map(|(row, _)| format!("{}, {}", row.id, row.reading)).collect();
        let mark = Mark::Points {
            x: own.iter().map(|(row, _)| place(row)).collect(),
            y: own.iter().map(|(_, ratio)| *ratio).collect(),
            values: Vec::new(),
            names,
        };
        let series = Series::new(verdict.figure_word(), n);
        layers.push(Layer::new(&series, mark).meaning("point: a claim in a reading"));
    }
    let count = |wanted: Verdict| report.rows.iter().filter(|row| row.verdict == wanted).count();
    let sentence = format!(
        "Of {} rows, {} agree with what was published within their tolerance and {} differ.",
        report.rows.len(),
        count(Verdict::Holds),
        count(Verdict::Fails)
    );
    let panel = Panel {
        x: Axis::category("claim", ids.iter().copied()),
        y: Axis::log("here, by what was published", ""),
        layers,
        ..Panel::default()
    };
    (!ids.is_empty()).then(|| Chart {
        id: "against".into(),
        title: "Figures here, by what was published".into(),
        sentence,
        panels: vec![panel],
        ..Chart::default()
    })
}

const COLUMNS: [&str; 11] = [
    "claim",
    "part",
    "reading",
    "metric",
    "condition",
    "published",
    "here",
    "unit",
    "tolerance",
    "verdict",
    "why",
];

fn line(row: &Row) -> Vec<Value> {
    vec![
        json!(row.id),
        json!(row.part),
        json!(row.reading),
        json!(row.metric),
        json!(row.condition),
        json!(row.published),
        json!(row.measured),
        json!(row.unit),
        json!(row.tolerance),
        json!(row.verdict.figure_word()),
        json!(row.reason),
    ]
}
