//! Reports: results as one page that explains itself.
//!
//! What was asked comes first, then the answer in sentences, then why, and below it everything
//! else on demand. [`report`] looks at what folders hold and makes the page for it.

mod flows;
mod limits;

use std::fs;
use std::path::Path;

use airpath_plot::{Block, Chart, File, Finding, Page, Section};
use serde_json::Value;

use crate::{Course, ReportError, Results, Run, What, all, chart, map};

/// A longer text is not put into a page.
const LONGEST_FILE: u64 = 400_000;

/// The report of folders of runs and campaigns, as [`Results::open`] takes them.
///
/// # Errors
///
/// What cannot be read, or has nothing to be seen.
pub fn report(names: &[impl AsRef<str>]) -> Result<Page, ReportError> {
    let results = Results::open(names)?;
    let said: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let charts = all(&results, None)?;
    let mut sections = vec![asked(&results)];
    let mut names = Vec::new();
    match (results.runs.as_slice(), results.campaigns.as_slice()) {
        ([run], []) => {
            sections.push(flows::answer(run));
            names = run.summary.flows.iter().map(|flow| flow.name.clone()).collect();
        }
        _ => sections.push(sentences(&charts)),
    }
    sections.extend(why(charts));
    if let [run] = results.runs.as_slice() {
        sections.extend(network(run));
        sections.push(flows::each(run));
        sections.push(flows::tables(run));
        sections.extend(files(&run.folder));
    }
    sections.retain(|section| !section.blocks.is_empty());
    Ok(Page {
        title: format!("Report of {}", said.join(", ")),
        lead: String::new(),
        sections,
        names,
    })
}

fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.into(), title: title.into(), blocks, ..Section::default() }
}

/// The same, folded until a reader asks for it.
fn folded(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { folded: true, ..section(id, title, blocks) }
}

/// What was asked: scenarios, seeds, arms.
fn asked(results: &Results) -> Section {
    let mut blocks: Vec<Block> = results.runs.iter().map(|run| Block::Facts(facts(run))).collect();
    for campaign in &results.campaigns {
        let arms = campaign.arms().map(|(_, arm)| arm.name.clone()).collect::<Vec<_>>();
        blocks.push(Block::Facts(vec![
            ("campaign".into(), campaign.label.clone()),
            ("arms".into(), arms.join("; ")),
        ]));
    }
    section("asked", "What was asked", blocks)
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
    [
        ("run", Some(run.label.clone())),
        ("scenario", text("title")),
        ("simulated time", Some(format!("{} s", run.summary.duration_s))),
        ("seed", Some(run.summary.seed.to_string())),
        ("radio", text("radio")),
        ("UEs", names("ue")),
        ("flows", names("flow")),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}

/// What charts say of several results.
fn sentences(charts: &[Chart]) -> Section {
    let finding = |chart: &Chart| Finding {
        head: chart.title.clone(),
        text: chart.sentence.clone(),
        ..Finding::default()
    };
    section("answer", "The answer", vec![Block::Findings(charts.iter().map(finding).collect())])
}

/// Charts: stages first, then courses over time, distributions, and the rest.
fn why(charts: Vec<Chart>) -> Vec<Section> {
    let mut parts = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    let over_time = |id: &str| {
        What::ALL
            .iter()
            .any(|what| matches!(what, What::Over(_) | What::Marks) && what.name() == id)
    };
    for one in charts {
        let part = match one.id.as_str() {
            "stages" => 0,
            id if over_time(id) => 1,
            "cdf" => 2,
            // A report has a map for each measure.
            "map" => continue,
            _ => 3,
        };
        parts[part].push(Block::Chart(Box::new(one)));
    }
    let titles = [
        ("stages-part", "Where the time goes"),
        ("courses", "Over time"),
        ("distributions", "Distributions"),
        ("arms", "Rates and delays"),
    ];
    titles.into_iter().zip(parts).map(|((id, title), blocks)| section(id, title, blocks)).collect()
}

/// The users of a network where they are; none of a run without one.
fn network(run: &Run) -> Option<Section> {
    let maps = map::charts(run).ok()?;
    let mut blocks = vec![Block::Choice("Users coloured by".into(), maps)];
    let results = Results { runs: vec![run.clone()], campaigns: Vec::new() };
    if let Ok(load) = chart(What::Over(Course::ResourceBlocks), &results, None) {
        blocks.push(Block::Chart(Box::new(Chart { id: "load".into(), ..load })));
    }
    Some(section("network", "The network", blocks))
}

/// Text files of a folder that are there and not too long.
fn files(folder: &Path) -> Option<Section> {
    let wanted = [
        ("scenario.toml", "The scenario with all defaults"),
        ("metrics.json", "Metrics by name"),
        ("summary.json", "The whole summary"),
    ];
    let one = |(name, meaning): (&str, &str)| {
        let path = folder.join(name);
        let short = fs::metadata(&path).ok()?.len() <= LONGEST_FILE;
        let text = short.then(|| fs::read_to_string(&path).ok()).flatten()?;
        Some(Block::File(File { name: name.into(), meaning: meaning.into(), text }))
    };
    let blocks: Vec<Block> = wanted.into_iter().filter_map(one).collect();
    (!blocks.is_empty()).then(|| folded("files", "Files", blocks))
}
