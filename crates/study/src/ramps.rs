//! Tables of ramp-ups for a study's page.

use std::fmt::Write as _;

use crate::page::{label, number, short};
use crate::{RampRow, Report, Row, Verdict};

/// A line for each download of a reading.
pub(crate) fn ramps_table(rows: &[&RampRow]) -> String {
    let mut text = "| run | settles at, Mbit/s | ramp-up, ms | KB | UPT, ms | KB | round trip, ms | air, % |\n\
                    |---|---|---|---|---|---|---|---|"
        .to_owned();
    for row in rows {
        let (figures, seen) = (&row.figures, row.figures.seen);
        let air = figures.air_share.map(|share| share * 100.0);
        let cells =
            [seen.ramp_ms, seen.ramp_kb, seen.upt_ms, seen.upt_kb, figures.round_trip_ms, air];
        let cells = cells.map(|cell| cell.map_or("-".to_owned(), short)).join(" | ");
        let _ = write!(text, "\n| {} | {} | {cells} |", row.run, short(figures.saturation_mbps));
    }
    text
}

/// A line for each reading that varies `what`: how many figures agree, and the ramp-up
/// and user-perceived throughput times of its runs. None if nothing varies it.
pub(crate) fn sweep_table(report: &Report, what: &str) -> Option<String> {
    let mut counts = report
        .counts
        .iter()
        .filter(|count| count.sweep.as_deref() == Some(what) && count.kind == "simulated")
        .peekable();
    let runs = |reading: &str| -> Vec<&RampRow> {
        let own = |row: &&RampRow| row.reading == reading && row.seed == 1;
        report.ramps.iter().filter(own).collect()
    };
    let first = runs(&counts.peek()?.reading);
    let names: Vec<&str> = first.iter().map(|row| row.run.as_str()).collect();
    let (titles, lines) = (names.join(" | "), "---|".repeat(names.len() + 2));
    let mut text = format!("| {what} | agree | {titles} |\n|{lines}");
    for count in counts {
        let cell = |row: &&RampRow| {
            let seen = row.figures.seen;
            format!("{}, {}", number(seen.ramp_ms), number(seen.upt_ms))
        };
        let cells: Vec<String> = runs(&count.reading).iter().map(cell).collect();
        let (reading, cells) = (&count.reading, cells.join(" | "));
        let _ = write!(text, "\n| {reading} | {} of {} | {cells} |", count.agree, count.of);
    }
    Some(text)
}

/// A line for each claim that differs in a reading: the readings that vary something and in
/// which it agrees, with what was measured there. None if no claim differs.
pub(crate) fn elsewhere_table(report: &Report, reading: &str) -> Option<String> {
    let differs = |row: &&Row| row.reading == reading && row.verdict == Verdict::Fails;
    let rows: Vec<&Row> = report.rows.iter().filter(differs).collect();
    let varies = |row: &Row| {
        report.counts.iter().any(|count| count.reading == row.reading && count.sweep.is_some())
    };
    let mut text = "| claim | published | here | agrees with |\n|---|---|---|---|".to_owned();
    for row in &rows {
        let same = |other: &&Row| label(other) == label(row) && varies(other);
        let agrees = report.rows.iter().filter(same).filter(|o| o.verdict == Verdict::Holds);
        let cells: Vec<String> =
            agrees.map(|other| format!("{} ({})", other.reading, number(other.measured))).collect();
        let cells = if cells.is_empty() { "none of them".to_owned() } else { cells.join("; ") };
        let (claim, published, here) = (label(row), &row.published, number(row.measured));
        let _ = write!(text, "\n| {claim} | {published} | {here} | {cells} |");
    }
    (!rows.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Count, RampFigures, Risen};

    fn ramp(reading: &str, run: &str, seed: u64, ramp_ms: Option<f64>) -> RampRow {
        let seen = Risen { ramp_ms, upt_ms: Some(1234.5), ..Risen::default() };
        let figures = RampFigures { saturation_mbps: 21.04, seen, ..RampFigures::default() };
        RampRow { reading: reading.into(), run: run.into(), flow: "f".into(), seed, figures }
    }

    fn row(reading: &str, measured: f64, verdict: Verdict) -> Row {
        let (reading, published) = (reading.into(), "100".into());
        Row { reading, published, measured: Some(measured), verdict, ..Row::sample() }
    }

    fn report() -> Report {
        let count = |reading: &str, kind: &str, agree| Count {
            reading: reading.into(),
            sweep: Some("delay".into()),
            kind: kind.into(),
            agree,
            of: 9,
        };
        Report {
            rows: vec![
                row("main", 120.0, Verdict::Fails),
                row("1 ms", 99.5, Verdict::Holds),
                row("2 ms", 130.0, Verdict::Fails),
                row("robust", 101.0, Verdict::Holds),
            ],
            ramps: vec![
                ramp("1 ms", "a", 1, Some(15.0)),
                ramp("1 ms", "a", 2, Some(99.0)),
                ramp("1 ms", "b", 1, None),
                ramp("2 ms", "a", 1, Some(20.0)),
                ramp("2 ms", "b", 1, Some(25.0)),
            ],
            counts: vec![
                count("1 ms", "simulated", 4),
                count("1 ms", "statement", 8),
                count("2 ms", "simulated", 3),
            ],
            ..Report::default()
        }
    }

    #[test]
    fn a_sweep_has_a_line_for_each_reading_and_a_column_for_each_run() {
        let table = sweep_table(&report(), "delay").expect("a table");
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "| delay | agree | a | b |");
        assert_eq!(lines[2], "| 1 ms | 4 of 9 | 15, 1234.5 | -, 1234.5 |");
        assert_eq!(lines[3], "| 2 ms | 3 of 9 | 20, 1234.5 | 25, 1234.5 |");
        assert_eq!(lines.len(), 4);
        assert_eq!(sweep_table(&report(), "window"), None);
    }

    #[test]
    fn what_differs_is_looked_up_where_something_varies() {
        let table = elsewhere_table(&report(), "main").expect("a table");
        assert_eq!(table.lines().last(), Some("| X-1 | 100 | 120 | 1 ms (99.5) |"));
        assert_eq!(elsewhere_table(&report(), "robust"), None);
    }

    #[test]
    fn what_was_not_reached_is_a_dash() {
        let report = report();
        let table = ramps_table(&[&report.ramps[2]]);
        assert_eq!(table.lines().last(), Some("| b | 21 | - | - | 1234 | - | - | - |"));
    }
}
