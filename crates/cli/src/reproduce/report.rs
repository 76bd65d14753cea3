//! The report of a study: what it found, whether that holds here, and every row.

use airpath_plot::{
    Axis, Block, Chart, Direction, Finding, Grid, Layer, Mark, Page, Panel, Section, Series, Tone,
};
use airpath_study::network::{Findings, Judged};
use airpath_study::{Differing, Report, Row, Screen, Study, StudyError, Text, Verdict, pictures};
use serde_json::{Value, json};

use crate::args::ReproduceArgs;

/// Verdicts in the order in which they stand in a legend.
const VERDICTS: [Verdict; 6] = [
    Verdict::Holds,
    Verdict::Fails,
    Verdict::Recovered,
    Verdict::NotResolved,
    Verdict::NotComparable,
    Verdict::NotMade,
];

fn section(id: &str, title: &str, blocks: Vec<Block>) -> Section {
    Section { id: id.into(), title: title.into(), blocks, ..Section::default() }
}

fn charts(charts: impl IntoIterator<Item = Chart>) -> Vec<Block> {
    charts.into_iter().map(|chart| Block::Chart(Box::new(chart))).collect()
}

fn grid(id: &str, title: &str, columns: &[&str], rows: Vec<Vec<Value>>) -> Block {
    Block::Table(Grid {
        id: id.into(),
        title: title.into(),
        columns: columns.iter().map(|title| (*title).to_owned()).collect(),
        rows,
        ..Grid::default()
    })
}

fn asked(study: &Study, args: &ReproduceArgs) -> Section {
    let part = args.part.clone().unwrap_or_else(|| "all".into());
    let facts = [
        ("study", study.title.to_owned()),
        ("part", part),
        ("runs of what is repeated", args.seeds.to_string()),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value)).into();
    section("asked", "What was asked", vec![Block::Facts(facts)])
}

/// The page of what of a study is no experiment on a network.
pub fn page(study: &Study, report: &Report, args: &ReproduceArgs) -> Result<Page, StudyError> {
    let screen = &airpath_study::screen(study, report)?;
    let mut sections =
        vec![asked(study, args), answer(screen, readings(screen)), differences(screen)];
    sections.push(section("published", "Published and here", charts(against(report))));
    sections.push(section("why", "Why", charts(pictures(study, report)?)));
    let rows =
        grid("claims", "Claims by reading", &COLUMNS, report.rows.iter().map(line).collect());
    sections.push(Section { folded: true, ..section("rows", "Row by row", vec![rows]) });
    sections.retain(|section| !section.blocks.is_empty());
    let mut names: Vec<String> = Vec::new();
    for row in &report.rows {
        if !names.contains(&row.reading) {
            names.push(row.reading.clone());
        }
    }
    Ok(Page { title: study.title.clone(), lead: String::new(), sections, names })
}

/// The answer, and below it how many rows agree.
fn answer(screen: &Screen, standings: Block) -> Section {
    let mut blocks = vec![Block::Text(screen.question.clone())];
    blocks.extend(screen.answer.iter().map(|part| match part {
        Text::Paragraph(text) => Block::Text(text.clone()),
        Text::Finding(text) => said(text),
    }));
    blocks.push(standings);
    section("answer", "The answer", blocks)
}

/// The rows of each reading by verdict.
fn readings(screen: &Screen) -> Block {
    let others =
        [Verdict::Recovered, Verdict::NotResolved, Verdict::NotComparable, Verdict::NotMade];
    let rows = screen.standings.iter().chain(&screen.sweeps).map(|one| {
        let pairs = one.kinds.iter().map(|(_, [agree, of])| json!(format!("{agree} of {of}")));
        let counts = others.map(|verdict| json!(one.other(verdict)));
        [json!(one.name)].into_iter().chain(pairs).chain(counts).collect()
    });
    let columns = [
        "reading",
        "figures that agree",
        "findings that hold",
        "recovered",
        "left open",
        "not comparable",
        "not made",
    ];
    grid("readings", "Does it hold here?", &columns, rows.collect())
}

/// The rows of each part by verdict.
fn parts(screen: &Screen) -> Block {
    let rows = screen.standings.iter().map(|part| {
        let holds = part.kinds.first().map_or(0, |(_, [holds, _])| *holds);
        let counts = part.others.iter().map(|(_, count)| json!(count));
        [json!(part.name), json!(holds)].into_iter().chain(counts).collect()
    });
    let columns = ["part", "hold", "fail", "not resolved", "not made"];
    grid("parts", "Does it hold here?", &columns, rows.collect())
}

fn said(text: &str) -> Block {
    Block::Findings(vec![Finding { text: text.to_owned(), ..Finding::default() }])
}

fn differences(screen: &Screen) -> Section {
    let known = screen.differences.iter().map(|one| Finding {
        head: one.rows.join(", "),
        badge: if one.open { "left open" } else { "differs" }.into(),
        tone: if one.open { Tone::Open } else { Tone::Bad },
        text: match &one.readings[..] {
            [] => one.why.clone(),
            readings => format!("{} ({})", one.why, readings.join("; ")),
        },
        card: String::new(),
    });
    let findings: Vec<Finding> = known.chain(unexplained(screen)).collect();
    let blocks = if findings.is_empty() { Vec::new() } else { vec![Block::Findings(findings)] };
    section("differences", "What differs, and why", blocks)
}

/// Rows without a reason: a finding for each verdict and reading, or for a row without a reading.
fn unexplained(screen: &Screen) -> Vec<Finding> {
    let mut groups: Vec<(&Differing, Vec<&str>)> = Vec::new();
    for row in &screen.unexplained {
        let own = |(first, _): &&mut (&Differing, Vec<&str>)| {
            row.reading.is_some() && (first.verdict, &first.reading) == (row.verdict, &row.reading)
        };
        match groups.iter_mut().find(own) {
            Some((_, ids)) => ids.push(&row.id),
            None => groups.push((row, vec![&row.id])),
        }
    }
    let finding = |(row, ids): (&Differing, Vec<&str>)| Finding {
        head: ids.join(", "),
        badge: row.verdict.figure_word().into(),
        tone: if row.verdict == Verdict::NotResolved { Tone::Open } else { Tone::Bad },
        text: match (&row.reading, row.verdict) {
            (None, _) => format!("{}. No reason is known.", row.says),
            (Some(reading), Verdict::NotResolved) => {
                format!("More runs are needed to tell whether they agree. ({reading})")
            }
            (Some(reading), _) => format!("No reason is known. ({reading})"),
        },
        card: String::new(),
    };
    groups.into_iter().map(finding).collect()
}

/// Ours by what was published, row by row.
fn against(report: &Report) -> Option<Chart> {
    let ratio = |row: &Row| {
        let published: f64 = row.published.parse().ok().filter(|value| *value != 0.0)?;
        Some(row.measured? / published).filter(|ratio| *ratio > 0.0)
    };
    let mut ids: Vec<&str> = Vec::new();
    for row in report.rows.iter().filter(|row| ratio(row).is_some()) {
        if !ids.contains(&row.id.as_str()) {
            ids.push(&row.id);
        }
    }
    let place = |row: &Row| ids.iter().position(|id| *id == row.id).unwrap_or(0) as f64;
    let mut layers = vec![Layer::plain(Mark::Rule {
        along: Direction::Y,
        at: 1.0,
        text: "as published".into(),
    })];
    for (n, verdict) in VERDICTS.into_iter().enumerate() {
        let own = report.rows.iter().filter(|row| row.verdict == verdict);
        let own: Vec<(&Row, f64)> = own.filter_map(|row| Some((row, ratio(row)?))).collect();
        if own.is_empty() {
            continue;
        }
        let names = own.iter().map(|(row, _)| format!("{}, {}", row.id, row.reading)).collect();
        let mark = Mark::Points {
            x: own.iter().map(|(row, _)| place(row)).collect(),
            y: own.iter().map(|(_, ratio)| *ratio).collect(),
            values: Vec::new(),
            names,
        };
        let series = Series::new(verdict.figure_word(), n);
        layers.push(Layer::new(&series, mark).meaning("point: a claim in a reading"));
    }
    let count = |wanted: Verdict| report.rows.iter().filter(|row| row.verdict == wanted).count();
    let sentence = format!(
        "Of {} rows, {} agree with what was published within their tolerance and {} differ.",
        report.rows.len(),
        count(Verdict::Holds),
        count(Verdict::Fails)
    );
    let panel = Panel {
        x: Axis::category("claim", ids.iter().copied()),
        y: Axis::log("here, by what was published", ""),
        layers,
        ..Panel::default()
    };
    (!ids.is_empty()).then(|| Chart {
        id: "against".into(),
        title: "Figures here, by what was published".into(),
        sentence,
        panels: vec![panel],
        ..Chart::default()
    })
}

const COLUMNS: [&str; 11] = [
    "claim",
    "part",
    "reading",
    "metric",
    "condition",
    "published",
    "here",
    "unit",
    "tolerance",
    "verdict",
    "why",
];

fn line(row: &Row) -> Vec<Value> {
    vec![
        json!(row.id),
        json!(row.part),
        json!(row.reading),
        json!(row.metric),
        json!(row.condition),
        json!(row.published),
        json!(row.measured),
        json!(row.unit),
        json!(row.tolerance),
        json!(row.verdict.figure_word()),
        json!(row.reason),
    ]
}

/// The page of a study's experiments on a network.
pub fn on_network(
    study: &Study,
    found: &Findings<'_>,
    screen: &Screen,
    args: &ReproduceArgs,
) -> Page {
    let statements = found.judged.iter().map(statement).collect();
    let each = section("statements", "Statement by statement", vec![Block::Findings(statements)]);
    let sections = vec![
        asked(study, args),
        answer(screen, parts(screen)),
        differences(screen),
        section("places", "How surely", charts(places(&found.judged))),
        Section { folded: true, ..each },
    ];
    let sections = sections.into_iter().filter(|section| !section.blocks.is_empty()).collect();
    Page { title: study.title.to_owned(), lead: String::new(), sections, names: Vec::new() }
}

fn statement(judged: &Judged) -> Finding {
    let tone = match judged.outcome {
        Verdict::Holds | Verdict::Recovered => Tone::Good,
        Verdict::Fails => Tone::Bad,
        Verdict::NotResolved => Tone::Open,
        Verdict::NotComparable | Verdict::NotMade => Tone::Plain,
    };
    let place = judged.deciding().map_or_else(String::new, |place| {
        format!(
            " It is decided at {}: {:.3} ({:.3} to {:.3}), {} runs.",
            place.name, place.value, place.low, place.high, place.runs
        )
    });
    Finding {
        head: judged.row.id.clone(),
        badge: judged.outcome.word().into(),
        tone,
        text: format!("{}{place}", judged.row.says),
        card: String::new(),
    }
}

/// The ratios that decide statements, with their intervals.
fn places(judged: &[Judged]) -> Option<Chart> {
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
