//! The report of calibrations: published distributions beside ours.

use airpath_plot::{
    Axis, Block, Chart, Finding, Grid, Layer, Mark, Page, Panel, Section, Series, Tone,
};
use serde_json::json;

use super::compared::Compared;
use super::rows::{Metric, Row};

fn name(row: &Row) -> String {
    format!("{}, {}, {} GHz", row.calibration, row.scenario, row.carrier_ghz)
}

fn metric(row: &Row) -> &'static str {
    match row.metric {
        Metric::CouplingGain => "coupling gain",
        Metric::Geometry => "geometry",
    }
}

/// The page.
pub fn page(all: &[Compared], users: u64, seed: u64) -> Page {
    let facts = [("users a scenario", users.to_string()), ("seed", seed.to_string())];
    let facts = facts.map(|(name, value)| (name.to_owned(), value)).into();
    let section = |id: &str, title: &str, blocks| Section {
        id: id.into(),
        title: title.into(),
        blocks,
        ..Section::default()
    };
    let sections = vec![
        section("asked", "What was asked", vec![Block::Facts(facts)]),
        section("answer", "The answer", vec![Block::Findings(all.iter().map(finding).collect())]),
        section(
            "distributions",
            "Published and ours",
            vec![Block::Choice("Calibration".into(), all.iter().map(chart).collect())],
        ),
        Section {
            folded: true,
            ..section("figures", "Figure by figure", vec![Block::Table(table(all))])
        },
    ];
    let title = "Calibration of the channel of a network".to_owned();
    Page { title, lead: String::new(), sections, names: Vec::new() }
}

fn finding(one: &Compared) -> Finding {
    let near = one.held();
    let count = one.row.points.len();
    let off = one.points().map(|(point, ours)| (ours - point.published_db).abs());
    let worst = off.fold(0.0, f64::max);
    Finding {
        head: format!("{}: {}", name(&one.row), metric(&one.row)),
        badge: if near == count { "within tolerance" } else { "differs" }.into(),
        tone: if near == count { Tone::Good } else { Tone::Bad },
        text: format!(
            "{near} of {count} figures are within their tolerance; at most {worst:.2} dB off."
        ),
        card: String::new(),
    }
}

fn chart(one: &Compared) -> Chart {
    let share = || one.row.points.iter().map(|point| point.percentile);
    let ours = Mark::Line {
        x: one.measured_db.clone(),
        y: share().map(Some).collect(),
        steps: false,
        points: false,
    };
    let published = Mark::Points {
        x: one.row.points.iter().map(|point| point.published_db).collect(),
        y: share().collect(),
        values: Vec::new(),
        names: Vec::new(),
    };
    let layers = vec![
        Layer::new(&Series::new("ours", 0), ours),
        Layer::new(&Series::new("published", 1), published),
    ];
    Chart {
        id: format!("calibration-{}-{}", name(&one.row), one.row.metric.word()),
        title: format!("{}: {}", name(&one.row), metric(&one.row)),
        sentence: finding(one).text,
        panels: vec![Panel {
            x: Axis::new(metric(&one.row), "dB"),
            y: Axis::new("users with less", "%").within(0.0, 100.0),
            layers,
            ..Panel::default()
        }],
        ..Chart::default()
    }
}

fn table(all: &[Compared]) -> Grid {
    let columns =
        ["calibration", "metric", "percentile", "published (dB)", "ours (dB)", "difference (dB)"];
    let rows = all.iter().flat_map(|one| {
        one.points().map(|(point, ours)| {
            vec![
                json!(name(&one.row)),
                json!(metric(&one.row)),
                json!(point.percentile),
                json!(point.published_db),
                json!(ours),
                json!(ours - point.published_db),
            ]
        })
    });
    Grid {
        id: "points".into(),
        title: "Published figures and ours".into(),
        columns: columns.map(str::to_owned).into(),
        rows: rows.collect(),
        ..Grid::default()
    }
}
