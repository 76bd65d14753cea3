//! A published table of single runs beside what runs here have.

use airpath_plot::figure;
use airpath_stats::{CONFIDENCE, prediction_interval};

use super::Findings;
use super::figures::by;
use super::form::{NOT_MADE, of_place, table as form, with_interval};
use crate::network::judge::Test;
use crate::network::{Judged, Kpi, Of};

/// A figure of the table.
struct Cell<'a> {
    judged: &'a Judged,
    kpi: &'a Kpi,
    scheduler: &'a str,
    variant: &'a str,
    load: u32,
    published: f64,
}

/// Table of the rows that stand at `place` of the publication; none if no such row is of single
/// runs.
pub(super) fn table(findings: &Findings<'_>, place: &str) -> Option<String> {
    let rows = findings.judged.iter().filter(|judged| judged.row.place == place);
    let cells: Vec<Cell<'_>> = rows.filter_map(|judged| cell(findings, judged)).collect();
    let first = cells.first()?;
    let by_first = format!("by {}", short(first.variant));
    let head = [
        "",
        "scheduler",
        "published",
        "95% of single runs here",
        "judged",
        "with files in bits",
        &format!("published, {by_first}"),
        &format!("here, {by_first}"),
    ];
    Some(form(&head, cells.iter().map(|cell| row(findings, &cells, cell))))
}

fn cell<'a>(findings: &'a Findings<'_>, judged: &'a Judged) -> Option<Cell<'a>> {
    let Some(Test::Predict { kpi, arm, load, published }) = judged.row.tests.first() else {
        return None;
    };
    let (scheduler, variant) = arm.split_once('/')?;
    let (kpi, load, published) = (findings.data.kpi(kpi)?, *load, *published);
    Some(Cell { judged, kpi, scheduler, variant, load, published })
}

/// A figure as published, where single runs here lie, and both by the scheduler's first variant.
fn row(findings: &Findings<'_>, cells: &[Cell<'_>], cell: &Cell<'_>) -> Vec<String> {
    let same = |other: &&Cell<'_>| other.scheduler == cell.scheduler;
    let first = cells.iter().find(same).unwrap_or(cell);
    let arms = [cell, first].map(|cell| format!("{}/{}", cell.scheduler, cell.variant));
    let ratio = by(findings, (cell.kpi, Of::Mean), [&arms[0], &arms[1]], cell.load);
    let of_runs = cell.judged.deciding().map_or(NOT_MADE.to_owned(), of_place);
    let of_first = std::ptr::eq(cell, first);
    let or_one = |text: String| if of_first { "1".to_owned() } else { text };
    vec![
        short(cell.variant).to_owned(),
        cell.scheduler.to_owned(),
        figure(cell.published),
        of_runs,
        cell.judged.outcome.word().to_owned(),
        in_bits(findings, cell).unwrap_or(NOT_MADE.to_owned()),
        or_one(figure(cell.published / first.published)),
        or_one(ratio.map_or(NOT_MADE.to_owned(), |(ratio, _)| with_interval(ratio, ""))),
    ]
}

/// Interval of 95% of single runs whose background files have their sizes in bits, and the verdict
/// by it. The source writes these sizes in bits.
fn in_bits(findings: &Findings<'_>, cell: &Cell<'_>) -> Option<String> {
    let variant = format!("files in bits, {}", short(cell.variant));
    let runs = findings.data.arm(&format!("{}/{variant}", cell.scheduler), cell.load)?;
    let of = |run| cell.kpi.of_run(run).map(|value| cell.kpi.shown(value));
    let found = prediction_interval(&runs.iter().filter_map(of).collect::<Vec<_>>(), CONFIDENCE)?;
    let holds = if found.contains(cell.published) { "holds" } else { "fails" };
    Some(format!("{}: {holds}", with_interval(found, "")))
}

/// Last part of a variant's name, in which the table's rows differ.
fn short(variant: &str) -> &str {
    variant.rsplit(", ").next().unwrap_or(variant)
}
