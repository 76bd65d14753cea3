//! Panels with names on an axis, in a terminal: a line for each name.

use super::{NAMED, PARTS};
use crate::{Direction, Layer, Mark, Panel, figure};

/// A line.
struct Row {
    name: String,
    /// Length of the bar.
    length: f64,
    figure: String,
}

/// Lines of a panel with names; none of one without names, or without figures.
pub fn rows(panel: &Panel, width: usize) -> Option<Vec<String>> {
    let cells = panel.layers.iter().find_map(|layer| match &layer.mark {
        Mark::Cells { x, y, values } => Some((x, y, values)),
        _ => None,
    });
    if let Some((x, y, values)) = cells {
        let both = panel.x.categories().is_some() && panel.y.categories().is_some();
        return both.then(|| grid(panel, x, y, values));
    }
    let along = if panel.y.categories().is_some() { Direction::Y } else { Direction::X };
    let names = panel.axis(along).categories()?;
    let bars = panel.layers.iter().any(|layer| matches!(layer.mark, Mark::Bars { .. }));
    let rows = if bars { stacks(panel, names) } else { points(panel, names) };
    (!rows.is_empty()).then(|| drawn(&rows, width))
}

fn drawn(rows: &[Row], width: usize) -> Vec<String> {
    let names = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let longest = rows.iter().map(|row| row.length).fold(0.0, f64::max);
    let line = |row: &Row| {
        let bar = bar(row.length, longest, width);
        let room = width - bar.chars().count();
        format!("{:names$}  {bar}{:room$}  {}", row.name, "", row.figure)
    };
    rows.iter().map(line).collect()
}

/// A bar to an eighth of a column.
fn bar(length: f64, longest: f64, width: usize) -> String {
    if longest <= 0.0 || length <= 0.0 {
        return String::new();
    }
    let eighths = (length / longest * (width * 8) as f64).round() as usize;
    let whole = eighths / 8;
    let part = (eighths % 8).checked_sub(1).map(|n| PARTS[n]);
    "█".repeat(whole) + &part.map(String::from).unwrap_or_default()
}

/// Stacked bars: their sums, and the longest of their parts.
fn stacks(panel: &Panel, names: &[String]) -> Vec<Row> {
    let unit = match panel.bars_along() {
        Direction::X => &panel.x.unit,
        Direction::Y => &panel.y.unit,
    };
    let parts = panel.parts();
    let row = |(n, name): (usize, &String)| {
        let mut own: Vec<(&str, f64)> = parts
            .iter()
            .filter(|part| part.category == n && part.to > part.from)
            .filter_map(|part| {
                Some((part.layer.series.as_ref()?.name.as_str(), part.to - part.from))
            })
            .collect();
        own.sort_by(|a, b| b.1.total_cmp(&a.1));
        let sum =
            parts.iter().filter(|part| part.category == n).map(|part| part.to).fold(0.0, f64::max);
        let said: Vec<String> = own
            .iter()
            .take(NAMED)
            .map(|(part, length)| format!("{part} {}", figure(*length)))
            .collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) };
        Row { name: name.clone(), length: sum, figure: format!("{} {unit}{said}", figure(sum)) }
    };
    names.iter().enumerate().map(row).collect()
}

/// Points and intervals: the figure of each, with half its interval; named by series, too, where a
/// name has several and they are called otherwise.
fn points(panel: &Panel, names: &[String]) -> Vec<Row> {
    let mut rows: Vec<(usize, Row)> = Vec::new();
    let figures = panel.layers.iter().filter_map(|layer| Some((layer, of_mark(&layer.mark)?)));
    for (layer, points) in figures {
        for (place, value, half) in points {
            let at = place.round().max(0.0) as usize;
            let Some(name) = names.get(at) else { continue };
            let half = half.filter(|half| *half > 0.0);
            let half = half.map(|half| format!(" ± {}", figure(half))).unwrap_or_default();
            let text = format!("{}{half} {}", figure(value), panel.y.unit);
            let name = called(layer, name);
            rows.push((at, Row { name, length: value, figure: text.trim_end().to_owned() }));
        }
    }
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Position, figure and half the interval of each point; none of a mark without points.
fn of_mark(mark: &Mark) -> Option<Vec<(f64, f64, Option<f64>)>> {
    let finite = |point: &(f64, f64, Option<f64>)| point.0.is_finite() && point.1.is_finite();
    let all: Vec<_> = match mark {
        Mark::Points { x, y, .. } => x.iter().zip(y).map(|(x, y)| (*x, *y, None)).collect(),
        Mark::Intervals { x, y, low, high } => {
            let halves = low.iter().zip(high).map(|(low, high)| Some((high - low) / 2.0));
            x.iter().zip(y).zip(halves).map(|((x, y), half)| (*x, *y, half)).collect()
        }
        _ => return None,
    };
    Some(all.into_iter().filter(finite).collect())
}

/// Name of a point: its series, if the series contains the name of its category.
fn called(layer: &Layer, name: &str) -> String {
    match &layer.series {
        Some(series) if series.name.contains(name) => series.name.clone(),
        Some(series) => format!("{name}: {}", series.name),
        None => name.to_owned(),
    }
}

/// The values of cells as a table.
fn grid(panel: &Panel, x: &[f64], y: &[f64], values: &[Option<f64>]) -> Vec<String> {
    let of = |direction| panel.axis(direction).categories().unwrap_or_default();
    let (columns, rows) = (of(Direction::X), of(Direction::Y));
    let value = |column: usize, row: usize| {
        let mut cells = x.iter().zip(y).zip(values);
        let found = cells.find(|((x, y), _)| **x == column as f64 && **y == row as f64);
        found.and_then(|(_, value)| *value).map_or_else(|| "-".to_owned(), figure)
    };
    let first = rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let wide: Vec<usize> = columns.iter().map(|name| name.chars().count().max(6) + 2).collect();
    let unit = panel.values.as_ref().map(|values| values.unit.clone()).unwrap_or_default();
    let head: String =
        columns.iter().zip(&wide).map(|(name, wide)| format!("{name:>wide$}")).collect();
    let mut lines = vec![format!("{:first$}{head}  {unit}", "").trim_end().to_owned()];
    for (n, row) in rows.iter().enumerate() {
        let cells: String =
            wide.iter().enumerate().map(|(m, wide)| format!("{:>wide$}", value(m, n))).collect();
        lines.push(format!("{row:first$}{cells}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Chart, Series, Values};

    fn lines(panel: Panel) -> Vec<String> {
        Chart { panels: vec![panel], ..Chart::default() }.sparklines(8)
    }

    #[test]
    fn arms_are_named_with_their_figures() {
        let of = |name: &str, place: f64, y: f64| {
            let (x, y, low, high) = (vec![place], vec![y], vec![y - 0.5], vec![y + 0.5]);
            Layer::new(&Series::new(name, 0), Mark::Intervals { x, y, low, high })
        };
        let panel = Panel {
            x: Axis::category("controller", ["cubic", "bbr"]),
            y: Axis::new("goodput", "Mbit/s"),
            layers: vec![of("cubic, slow", 0.2, 2.0), of("bbr", 1.0, 4.0), of("cubic", -0.2, 3.0)],
            ..Panel::default()
        };
        let expected = [
            "cubic, slow  ████      2 ± 0.5 Mbit/s",
            "cubic        ██████    3 ± 0.5 Mbit/s",
            "bbr          ████████  4 ± 0.5 Mbit/s",
        ];
        assert_eq!(lines(panel), expected);
    }

    #[test]
    fn stacked_bars_have_their_sums_and_longest_parts() {
        let bars = |name: &str, lengths: &[f64]| {
            Layer::new(&Series::new(name, 0), Mark::Bars { lengths: lengths.to_vec() })
        };
        let panel = Panel {
            x: Axis::new("delay", "ms"),
            y: Axis::category("flows", ["cubic: voice", "bbr: voice"]),
            layers: vec![bars("Radio", &[3.0, 3.0]), bars("PDCP", &[61.0, 1.0])],
            ..Panel::default()
        };
        let expected = [
            "cubic: voice  ████████  64 ms: PDCP 61, Radio 3",
            "bbr: voice    ▌         4 ms: Radio 3, PDCP 1",
        ];
        assert_eq!(lines(panel), expected);
    }

    #[test]
    fn cells_are_a_table() {
        let values = vec![Some(2.77), Some(2.96), None, Some(3.56)];
        let mark = Mark::Cells { x: vec![0.0, 1.0, 0.0, 1.0], y: vec![0.0, 0.0, 1.0, 1.0], values };
        let panel = Panel {
            x: Axis::category("rate", ["3 Mbit/s", "5 Mbit/s"]),
            y: Axis::category("controller", ["cubic", "bbr"]),
            layers: vec![Layer::plain(mark)],
            values: Some(Values { unit: "Mbit/s".into(), ..Values::default() }),
            ..Panel::default()
        };
        let expected = [
            "       3 Mbit/s  5 Mbit/s  Mbit/s",
            "cubic      2.77      2.96",
            "bbr           -      3.56",
        ];
        assert_eq!(lines(panel), expected);
    }
}
