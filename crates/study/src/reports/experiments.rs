//! The report of a study's experiments.

use airpath_plot::{
    Axis, Block, Chart, Direction, Finding, Grid, Layer, Mark, Page, Panel, Section, Series, Tone,
};
use serde_json::json;

use super::{Scope, answer, differences};
use crate::network::{Findings, Judged, Place, Sentence, screen};
use crate::{Screen, Study, StudyError, Verdict};

/// The report of a study's experiments.
///
/// # Errors
///
/// A text of another form.
pub fn experiments_report(
    study: &Study,
    found: &Findings<'_>,
    scope: Scope<'_>,
) -> Result<Page, StudyError> {
    let screen = &screen(found)?;
    let statements = found.judged.iter().map(|judged| statement(found, judged)).collect();
    let sections = vec![
        scope.section(study),
        answer(screen, parts(screen)),
        differences(screen),
        Section::new(
            "places",
            "How surely",
            deciding(&found.judged).map(Block::from).into_iter().collect(),
        ),
        Section::new("statements", "Statement by statement", vec![Block::Findings(statements)])
            .folded(),
    ];
    Ok(Page::new(&study.title, sections, Vec::new()))
}

/// The rows of each part by verdict.
fn parts(screen: &Screen) -> Block {
    let rows = screen.standings.iter().chain(&screen.by_sentence).map(|part| {
        let holds = part.kinds.first().map_or(0, |(_, [holds, _])| *holds);
        let counts = part.others.iter().map(|(_, count)| json!(count));
        [json!(part.name), json!(holds)].into_iter().chain(counts).collect()
    });
    let columns = ["part", "hold", "fail", "not resolved", "not made"];
    Block::Table(Grid::new("parts", "Does it hold here?", columns, rows))
}

fn statement(found: &Findings<'_>, judged: &Judged) -> Finding {
    let tone = match judged.outcome {
        Verdict::Holds | Verdict::Recovered => Tone::Good,
        Verdict::Fails => Tone::Bad,
        Verdict::NotResolved => Tone::Open,
        Verdict::NotComparable | Verdict::NotMade => Tone::Plain,
    };
    let decided = |judged: &Judged| match judged.deciding() {
        Some(Place { name, value, low, high, runs, .. }) => {
            format!(" It is decided at {name}: {value:.3} ({low:.3} to {high:.3}), {runs} runs.")
        }
        None => String::new(),
    };
    let by_sentence = found.sentence(&judged.row.id).map(|(sentence, by)| {
        let Sentence { place, quote, tests, .. } = sentence;
        let changed = format!(" By its rule: {}.{}", by.outcome.word(), decided(by));
        let changed = if tests.is_empty() { String::new() } else { changed };
        format!(" The sentence ({place}): \u{201c}{quote}\u{201d}.{changed}")
    });
    Finding {
        head: judged.row.id.clone(),
        badge: judged.outcome.word().into(),
        tone,
        text: format!("{}{}{}", judged.row.says, decided(judged), by_sentence.unwrap_or_default()),
        card: String::new(),
    }
}

/// The ratios that decide statements, with their intervals.
fn deciding(judged: &[Judged]) -> Option<Chart> {
    let deciding = judged.iter().filter_map(|one| Some((one, one.deciding()?)));
    let own: Vec<_> = deciding
        .filter(|(_, place)| place.ratio && [place.value, place.low].iter().all(|v| *v > 0.0))
        .collect();
    let mut layers =
        vec![Layer::plain(Mark::Rule { along: Direction::Y, at: 1.0, text: String::new() })];
    let outcomes = [Verdict::Holds, Verdict::Fails, Verdict::NotResolved];
    for (n, outcome) in outcomes.into_iter().enumerate() {
        let these = || own.iter().enumerate().filter(|(_, (one, _))| one.outcome == outcome);
        let mark = Mark::Intervals {
            x: these().map(|(at, _)| at as f64).collect(),
            y: these().map(|(_, (_, place))| place.value).collect(),
            low: these().map(|(_, (_, place))| place.low).collect(),
            high: these().map(|(_, (_, place))| place.high).collect(),
        };
        if mark.points() > 0 {
            let series = Series::new(outcome.word(), n);
            let meaning = "point: the ratio at the place that decides; bar: its interval";
            layers.push(Layer::new(&series, mark).meaning(meaning));
        }
    }
    let sentence = format!(
        "{} statements are decided by a ratio; a bar that crosses 1 decides nothing by itself.",
        own.len()
    );
    let panel = Panel {
        x: Axis::category("statement", own.iter().map(|(one, _)| one.row.id.as_str())),
        y: Axis::log("times as much", ""),
        layers,
        ..Panel::default()
    };
    (!own.is_empty()).then(|| Chart {
        id: "places".into(),
        title: "What decides each statement".into(),
        sentence,
        panels: vec![panel],
        ..Chart::default()
    })
}
