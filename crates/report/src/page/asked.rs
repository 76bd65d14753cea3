//! Facts of a run: the scenario, its radio, and what was set over its file.

use std::collections::BTreeMap;

use airpath_campaign::compare;
use airpath_plot::{Block, Grid, Section, seconds};
use airpath_results::Timing;
use serde_json::{Value, json};

use super::campaign;
use crate::{Results, Run};

/// Keys that a table of several runs has at most.
const MOST_KEYS: usize = 40;

/// Input of the results: scenarios, seeds, arms, and keys in which runs differ.
pub fn asked(results: &Results) -> Section {
    let mut blocks: Vec<Block> = results.runs.iter().map(|run| Block::Facts(facts(run))).collect();
    blocks.extend(differences(&results.runs).map(Block::Table));
    let campaigns = results.campaigns.iter();
    blocks.extend(campaigns.map(|arms| Block::Facts(campaign::facts(arms))));
    Section::new("asked", "What was asked", blocks)
}

fn facts(run: &Run) -> Vec<(String, String)> {
    let scenario = &run.summary.scenario;
    let names = |key: &str| -> Option<String> {
        let all = scenario[key].as_array()?;
        let name = |one: &Value| match one["count"].as_u64() {
            Some(count @ 2..) => format!("{} × {count}", one["name"].as_str().unwrap_or("?")),
            _ => one["name"].as_str().unwrap_or("?").to_owned(),
        };
        Some(all.iter().map(name).collect::<Vec<_>>().join(", "))
    };
    let text = |key: &str| scenario[key].as_str().map(str::to_owned);
    let over = set_over(run);
    [
        ("run", Some(run.label.clone())),
        ("scenario", text("title")),
        ("simulated time", Some(format!("{} s", seconds(run.summary.duration_s)))),
        ("seed", Some(run.summary.seed.to_string())),
        ("radio", Some(radio(scenario))),
        ("UEs", names("ue")),
        ("flows", names("flow")),
        ("set over the file", (!over.is_empty()).then(|| over.join("; "))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}

/// Settings over the scenario's file, as in the command; empty for runs of older versions.
fn set_over(run: &Run) -> Vec<String> {
    let text = run.folder.text("timing.json").ok();
    let timing: Option<Timing> = text.and_then(|text| serde_json::from_str(&text).ok());
    timing.map(|timing| timing.overrides).unwrap_or_default()
}

/// The radio in words: technology, carrier, duplex.
fn radio(scenario: &Value) -> String {
    let cell = &scenario["cell"];
    let Some(technology) = cell["technology"].as_str() else {
        return "none: wires only".to_owned();
    };
    let mut words = vec![technology.to_uppercase()];
    if !scenario["network"].is_null() {
        words.push("a network of cells".to_owned());
    }
    words.extend(cell["bandwidth"].as_str().map(str::to_owned));
    words.extend(cell["resource_blocks"].as_u64().map(|n| format!("{n} resource blocks")));
    words.extend(cell["numerology"].as_u64().map(|n| format!("numerology {n}")));
    let pattern = cell["tdd_pattern"].as_str().map(|pattern| format!(" {pattern}"));
    let duplex = cell["duplex"].as_str().map(str::to_uppercase);
    words.extend(duplex.map(|duplex| duplex + &pattern.unwrap_or_default()));
    words.join(", ")
}

/// The keys in which runs differ from the first, but for the seed; none of a single run.
fn differences(runs: &[Run]) -> Option<Grid> {
    let (first, others) = runs.split_first().filter(|(_, others)| !others.is_empty())?;
    let mut keys: BTreeMap<String, Vec<Option<Value>>> = BTreeMap::new();
    for (n, run) in others.iter().enumerate() {
        for found in compare::differences(&first.summary.scenario, &run.summary.scenario) {
            let values =
                keys.entry(found.key).or_insert_with(|| vec![found.first.clone(); runs.len()]);
            values[n + 1] = found.second;
        }
    }
    let labels = runs.iter().map(|run| run.label.clone());
    Some(keys_that_differ(labels, keys.into_iter().collect(), MOST_KEYS))
}

/// Table of at most so many keys in which scenarios differ, with a column of values for each label.
pub fn keys_that_differ(
    labels: impl IntoIterator<Item = String>,
    keys: Vec<(String, Vec<Option<Value>>)>,
    most: usize,
) -> Grid {
    let sentence = match keys.len() {
        0 => "The scenarios are the same.".to_owned(),
        n if n > most => format!("The first {most} of {n} keys."),
        _ => String::new(),
    };
    let shown = |value: Option<Value>| match value {
        Some(Value::String(text)) => json!(text),
        Some(other) => json!(other.to_string()),
        None => json!("not there"),
    };
    let row = |(key, values): (String, Vec<Option<Value>>)| {
        [json!(key)].into_iter().chain(values.into_iter().map(shown)).collect()
    };
    let columns = ["key".to_owned()].into_iter().chain(labels);
    let rows = keys.into_iter().take(most).map(row);
    Grid { sentence, ..Grid::new("keys", "Keys of the scenarios that differ", columns, rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radio_is_said_in_words() {
        let nr = json!({"cell": {"technology": "nr", "bandwidth": "100 MHz", "numerology": 1,
            "duplex": "tdd", "tdd_pattern": "DDDSU"}});
        assert_eq!(radio(&nr), "NR, 100 MHz, numerology 1, TDD DDDSU");
        let lte = json!({"cell": {"technology": "lte", "resource_blocks": 6, "duplex": "fdd"}});
        assert_eq!(radio(&lte), "LTE, 6 resource blocks, FDD");
        assert_eq!(radio(&json!({"radio": "none"})), "none: wires only");
    }
}
