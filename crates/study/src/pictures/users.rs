//! A point for each UE, with delay above and jitter below. Each share of marked UEs has a column of
//! points. One reading is on the left, another on the right.

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series};
use serde::Deserialize;

use crate::UeRow;
use crate::page::short;

/// A picture of the UEs of runs whose names begin alike.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Users {
    /// Beginning of the runs' names.
    pub(super) run: String,
    /// Title.
    title: String,
    /// Readings that are drawn, from left to right.
    readings: [String; 2],
}

/// Share of a column's width that the points of a run fill.
const COLUMN: f64 = 0.76;

/// Value of a UE that is drawn.
type Value = fn(&UeRow) -> Option<f64>;

/// None unless both readings have UEs.
pub(super) fn chart(picture: &Users, rows: &[&UeRow]) -> Option<Chart> {
    let readings = &picture.readings;
    let of = |reading: &str| -> Vec<&UeRow> {
        rows.iter().copied().filter(|row| row.reading == reading).collect()
    };
    if readings.iter().any(|reading| of(reading).is_empty()) {
        return None;
    }
    let delay = readings.each_ref().map(|reading| {
        let axis = Axis::log("mean delay", "ms");
        panel(&format!("{reading}: delay"), axis, &of(reading), |row| row.delay_ms)
    });
    let jitter = readings.each_ref().map(|reading| {
        let axis = Axis::new("jitter", "ms").from_zero();
        panel(&format!("{reading}: jitter"), axis, &of(reading), |row| row.jitter_ms)
    });
    Some(Chart {
        title: picture.title.clone(),
        sentence: sentence(readings, rows),
        panels: delay.into_iter().chain(jitter).collect(),
        columns: 2,
        ..Chart::default()
    })
}

fn panel(title: &str, y: Axis, rows: &[&UeRow], value: Value) -> Panel {
    let runs: Vec<&[&UeRow]> = rows.chunk_by(|a, b| a.run == b.run).collect();
    let marked = |run: &&[&UeRow]| run.iter().filter(|row| row.marked).count().to_string();
    let layers = [(true, "marked"), (false, "not marked")].map(|(of, name)| {
        let series = Series { hollow: !of, ..Series::new(name, usize::from(!of)) };
        Layer::new(&series, points(&runs, of, value)).meaning("each point is a UE")
    });
    let x = Axis::category("UEs that are marked", runs.iter().map(marked));
    Panel { title: title.to_owned(), x, y, layers: layers.into(), ..Panel::default() }
}

fn points(runs: &[&[&UeRow]], marked: bool, value: Value) -> Mark {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (column, run) in runs.iter().enumerate() {
        for (n, row) in run.iter().enumerate().filter(|(_, row)| row.marked == marked) {
            let share = (n as f64 + 0.5) / run.len() as f64;
            if let Some(value) = value(row) {
                x.push(column as f64 + COLUMN * (share - 0.5));
                y.push(value);
            }
        }
    }
    Mark::Points { x, y, values: Vec::new(), names: Vec::new() }
}

fn sentence(readings: &[String; 2], rows: &[&UeRow]) -> String {
    let parts = readings.iter().flat_map(|reading| {
        [(true, "marked"), (false, "not marked")].map(|(marked, name)| {
            let own = rows.iter().filter(|row| row.reading == *reading && row.marked == marked);
            let delays: Vec<f64> = own.filter_map(|row| row.delay_ms).collect();
            let least = delays.iter().copied().fold(f64::INFINITY, f64::min);
            let most = delays.iter().copied().fold(0.0, f64::max);
            let of = if delays.is_empty() {
                "-".into()
            } else {
                format!("{} to {}", short(least), short(most))
            };
            format!("{reading}, {name}: {of} ms")
        })
    });
    let parts: Vec<String> = parts.collect();
    format!(
        "Mean delay and jitter of each UE over the number of marked UEs. Delay {}.",
        parts.join("; ")
    )
}
