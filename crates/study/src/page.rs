//! A study's page: a text with placeholders that measured values fill.
//!
//! ```text
//! {{claims|reading}}           table of the claims in a reading of single runs
//! {{repeated|reading}}         table of the claims in a reading of repeated runs
//! {{against|reading}}          table of the claims beside a reference implementation's figures
//! {{beside}}                   table of the readings that stand side by side
//! {{met|reading|against}}      "13 of 18": agreement with published, or reference, figures
//! {{readings|id id}}           table of some claims in all readings
//! {{ues|reading|run}}          table of UEs, marked and not, of runs whose name begins so
//! {{figure|name|reading}}      a figure of the campaign
//! {{agree|kind|reading}}       how many claims of a kind agree, of how many
//! {{ramps|reading}}            table of the downloads of a reading
//! {{elsewhere|reading}}        table of the claims that differ, and where they agree
//! {{sweep|what}}               table of the readings that vary something
//! {{id|reading}}               a claim's figure; {{id/part|reading}} if it has parts
//! {{id|reading|field}}         its true, low, high, holds, runs, verdict or published
//! ```

use std::fmt::Write as _;

use crate::ramps::{elsewhere_table, ramps_table, sweep_table};
use crate::text::{Page, fill};
use crate::{
    Agreement, Beside, Count, Group, Report, Row, Study, StudyError, beside, groups, pictures,
};

/// Fills a study's page.
///
/// # Errors
///
/// If the report has nothing for a placeholder of the page.
pub fn page(study: &Study, report: &Report) -> Result<Page, StudyError> {
    let fault = |place: &str| StudyError::Data(format!("page: {{{{{place}"));
    let text = fill(study.needed("page.md")?, &|place| filled(place, report)).map_err(fault)?;
    let drawn = pictures(study, report)?.into_iter();
    let pictures = drawn.map(|chart| (format!("{}.svg", chart.id), chart.svg())).collect();
    Ok(Page { text, pictures })
}

/// A text with its placeholders filled; none if one is for nothing that the report has.
pub(crate) fn filled_text(text: &str, report: &Report) -> Option<String> {
    fill(text, &|place| filled(place, report)).ok()
}

fn filled(place: &str, report: &Report) -> Option<String> {
    let parts: Vec<&str> = place.split('|').collect();
    let of = |reading: &str| -> Vec<&Row> {
        report.rows.iter().filter(|row| row.reading == reading).collect()
    };
    match parts[..] {
        ["claims", reading] => filled_if(&of(reading), claims_table),
        ["against", reading] => filled_if(&of(reading), against_table),
        ["beside"] => beside(report).map(|beside| beside_table(&beside)),
        ["met", reading, against] => {
            let agreement = Agreement::of(&of(reading));
            let [agree, all] = match against {
                "published" => agreement.published,
                "reference" => agreement.reference,
                _ => return None,
            };
            Some(format!("{agree} of {all}"))
        }
        ["repeated", reading] => filled_if(&of(reading), repeated_table),
        ["readings", ids] => {
            let wanted = |row: &&Row| ids.split(' ').any(|id| id == row.id);
            filled_if(&report.rows.iter().filter(wanted).collect::<Vec<_>>(), readings_table)
        }
        ["ues", reading, run] => {
            let all = groups(&report.per_ue);
            let wanted = |group: &&Group| group.reading == reading && group.run.starts_with(run);
            filled_if(&all.iter().filter(wanted).collect::<Vec<_>>(), users_table)
        }
        ["figure", name, reading] => {
            let found = |figure: &&crate::Figure| figure.name == name && figure.reading == reading;
            report.figures.iter().find(found).map(|figure| short(figure.value))
        }
        ["agree", kind, reading] => {
            let found = |count: &&Count| count.kind == kind && count.reading == reading;
            let count = report.counts.iter().find(found)?;
            Some(format!("{} of {}", count.agree, count.of))
        }
        ["ramps", reading] => {
            let own = report.ramps.iter().filter(|row| row.reading == reading && row.seed == 1);
            filled_if(&own.collect::<Vec<_>>(), ramps_table)
        }
        ["elsewhere", reading] => elsewhere_table(report, reading),
        ["sweep", what] => sweep_table(report, what),
        [claim, reading] => field(report, claim, reading, "measured"),
        [claim, reading, name] => field(report, claim, reading, name),
        _ => None,
    }
}

fn filled_if<T>(rows: &[T], table: fn(&[T]) -> String) -> Option<String> {
    (!rows.is_empty()).then(|| table(rows))
}

fn field(report: &Report, claim: &str, reading: &str, name: &str) -> Option<String> {
    let row = report.rows.iter().find(|row| label(row) == claim && row.reading == reading)?;
    let share = row.holds_in;
    Some(match name {
        "measured" => short(row.measured?),
        "true" => short(row.true_value?),
        "low" => short(row.low?),
        "high" => short(row.high?),
        "published" => row.published.clone(),
        "verdict" => row.verdict.figure_word().to_owned(),
        "holds" => share?.holds.to_string(),
        "runs" => share?.runs.to_string(),
        _ => return None,
    })
}

/// The claim and its part.
pub(crate) fn label(row: &Row) -> String {
    crate::claim::label(&row.id, row.part.as_deref())
}

/// The claim, its part and what it is about, as two cells of a table.
fn what(row: &Row) -> String {
    let part = row.part.as_ref().map(|part| format!(": {part}")).unwrap_or_default();
    format!("{} | {}{part}, {} | {}", row.id, row.metric, row.condition, row.unit)
}

fn claims_table(rows: &[&Row]) -> String {
    let mut text =
        "| claim | what | unit | published | here | true | verdict |\n|---|---|---|---|---|---|---|"
            .to_owned();
    for row in rows {
        let (here, exact) = (number(row.measured), number(row.true_value));
        let (published, verdict) = (&row.published, row.verdict.figure_word());
        text += &format!("\n| {} | {published} | {here} | {exact} | {verdict} |", what(row));
    }
    text
}

fn against_table(rows: &[&Row]) -> String {
    let mut text = "| claim | what | unit | published | reference | here | verdict | against \
                    reference |\n|---|---|---|---|---|---|---|---|"
        .to_owned();
    for row in rows {
        let _ = write!(
            text,
            "\n| {} | {} | {} | {} | {} | {} |",
            what(row),
            row.published,
            number(row.reference),
            number(row.measured),
            row.verdict.figure_word(),
            row.reference_verdict.map_or("-", crate::Verdict::figure_word),
        );
    }
    text
}

fn beside_table(beside: &Beside<'_>) -> String {
    let mut text = format!("| | {} |\n|---|", beside.readings.join(" | "));
    text += &"---|".repeat(beside.readings.len());
    for (row, values) in &beside.claims {
        let cells = values.iter().map(|value| value.map_or("-".to_owned(), short));
        let cells = cells.collect::<Vec<_>>().join(" | ");
        text += &format!("\n| {}, {}, {} | {cells} |", row.metric, row.unit, row.condition);
    }
    for (name, of) in [("published", 0), ("reference", 1)] {
        let cells = beside.agreement.iter().map(|agreement| {
            let [agree, all] = [agreement.published, agreement.reference][of];
            format!("{agree} of {all}")
        });
        text += &format!("\n| agree with {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    text
}

fn repeated_table(rows: &[&Row]) -> String {
    let mut text =
        "| claim | what | unit | published | here | quartiles | true | holds in | verdict |\n\
                    |---|---|---|---|---|---|---|---|---|"
            .to_owned();
    for row in rows {
        let quartiles = format!("{} to {}", number(row.low), number(row.high));
        let _ = write!(
            text,
            "\n| {} | {} | {} | {quartiles} | {} | {} | {} |",
            what(row),
            row.published,
            number(row.measured),
            number(row.true_value),
            share(row),
            row.verdict.figure_word(),
        );
    }
    text
}

fn readings_table(rows: &[&Row]) -> String {
    let mut text =
        "| claim | reading | here | true | holds in | verdict |\n|---|---|---|---|---|---|"
            .to_owned();
    for row in rows {
        let _ = write!(
            text,
            "\n| {} | {} | {} | {} | {} | {} |",
            label(row),
            row.reading,
            number(row.measured),
            number(row.true_value),
            share(row),
            row.verdict.figure_word(),
        );
    }
    text
}

fn share(row: &Row) -> String {
    row.holds_in.map_or(String::new(), |share| {
        format!("{}/{} ({:.2} to {:.2})", share.holds, share.runs, share.low, share.high)
    })
}

fn users_table(rows: &[&Group]) -> String {
    let mut text = "| marked UEs | flows | delay | | | jitter | | | lost |\n\
                    |---|---|---|---|---|---|---|---|---|\n\
                    | | | least | median | most | least | median | most | % |"
        .to_owned();
    for group in rows {
        let marked = if group.marked { group.ues } else { group.of - group.ues };
        let spread = |values: Option<[f64; 3]>| match values {
            None => "- | - | -".to_owned(),
            Some(values) => values.map(short).join(" | "),
        };
        let _ = write!(
            text,
            "\n| {marked} of {} | {} {} | {} | {} | {} |",
            group.of,
            group.ues,
            if group.marked { "marked" } else { "not marked" },
            spread(group.delay_ms),
            spread(group.jitter_ms),
            group.lost_percent.map_or("-".to_owned(), short),
        );
    }
    text
}

/// A number with at most three decimals; a dash if there is none.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |value| decimals(value, 3))
}

/// A number with about three digits.
pub(crate) fn short(value: f64) -> String {
    let most = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    decimals(value, most)
}

fn decimals(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
