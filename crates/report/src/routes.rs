//! Routes of UEs that move, coloured by serving cell, signal and speed.

use std::collections::BTreeMap;

use airpath_plot::{Axis, Chart, Layer, Mark, Panel, Series, Values, capital};
use airpath_results::Table;
use airpath_stats::percentile;

use crate::map::{SCENARIO, dropped, sites};
use crate::words::{distinct, with_unit};
use crate::{ReportError, Run};

/// Table of the positions, and its columns.
const POSITIONS: &str = "positions.parquet";
const COLUMNS: [&str; 8] =
    ["ue", "cell", "time_s", "x_m", "y_m", "geometry_db", "rsrp_dbm", "speed_kmh"];
/// Columns of runs with handovers. They are sums between two positions, so nothing is joined.
const CARRIED: [&str; 2] = ["throughput_bps", "delay_ms"];
/// Quantities for the colours of routes, in the order of both lists: name, unit and factor.
const ON_A_ROUTE: [(&str, &str, f64); 5] = [
    ("geometry", "dB", 1.0),
    ("RSRP", "dBm", 1.0),
    ("speed", "km/h", 1.0),
    ("throughput", "Mbit/s", 1e-6),
    ("one-way delay", "ms", 1.0),
];
/// Points of a chart; of more, each n-th of a UE is drawn.
const MOST_POINTS: usize = 20_000;

/// A position that is drawn.
struct Sample {
    /// UE, cell and time, for the tooltip.
    name: String,
    cell: String,
    x: f64,
    y: f64,
    values: [Option<f64>; ON_A_ROUTE.len()],
}

/// A chart by serving cell, then one for each quantity; none where no UE has moved.
///
/// # Errors
///
/// A table that cannot be read, or a folder without its scenario.
pub fn charts(run: &Run) -> Result<Vec<Chart>, ReportError> {
    if !run.folder.has(POSITIONS) {
        return Ok(Vec::new());
    }
    let reader = run.folder.table(POSITIONS)?;
    let carried = CARRIED.iter().all(|name| reader.like().columns().any(|own| own == *name));
    let columns = if carried { [&COLUMNS[..], &CARRIED].concat() } else { COLUMNS.to_vec() };
    let samples = samples(&reader.select(&columns)?);
    let network = dropped(&run.folder, SCENARIO, run.summary.seed)?;
    let (series, mark) = sites(&network);
    let mut charts = vec![by_cell(&samples)];
    charts.extend((0..ON_A_ROUTE.len()).filter_map(|quantity| by_quantity(&samples, quantity)));
    for panel in charts.iter_mut().flat_map(|chart| &mut chart.panels) {
        panel.layers.push(Layer::new(&series, mark.clone()));
    }
    Ok(charts)
}

/// Samples of the table that are drawn.
fn samples(table: &Table) -> Vec<Sample> {
    let stride = table.rows().div_ceil(MOST_POINTS).max(1);
    let texts = |n: usize| table.texts(COLUMNS[n]).unwrap_or_default();
    let numbers = |n: usize| table.numbers(COLUMNS[n]).unwrap_or_default();
    let (ues, cells, times, x, y) = (texts(0), texts(1), numbers(2), numbers(3), numbers(4));
    let names = COLUMNS[5..].iter().chain(&CARRIED);
    let values: Vec<Vec<Option<f64>>> =
        names.map(|name| table.numbers(name).unwrap_or_default()).collect();
    let value = |quantity: usize, row: usize| {
        let value: Option<f64> = values[quantity].get(row).copied().flatten();
        value.map(|value| value * ON_A_ROUTE[quantity].2)
    };
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let sample = |row: usize| {
        let (ue, cell) = (ues[row]?, cells[row]?);
        let count = seen.entry(ue).or_default();
        *count += 1;
        if !(*count - 1).is_multiple_of(stride) {
            return None;
        }
        Some(Sample {
            name: format!("{ue}, {cell}, {} s", times[row]?),
            cell: cell.to_owned(),
            x: x[row]?,
            y: y[row]?,
            values: std::array::from_fn(|quantity| value(quantity, row)),
        })
    };
    (0..table.rows()).filter_map(sample).collect()
}

/// Points of samples, with a value each or none.
fn points<'a>(samples: impl Iterator<Item = &'a Sample> + Clone, values: Vec<f64>) -> Mark {
    Mark::Points {
        x: samples.clone().map(|sample| sample.x).collect(),
        y: samples.clone().map(|sample| sample.y).collect(),
        values,
        names: samples.map(|sample| sample.name.clone()).collect(),
    }
}

/// The chart whose colours are serving cells, in the order in which they served first.
fn by_cell(samples: &[Sample]) -> Chart {
    let cells = distinct(samples.iter().map(|sample| &*sample.cell));
    let layer = |(n, cell): (usize, &&str)| {
        let series = Series { name: (*cell).into(), colour: n, shape: n, hollow: false };
        let own = samples.iter().filter(move |sample| sample.cell == **cell);
        Layer::new(&series, points(own, Vec::new()))
    };
    let layers = cells.iter().enumerate().map(layer).collect();
    let sentence = match cells.len() {
        1 => "One cell serves all UEs that move.".to_owned(),
        count => format!("{count} cells serve the UEs that move."),
    };
    chart("cell", "Routes and their serving cells", (sentence, layers), None)
}

/// The chart whose colours are a quantity, of samples that have it; none if none has.
fn by_quantity(samples: &[Sample], quantity: usize) -> Option<Chart> {
    let (name, unit, _) = ON_A_ROUTE[quantity];
    let own = samples.iter().filter(|sample| sample.values[quantity].is_some());
    let values: Vec<f64> = own.clone().filter_map(|sample| sample.values[quantity]).collect();
    if values.is_empty() {
        return None;
    }
    let at = |per_mille| with_unit(percentile(&values, per_mille).unwrap_or(f64::NAN), unit);
    let sentence = format!(
        "{} along the routes: {} in the median, {} at the 5th and {} at the 95th percentile.",
        capital(name),
        at(500),
        at(50),
        at(950)
    );
    let scale = Values { label: name.into(), unit: unit.into(), range: None };
    let layer = Layer::plain(points(own, values)).meaning("each point: a sample");
    let column = COLUMNS[5..].iter().chain(&CARRIED).nth(quantity).unwrap_or(&name);
    Some(chart(column, &format!("Routes and their {name}"), (sentence, vec![layer]), Some(scale)))
}

fn chart(
    id: &str,
    title: &str,
    (sentence, layers): (String, Vec<Layer>),
    values: Option<Values>,
) -> Chart {
    let (x, y) = (Axis::new("x", "m"), Axis::new("y", "m"));
    let panel = Panel { x, y, layers, values, equal: true, ..Panel::default() };
    let (id, title) = (format!("routes-{id}"), title.into());
    Chart { id, title, sentence, panels: vec![panel], ..Chart::default() }
}
