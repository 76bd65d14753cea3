//! Texts that fill placeholders.

use airpath_plot::Chart;

use super::figures::{Saying, change, of, range, ratio, single};
use super::form::{NOT_MADE, deciding};
use super::{
    Findings, moved, open, other, pictures, readings, shares, single_runs, tables, variants,
};
use crate::network::{Judged, Verdict};

/// Text that fills a placeholder; none for an unknown placeholder. Pictures are those of `drawn`.
pub(super) fn filled(place: &str, findings: &Findings<'_>, drawn: &[Chart]) -> Option<String> {
    let parts: Vec<&str> = place.split('|').collect();
    match parts[..] {
        ["second", ref rest @ ..] => second(&rest.join("|"), findings, drawn),
        ["both", ref rest @ ..] => both(&rest.join("|"), findings, drawn),
        ["readings"] => readings::section(findings, drawn),
        ["choices"] => readings::choices(findings),
        ["agreement"] => readings::agreement(findings),
        ["shares"] => shares::table(findings),
        ["moved"] => moved::section(findings),
        ["rows", of] => tables::rows(findings, of),
        ["fails"] => Some(tables::fails(findings)),
        ["counts"] => tables::counts(findings),
        ["rules"] => tables::rules(findings),
        ["rules", "differing"] => Some(tables::differing(findings)),
        ["runs"] => Some(tables::runs(findings)),
        ["made"] => tables::made(findings),
        ["survive"] => Some(other::table(findings)),
        ["open"] => Some(open::of_part(findings, "open")),
        ["open", part] => findings.arms_of(part).map(|_| open::of_part(findings, part)),
        ["variants", part] => variants::tables(findings, part),
        ["picture", name, caption] => pictures::place(findings, drawn, name, caption),
        ["table", place] => single_runs::table(findings, place),
        ["figure", row] => Some(figure(findings.row(row)?)),
        ["verdict", row] => Some(findings.row(row)?.outcome.word().to_owned()),
        ["verdict", row, "published"] => {
            let found = findings.published.iter().find(|judged| judged.row.id == row)?;
            Some(found.outcome.word().to_owned())
        }
        ["count", word, ref rest @ ..] => count(findings, word, rest),
        ["ratio", kpi, of, first, second, load] => {
            ratio(findings, (kpi, of), [first, second], load)
        }
        ["change", kpi, of, first, second, load] => {
            change(findings, (kpi, of), [first, second], load)
        }
        ["range", kpi, of, first, second] => range(findings, (kpi, of), [first, second]),
        [word, kpi, arm, load] => single(findings, (kpi, of(word)?), arm, load, Saying::Estimate),
        [word, kpi, arm, load, "interval"] => {
            single(findings, (kpi, of(word)?), arm, load, Saying::Interval)
        }
        _ => None,
    }
}

/// A placeholder of the second reading.
fn second(place: &str, findings: &Findings<'_>, drawn: &[Chart]) -> Option<String> {
    match &findings.second {
        Some(second) => filled(place, second, drawn),
        None => filled(place, findings, drawn).map(|_| NOT_MADE.to_owned()),
    }
}

/// A placeholder of the first reading, and of the second where it was made.
fn both(place: &str, findings: &Findings<'_>, drawn: &[Chart]) -> Option<String> {
    let first = filled(place, findings, drawn)?;
    let Some(second) = &findings.second else { return Some(first) };
    Some(format!("{first}, in the second reading {}", filled(place, second, drawn)?))
}

fn figure(judged: &Judged) -> String {
    if judged.places.is_empty() { NOT_MADE.to_owned() } else { deciding(judged)[1].clone() }
}

/// Number of rows with an outcome.
fn count(findings: &Findings<'_>, word: &str, of: &[&str]) -> Option<String> {
    let outcome = outcome(word)?;
    let (part, judged) = match *of {
        [] => (None, &findings.judged),
        [part] => (Some(part), &findings.judged),
        ["all", "published"] => (None, &findings.published),
        ["all", "others"] => (None, &findings.others),
        ["all", "sentence"] => (None, &findings.by_sentence),
        [part, "published"] => (Some(part), &findings.published),
        _ => return None,
    };
    let known = |part: &str| findings.judged.iter().any(|judged| judged.row.part == part);
    let fine = part.is_none_or(known);
    fine.then(|| Findings::count(judged, outcome, part).to_string())
}

fn outcome(word: &str) -> Option<Verdict> {
    let all = [Verdict::Holds, Verdict::Fails, Verdict::NotResolved, Verdict::NotMade];
    all.into_iter().find(|outcome| outcome.word() == word)
}
