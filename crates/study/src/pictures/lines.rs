//! Figures over something that is varied: those of a plan whose names are
//! `PICTURE / LINE / X`.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
use serde::Deserialize;

use crate::Report;
use crate::page::short;

/// A picture of figures over something that is varied.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lines {
    /// Title.
    title: String,
    x: Scale,
    y: Scale,
}

/// An axis: its label, unit and upper end.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scale {
    label: String,
    unit: String,
    most: f64,
}

/// Name and points.
type Line<'a> = (&'a str, Vec<(f64, f64)>);

/// A line for each name, its points in the order of x; none without figures.
pub(super) fn chart(report: &Report, name: &str, of: &Lines) -> Option<Chart> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for figure in &report.figures {
        let Some((line, x)) = parts(&figure.name, name) else { continue };
        match lines.iter_mut().find(|(name, _)| *name == line) {
            Some((_, points)) => points.push((x, figure.value)),
            None => lines.push((line, vec![(x, figure.value)])),
        }
    }
    lines.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let axis = |of: &Scale| Axis::new(&of.label, &of.unit).within(0.0, of.most);
    let sentence = sentence(&lines, of);
    let panel = Panel {
        x: axis(&of.x),
        y: axis(&of.y),
        layers: lines.iter().enumerate().map(|(n, line)| layer(n, line)).collect(),
        ..Panel::default()
    };
    (!panel.layers.is_empty()).then(|| Chart {
        title: of.title.clone(),
        sentence,
        panels: vec![panel],
        ..Chart::default()
    })
}

fn parts<'a>(name: &'a str, picture: &str) -> Option<(&'a str, f64)> {
    let (line, x) = name.strip_prefix(picture)?.strip_prefix(" / ")?.rsplit_once(" / ")?;
    Some((line, x.parse().ok()?))
}

fn layer(n: usize, (name, points): &Line<'_>) -> Layer {
    let x = points.iter().map(|(x, _)| *x).collect();
    let y = points.iter().map(|(_, y)| Some(*y)).collect();
    Layer::new(&Series::new(*name, n), Mark::Line { x, y, steps: false, points: true })
}

fn sentence(lines: &[Line<'_>], of: &Lines) -> String {
    let ends = lines.iter().filter_map(|(name, points)| {
        let (first, last) = (points.first()?, points.last()?);
        let at = |point: &(f64, f64)| {
            format!("{} {} at {} {}", short(point.1), of.y.unit, short(point.0), of.x.unit)
        };
        Some(format!("{name}: {}, {}", at(first), at(last)))
    });
    format!("{}. {}.", of.title, ends.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Figure;

    #[test]
    fn figures_become_lines_in_the_order_of_x() {
        let figure = |name: &str, value| Figure { name: name.into(), reading: "r".into(), value };
        let figures = vec![
            figure("use / open / 800", 50.0),
            figure("use / open / 0", 100.0),
            figure("use / small / 0", 0.0),
            figure("other / open / 0", 1.0),
            figure("use", 1.0),
        ];
        let report = Report { figures, ..Report::default() };
        let scale = |unit: &str| Scale { label: String::new(), unit: unit.into(), most: 800.0 };
        let of = Lines { title: "Use".into(), x: scale("ms"), y: scale("%") };
        let chart = self::chart(&report, "use", &of).expect("a chart");
        let [open, small] = &chart.panels[0].layers[..] else { panic!("{chart:?}") };
        let y = vec![Some(100.0), Some(50.0)];
        let line = Mark::Line { x: vec![0.0, 800.0], y, steps: false, points: true };
        assert_eq!((&open.mark, small.mark.points()), (&line, 1));
        assert!(
            chart.sentence.contains("open: 100 % at 0 ms, 50 % at 800 ms"),
            "{}",
            chart.sentence
        );
        assert_eq!(self::chart(&Report::default(), "use", &of), None);
    }
}
