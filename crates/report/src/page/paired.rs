//! Differences of one arm from another on the same seeds: sentences, a picture and a table.

use airpath_campaign::compare::{Comparison, Estimate, Finding as Found, Row, Sentence, Side};
use airpath_plot::{
    Axis, Chart, Direction, Finding, Grid, Layer, Mark, Panel, Series, Tone, capital, plural,
};
use airpath_results::MetricName;
use serde_json::{Value, json};

use crate::words::{label, shown};

/// Sentences of a comparison with one other arm.
const MOST_SENTENCES: usize = 8;

/// The answer, what matters most to a person first: the sentences that the terminal has, too.
pub fn findings(comparison: &Comparison, most: usize) -> Vec<Finding> {
    told(comparison, most).into_iter().map(|(_, finding)| finding).collect()
}

/// Findings of a comparison, with the row that leads each sentence.
pub fn told(comparison: &Comparison, most: usize) -> Vec<(&Row, Finding)> {
    let answer = comparison.answer.iter().take(most.min(MOST_SENTENCES));
    let of = |sentence: &Sentence| {
        let own = comparison.metrics.iter().filter(|row| sentence.metrics.contains(&row.metric));
        let rows: Vec<&Row> = own.collect();
        let lead = rows.iter().find(|row| Some(&row.metric) == sentence.metrics.first())?;
        Some((*lead, finding(sentence, lead, rows.len() > 1)))
    };
    answer.filter_map(of).collect()
}

fn finding(sentence: &Sentence, lead: &Row, several: bool) -> Finding {
    let tone = match (lead.better, lead.finding) {
        _ if several => Tone::Plain,
        (Some(true), _) => Tone::Good,
        (Some(false), _) => Tone::Bad,
        (None, Found::NotResolved | Found::OnePair) => Tone::Open,
        (None, _) => Tone::Plain,
    };
    let MetricName { whose, what, .. } = MetricName::of(&lead.metric);
    let whose = whose.map(|whose| format!("{whose}: ")).unwrap_or_default();
    Finding {
        head: if several { format!("{whose}{what}") } else { label(&lead.metric) },
        badge: if several { "both ways" } else { word(lead) }.into(),
        tone,
        text: format!("{}.", capital(&sentence.text)),
        card: String::new(),
    }
}

fn word(row: &Row) -> &'static str {
    match (row.better, row.finding) {
        (Some(true), _) => "better",
        (Some(false), _) => "worse",
        (None, Found::Higher) => "higher",
        (None, Found::Lower) => "lower",
        (None, Found::Same) => "the same",
        (None, Found::Equal) => "equal",
        (None, Found::NotResolved) => "not resolved",
        (None, Found::OnePair) => "one pair",
        (None, Found::Nothing) => "no pair",
    }
}

/// Ratios of other arms to the first, with intervals; none if no metric has a ratio. Each arm has
/// the colour of its index in `arms`.
pub fn ratios(comparisons: &[Comparison], arms: &[&str]) -> Option<Chart> {
    let first = comparisons.first()?;
    let has = |name: &&str| comparisons.iter().any(|one| ratio(one, name).is_some());
    let names: Vec<&str> =
        first.metrics.iter().map(|row| row.metric.as_str()).filter(has).collect();
    if names.is_empty() {
        return None;
    }
    let count = comparisons.len() as f64;
    let mut layers = vec![Layer::plain(Mark::Rule {
        along: Direction::Y,
        at: 1.0,
        text: format!("as {}", first.first),
    })];
    for (n, one) in comparisons.iter().enumerate() {
        let beside = if count > 1.0 { 0.7 * ((n as f64 + 0.5) / count - 0.5) } else { 0.0 };
        let place = arms.iter().position(|arm| *arm == one.second).unwrap_or(n + 1);
        let series = Series::new(one.second.as_str(), place);
        layers.push(Layer::new(&series, intervals(one, &names, beside)).meaning(
            "point: times as much as the first arm has, by pairs of the same seed; bar: its 95% interval",
        ));
    }
    let resolved = comparisons.iter().flat_map(|one| &one.metrics);
    let resolved = resolved.filter(|row| matches!(row.finding, Found::Higher | Found::Lower));
    let sentence = format!(
        "Against {}: {} of {} differ beyond chance; where a bar crosses 1, the difference is not resolved.",
        first.first,
        resolved.count(),
        plural(comparisons.iter().map(|one| one.metrics.len()).sum::<usize>(), "comparison"),
    );
    Some(Chart {
        id: "ratios".into(),
        title: format!("How many times as much as {}", first.first),
        sentence,
        panels: vec![Panel {
            x: Axis::category("metric", names.iter().map(|name| label(name))),
            y: Axis::log("times as much", ""),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

fn ratio(comparison: &Comparison, metric: &str) -> Option<Estimate> {
    let row = comparison.metrics.iter().find(|row| row.metric == metric)?;
    row.ratio.filter(|ratio| ratio.estimate > 0.0)
}

fn intervals(comparison: &Comparison, names: &[&str], beside: f64) -> Mark {
    let (mut x, mut y, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (place, name) in names.iter().enumerate() {
        let Some(ratio) = ratio(comparison, name) else { continue };
        x.push(place as f64 + beside);
        y.push(ratio.estimate);
        low.push(ratio.low.unwrap_or(ratio.estimate));
        high.push(ratio.high.unwrap_or(ratio.estimate));
    }
    Mark::Intervals { x, y, low, high }
}

/// All rows as a table.
pub fn table(comparison: &Comparison, id: &str) -> Grid {
    let (first, second) = (&comparison.first, &comparison.second);
    let columns = [
        "metric",
        "unit",
        first,
        second,
        "difference",
        "lower end of 95%",
        "upper end",
        "times",
        "p, corrected",
        "found",
    ];
    let seeds = plural(comparison.seeds.len(), "paired seed");
    let sentence = format!("{seeds}; differences are {second} less {first}.");
    let title = format!("{second} against {first}");
    Grid { sentence, ..Grid::new(id, title, columns, comparison.metrics.iter().map(line)) }
}

fn line(row: &Row) -> Vec<Value> {
    let (factor, unit) = shown(row.unit);
    let value = |estimate: Option<Estimate>| json!(estimate.map(|one| one.estimate * factor));
    let end = |of: fn(&Estimate) -> Option<f64>| {
        json!(row.difference.as_ref().and_then(of).map(|end| end * factor))
    };
    vec![
        json!(label(&row.metric)),
        json!(unit),
        value(row.first),
        value(row.second),
        value(row.difference),
        end(|one| one.low),
        end(|one| one.high),
        json!(row.ratio.map(|ratio| ratio.estimate)),
        json!(row.p_corrected),
        json!(word(row)),
    ]
}

/// The runs of both arms by seed, a chart for each metric.
pub fn by_seed(sides: &[Side; 2], comparison: &Comparison) -> Vec<Chart> {
    comparison.metrics.iter().filter_map(|row| pairs(sides, comparison, row)).collect()
}

fn pairs(sides: &[Side; 2], comparison: &Comparison, row: &Row) -> Option<Chart> {
    let (factor, unit) = shown(row.unit);
    let mut layers = Vec::new();
    let names = [&comparison.first, &comparison.second];
    for (n, (side, name)) in sides.iter().zip(names).enumerate() {
        let value = |seed: &u64| {
            let value = side.runs.get(seed)?.metrics.get(&row.metric)?;
            Some((*seed as f64, value * factor))
        };
        let (x, y): (Vec<f64>, Vec<f64>) = comparison.seeds.iter().filter_map(value).unzip();
        let points = Mark::Points { x, y, values: Vec::new(), names: Vec::new() };
        layers.push(Layer::new(&Series::new(name.as_str(), n), points).meaning("point: a run"));
    }
    if layers.iter().all(|layer| layer.mark.points() == 0) {
        return None;
    }
    let name = label(&row.metric);
    Some(Chart {
        id: format!("seeds-{}", row.metric),
        title: format!("{}, by seed", capital(&name)),
        sentence: format!("{}.", capital(&row.sentence)),
        panels: vec![Panel {
            x: Axis::new("seed", ""),
            y: Axis::new(&name, unit),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(metric: &str, found: Found, ratio: Option<f64>, p: f64) -> Row {
        let of = |estimate| Estimate { estimate, low: None, high: None, coverage: None };
        Row {
            metric: metric.into(),
            unit: "ms",
            meaning: String::new(),
            sentence: format!("{metric} is told"),
            finding: found,
            better: (found == Found::Lower).then_some(true),
            pairs: 3,
            first: None,
            second: None,
            difference: None,
            ratio: ratio.map(of),
            p: Some(p),
            p_corrected: Some(p),
            threshold: None,
            seeds_needed: None,
        }
    }

    fn comparison(rows: Vec<Row>) -> Comparison {
        let sentence =
            |row: &Row| Sentence { metrics: vec![row.metric.clone()], text: row.sentence.clone() };
        Comparison {
            answer: rows.iter().rev().map(sentence).collect(),
            first: "a".into(),
            second: "b".into(),
            builds_differ: false,
            seeds: vec![1, 2, 3],
            unpaired: 0,
            keys: Vec::new(),
            comparisons: rows.len(),
            metrics: rows,
        }
    }

    #[test]
    fn the_answer_keeps_its_order_and_what_has_no_ratio_is_not_drawn() {
        let one = comparison(vec![
            row("delay_p50_ms", Found::NotResolved, Some(1.5), 0.4),
            row("loss_rate", Found::NotResolved, None, 0.9),
            row("queue_delay_p99_ms", Found::Lower, Some(0.25), 0.001),
        ]);
        let said = findings(&one, 2);
        let badges: Vec<(&str, Tone)> = said.iter().map(|f| (f.badge.as_str(), f.tone)).collect();
        assert_eq!(badges, [("better", Tone::Good), ("not resolved", Tone::Open)]);
        assert_eq!(said[0].text, "Queue_delay_p99_ms is told.");
        let chart = ratios(&[one], &["a", "b"]).expect("a chart");
        let series = chart.panels[0].layers[1].series.as_ref().expect("a series");
        assert_eq!((series.colour, series.shape), (1, 1), "as in all other charts");
        let Mark::Intervals { x, y, .. } = &chart.panels[0].layers[1].mark else {
            panic!("{chart:?}")
        };
        assert_eq!((x.as_slice(), y.as_slice()), (&[0.0, 1.0][..], &[1.5, 0.25][..]));
        assert!(chart.sentence.contains("1 of 3 comparisons differ"), "{}", chart.sentence);
        let none = comparison(vec![row("loss_rate", Found::Same, None, 1.0)]);
        assert!(ratios(&[none], &["a", "b"]).is_none());
    }
}
