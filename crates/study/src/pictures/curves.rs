//! Picture of the throughput of downloads after their request: a panel for each access, a line for each TTI.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
use serde::Deserialize;

use crate::RampRow;
use crate::page::short;

/// A picture of ramp-ups.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Curve {
    /// The throughput of a download.
    curve: Window,
    /// Title of the picture.
    title: String,
    /// Label of the y axis.
    label: String,
    /// Right end of the axis in ms.
    until_ms: f64,
    /// Upper end of the axis in Mbit/s.
    most_mbps: f64,
}

/// The window of a throughput.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Window {
    /// A moving window.
    Moving,
    /// The time since the request.
    Perceived,
}

impl Curve {
    /// The throughput of a download in Mbit/s.
    fn of<'a>(&self, row: &'a RampRow) -> &'a [f64] {
        match self.curve {
            Window::Moving => &row.figures.moving_mbps,
            Window::Perceived => &row.figures.upt_mbps,
        }
    }
}

/// Downloads whose runs are called `TTI-ACCESS`. None without downloads.
pub(super) fn chart(rows: &[&RampRow], curve: &Curve) -> Option<Chart> {
    let named: Vec<(&str, &str, &RampRow)> = rows
        .iter()
        .filter_map(|row| row.run.split_once('-').map(|(tti, access)| (tti, access, *row)))
        .collect();
    let mut accesses: Vec<&str> = Vec::new();
    for (_, access, _) in &named {
        if !accesses.contains(access) {
            accesses.push(access);
        }
    }
    let panels = accesses.iter().map(|access| {
        let own = named.iter().filter(|(_, other, _)| other == access);
        Panel {
            title: (*access).to_owned(),
            x: Axis::new("time since the request", "ms").within(0.0, curve.until_ms),
            y: Axis::new(&curve.label, "Mbit/s").within(0.0, curve.most_mbps),
            layers: own.enumerate().map(|(n, (tti, _, row))| line(n, tti, row, curve)).collect(),
            ..Panel::default()
        }
    });
    let panels: Vec<Panel> = panels.collect();
    (!panels.is_empty()).then(|| Chart {
        title: curve.title.clone(),
        sentence: sentence(&named, curve),
        columns: panels.len(),
        panels,
        ..Chart::default()
    })
}

/// From nothing at the start, a point for each step that the axis shows.
fn line(n: usize, tti: &str, row: &RampRow, curve: &Curve) -> Layer {
    let step = row.figures.step_ms;
    let points = (1..).map(|n| f64::from(n) * step).zip(curve.of(row).iter().copied());
    let shown = points.take_while(|(ms, _)| *ms <= curve.until_ms);
    let (x, y) = std::iter::once((0.0, 0.0)).chain(shown).unzip();
    Layer::new(&Series::new(format!("TTI {tti}"), n), Mark::line(x, y))
}

fn sentence(named: &[(&str, &str, &RampRow)], curve: &Curve) -> String {
    let most = named.iter().map(|(tti, access, row)| {
        let last = (curve.until_ms / row.figures.step_ms.max(f64::MIN_POSITIVE)) as usize;
        let most = curve.of(row).iter().take(last).copied().fold(0.0, f64::max);
        format!("{tti} with {access}: {} Mbit/s", short(most))
    });
    let most: Vec<String> = most.collect();
    format!("{} over {} ms. At most {}.", curve.title, curve.until_ms, most.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RampFigures;

    #[test]
    fn a_panel_for_each_access_and_a_line_for_each_tti() {
        let row = |run: &str| RampRow {
            reading: "r".into(),
            run: run.into(),
            flow: "f".into(),
            seed: 1,
            figures: RampFigures {
                moving_mbps: vec![2.0, 5.0, 30.0],
                step_ms: 5.0,
                ..RampFigures::default()
            },
        };
        let rows = [row("1ms-sr5"), row("500us-sr5"), row("1ms-sr1")];
        let curve = Curve {
            curve: Window::Moving,
            title: "Throughput".into(),
            label: "throughput".into(),
            until_ms: 10.0,
            most_mbps: 10.0,
        };
        let chart = self::chart(&rows.iter().collect::<Vec<_>>(), &curve).expect("a chart");
        let panels: Vec<_> =
            chart.panels.iter().map(|panel| (panel.title.as_str(), panel.layers.len())).collect();
        assert_eq!(panels, [("sr5", 2), ("sr1", 1)]);
        // Points behind the end are not drawn.
        let line = Mark::line(vec![0.0, 5.0, 10.0], vec![0.0, 2.0, 5.0]);
        assert_eq!(chart.panels[0].layers[1].mark, line);
        let names: Vec<_> = chart.series().iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["TTI 1ms", "TTI 500us"]);
        assert!(chart.sentence.contains("500us with sr5: 5 Mbit/s"), "{}", chart.sentence);
        assert_eq!(self::chart(&[], &curve), None);
    }
}
