//! The page of a comparison.

use airpath_campaign::compare::{Comparison, KeyDifference, Side};
use airpath_plot::{Block, Grid, Page, Section};

use super::asked::keys_that_differ;
use super::{charts, groups, paired};
use crate::Results;

/// Sentences of the answer.
const SENTENCES: usize = 8;

/// The report of two arms; `results` are runs of them that show why they differ, if there are any.
pub fn comparison(sides: &[Side; 2], found: &Comparison, results: Option<&Results>) -> Page {
    let mut sections = vec![
        Section::new(
            "asked",
            "What was asked",
            vec![Block::Facts(facts(found)), Block::Table(keys(found))],
        ),
        Section::new("answer", "The answer", vec![groups::of_comparison(found, SENTENCES)]),
    ];
    let ratios = paired::ratios(std::slice::from_ref(found), &[&found.first, &found.second]);
    let ratios = ratios.into_iter().map(Block::from).collect();
    sections.push(Section::new("differences", "What differs, and how surely", ratios));
    sections.extend(results.into_iter().flat_map(charts::all));
    let table = Block::Table(paired::table(found, "metrics"));
    sections.push(Section::new("metrics-part", "Metric by metric", vec![table]).folded());
    let seeds = paired::by_seed(sides, found);
    if !seeds.is_empty() {
        let choice = Block::Choice("Metric".into(), seeds);
        sections.push(Section::new("seeds", "Seed by seed", vec![choice]).folded());
    }
    Page::new(format!("{} against {}", found.second, found.first), sections, Vec::new())
}

fn facts(found: &Comparison) -> Vec<(String, String)> {
    let seeds: Vec<String> = found.seeds.iter().map(u64::to_string).collect();
    let seeds = match seeds.as_slice() {
        [first, .., last] => format!("{} ({first} to {last})", seeds.len()),
        few => few.join(", "),
    };
    let mut facts = vec![
        ("first".to_owned(), found.first.clone()),
        ("second".to_owned(), found.second.clone()),
        ("paired seeds".to_owned(), seeds),
    ];
    if found.unpaired > 0 {
        facts.push(("runs without a partner".to_owned(), found.unpaired.to_string()));
    }
    if found.builds_differ {
        facts.push(("builds".to_owned(), "differ: the program may make a difference".to_owned()));
    }
    facts
}

fn keys(found: &Comparison) -> Grid {
    let keys = found.keys.iter().map(|key| {
        let KeyDifference { key, first, second } = key.clone();
        (key, vec![first, second])
    });
    let labels = [found.first.clone(), found.second.clone()];
    keys_that_differ(labels, keys.collect(), usize::MAX)
}
