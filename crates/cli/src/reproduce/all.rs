//! All rows of a study, reading by reading in the study's own order; nothing is cut.

use airpath_study::{
    Agreement, Beside, Count, Group, RampRow, Report, Row, Verdict, beside, groups,
};

use crate::wrap::{WIDTH, wrap};

/// Explanation of verdicts on repeated runs.
const REPEATED: &str = concat!(
    "  agrees, differs: the finding holds in most, or in fewer than half, of all starts (95%\n",
    "  interval of \"holds in\"); of a direction, that says nothing of its size\n",
);

/// Claims by reading, then what else there is: counts of readings that vary something,
/// downloads, real-time flows of many UEs; within 100 columns. `exact` says what "true" is.
pub fn tables(report: &Report, exact: &str) -> String {
    let mut text = String::new();
    // Counts are in the order of the readings, rows in that of the claims.
    let mut readings: Vec<&str> = Vec::new();
    for count in report.counts.iter().filter(|count| count.sweep.is_none()) {
        if !report.beside.contains(&count.reading) && !readings.contains(&count.reading.as_str()) {
            readings.push(&count.reading);
        }
    }
    if report.rows.iter().any(|row| row.true_value.is_some()) {
        text += &wrap(&format!("\"true\" below: {exact}"), "", "", WIDTH);
        text += "\n";
    }
    for reading in readings {
        text += &format!("Reading: {reading}\n{}", titles());
        let of = report.rows.iter().filter(|row| row.reading == reading);
        text.extend(of.clone().map(line));
        if of.clone().any(|row| row.holds_in.is_some()) {
            text += REPEATED;
        }
        text += &agreement(&of.collect::<Vec<_>>());
        text += "\n";
    }
    text += &beside(report).map(|beside| beside_table(&beside)).unwrap_or_default();
    text += &sweeps(&report.counts);
    text += &downloads(report);
    text + &users(&groups(&report.per_ue))
}

/// In how many rows ours agrees with whom, if there is a reference implementation.
fn agreement(rows: &[&Row]) -> String {
    let Agreement { published: [own, all], reference: [reference, _] } = Agreement::of(rows);
    if all == 0 {
        return String::new();
    }
    format!(
        "of {all} rows {own} agree with what was published, {reference} with the reference \
         implementation\n"
    )
}

/// Columns of readings, eight readings at most.
const COLUMN: usize = 7;

/// Table of the dependence on settings, with a column for each reading.
fn beside_table(beside: &Beside<'_>) -> String {
    let letters = || ('A'..='H').zip(&beside.readings);
    let mut text = "How it depends on settings\n".to_owned();
    text.extend(letters().map(|(letter, reading)| format!("  {letter}: {reading}\n")));
    let titles: String = letters().map(|(letter, _)| format!("{letter:>COLUMN$}")).collect();
    text += &format!("{:24}{titles}\n", "claim");
    for (row, values) in &beside.claims {
        let cells = values.iter().take(letters().count());
        let cells: String = cells
            .map(|value| format!("{:>COLUMN$}", value.map_or("-".to_owned(), short)))
            .collect();
        text += &format!("{:24}{cells}\n", row.id);
        text += &wrap(&what(row), "  ", "  ", WIDTH);
    }
    for (name, of) in [("published", 0), ("reference", 1)] {
        let cells: String = (beside.agreement.iter().take(letters().count()))
            .map(|agreement| [agreement.published, agreement.reference][of])
            .map(|[agree, all]| format!("{:>COLUMN$}", format!("{agree}/{all}")))
            .collect();
        text += &format!("{:24}{cells}\n", format!("agree with {name}"));
    }
    text + "\n"
}

/// Counts of figures and findings that agree while one setting is varied; empty if none is.
fn sweeps(counts: &[Count]) -> String {
    let varied: Vec<&Count> = counts.iter().filter(|count| count.sweep.is_some()).collect();
    let mut text = String::new();
    for of in varied.chunk_by(|a, b| a.reading == b.reading) {
        if text.is_empty() {
            text += "How many rows agree, with one thing varied\n";
        }
        let cells = of.iter().map(|count| {
            format!("{:>14}", format!("{}/{} {}", count.agree, count.of, short_kind(&count.kind)))
        });
        let (what, name) = (of[0].sweep.as_deref().unwrap_or_default(), &of[0].reading);
        text += &format!("  {what:18}{name:36}{}\n", cells.collect::<String>());
    }
    if text.is_empty() { text } else { text + "\n" }
}

fn short_kind(kind: &str) -> &str {
    match kind {
        "simulated" => "figures",
        "statement" => "findings",
        other => other,
    }
}

/// Ramp-ups of downloads in readings of which no claim is; nothing if there are none.
fn downloads(report: &Report) -> String {
    let judged = |row: &&RampRow| report.counts.iter().any(|count| count.reading == row.reading);
    let rows: Vec<&RampRow> = report.ramps.iter().filter(|row| !judged(row)).collect();
    let mut text = String::new();
    for of in rows.chunk_by(|a, b| a.reading == b.reading) {
        text += &format!(
            "Downloads: {}\n  {:22}{:>11}{:>8}{:>9}{:>10}{:>9}\n",
            of[0].reading, "download", "ramp-up/ms", "KB", "UPT/ms", "KB", "Mbit/s"
        );
        text.extend(of.iter().map(|row| download_line(row)));
        text += "\n";
    }
    text
}

fn download_line(row: &RampRow) -> String {
    let whole = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let seen = row.figures.seen;
    format!(
        "  {:22}{:>11}{:>8}{:>9}{:>10}{:>9.2}\n",
        row.run,
        whole(seen.ramp_ms),
        whole(seen.ramp_kb),
        whole(seen.upt_ms),
        whole(seen.upt_kb),
        row.figures.saturation_mbps
    )
}

/// UEs marked and not: least, median and most of their mean delays and jitters; nothing
/// without UEs.
fn users(groups: &[Group]) -> String {
    if groups.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "UEs with real-time flows: least, median and most of their mean delays and jitters\n\
         {:25}{:>22}  {:>20}{:>9}\n",
        "", "delay/ms", "jitter/ms", "lost/%"
    );
    for of in groups.chunk_by(|a, b| a.reading == b.reading) {
        text.extend(of.first().map(|group| format!("{}\n", group.reading)));
        text.extend(of.iter().map(user_line));
    }
    text + "\n"
}

fn user_line(group: &Group) -> String {
    let marked = if group.marked { "marked" } else { "not marked" };
    let who = format!("{}/{} {marked}", group.ues, group.of);
    let spread = |values: Option<[f64; 3]>, width: usize| match values {
        None => "-".to_owned(),
        Some(values) => values.map(|value| format!("{:>width$}", short(value))).join(""),
    };
    let lost = number(group.lost_percent);
    let (delay, jitter) = (spread(group.delay_ms, 8), spread(group.jitter_ms, 7));
    format!("  {:7}{who:17}{delay:>24}{jitter:>21}{lost:>8}\n", kind(&group.run))
}

/// Kind of stream in a run's name: the part between the first and the last hyphen.
fn kind(run: &str) -> &str {
    let tail = run.split_once('-').map_or(run, |(_, tail)| tail);
    tail.rsplit_once('-').map_or(tail, |(kind, _)| kind)
}

fn short(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn titles() -> String {
    format!(
        "{:20}{:>10}{:>10}{:>10}  {:9}{}\n",
        "claim", "published", "here", "true", "holds in", "verdict"
    )
}

fn line(row: &Row) -> String {
    let share = row.holds_in.map(|share| format!("{}/{}", share.holds, share.runs));
    let published = match row.published.parse::<f64>() {
        Ok(value) => number(Some(value)),
        Err(_) => "words".to_owned(),
    };
    let verdict = match row.verdict {
        Verdict::NotComparable => "-",
        verdict => verdict.figure_word(),
    };
    let head = format!(
        "{:20}{published:>10}{:>10}{:>10}  {:9}{verdict}",
        row.id,
        number(row.measured),
        number(row.true_value),
        share.unwrap_or_default(),
    );
    let reference = row.reference.zip(row.reference_verdict).map(|(value, verdict)| {
        format!("  {:18}{:>10}{:>33}\n", "reference code", short(value), verdict.figure_word())
    });
    let reference = reference.unwrap_or_default();
    format!("{}\n{reference}{}", head.trim_end(), wrap(&what(row), "  ", "  ", WIDTH))
}

/// Full description of a row: metric, part, unit, condition, and a published text if it is no
/// number.
fn what(row: &Row) -> String {
    let part = row.part.as_ref().map(|part| format!(", {part}")).unwrap_or_default();
    let words = match row.published.parse::<f64>() {
        Ok(_) => String::new(),
        Err(_) => format!("; published: {}", row.published),
    };
    let condition = match row.condition.is_empty() {
        true => String::new(),
        false => format!(": {}", row.condition),
    };
    format!("{}{part} ({}){condition}{words}", row.metric, row.unit)
}

/// A number with about four digits; a dash if there is none.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() < 100.0 => format!("{value:.3}"),
        Some(value) => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_the_screen_and_nothing_is_cut() {
        let row = Row {
            id: "RD-042".into(),
            part: Some("a part".into()),
            reading: "as published".into(),
            condition: "a long condition ".repeat(9),
            metric: "a metric with a very long name".into(),
            published: "an order of magnitude".into(),
            measured: Some(-12_345.678),
            true_value: Some(99.999_9),
            low: None,
            high: None,
            unit: "Mbit/s".into(),
            tolerance: None,
            verdict: Verdict::NotResolved,
            holds_in: None,
            reason: None,
            reference: None,
            reference_verdict: None,
        };
        let group = Group {
            reading: "as published".into(),
            run: "many-video-5".into(),
            marked: false,
            ues: 20,
            of: 20,
            delay_ms: Some([99.999; 3]),
            jitter_ms: Some([99.999; 3]),
            lost_percent: Some(99.999),
        };
        let text = line(&row) + &titles() + REPEATED + &users(&[group]);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(row.condition.trim()), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
