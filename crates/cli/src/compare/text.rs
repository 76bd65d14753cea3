//! A comparison as people read it: sentences first, then a table.

use airpath_campaign::compare::{Comparison, Estimate, Finding, KeyDifference, Row, Sentence};
use airpath_plot::{capital, plural};
use serde_json::Value;

use crate::metric::{Shown, heading};
use crate::table::{Column, table};
use crate::wrap::wrap;

/// Columns of a screen.
const SCREEN: usize = 80;
/// Sentences at most.
const SENTENCES: usize = 4;
/// Keys that differ and are listed.
const KEYS: usize = 8;
/// A longer name of an arm is no title of a column.
const TITLE: usize = 14;

/// The text.
pub fn text(comparison: &Comparison) -> String {
    let mut text = String::new();
    for sentence in told(comparison) {
        text += &wrap(&format!("{}.", capital(&sentence.text)), "", "  ", SCREEN);
    }
    text += &format!("\n{}", rows(comparison));
    text += &wrap(&legend(comparison), "", "", SCREEN);
    text += &keys(comparison);
    text
}

/// The sentences that are shown: all if they are few; else what is resolved, and if nothing is,
/// the first.
fn told(comparison: &Comparison) -> Vec<&Sentence> {
    let answer = &comparison.answer;
    if answer.len() <= SENTENCES {
        return answer.iter().collect();
    }
    let resolved = |sentence: &&Sentence| {
        let own = comparison.metrics.iter().filter(|row| sentence.metrics.contains(&row.metric));
        let found = [Finding::Higher, Finding::Lower, Finding::Equal];
        own.into_iter().any(|row| found.contains(&row.finding))
    };
    let mut told: Vec<&Sentence> = answer.iter().filter(resolved).collect();
    if told.is_empty() {
        told = answer.iter().collect();
    }
    told.truncate(SENTENCES);
    told
}

fn rows(comparison: &Comparison) -> String {
    let rows = &comparison.metrics;
    let shown: Vec<Shown<'_>> = rows.iter().map(|row| Shown::of(row.unit)).collect();
    let names: Vec<String> =
        rows.iter().zip(&shown).map(|(row, shown)| heading(&row.metric, shown)).collect();
    let column = |title: &str, of: &dyn Fn(&Row, &Shown<'_>) -> String| Column {
        over: "",
        title: title.to_owned(),
        cells: rows.iter().zip(&shown).map(|(row, shown)| of(row, shown)).collect(),
    };
    let value = |estimate: Option<Estimate>, shown: &Shown| {
        estimate.map_or_else(|| "-".to_owned(), |estimate| shown.number(estimate.estimate))
    };
    let [first, second] = titles(comparison);
    let columns = vec![
        column(first, &|row, shown| value(row.first, shown)),
        column(second, &|row, shown| value(row.second, shown)),
        column("difference", &|row, shown| range(row.difference, shown)),
        column("found", &|row, _| found(row)),
        column("times", &|row, _| value(row.ratio, &Shown::of(""))),
    ];
    table("metric", &names, columns)
}

fn titles(comparison: &Comparison) -> [&str; 2] {
    let short = |name: &str| name.chars().count() <= TITLE;
    match short(&comparison.first) && short(&comparison.second) {
        true => [&comparison.first, &comparison.second],
        false => ["first", "second"],
    }
}

/// "-46.0 ± 5.0", as intervals of differences lie evenly around them, and how often that holds if
/// it is less than it says.
fn range(estimate: Option<Estimate>, shown: &Shown<'_>) -> String {
    let Some(estimate) = estimate else { return "-".to_owned() };
    let (Some(low), Some(high)) = (estimate.low, estimate.high) else {
        return shown.number(estimate.estimate);
    };
    let trust = estimate.coverage.map(|share| format!(" {:.0}%", 100.0 * share));
    let value = shown.with_half_width(estimate.estimate, (high - low) / 2.0);
    format!("{value}{}", trust.unwrap_or_default())
}

fn found(row: &Row) -> String {
    let way = |way: &'static str| match row.better {
        Some(true) => "better",
        Some(false) => "worse",
        None => way,
    };
    let found = match row.finding {
        Finding::Higher => way("higher"),
        Finding::Lower => way("lower"),
        Finding::Same => "same",
        Finding::Equal => "equal",
        Finding::OnePair => "one pair",
        Finding::Nothing => "no pair",
        Finding::NotResolved => "open",
    };
    let needed = row.seeds_needed.map(|more| format!(" +{more}"));
    format!("{found}{}", needed.unwrap_or_default())
}

/// Explanation of the table's words, with the number of comparisons.
fn legend(comparison: &Comparison) -> String {
    let mut text = String::new();
    if titles(comparison) == ["first", "second"] {
        text += &format!("first: {}; second: {}. ", comparison.first, comparison.second);
    }
    text += &format!(
        "{}: second less first, second by first",
        plural(comparison.seeds.len(), "paired seed")
    );
    text += match comparison.seeds.len() {
        1 => "; one pair has no interval.",
        _ => "; ± is half the 95% interval.",
    };
    if comparison.unpaired > 0 {
        let runs = plural(comparison.unpaired, "run");
        text += &format!(" {runs} without a partner left out.");
    }
    let rows = &comparison.metrics;
    if rows.iter().any(|row| row.difference.is_some_and(|d| d.coverage.is_some())) {
        text += " A percentage behind it: so often it was measured to hold.";
    }
    if comparison.comparisons > 1 {
        let many = comparison.comparisons;
        text += &format!(" {many} comparisons share the level of 5% (Holm).");
    }
    if rows.iter().any(|row| row.finding == Finding::NotResolved) {
        text +=
            " open: not resolved; +9: 9 more seeds would be needed, if it is as large as it seems.";
    }
    text
}

fn keys(comparison: &Comparison) -> String {
    if comparison.keys.is_empty() {
        return "The scenarios are the same.\n".to_owned();
    }
    let mut text = String::from("Keys that differ:\n");
    // Keys that both scenarios have come first: they explain more than keys of one scenario.
    let mut keys: Vec<&KeyDifference> = comparison.keys.iter().collect();
    keys.sort_by_key(|key| key.first.is_none() || key.second.is_none());
    for key in keys.into_iter().take(KEYS) {
        let value = |value: &Option<Value>| match value {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => "not there".to_owned(),
        };
        text += &format!("  {}: {} | {}\n", key.key, value(&key.first), value(&key.second));
    }
    let more = comparison.keys.len().saturating_sub(KEYS);
    if more > 0 {
        text += &format!("  and {more} more: --json has all\n");
    }
    text
}
