//! The report of calibrations: published distributions beside ours.

use airpath_plot::{
    Axis, Block, Chart, Finding, Grid, Layer, Mark, Page, Panel, Section, Series, Tone,
};
use serde_json::json;

use super::compared::Compared;

/// The page.
pub fn page(all: &[Compared], users: u64, seed: u64) -> Page {
    let facts = [("users a scenario", users.to_string()), ("seed", seed.to_string())];
    let facts = facts.map(|(name, value)| (name.to_owned(), value)).into();
    let charts = Block::Choice("Calibration".into(), all.iter().map(chart).collect());
    let sections = vec![
        Section::new("asked", "What was asked", vec![Block::Facts(facts)]),
        Section::new(
            "answer",
            "The answer",
            vec![Block::Findings(all.iter().map(finding).collect())],
        ),
        Section::new("distributions", "Published and ours", vec![charts]),
        Section::new("figures", "Figure by figure", vec![Block::Table(table(all))]).folded(),
    ];
    Page::new("Calibration of the channel of a network", sections, Vec::new())
}

fn finding(one: &Compared) -> Finding {
    let [near, count] = one.held();
    Finding {
        head: format!("{}: {}", one.row.name(), one.row.metric.name()),
        badge: if near == count { "within tolerance" } else { "differs" }.into(),
        tone: if near == count { Tone::Good } else { Tone::Bad },
        text: format!(
            "{near} of {count} figures are within their tolerance; at most {:.2} dB off.",
            one.most_off_db()
        ),
        card: String::new(),
    }
}

fn chart(one: &Compared) -> Chart {
    let share = || one.row.points.iter().map(|point| point.percentile);
    let ours = Mark::Line {
        x: one.figures.iter().map(|figure| figure.measured_db).collect(),
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
        id: format!("calibration-{}-{}", one.row.name(), one.row.metric.word()),
        title: format!("{}: {}", one.row.name(), one.row.metric.name()),
        sentence: finding(one).text,
        panels: vec![Panel {
            x: Axis::new(one.row.metric.name(), "dB"),
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
        one.figures.iter().map(|figure| {
            vec![
                json!(one.row.name()),
                json!(one.row.metric.name()),
                json!(figure.point.percentile),
                json!(figure.point.published_db),
                json!(figure.measured_db),
                json!(figure.difference_db()),
            ]
        })
    });
    Grid::new("points", "Published figures and ours", columns, rows)
}
