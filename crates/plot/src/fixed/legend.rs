//! The legend: a row of entries above the panels, or as many as it needs.

use super::canvas::{Canvas, Type};
use super::points::{Look, point};
use super::text::{cut, width};
use super::{INK, MARGIN, WIDTH};
use crate::{Chart, Mark, Series};

/// Size of its texts, height of a row, width of samples with a line and without, distance of
/// entries.
const SIZE: u32 = 13;
const ROW: f64 = 22.0;
const SAMPLE: f64 = 28.0;
const SHORT: f64 = 16.0;
const APART: f64 = 22.0;

/// Drawn elements of a series, which its entry in the legend shows.
#[derive(Clone, Copy, Default)]
struct Drawn {
    area: bool,
    shade: bool,
    line: bool,
    point: bool,
    /// True if colours of values replace the series' own.
    valued: bool,
}

/// An entry, and how wide it is.
struct Entry<'a> {
    series: &'a Series,
    name: String,
    drawn: Drawn,
    sample: f64,
    width: f64,
}

/// The legend from `top` on; where it ends. Entries of several rows stand below each other.
pub(super) fn draw(chart: &Chart, canvas: &mut Canvas, top: f64) -> f64 {
    let entries: Vec<Entry<'_>> =
        chart.series().into_iter().map(|series| entry(chart, series)).collect();
    if entries.is_empty() {
        return top;
    }
    let all: f64 = entries.iter().map(|entry| entry.width + APART).sum();
    let widest = entries.iter().map(|entry| entry.width).fold(0.0, f64::max);
    let column = if all - APART > WIDTH - 2.0 * MARGIN { widest } else { 0.0 };
    let (mut x, mut y) = (MARGIN, top);
    for entry in &entries {
        if x > MARGIN && x + entry.width.max(column) > WIDTH - MARGIN {
            (x, y) = (MARGIN, y + ROW);
        }
        sample(canvas, (x, y + ROW / 2.0, entry.sample), entry.drawn, entry.series);
        let of = Type { size: SIZE, ..Type::small(INK) };
        canvas.text(x + entry.sample + 7.0, y + ROW / 2.0 + 4.5, &entry.name, of);
        x += entry.width.max(column) + APART;
    }
    y + ROW + 4.0
}

fn entry<'a>(chart: &Chart, series: &'a Series) -> Entry<'a> {
    let name = cut(&series.name, SIZE, WIDTH - 2.0 * MARGIN - SAMPLE - 8.0);
    let drawn = drawn(chart, series);
    let sample = if drawn.line || drawn.shade { SAMPLE } else { SHORT };
    let width = sample + 7.0 + width(&name, SIZE);
    Entry { series, name, drawn, sample, width }
}

fn drawn(chart: &Chart, series: &Series) -> Drawn {
    let layers = chart.panels.iter().flat_map(|panel| &panel.layers);
    let own = layers.filter(|layer| layer.series.as_ref().is_some_and(|s| s.name == series.name));
    own.fold(Drawn::default(), |mut drawn, layer| {
        match &layer.mark {
            Mark::Bars { .. } | Mark::Cells { .. } => drawn.area = true,
            Mark::Band { .. } => drawn.shade = true,
            Mark::Line { points, .. } => {
                drawn.line = true;
                drawn.point |= points;
            }
            Mark::Points { values, .. } => {
                drawn.point = true;
                drawn.valued |= !values.is_empty();
            }
            Mark::Intervals { .. } => drawn.point = true,
            Mark::Ellipse { .. } => {
                drawn.shade = true;
                drawn.point = true;
            }
            Mark::Rule { .. } => drawn.line = true,
            Mark::Text { .. } => drawn.point |= !drawn.line && !drawn.area,
        }
        drawn
    })
}

fn sample(canvas: &mut Canvas, (x, y, width): (f64, f64, f64), drawn: Drawn, series: &Series) {
    let mut look = Look::of(Some(series));
    if drawn.valued {
        look.colour = INK;
    }
    let middle = x + width / 2.0;
    if drawn.area {
        canvas.rect((middle - 7.0, y - 7.0), (14.0, 14.0), look.colour);
    }
    if drawn.shade {
        let (left, right) = (x, x + width);
        let corners = [(left, y - 6.0), (right, y - 6.0), (right, y + 6.0), (left, y + 6.0)];
        canvas.area(&corners, look.colour, Some(0.22));
    }
    if drawn.line {
        canvas.line(&[(x, y), (x + width, y)], look.stroke(2.0));
    }
    if drawn.point {
        point(canvas, (middle, y), 4.0, look);
    }
}
