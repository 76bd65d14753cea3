//! A study on one screen.

use airpath_plot::plural;
use airpath_study::{Difference, Differing, Screen, Standing, Study, Text, Verdict};

use crate::args::ReproduceArgs;
use crate::wrap::{WIDTH, wrap};

/// Rows without a reason that are listed one by one.
const MOST_UNEXPLAINED: usize = 4;
/// Names of rows that stand in a line.
const MOST_ROWS: usize = 3;
/// Columns of a reading's name.
const READING: usize = 42;

/// The answer, whether it holds here, what differs and why.
pub fn screen(screen: &Screen) -> String {
    let mut text = format!("{}\n", screen.question);
    text.extend(screen.answer.iter().map(|part| match part {
        Text::Paragraph(text) => wrap(text, "", "", WIDTH),
        Text::Finding(text) => wrap(text, "  - ", "    ", WIDTH),
    }));
    text += &format!("\n{:1$}{2}\n", "Does it hold here?", READING + 2, screen.counted);
    text += &standings(&screen.standings);
    text.extend(screen.by_sentence.iter().map(|all| line(all, 0)));
    text += &sweeps(&screen.sweeps);
    if !screen.unclaimed.is_empty() {
        let readings = plural(screen.unclaimed.len(), "more reading");
        text += &format!("  {readings} beyond the claims: --all has the figures\n");
    }
    if screen.standings.iter().any(|standing| standing.other(Verdict::Recovered) > 0) {
        text += "  recovered: put in as published and found again, which is no evidence for it\n";
    }
    text + &differences(screen) + "\n"
}

/// Commands that give more, and the study's page.
pub fn rest(study: &Study, args: &ReproduceArgs) -> String {
    let name = args.study.as_ref().unwrap_or(&study.name);
    let ways = [
        (args.all, format!("every row: airpath reproduce {name} --all")),
        (args.out.is_some(), "tables: --out DIR".to_owned()),
        (args.page.is_some(), "page and pictures: --page DIR".to_owned()),
    ];
    let ways = ways.into_iter().filter(|(given, _)| !given).map(|(_, way)| way);
    let story = study.folder.is_none().then(|| format!("the whole story: docs/studies/{name}.md"));
    let more = ways.chain(story);
    wrap(&format!("More: {}", more.collect::<Vec<_>>().join("; ")), "", "  ", WIDTH)
}

/// A line for each reading; those that fare alike share one.
fn standings(standings: &[Standing]) -> String {
    let mut lines: Vec<(&Standing, usize)> = Vec::new();
    // Only readings share a line: a part is no variant of another.
    let is_reading = |standing: &Standing| standing.kinds.len() > 1;
    let alike =
        |a: &Standing, b: &Standing| is_reading(a) && fares(a) == fares(b) && a.starts == b.starts;
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
    let mut name = standing.name.clone();
    name += &standing.starts.map(|n| format!(", {}", plural(n, "start"))).unwrap_or_default();
    if others > 0 {
        name += &format!(", and {others} alike");
    }
    wrap_named(&name, &fares(standing), &" ".repeat(READING + 2))
}

/// The number of rows that agree, and of the others by verdict.
fn fares(standing: &Standing) -> String {
    let mut parts: Vec<String> = Vec::new();
    let counted = standing.kinds.iter().filter(|(_, [_, of])| *of > 0);
    let counted: Vec<String> =
        counted.map(|(kind, [agree, of])| format!("{agree} of {}", plural(*of, kind))).collect();
    if !counted.is_empty() {
        parts.push(counted.join(", "));
    }
    let [agree, of] = standing.reference;
    if of > 0 {
        parts.push(format!("reference code {agree} of {of}"));
    }
    let others = standing.others.iter().filter(|(_, n)| *n > 0);
    parts.extend(others.map(|(verdict, n)| format!("{n} {}", word(*verdict))));
    parts.join("; ")
}

/// The word for rows of a verdict.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fails => "differ",
        Verdict::NotResolved => "left open",
        other => other.word(),
    }
}

/// A name in its column, on a line of its own if it is longer, and a text beside it.
fn wrap_named(name: &str, text: &str, hang: &str) -> String {
    match name.chars().count() < READING {
        true => wrap(text, &format!("  {name:READING$}"), hang, WIDTH),
        false => format!("  {name}\n{}", wrap(text, hang, hang, WIDTH)),
    }
}

/// Readings in which one thing is varied, in a line.
fn sweeps(sweeps: &[Standing]) -> String {
    let sum = |standing: &Standing, n: usize| -> usize {
        standing.kinds.iter().map(|(_, counts)| counts[n]).sum()
    };
    let agree = || sweeps.iter().map(|standing| sum(standing, 0));
    let of = sweeps.iter().map(|standing| sum(standing, 1)).max();
    let (Some(least), Some(most), Some(of)) = (agree().min(), agree().max(), of) else {
        return String::new();
    };
    let name = format!("{} with one thing varied", plural(sweeps.len(), "reading"));
    format!("  {name:READING$}{least} to {most} of {of} rows\n")
}

fn differences(screen: &Screen) -> String {
    let resolved = |row: &&Differing| row.verdict != Verdict::NotResolved;
    let (differ, open): (Vec<_>, Vec<_>) = screen.unexplained.iter().partition(resolved);
    let open = open.len() + screen.open;
    if screen.differences.is_empty() && differ.is_empty() && open == 0 {
        return String::new();
    }
    let mut text = "\nWhat differs, and why\n".to_owned();
    text.extend(screen.differences.iter().map(difference));
    text.extend(differ.iter().take(MOST_UNEXPLAINED).map(|row| unexplained(row)));
    if let Some(more @ 1..) = differ.len().checked_sub(MOST_UNEXPLAINED) {
        text += &format!("  - {} without a known reason: --all\n", plural(more, "more row"));
    }
    if open > 0 {
        let (rows, [runs, more]) = (plural(open, "row"), screen.again);
        text += &format!("  - {rows} left open: so few {runs} do not tell; more by {more}\n");
    }
    text
}

fn difference(difference: &Difference) -> String {
    let rows = few(&difference.rows);
    let readings = match &difference.readings[..] {
        [] => return wrap(&format!("{rows}: {}", difference.why), "  - ", "    ", WIDTH),
        [first] => first.clone(),
        [first, rest @ ..] => format!("{first}, and {}", plural(rest.len(), "more reading")),
    };
    let open = if difference.open { ", left open" } else { "" };
    wrap(&format!("{rows} ({readings}{open}): {}", difference.why), "  - ", "    ", WIDTH)
}

/// Names of rows in a line: all, or the first of them and how many more.
fn few(rows: &[String]) -> String {
    match rows.len() {
        0..=MOST_ROWS => rows.join(", "),
        n => {
            let first = rows[..MOST_ROWS - 1].join(", ");
            format!("{first} and {} more", n - (MOST_ROWS - 1))
        }
    }
}

fn unexplained(row: &Differing) -> String {
    let Differing { label, says, .. } = row;
    let reading = row.reading.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    wrap(&format!("{label}{reading}: {says}; no reason is known"), "  - ", "    ", WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_a_line() {
        let reading = Standing {
            name: "as published".into(),
            kinds: vec![("figure", [43, 43]), ("finding", [1, 1])],
            others: vec![(Verdict::NotComparable, 2)],
            ..Standing::default()
        };
        let line = standings(std::slice::from_ref(&reading));
        let words: Vec<&str> = line.split_whitespace().collect();
        let said = "as published 43 of 43 figures, 1 of 1 finding; 2 not comparable";
        assert_eq!(words.join(" "), said);
        assert_eq!(line.lines().count(), 1);
        let alike = Standing { name: "as meant".into(), ..reading.clone() };
        let line = standings(&[reading.clone(), alike]);
        assert!(line.contains("as published, and 1 alike ") && !line.contains("meant"), "{line}");
        let long = Standing { name: "a name ".repeat(9), starts: Some(100), ..reading };
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
