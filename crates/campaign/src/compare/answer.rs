//! The answer: sentences in the order in which they matter to a person.
//!
//! Measures of flow groups come first where flows differ in kind, else those of all flows. Among
//! them the order is by thresholds ([`matter`](super::matter)); counters come last. The percentiles
//! of a delay make one sentence: that of the percentile that differs most. Where the percentiles go
//! different ways, the sentence names all three.

use serde::Serialize;

use super::matter;
use super::row::{Finding, Row};
use super::words::Words;

/// A sentence of the answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sentence {
    /// Metrics that the sentence is about, the leading one first.
    pub metrics: Vec<String>,
    /// The sentence, without a full stop.
    pub text: String,
}

/// Percentiles that make one sentence.
const TOGETHER: [&str; 3] = ["_p50_ms", "_p95_ms", "_p99_ms"];

/// Sentences of all rows, what matters most first. `by_group`: flows differ in kind.
pub(super) fn answer(rows: &[Row], by_group: bool, words: Words<'_>) -> Vec<Sentence> {
    let mut families: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        let family = family(&row.metric);
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, own)) => own.push(row),
            None => families.push((family, vec![row])),
        }
    }
    let mut told: Vec<(Place, Sentence)> = families
        .iter()
        .map(|(_, own)| {
            let lead = leading(own);
            (Place::of(lead, by_group), sentence(own, lead, words))
        })
        .collect();
    // Equal ranks keep the order of the rows.
    told.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    told.into_iter().map(|(_, sentence)| sentence).collect()
}

/// The name without its percentile.
fn family(metric: &str) -> &str {
    let of_users = metric.starts_with("users.");
    let end = TOGETHER.iter().find(|end| !of_users && metric.ends_with(*end));
    end.map_or(metric, |end| &metric[..metric.len() - end.len()])
}

/// Rank, and what counts within it, the most first.
#[derive(Clone, Copy)]
struct Place(u8, f64);

impl Place {
    fn of(row: &Row, by_group: bool) -> Place {
        let own = row.metric.contains('.') && !row.metric.starts_with("users.");
        let first = own == by_group && !row.metric.starts_with("users.");
        let sure = matter::thresholds(row);
        match row.finding {
            Finding::Nothing => Place(6, 0.0),
            Finding::Same => Place(5, 0.0),
            Finding::NotResolved => Place(4, sure.unwrap_or(0.0)),
            Finding::Higher | Finding::Lower | Finding::Equal | Finding::OnePair => match sure {
                Some(many) => Place(u8::from(!first), many),
                None => Place(2, matter::halves(row)),
            },
        }
    }
}

/// The row of a family that matters most; among equals the last, of the highest percentile.
fn leading<'a>(rows: &[&'a Row]) -> &'a Row {
    let many = |row: &Row| match row.finding {
        Finding::Higher | Finding::Lower | Finding::OnePair => {
            matter::thresholds(row).unwrap_or(0.0)
        }
        _ => -1.0,
    };
    let most = rows.iter().copied().max_by(|a, b| many(a).total_cmp(&many(b)));
    most.unwrap_or(rows[0])
}

fn sentence(rows: &[&Row], lead: &Row, words: Words<'_>) -> Sentence {
    let resolved = |wanted: Finding| rows.iter().any(|row| row.finding == wanted);
    let apart = resolved(Finding::Higher) && resolved(Finding::Lower);
    if apart && lead.difference.is_some() {
        let text = words.apart(rows);
        let metrics = rows.iter().map(|row| row.metric.clone()).collect();
        return Sentence { metrics, text };
    }
    Sentence { metrics: vec![lead.metric.clone()], text: lead.sentence.clone() }
}
