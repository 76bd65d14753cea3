//! Ramp-ups: a panel for each kind of access, a line for each TTI.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};

use crate::RampRow;
use crate::page::short;

/// What is drawn.
#[derive(Clone, Copy)]
pub(super) struct Curve {
    /// Title of the picture.
    title: &'static str,
    /// What its y axis measures.
    label: &'static str,
    /// The curve of a download, in Mbit/s.
    of: fn(&RampRow) -> &[f64],
    /// Right end of the axis in ms.
    until_ms: f64,
    /// Upper end of the axis in Mbit/s.
    most_mbps: f64,
}

pub(super) const MOVING: Curve = Curve {
    title: "Throughput, mean over a moving window",
    label: "throughput",
    of: |row| &row.figures.moving_mbps,
    until_ms: 250.0,
    most_mbps: 25.0,
};
pub(super) const PERCEIVED: Curve = Curve {
    title: "User-perceived throughput: mean since the request",
    label: "throughput",
    of: |row| &row.figures.upt_mbps,
    until_ms: 1500.0,
    most_mbps: 25.0,
};

/// Downloads whose runs are called `TTI-ACCESS`. None without downloads.
pub(super) fn chart(rows: &[&RampRow], curve: Curve) -> Option<Chart> {
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
            y: Axis::new(curve.label, "Mbit/s").within(0.0, curve.most_mbps),
            layers: own.enumerate().map(|(n, (tti, _, row))| line(n, tti, row, curve)).collect(),
            ..Panel::default()
        }
    });
    let panels: Vec<Panel> = panels.collect();
    (!panels.is_empty()).then(|| Chart {
        title: curve.title.to_owned(),
        sentence: sentence(&named, curve),
        columns: panels.len(),
        panels,
        ..Chart::default()
    })
}

/// From nothing at the start, a point for each step that the axis shows.
fn line(n: usize, tti: &str, row: &RampRow, curve: Curve) -> Layer {
    let step = row.figures.step_ms;
    let points = (1..).map(|n| f64::from(n) * step).zip((curve.of)(row).iter().copied());
    let shown = points.take_while(|(ms, _)| *ms <= curve.until_ms);
    let (x, y) = std::iter::once((0.0, 0.0)).chain(shown).unzip();
    Layer::new(&Series::new(format!("TTI {tti}"), n), Mark::line(x, y))
}

fn sentence(named: &[(&str, &str, &RampRow)], curve: Curve) -> String {
    let most = named.iter().map(|(tti, access, row)| {
        let last = (curve.until_ms / row.figures.step_ms.max(f64::MIN_POSITIVE)) as usize;
        let most = (curve.of)(row).iter().take(last).copied().fold(0.0, f64::max);
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
        let curve = Curve { until_ms: 10.0, most_mbps: 10.0, ..MOVING };
        let chart = self::chart(&rows.iter().collect::<Vec<_>>(), curve).expect("a chart");
        let panels: Vec<_> =
            chart.panels.iter().map(|panel| (panel.title.as_str(), panel.layers.len())).collect();
        assert_eq!(panels, [("sr5", 2), ("sr1", 1)]);
        // What lies behind the end is not drawn.
        let line = Mark::line(vec![0.0, 5.0, 10.0], vec![0.0, 2.0, 5.0]);
        assert_eq!(chart.panels[0].layers[1].mark, line);
        let names: Vec<_> = chart.series().iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["TTI 1ms", "TTI 500us"]);
        assert!(chart.sentence.contains("500us with sr5: 5 Mbit/s"), "{}", chart.sentence);
        assert_eq!(self::chart(&[], curve), None);
    }
}
