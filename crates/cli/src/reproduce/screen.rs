//! A study on one screen.

use airpath_study::{Difference, Row, Screen, Standing, Study, Text, Verdict};

use crate::args::ReproduceArgs;
use crate::table::plural;
use crate::wrap::{WIDTH, wrap};

/// Rows without a reason that are listed one by one.
pub const MOST_UNEXPLAINED: usize = 4;
/// Names of rows that stand in a line.
const MOST_ROWS: usize = 3;
/// Columns of a reading's name.
pub const READING: usize = 42;

/// What was found, whether it holds here, what differs.
pub fn screen(screen: &Screen) -> String {
    let mut text = format!("{}\n", screen.question);
    text.extend(screen.answer.iter().map(|part| match part {
        Text::Paragraph(text) => wrap(text, "", "", WIDTH),
        Text::Finding(text) => wrap(text, "  - ", "    ", WIDTH),
    }));
    text += &format!("\n{:1$}rows that agree\n", "Does it hold here?", READING + 2);
    text += &standings(&screen.readings);
    text += &sweeps(&screen.sweeps);
    if !screen.unclaimed.is_empty() {
        let readings = plural(screen.unclaimed.len(), "more reading");
        text += &format!("  {readings} beyond the claims: --all has the figures\n");
    }
    if screen.readings.iter().any(|standing| standing.recovered > 0) {
        text += "  recovered: put in as published and found again, which is no evidence for it\n";
    }
    text + &differences(screen) + "\n"
}

/// Where the rest is.
pub fn rest(study: &Study, args: &ReproduceArgs) -> String {
    let name = &study.name;
    let ways = [
        (args.all, format!("every row: airpath reproduce {name} --all")),
        (args.out.is_some(), "tables: --out DIR".to_owned()),
        (args.page.is_some(), "page and pictures: --page DIR".to_owned()),
    ];
    let ways = ways.into_iter().filter(|(given, _)| !given).map(|(_, way)| way);
    let more = ways.chain([format!("the whole story: docs/studies/{name}.md")]);
    wrap(&format!("More: {}", more.collect::<Vec<_>>().join("; ")), "", "  ", WIDTH)
}

/// A line for each reading; those that fare alike share one.
fn standings(standings: &[Standing]) -> String {
    let mut lines: Vec<(&Standing, usize)> = Vec::new();
    let alike = |a: &Standing, b: &Standing| fares(a) == fares(b) && a.starts == b.starts;
    for standing in standings {
        match lines.iter_mut().find(|(first, _)| alike(first, standing)) {
            Some((_, others)) => *others += 1,
            None => lines.push((standing, 0)),
        }
    }
    lines.into_iter().map(|(first, others)| line(first, others)).collect()
}

/// A reading with `others` that fare alike.
fn line(standing: &Standing, others: usize) -> String {
    let mut name = standing.reading.clone();
    name += &standing.starts.map(|n| format!(", {}", plural(n, "start"))).unwrap_or_default();
    if others > 0 {
        name += &format!(", and {others} alike");
    }
    wrap_named(&name, &fares(standing), &" ".repeat(READING + 2))
}

/// How many rows of a reading agree, and what is with the others.
fn fares(standing: &Standing) -> String {
    let mut parts: Vec<String> = Vec::new();
    let kinds = [(standing.figures, "figure"), (standing.findings, "finding")];
    let counted = kinds.iter().filter(|([_, of], _)| *of > 0);
    let counted: Vec<String> =
        counted.map(|([agree, of], kind)| format!("{agree} of {}", plural(of, kind))).collect();
    if !counted.is_empty() {
        parts.push(counted.join(", "));
    }
    let [agree, of] = standing.reference;
    if of > 0 {
        parts.push(format!("reference code {agree} of {of}"));
    }
    let more = [
        (standing.not_resolved, "left open"),
        (standing.recovered, "recovered"),
        (standing.not_comparable, "not comparable"),
        (standing.not_made, "not made"),
    ];
    let more = more.iter().filter(|(n, _)| *n > 0);
    parts.extend(more.map(|(n, what)| format!("{n} {what}")));
    parts.join("; ")
}

/// A name in its column, on a line of its own if it is longer, and a text beside it.
pub fn wrap_named(name: &str, text: &str, hang: &str) -> String {
    match name.chars().count() < READING {
        true => wrap(text, &format!("  {name:READING$}"), hang, WIDTH),
        false => format!("  {name}\n{}", wrap(text, hang, hang, WIDTH)),
    }
}

/// Readings in which one thing is varied, in a line.
fn sweeps(sweeps: &[Standing]) -> String {
    let agree = |standing: &Standing| standing.figures[0] + standing.findings[0];
    let of = sweeps.iter().map(|standing| standing.figures[1] + standing.findings[1]).max();
    let (Some(least), Some(most), Some(of)) =
        (sweeps.iter().map(agree).min(), sweeps.iter().map(agree).max(), of)
    else {
        return String::new();
    };
    let name = format!("{} with one thing varied", plural(sweeps.len(), "reading"));
    format!("  {name:READING$}{least} to {most} of {of} rows\n")
}

fn differences(screen: &Screen) -> String {
    if screen.differences.is_empty() && screen.unexplained.is_empty() {
        return String::new();
    }
    let mut text = "\nWhat differs, and why\n".to_owned();
    text.extend(screen.differences.iter().map(difference));
    let open = |row: &&Row| row.verdict == Verdict::NotResolved;
    let (open, differ): (Vec<&Row>, Vec<&Row>) = screen.unexplained.iter().partition(open);
    text.extend(differ.iter().take(MOST_UNEXPLAINED).map(|row| unexplained(row)));
    if let Some(more @ 1..) = differ.len().checked_sub(MOST_UNEXPLAINED) {
        text += &format!("  - {} without a known reason: --all\n", plural(more, "more row"));
    }
    if !open.is_empty() {
        let rows = plural(open.len(), "row");
        text += &format!("  - {rows} left open: so few starts do not tell; more by --seeds N\n");
    }
    text
}

fn difference(difference: &Difference) -> String {
    let rows = few(&difference.rows);
    let readings = match &difference.readings[..] {
        [first] => first.clone(),
        [first, rest @ ..] => format!("{first}, and {}", plural(rest.len(), "more reading")),
        [] => String::new(),
    };
    let open = if difference.open { ", left open" } else { "" };
    wrap(&format!("{rows} ({readings}{open}): {}", difference.why), "  - ", "    ", WIDTH)
}

/// Names of rows in a line: all, or the first of them and how many more.
pub fn few(rows: &[String]) -> String {
    match rows.len() {
        0..=MOST_ROWS => rows.join(", "),
        n => {
            let first = rows[..MOST_ROWS - 1].join(", ");
            format!("{first} and {} more", n - (MOST_ROWS - 1))
        }
    }
}

fn unexplained(row: &Row) -> String {
    let part = row.part.as_ref().map(|part| format!("/{part}")).unwrap_or_default();
    let here = row.measured.map_or("nothing".to_owned(), |value| format!("{value:.4}"));
    let text = format!(
        "{}{part} ({}): {}, {}: published {}, here {here} {}; no reason is known",
        row.id, row.reading, row.metric, row.condition, row.published, row.unit
    );
    wrap(&text, "  - ", "    ", WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_a_line() {
        let reading = Standing {
            reading: "as published".into(),
            figures: [43, 43],
            findings: [1, 1],
            not_comparable: 2,
            ..Standing::default()
        };
        let line = standings(std::slice::from_ref(&reading));
        let words: Vec<&str> = line.split_whitespace().collect();
        let said = "as published 43 of 43 figures, 1 of 1 finding; 2 not comparable";
        assert_eq!(words.join(" "), said);
        assert_eq!(line.lines().count(), 1);
        let alike = Standing { reading: "as meant".into(), ..reading.clone() };
        let line = standings(&[reading.clone(), alike]);
        assert!(line.contains("as published, and 1 alike ") && !line.contains("meant"), "{line}");
        let long = Standing { reading: "a name ".repeat(9), starts: Some(100), ..reading };
        let line = standings(&[long]);
        assert!(line.contains("a name , 100 starts\n"), "{line}");
        assert!(line.lines().all(|line| line.chars().count() <= WIDTH), "{line}");
    }

    #[test]
    fn many_rows_of_one_reason_are_counted() {
        let rows = (1..=9).map(|n| format!("X-{n}")).collect();
        let readings = vec!["a".into(), "b".into()];
        let text = difference(&Difference { readings, rows, open: true, why: "Because.".into() });
        assert_eq!(text, "  - X-1, X-2 and 7 more (a, and 1 more reading, left open): Because.\n");
    }
}
