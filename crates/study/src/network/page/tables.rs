//! Tables of rows, runs and experiments.

use super::Findings;
use super::form::{CERTAIN, deciding, outcome, table};
use crate::network::{Experiment, Judged, Verdict};

const ROW: [&str; 6] =
    ["row", "what is said", "as many runs as published", "all runs", "decided by", "figure"];

/// The rows of a part or a chapter, and below how they are understood.
pub(super) fn rows(findings: &Findings<'_>, of: &str) -> Option<String> {
    let own: Vec<(&Judged, &Judged)> =
        both(findings).filter(|(all, _)| all.row.part == of || all.row.place == of).collect();
    if own.is_empty() {
        return None;
    }
    let text = table(&ROW, own.iter().map(|(all, published)| row(all, published)));
    Some(text + &notes(own.iter().map(|(all, _)| *all)))
}

/// The rows that fail.
pub(super) fn fails(findings: &Findings<'_>) -> String {
    let own: Vec<Vec<String>> = both(findings)
        .filter(|(all, _)| all.outcome == Verdict::Fails)
        .map(|(all, published)| [row(all, published), vec![certain(all)]].concat())
        .collect();
    let head: Vec<&str> = ROW.into_iter().chain(["at 99%"]).collect();
    if own.is_empty() { "No row fails.".to_owned() } else { table(&head, own) }
}

/// Verdict on a row at a level of 1%.
fn certain(judged: &Judged) -> String {
    judged.at(CERTAIN).word().to_owned()
}

/// Each row by all runs and by the published number.
fn both<'f>(findings: &'f Findings<'_>) -> impl Iterator<Item = (&'f Judged, &'f Judged)> {
    findings.judged.iter().zip(&findings.published)
}

fn row(all: &Judged, published: &Judged) -> Vec<String> {
    let [place, figure] = deciding(all);
    let (id, says) = (all.row.id.clone(), all.row.says.clone());
    vec![id, says, published.outcome.word().to_owned(), outcome(all), place, figure]
}

/// Interpretations of rows as a list, each note once.
fn notes<'j>(rows: impl Iterator<Item = &'j Judged>) -> String {
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for judged in rows {
        let Some(note) = judged.row.note.as_deref() else { continue };
        match notes.iter_mut().find(|(known, _)| *known == note) {
            Some((_, ids)) => ids.push(&judged.row.id),
            None => notes.push((note, vec![&judged.row.id])),
        }
    }
    let lines: Vec<String> =
        notes.iter().map(|(note, ids)| format!("- {}: {note}", ids.join(", "))).collect();
    if lines.is_empty() { String::new() } else { format!("\n\n{}", lines.join("\n")) }
}

/// Table of verdicts: the number of rows of each part, by all runs and by the published number.
pub(super) fn counts(findings: &Findings<'_>) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for judged in &findings.judged {
        if !parts.contains(&judged.row.part.as_str()) {
            parts.push(&judged.row.part);
        }
    }
    let cells = |part: Option<&str>| {
        let both = |outcome| {
            let of = |judged: &[Judged]| Findings::count(judged, outcome, part);
            match [of(&findings.judged), of(&findings.published)] {
                [all, published] if all == published => all.to_string(),
                [all, published] => format!("{all} ({published})"),
            }
        };
        let name = part.unwrap_or("all").to_owned();
        let outcomes = [Verdict::Holds, Verdict::Fails, Verdict::NotResolved, Verdict::NotMade];
        [name].into_iter().chain(outcomes.map(both)).collect::<Vec<_>>()
    };
    let head = ["part", "holds", "fails", "not resolved", "not made"];
    let rows = parts.into_iter().map(Some).chain([None]).map(cells);
    Some(table(&head, rows))
}

/// Runs by load in the main part, those of the source and all.
pub(super) fn runs(findings: &Findings<'_>) -> String {
    let head = ["video users", "runs as published", "runs here", "video users in all runs"];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for load in findings.data.loads("DBS/L4S") {
        let Some(runs) = findings.data.arm("DBS/L4S", load) else { continue };
        let own = runs.iter().filter(|run| !run.extra).count();
        let users: usize = runs.iter().map(|run| run.users.len()).sum();
        let figures = [load as usize, own, runs.len(), users];
        rows.push(figures.map(|figure| figure.to_string()).into());
    }
    table(&head, rows)
}

/// Table of the origins of the experiments' runs.
pub(super) fn made(findings: &Findings<'_>) -> Option<String> {
    let head = ["experiment", "what", "runs", "commit", "date", "minutes", ""];
    let plan = findings.study.plan().ok()?;
    let made = plan.experiments.iter().filter(|own| findings.runs.contains_key(&own.name));
    Some(table(&head, made.map(|experiment| origin(findings, experiment))))
}

/// The origins of an experiment's runs in a row: those of its batches together.
fn origin(findings: &Findings<'_>, experiment: &Experiment) -> Vec<String> {
    let runs = findings.runs.get(&experiment.name).copied().unwrap_or_default();
    let own = || findings.made.iter().filter(|made| made.experiment == experiment.name);
    let joined = |texts: Vec<&str>| {
        let mut texts = texts;
        texts.dedup();
        if texts.is_empty() { "-".to_owned() } else { texts.join(", ") }
    };
    let minutes: f64 = own().map(|made| made.minutes).sum();
    vec![
        experiment.name.clone(),
        experiment.title.clone(),
        runs.to_string(),
        joined(own().map(|made| made.commit.as_str()).collect()),
        joined(own().map(|made| made.date.as_str()).collect()),
        if own().next().is_some() { format!("{minutes:.0}") } else { "-".to_owned() },
        own().filter_map(|made| made.note.as_deref()).collect::<Vec<_>>().join("; "),
    ]
}
