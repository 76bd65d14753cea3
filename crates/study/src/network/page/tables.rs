//! Tables of rows, runs and experiments.

use super::Findings;
use super::form::{CERTAIN, deciding, of_place, outcome, table};
use crate::network::{Experiment, Judged, Place, Sentence, Verdict};

/// Heads of a table of rows. The third from the end is only there in a study with rules.
const ROW: [&str; 7] = [
    "row",
    "what is said",
    "as many runs as published",
    "all runs",
    "by the sentence",
    "decided by",
    "figure",
];

/// The rows of a part or a chapter, and below how they are understood.
pub(super) fn rows(findings: &Findings<'_>, of: &str) -> Option<String> {
    let own: Vec<(&Judged, &Judged)> =
        both(findings).filter(|(all, _)| all.row.part == of || all.row.place == of).collect();
    if own.is_empty() {
        return None;
    }
    let rows = own.iter().map(|(all, published)| row(findings, all, published));
    let text = table(&head(findings), rows);
    Some(text + &notes(own.iter().map(|(all, _)| *all)))
}

/// The rows that fail.
pub(super) fn fails(findings: &Findings<'_>) -> String {
    let own: Vec<Vec<String>> = both(findings)
        .filter(|(all, _)| all.outcome == Verdict::Fails)
        .map(|(all, published)| [row(findings, all, published), vec![certain(all)]].concat())
        .collect();
    let head = [head(findings), vec!["at 99%"]].concat();
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

fn head(findings: &Findings<'_>) -> Vec<&'static str> {
    let is_there = |head: &&str| *head != ROW[4] || !findings.rules.sentences.is_empty();
    ROW.into_iter().filter(is_there).collect()
}

fn row(findings: &Findings<'_>, all: &Judged, published: &Judged) -> Vec<String> {
    let [place, figure] = deciding(all);
    let (id, says) = (all.row.id.clone(), all.row.says.clone());
    let mut cells = vec![id, says, published.outcome.word().to_owned(), outcome(all)];
    cells.extend(findings.sentence(&all.row.id).map(|(sentence, found)| {
        let mean = !sentence.tests.is_empty() && !found.places.is_empty();
        let figure = if mean { format!(": {}", deciding(found)[1]) } else { String::new() };
        format!("{}{figure}", outcome(found))
    }));
    cells.extend([place, figure]);
    cells
}

/// Principles and rules of judging by sentences, and the sentences of all rows. Rows whose rule is
/// not the strict one come first. None in a study without rules.
pub(super) fn rules(findings: &Findings<'_>) -> Option<String> {
    let rules = &findings.rules;
    let mut text: String = rules.principles.iter().map(|text| format!("- {text}\n")).collect();
    text += "\n";
    text.extend(rules.rules.iter().map(|(name, rule)| format!("- *{name}*: {rule}\n")));
    let (changed, kept): (Vec<_>, Vec<_>) =
        rules.sentences.iter().partition(|sentence| !sentence.tests.is_empty());
    let quoted = |sentence: &Sentence| format!("\u{201c}{}\u{201d}", sentence.quote);
    let new =
        changed.iter().flat_map(|sentence| sentence.rows.iter().map(move |id| (sentence, id)));
    let row = |(sentence, id): (&&Sentence, &String)| {
        let (strict, (_, found)) = (findings.row(id)?, findings.sentence(id)?);
        let words = sentence.new.clone().unwrap_or_default();
        let [_, figure] = deciding(found);
        Some(vec![
            id.clone(),
            sentence.place.clone(),
            quoted(sentence),
            words,
            sentence.reason.clone(),
            strict.outcome.word().to_owned(),
            found.outcome.word().to_owned(),
            figure,
            each_load(found),
        ])
    };
    let head = [
        "row",
        "in",
        "sentence",
        "rule",
        "reason",
        "strict",
        "by the sentence",
        "mean",
        "at each load",
    ];
    text += &format!("\n{}\n\n", table(&head, new.filter_map(row)));
    let row = |sentence: &&Sentence| {
        let (ids, rule) = (sentence.rows.join(", "), sentence.rule.clone());
        vec![ids, sentence.place.clone(), quoted(sentence), rule, sentence.reason.clone()]
    };
    text += &table(&["rows", "in", "sentence", "rule", "reason"], kept.iter().map(row));
    (!rules.sentences.is_empty()).then_some(text)
}

/// The rows that the strict rule and their sentence judge differently.
pub(super) fn differing(findings: &Findings<'_>) -> String {
    let row = |(strict, found): (&Judged, &Judged)| {
        let [place, figure] = deciding(found);
        let words = [strict.outcome, found.outcome].map(|outcome| outcome.word().to_owned());
        let row = [strict.row.id.clone(), strict.row.says.clone()].into_iter().chain(words);
        let differs = strict.outcome != found.outcome;
        differs.then(|| row.chain([place, figure, each_load(found)]).collect())
    };
    let both = findings.judged.iter().zip(&findings.by_sentence);
    let rows: Vec<Vec<String>> = both.filter_map(row).collect();
    let head = [
        "row",
        "what is said",
        "strict",
        "by the sentence",
        "decided by",
        "figure",
        "at each load",
    ];
    if rows.is_empty() { "No row differs.".to_owned() } else { table(&head, rows) }
}

/// Figures at each load beside the mean that decides a row.
fn each_load(judged: &Judged) -> String {
    let loads = judged.deciding().map(|place| place.loads.as_slice()).unwrap_or_default();
    let figure = |place: &Place| {
        let load = place.name.split(' ').next().unwrap_or_default();
        format!("{load}: {}", of_place(place))
    };
    loads.iter().map(figure).collect::<Vec<_>>().join("; ")
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

/// Table of verdicts: the number of rows of each part, by all runs and by the published number. A
/// study with rules has the number by sentences too.
pub(super) fn counts(findings: &Findings<'_>) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for judged in &findings.judged {
        if !parts.contains(&judged.row.part.as_str()) {
            parts.push(&judged.row.part);
        }
    }
    let ruled = if findings.rules.sentences.is_empty() { 0 } else { 3 };
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
        let by_sentence =
            |outcome| Findings::count(&findings.by_sentence, outcome, part).to_string();
        let by_sentence = outcomes[..3].iter().copied().map(by_sentence).take(ruled);
        [name].into_iter().chain(outcomes.map(both)).chain(by_sentence).collect::<Vec<_>>()
    };
    let head = ["part", "holds", "fails", "not resolved", "not made"];
    let by_sentence = ["by the sentence: holds", "fails", "not resolved"];
    let head: Vec<&str> = head.into_iter().chain(by_sentence.into_iter().take(ruled)).collect();
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
