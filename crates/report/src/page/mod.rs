//! Reports: results as one page that explains itself.
//!
//! The input comes first, then the answer in sentences, then the reasons, and below them everything
//! else on demand. [`report`] looks at the contents of folders and makes the page for them.

mod analysis;
mod asked;
mod campaign;
mod charts;
mod comparison;
mod flows;
mod groups;
mod limits;
mod paired;
mod points;

use std::path::Path;

use airpath_plot::{Block, Chart, File, Page, Section};
use airpath_results::{Digests, Folder};

use serde_json::Value;

use crate::source;
use crate::timeline::timeline;
use crate::{Arms, ReportError, Results, Run, What, all, chart, gaps, map, routes};

use asked::asked;
pub use comparison::comparison;
pub use groups::of_charts;

/// A longer text is not put into a page.
const LONGEST_FILE: usize = 400_000;

/// The report of folders of runs and campaigns, as [`Results::open`] takes them, or of the folder
/// of an analysis or of several points.
///
/// # Errors
///
/// The first folder or file that cannot be read, is damaged, or has nothing to show.
pub fn report(names: &[impl AsRef<str>], mut digests: Digests) -> Result<Page, ReportError> {
    if let [name] = names {
        let folder = Path::new(name.as_ref());
        if folder.is_dir() {
            let folder = Folder::on_disk(folder);
            let summary = source::summary(&folder, digests)?;
            digests = Digests::Unchecked; // files are checked once
            if let Some(page) = of_captures(&folder, &summary) {
                return page;
            }
        }
    }
    let results = Results::open(names, digests)?;
    let said: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let title = format!("Report of {}", said.join(", "));
    Ok(Page { title, ..of_results(&results)? })
}

/// The report of folders in memory, under a title: of runs, or of an analysis or several points.
///
/// # Errors
///
/// The first folder that has nothing to show, or a file that cannot be read.
pub fn report_in_memory(folders: &[Folder], title: &str) -> Result<Page, ReportError> {
    let mut results = Results::default();
    for folder in folders {
        let summary = source::summary(folder, Digests::Unchecked)?;
        if let Some(page) = of_captures(folder, &summary) {
            return page.map(|page| Page { title: title.to_owned(), ..page });
        }
        results.add_run(folder.clone(), summary, None)?;
    }
    Ok(Page { title: title.to_owned(), ..of_results(&results)? })
}

/// The page with a section `more` behind the answer, and with a fact `asked` about the question. The
/// fact replaces the one on the folder, which may be temporary.
pub fn explained(mut page: Page, asked: Option<(String, String)>, more: Option<Section>) -> Page {
    let answer = page.sections.iter().position(|section| section.id == "answer");
    let at = answer.map_or(1, |answer| answer + 1).min(page.sections.len());
    more.into_iter().for_each(|section| page.sections.insert(at, section));
    let mut blocks = page.sections.iter_mut().flat_map(|section| &mut section.blocks);
    let facts = blocks.find_map(|block| match block {
        Block::Facts(facts) => Some(facts),
        _ => None,
    });
    if let (Some(facts), Some(asked)) = (facts, asked) {
        facts.retain(|(name, _)| name != "folder");
        facts.insert(0, asked);
    }
    page
}

/// The page of the folder of an analysis or of points; none of another folder.
fn of_captures(folder: &Folder, summary: &Value) -> Option<Result<Page, ReportError>> {
    if analysis::is_one(summary) {
        return Some(analysis::page(folder));
    }
    points::is_one(summary).then(|| points::page(folder))
}

fn of_results(results: &Results) -> Result<Page, ReportError> {
    match (results.runs.as_slice(), results.campaigns.is_empty()) {
        ([run], true) => of_run(run, results),
        (_, true) => of_runs(results),
        _ => of_campaigns(results),
    }
}

fn of_run(run: &Run, results: &Results) -> Result<Page, ReportError> {
    // The timeline is as much work as all else.
    let (slots, (answer, (before, behind))) =
        rayon::join(|| timeline(run), || (flows::answer(run), charts::why(results)));
    let mut sections = vec![asked(results), answer];
    sections.extend(before);
    sections.push(Section::new("slots", "The cell, slot by slot", slots?));
    sections.extend(gaps::section(run)?);
    sections.extend(network(run));
    sections.extend(behind);
    sections.push(flows::each(run));
    sections.push(flows::tables(run));
    sections.extend(files(&run.folder));
    let names = run.summary.flows.iter().map(|flow| flow.name.clone()).collect();
    Ok(Page::new("", sections, names))
}

/// Several runs beside each other.
fn of_runs(results: &Results) -> Result<Page, ReportError> {
    let mut sections = vec![asked(results), sentences(&all(results, None)?)];
    sections.extend(charts::all(results));
    let names = results.runs.iter().map(|run| run.label.clone()).collect();
    Ok(Page::new("", sections, names))
}

fn of_campaigns(results: &Results) -> Result<Page, ReportError> {
    let mut sections = vec![asked(results)];
    sections.extend(campaign::sections(results)?);
    sections.extend(charts::all(&Results { campaigns: Vec::new(), ..results.clone() }));
    let arms = results.campaigns.iter().flat_map(Arms::arms);
    let names = arms.map(|(_, arm)| arm.name.clone()).collect();
    Ok(Page::new("", sections, names))
}

/// Sentences of the charts of several results.
fn sentences(charts: &[Chart]) -> Section {
    Section::new("answer", "The answer", vec![groups::of_charts(charts)])
}

/// The users of a network where they are, or why they are not shown; none of a run without one.
fn network(run: &Run) -> Option<Section> {
    if run.summary.scenario["network"].is_null() {
        return None;
    }
    let mut blocks = match map::charts(run) {
        Ok(maps) => vec![Block::Choice("Users coloured by".into(), maps)],
        Err(error) => vec![Block::Text(format!("There is no map: {error}"))],
    };
    match routes::charts(run) {
        Ok(routes) if routes.is_empty() => {}
        Ok(routes) => blocks.push(Block::Choice("Routes coloured by".into(), routes)),
        Err(error) => blocks.push(Block::Text(format!("There are no routes: {error}"))),
    }
    let results = Results { runs: vec![run.clone()], campaigns: Vec::new() };
    if let Ok(load) = chart(What::Load, &results, None) {
        blocks.push(Block::Chart(Box::new(load)));
    }
    Some(Section::new("network", "The network", blocks))
}

/// Text files of a folder that are there and not too long.
fn files(folder: &Folder) -> Option<Section> {
    let wanted = [
        ("scenario.toml", "The scenario with all defaults"),
        ("metrics.json", "Metrics by name"),
        ("summary.json", "The whole summary"),
    ];
    let one = |(name, meaning): (&str, &str)| {
        let text = folder.text(name).ok().filter(|text| text.len() <= LONGEST_FILE)?;
        Some(Block::File(File { name: name.into(), meaning: meaning.into(), text }))
    };
    let blocks: Vec<Block> = wanted.into_iter().filter_map(one).collect();
    (!blocks.is_empty()).then(|| Section::new("files", "Files", blocks).folded())
}
