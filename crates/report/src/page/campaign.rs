//! The page of a campaign: its arms beside each other.

use airpath_campaign::compare::{Comparison, Options, Side, arm_title, compare};
use airpath_plot::{Block, Chart, Finding, Grid, Section, capital, plural};
use serde_json::{Value, json};

use super::{groups, paired};
use crate::words::{label, shown};
use crate::{Arms, ReportError, Results, What, chart};

/// More arms are not compared with the first one by one.
const MOST_COMPARED: usize = 12;
/// Sentences for each comparison where there are several.
const SENTENCES: usize = 3;
/// Metrics that the table of arms has; the rest is in the charts.
const COLUMNS: [&str; 13] = [
    "goodput_bps",
    "delay_p50_ms",
    "delay_p95_ms",
    "delay_p99_ms",
    "frame_delay_p99_ms",
    "within_share",
    "frozen_share",
    "input_to_picture_p95_ms",
    "page_p95_ms",
    "request_p95_ms",
    "completion_time_mean_ms",
    "loss_rate",
    "pdsch_share",
];

/// Input of a campaign.
pub fn facts(arms: &Arms) -> Vec<(String, String)> {
    let summary = &arms.data.summary;
    let runs: usize = arms.arms().map(|(_, arm)| arm.seeds.len()).sum();
    let axes = match summary.columns.is_empty() {
        true => "none".to_owned(),
        false => summary.columns.join(", "),
    };
    let mut facts = vec![
        ("campaign".to_owned(), arms.label.clone()),
        ("varies".to_owned(), axes),
        ("arms".to_owned(), arms.chosen.len().to_string()),
        ("runs".to_owned(), plural(runs, "run")),
    ];
    if !summary.failures.is_empty() {
        facts.push(("runs that failed".to_owned(), summary.failures.len().to_string()));
    }
    facts
}

/// Answer, differences, rates against delays, metrics by arm, and the table of arms.
///
/// # Errors
///
/// If a table cannot be read.
pub fn sections(results: &Results) -> Result<Vec<Section>, ReportError> {
    let mut sections = Vec::new();
    let compared = match results.campaigns.as_slice() {
        [one] => comparisons(one)?,
        _ => Vec::new(),
    };
    let trade = chart(What::RateDelay, results, None).ok();
    sections.push(Section::new("answer", "The answer", vec![answer(&compared, &trade)]));
    let block = |chart: Option<Chart>| chart.map(Block::from).into_iter().collect::<Vec<_>>();
    sections.push(Section::new("rates", "Rate against delay", block(trade)));
    // Titles are those of comparisons, so that each arm keeps its colour.
    let title = |arms: &Arms| {
        let columns = arms.data.summary.columns.clone();
        arms.arms().map(move |(_, arm)| arm_title(&columns, arm)).collect::<Vec<_>>()
    };
    let names: Vec<String> = results.campaigns.iter().flat_map(title).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ratios = paired::ratios(&compared, &names);
    sections.push(Section::new("differences", "What differs, and how surely", block(ratios)));
    sections.push(Section::new("arms", "The arms", arms_of(results)?));
    let heat = chart(What::Heat, results, None).ok();
    sections.push(Section::new("heat-part", "Over two axes", block(heat)));
    let spread = chart(What::Cdf, results, None).ok();
    sections.push(Section::new("distributions", "Distributions", block(spread)));
    let tables = compared.iter().enumerate();
    let tables: Vec<Block> =
        tables.map(|(n, one)| Block::Table(paired::table(one, &format!("pairs-{n}")))).collect();
    sections.push(Section::new("pairs", "Pair by pair", tables).folded());
    Ok(sections)
}

/// Each arm against the first, where they are few.
fn comparisons(arms: &Arms) -> Result<Vec<Comparison>, ReportError> {
    let names: Vec<&str> = arms.arms().map(|(_, arm)| arm.name.as_str()).collect();
    let Some((first, others)) = names.split_first().filter(|_| names.len() <= MOST_COMPARED) else {
        return Ok(Vec::new());
    };
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let first = Side::of_arm(&arms.data, first)?;
    let mut all = Vec::new();
    for name in others {
        let side = Side::of_arm(&arms.data, name)?;
        all.extend(compare(&first, &side, &Options::default()));
    }
    Ok(all)
}

/// A group for all arms, and one for each arm against the first.
fn answer(compared: &[Comparison], trade: &Option<Chart>) -> Block {
    let whole = trade.iter().map(|chart| {
        let (head, text) = ("Rate against delay".into(), chart.sentence.clone());
        ("All arms".to_owned(), Finding { head, text, ..Finding::default() })
    });
    let each = if compared.len() > 1 { SENTENCES } else { usize::MAX };
    let of_pair = |one: &Comparison| {
        let title = format!("{} against {}", one.second, one.first);
        let found = paired::findings(one, each).into_iter();
        found.map(|finding| (title.clone(), finding)).collect::<Vec<_>>()
    };
    groups::grouped(whole.chain(compared.iter().flat_map(of_pair)))
}

/// The table of arms, and a chart of each metric.
fn arms_of(results: &Results) -> Result<Vec<Block>, ReportError> {
    let mut blocks = Vec::new();
    for arms in &results.campaigns {
        blocks.push(Block::Table(table(arms)?));
        if results.campaigns.len() == 1 {
            let names = arms.data.summary.metrics.iter().map(|(name, _)| name.to_owned());
            let charts = names.filter_map(|name| {
                let chart = chart(What::Metric, results, Some(&name)).ok()?;
                Some(Chart { id: format!("metric-{name}"), ..chart })
            });
            let charts: Vec<Chart> = usual_first(charts.collect());
            if !charts.is_empty() {
                blocks.push(Block::Choice("Metric".into(), charts));
            }
        }
    }
    Ok(blocks)
}

/// Sorts charts by how often people look at them first.
fn usual_first(mut charts: Vec<Chart>) -> Vec<Chart> {
    let place = |chart: &Chart| {
        let name = chart.id.strip_prefix("metric-").unwrap_or_default();
        COLUMNS.iter().position(|usual| *usual == name).unwrap_or(COLUMNS.len())
    };
    charts.sort_by_key(place);
    charts
}

fn table(arms: &Arms) -> Result<Grid, ReportError> {
    let estimates = arms.data.estimates()?;
    let of = |arm: usize, metric: &str| {
        estimates.iter().find(|one| one.arm == arm && one.metric == metric)
    };
    let known = |metric: &&str| arms.arms().any(|(arm, _)| of(arm, metric).is_some());
    let metrics: Vec<&str> = COLUMNS.into_iter().filter(known).collect();
    let mut columns = vec!["arm".to_owned(), "runs".to_owned()];
    for metric in &metrics {
        let unit = arms.data.summary.metrics.get(metric).map_or("", |doc| doc.unit.as_str());
        let (_, unit) = shown(unit);
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        columns.push(format!("{}{unit}", label(metric)));
        columns.push("±".to_owned());
    }
    let row = |(arm, identity): (usize, &airpath_campaign::ArmIdentity)| {
        let mut row: Vec<Value> = vec![json!(identity.name), json!(identity.seeds.len())];
        for metric in &metrics {
            let unit = arms.data.summary.metrics.get(metric).map_or("", |doc| doc.unit.as_str());
            let (factor, _) = shown(unit);
            let found = of(arm, metric);
            row.push(json!(found.map(|one| one.mean * factor)));
            let half = found.and_then(|one| one.interval).map(|one| one.half_width() * factor);
            row.push(json!(half));
        }
        row
    };
    let (id, title) = (format!("arms-{}", arms.label), capital(&format!("arms of {}", arms.label)));
    let sentence = "Means over runs; ± is half their 95% interval.".into();
    Ok(Grid { sentence, ..Grid::new(id, title, columns, arms.arms().map(row)) })
}

#[cfg(test)]
mod tests {
    use airpath_results::measures::is_declared;

    use super::*;

    #[test]
    fn quantities_are_declared() {
        COLUMNS.iter().for_each(|name| assert!(is_declared(name), "{name}"));
    }
}
