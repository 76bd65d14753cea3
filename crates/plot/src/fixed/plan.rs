//! Layout of the panels and the margins around each.

use super::axes::{Axes, Ticks};
use super::canvas::Canvas;
use super::cells;
use super::place::Area;
use super::range::range;
use super::text::{BOLD, cut, lines};
use super::{MARGIN, WIDTH, marks};
use crate::{Chart, Direction, Mark, Panel};

/// Distance of panels.
const APART: f64 = 28.0;
/// Height of a panel's title.
const TITLE: f64 = 30.0;

/// Margins that a panel needs around its area.
struct Need<'a> {
    panel: &'a Panel,
    x: Ticks,
    y: Ticks,
    left: f64,
    right: f64,
    height: f64,
}

/// All panels from `top` on; where they end.
pub(super) fn draw(chart: &Chart, canvas: &mut Canvas, top: f64) -> f64 {
    let columns = chart.columns.clamp(1, chart.panels.len().max(1));
    let cell = (WIDTH - 2.0 * MARGIN - APART * (columns as f64 - 1.0)) / columns as f64;
    let needs: Vec<Need<'_>> = chart.panels.iter().map(|panel| need(chart, panel, cell)).collect();
    let mut y = top;
    for row in needs.chunks(columns) {
        y = self::row(chart, canvas, (row, &needs), (columns, cell), y) + 8.0;
    }
    y
}

/// A row of panels; where it ends. Areas of panels in one column stand below each other.
fn row(
    chart: &Chart,
    canvas: &mut Canvas,
    (row, all): (&[Need<'_>], &[Need<'_>]),
    (columns, cell): (usize, f64),
    top: f64,
) -> f64 {
    let titled = row.iter().any(|need| !need.panel.title.is_empty());
    let height = row.iter().map(|need| need.height).fold(0.0, f64::max);
    let mut end = top;
    for (n, need) in row.iter().enumerate() {
        let column = || all.iter().skip(n).step_by(columns);
        let left = column().map(|need| need.left).fold(0.0, f64::max);
        let right = column().map(|need| need.right).fold(0.0, f64::max);
        let area = Area {
            left: MARGIN + (cell + APART) * n as f64 + left,
            top: top + if titled { TITLE } else { 10.0 },
            width: cell - left - right,
            height: if need.panel.equal { height.min(cell - left - right) } else { height },
        };
        end = panel(chart, canvas, (need, left), area).max(end);
    }
    end
}

/// A panel; where it ends.
fn panel(chart: &Chart, canvas: &mut Canvas, (need, left): (&Need<'_>, f64), area: Area) -> f64 {
    let axes = Axes::new(need.panel, area, &need.x, &need.y);
    let below = need.x.height(area.width);
    let title = cut(&need.panel.title, 13, (area.right() - area.left + left) / BOLD);
    canvas.bold(area.left - left, area.top - 14.0, &title, 13);
    axes.draw(canvas);
    axes.titles(canvas, left, below);
    marks::draw(canvas, &axes, &chart.series());
    cells::bar(canvas, need.panel, area);
    let titles = lines(&need.panel.x.title(), area.width + 80.0).len();
    area.bottom() + below + 15.0 * titles as f64 + 6.0
}

fn need<'a>(chart: &'a Chart, panel: &'a Panel, cell: f64) -> Need<'a> {
    let height = height(panel, cell);
    let count = |length: f64, each: f64| ((length / each).round() as usize).clamp(2, 12);
    let own = [panel];
    let all: Vec<&Panel> = chart.panels.iter().collect();
    let (x, over): (_, &[&Panel]) = match chart.shared_x {
        true => (&all[0].x, &all),
        false => (&panel.x, &own),
    };
    let across = count(cell, 85.0);
    let x = Ticks::new(x, range(x, over, Direction::X, across), across, cell);
    let up = count(height, 45.0);
    let y = Ticks::new(&panel.y, range(&panel.y, &own, Direction::Y, up), up, cell);
    let titles = 17.0 * lines(&panel.y.title(), height + 20.0).len() as f64;
    let left = titles + y.width + 12.0;
    let bar = cells::bar_width(panel);
    let (before, behind) = x.overhang(cell - left - bar);
    let (left, right) = (left.max(before), bar.max(behind).max(12.0));
    Need { panel, x, y, left, right, height }
}

/// Height of a panel's area.
fn height(panel: &Panel, cell: f64) -> f64 {
    let names = |step: f64| panel.y.categories().map(|names| names.len().max(1) as f64 * step);
    let has = |of: fn(&Mark) -> bool| panel.layers.iter().any(|layer| of(&layer.mark));
    if panel.equal {
        return (cell - 100.0).clamp(200.0, 640.0);
    }
    let ordinary = (cell * 0.45).clamp(200.0, 320.0);
    match has(|mark| matches!(mark, Mark::Cells { .. })) {
        // The title of the colour bar, with its unit, stands along it.
        true => names(34.0).unwrap_or(ordinary).clamp(cells::bar_height(panel), 900.0),
        false => names(46.0).unwrap_or(ordinary).clamp(80.0, 1_500.0),
    }
}
